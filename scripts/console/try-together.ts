import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { type LocalExchange, expectThat } from '../local-exchange.ts';
import { checkState, open, see, tabTo } from './browser.ts';
import { type Customer, send } from './desk-customer.ts';
import { confirm, press } from './desk-steps.ts';
import { awaitLink, awaitMail } from './mails.ts';
import { enrolAgain, openConsole, returnByLink } from './try-recovery.ts';

export interface Staff {
  readonly first: Page;
  readonly second: Page;
}

/** What the holder of the rejected withdrawal is told. */
const TOLD = 'Ask us which addresses we may pay';

async function enter(browser: Browser, exchange: LocalExchange, email: string): Promise<Page> {
  const page = await openConsole(browser, exchange);
  await page.goto(await awaitLink(exchange, email, 1));
  await press(page, 'Sign in');
  await see(page, 'Balances');
  await open(page, 'Security');
  await press(page, 'Add a passkey');
  await see(page, /^Added /);
  return page;
}

/** Rejects the withdrawal that waits longest. */
async function rejectOldest(page: Page, told = ''): Promise<void> {
  await open(page, 'Reviews');
  await page.getByRole('table', { name: 'Withdrawals to review' }).getByRole('link').first().click();
  await press(page, 'Reject');
  await page.getByLabel('Reason, for the audit').fill('the address is a known thief’s');
  await page.getByLabel('What the holder is told').fill(told);
  await confirm(page, 'Reject');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

/** Two withdrawals are rejected at the desk, and their holder sees them wait, and then what the desk says, or whom to ask. */
async function reject(page: Page, exchange: LocalExchange, { first }: Staff, customer: Customer): Promise<void> {
  await send(exchange, 'PATCH', '/operator/v1/settings', { reviewThreshold: '10' });
  await customer.withdraw();
  await open(page, 'Withdraw');
  await see(page, 'The exchange reviews it; your coins are set aside.');
  await rejectOldest(first, TOLD);
  await see(first, TOLD);
  await see(page, 'Amount and fee are back in your balance.');
  await see(page, `The exchange says: “${TOLD}”`);
  await rejectOldest(first);
  await see(page, 'The exchange’s review rejected it. Amount and fee are back in your balance.');
  await page.getByRole('link', { name: 'Ask why by mail' }).first().waitFor();
  await page.locator('.pill.failed').first().waitFor();
  expectThat(!(await page.content()).includes('thief'), 'the holder of a rejected withdrawal sees why it was not sent');
}

/** Everything is lost but the mailbox. One of the staff asks for a recovery, another agrees, and the holder is back. */
async function recover(page: Page, { first, second }: Staff, shots: string | undefined): Promise<void> {
  await see(page, 'We check who you are');
  await press(first, 'Allow a recovery');
  await first.getByLabel('Reason, for the audit').fill('met them at the counter');
  await confirm(first, 'Propose it');
  await first.getByRole('link', { name: 'a proposal' }).waitFor();
  await page.reload();
  await see(page, 'We check who you are');
  expectThat(true, 'one of the staff alone lets nobody back in');
  await open(second, 'Proposals');
  await second.getByRole('link', { name: 'Let the holder recover the account' }).click();
  await press(second, 'Approve');
  await confirm(second, 'Approve');
  await see(second, 'Decided by');
  await page.reload();
  await see(page, 'We have agreed');
  await checkState(page, 'security-agreed', shots);
  await press(page, 'Recover the account');
  await enrolAgain(page);
  expectThat(true, 'two of the staff let a holder without a code back in, with a new passkey');
}

/** The search finds the account by the beginning of a word of its name, and of its holder's e-mail. */
async function find(page: Page, { accountId }: Customer, email: string): Promise<void> {
  for (const text of ['cUStom', email.slice(0, -4).toUpperCase()]) {
    await page.getByRole('searchbox').fill(text);
    await page.keyboard.press('Enter');
    const row = page.getByRole('table', { name: 'Accounts' }).getByRole('row').filter({ hasText: email });
    const path = await row.getByRole('link').first().getAttribute('href');
    expectThat(path?.endsWith(accountId) === true, `the search finds an account by “${text}”, and names its holder`);
  }
}

/** Accounts are narrowed by the day of their opening, and exported with the e-mails of their holders. */
async function exportAccounts(page: Page, { accountId }: Customer, email: string): Promise<void> {
  await open(page, 'Accounts');
  await page.getByText('More filters').click();
  await page.getByLabel('Opened before, UTC').fill('2000-01-01');
  await press(page, 'Filter');
  await see(page, 'No account is found.');
  await page.getByLabel('Opened before, UTC').fill('');
  await page.getByLabel('Opened from, UTC').fill('2000-01-01');
  await press(page, 'Filter');
  await page.getByRole('table', { name: 'Accounts' }).getByText(email).waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Export this list as CSV')]);
  const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
  const own = lines.find((line) => line.startsWith(accountId)) ?? '';
  expectThat(
    own.endsWith(`,${email}`),
    'accounts are narrowed by their opening, and exported with their holders’ e-mails',
  );
  await page.goto(new URL(`/desk/accounts?query=${encodeURIComponent(email)}`, page.url()).href);
  const [byEmail] = await Promise.all([page.waitForEvent('download'), press(page, 'Export this list as CSV')]);
  const found = (await readFile(await byEmail.path(), 'utf8')).split('\r\n').filter((line) => line.endsWith(email));
  expectThat(found.length === 1, 'accounts that are found by an e-mail alone are exported, each once');
}

/** The account of a deposit is found by its id, by a word of its name and by its holder's e-mail; with the keys alone. */
async function credit(page: Page, { accountId }: Customer, email: string): Promise<void> {
  await open(page, 'Deposits');
  await page.getByRole('table', { name: 'In quarantine' }).getByRole('link').first().click();
  await tabTo(page, page.getByRole('button', { name: 'Credit it' }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  const [field, choice] = [dialog.getByLabel('Account', { exact: true }), dialog.getByRole('radio', { name: email })];
  for (const text of ['nobody at all', accountId, 'custo', email.slice(0, 9)]) {
    await tabTo(page, field, 'Shift+Tab');
    await field.selectText();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await (text === 'nobody at all' ? dialog.getByText('No account is found.') : choice).waitFor();
  }
  await tabTo(page, dialog.getByLabel('Reason, for the audit'));
  await page.keyboard.type('the sender proved it');
  await page.keyboard.press('Enter');
  expectThat(await dialog.isVisible(), 'nothing is proposed before an account is chosen');
  await tabTo(page, choice, 'Shift+Tab');
  await page.keyboard.press('Space');
  await dialog.locator('.change', { hasText: email }).waitFor();
  await tabTo(page, dialog.getByRole('button', { name: 'Propose it' }));
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'a proposal' }).click();
  await page.locator('dd', { hasText: email }).waitFor();
  expectThat(true, 'the account of a deposit is found and chosen with the keys alone, and crediting it is a proposal');
}

/** What a holder and two of the staff do together: a withdrawal that is rejected, and a recovery without a code. */
export async function tryTogether(
  browser: Browser,
  exchange: LocalExchange,
  staff: Staff,
  { customer, email, shots }: { customer: Customer; email: string; shots: string | undefined },
): Promise<void> {
  const holder = await enter(browser, exchange, email);
  await see(holder, /^On Sunday withdrawals/);
  expectThat(true, 'a holder sees the notice above the page');
  await find(staff.first, customer, email);
  await exportAccounts(staff.first, customer, email);
  await credit(staff.first, customer, email);
  await reject(holder, exchange, staff, customer);
  await checkState(holder, 'withdraw-rejected', shots);
  await holder.context().close();
  const { text } = await awaitMail(exchange, email, 'A withdrawal of 0.1 ETH from your account failed');
  expectThat(
    text.includes(`The exchange says: ${TOLD}`) && !text.includes('thief'),
    'a mail says that the withdrawal failed and what the desk tells its holder, and not what the staff knows of it',
  );
  await staff.first.goto(`${exchange.consoleOrigin}/desk/accounts/${customer.accountId}`);
  const back = await returnByLink(browser, exchange, email, async () => undefined);
  await recover(back, staff, shots);
  await back.context().close();
}

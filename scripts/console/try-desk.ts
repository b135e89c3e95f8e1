import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page, Request } from 'playwright-core';
import { type LocalExchange, expectThat } from '../local-exchange.ts';
import { writeSignInLink } from '../start/play-access.ts';
import { WIDE, checkPages, open, see } from './browser.ts';
import { type Customer, NOBODYS, openCustomer, send } from './desk-customer.ts';
import { compareNumbers, listPages } from './desk-pages.ts';
import { confirm, press, signIn } from './desk-steps.ts';
import { listMails } from './mails.ts';
import { endAsDealt, endAsNever, enterMove, hedge, leaveHedgesOpen } from './try-hedges.ts';
import { tryTogether } from './try-together.ts';

const ADMIN = 'admin@bureau.example';
const SECOND = 'grace@bureau.example';
const CUSTOMER = 'Desk Customer';
const EMAIL = 'customer@customers.example';

/** Opens an account at the desk, finds it again by its id, and credits it. Returns its id. */
async function openAccount(page: Page, exchange: LocalExchange): Promise<string> {
  await open(page, 'Accounts');
  await press(page, 'Open an account');
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(CUSTOMER);
  await confirm(page, 'Open an account');
  await page.getByRole('heading', { level: 1, name: CUSTOMER }).waitFor();
  const accountId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.getByRole('searchbox').fill(accountId);
  await page.keyboard.press('Enter');
  await see(page, `1 result for “${accountId}”.`);
  await page.getByRole('table', { name: 'Accounts' }).getByRole('link', { name: CUSTOMER }).click();
  await page.getByRole('heading', { level: 1, name: CUSTOMER }).waitFor();
  expectThat(true, 'the desk opens an account, and the search finds it by its id');
  await press(page, 'Credit by hand');
  await page.getByRole('dialog').getByLabel('Asset').selectOption('ETH');
  await page.getByLabel('Amount of ETH').fill('5.25');
  await page.getByLabel('Reference').fill('desk credit');
  await confirm(page, 'Credit by hand');
  await page.getByRole('table', { name: 'Balances' }).getByText('5.25').waitFor();
  await see(page, '5\u202F000.00 USDT may be withdrawn now.');
  expectThat(true, 'an account is credited by hand, and its page says what is left of its limit');
  await press(page, 'Set the limit');
  const set = page.getByRole('dialog').getByRole('button', { name: 'Set the limit' });
  expectThat(await set.isDisabled(), 'a limit is not set before it is another');
  await page.getByLabel('Daily limit', { exact: true }).fill('4500');
  await page.getByLabel('Reason, for the audit').fill('as agreed');
  await set.click();
  await see(page, '4\u202F500.00 USDT may be withdrawn now.');
  await press(page, 'Freeze');
  await page.getByLabel('Reason, for the audit').fill('asked for it by telephone');
  await confirm(page, 'Freeze');
  await page.getByRole('button', { name: 'Unfreeze' }).waitFor();
  const { account } = await send<{ account: { status: string } }>(
    exchange,
    'GET',
    `/operator/v1/accounts/${accountId}`,
  );
  expectThat(account.status === 'frozen', 'an account is frozen');
  await page.getByLabel('A note, for the staff').fill('called, and knows nothing of it');
  await press(page, 'Add the note');
  await page.getByRole('list', { name: 'Notes' }).getByText(ADMIN).waitFor();
  expectThat(true, 'a note on an account has who wrote it and when');
  await press(page, 'Unfreeze');
  await page.getByLabel('Reason, for the audit').fill('identified');
  await confirm(page, 'Unfreeze');
  await page.getByRole('button', { name: 'Freeze', exact: true }).waitFor();
  await page.goto(`${exchange.consoleOrigin}/desk/audit?target=${accountId}&action=change_account`);
  await see(page, 'set the daily limit of withdrawals to 4\u202F500 USDT, because: as agreed');
  await see(page, 'froze the account, because: asked for it by telephone');
  await see(page, 'unfroze the account, because: identified');
  await page.goto(`${exchange.consoleOrigin}/desk/accounts/${accountId}`);
  expectThat(true, 'why a limit was set, and an account frozen and unfrozen, is in the audit');
  return accountId;
}

/** Adds an endpoint for the operator's events, whose secret Escape does not lose. Nobody answers at its address. */
async function follow(page: Page): Promise<void> {
  await open(page, 'Events');
  await page.getByRole('link', { name: 'Endpoints', exact: true }).click();
  await see(page, 'An endpoint is a URL of your own that events are sent to.');
  await press(page, 'Add an endpoint');
  await page.getByLabel('URL of the endpoint').fill('http://127.0.0.1:9/desk');
  await page.getByRole('radio', { name: 'Only some' }).check({ force: true });
  await page.getByLabel('Everything in the audit', { exact: true }).check();
  await confirm(page, 'Add an endpoint');
  const dialog = page.getByRole('dialog', { name: 'The endpoint’s secret' });
  await dialog.getByText(/^whsec_/).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await dialog.getByLabel('I have stored it').check();
  await confirm(page, 'Done');
  await press(page, 'Send a test');
  await see(page, 'Test failed: not reached.');
  expectThat(true, 'an endpoint for the operator’s events is added, its secret shown, and a test sent');
  await press(page, 'More');
  await press(page, 'Make a new secret');
  await confirm(page, 'Make a new secret');
  await dialog.getByText(/^whsec_/).waitFor();
  await dialog.getByLabel('I have stored it').check();
  await confirm(page, 'Done');
  await page.getByRole('link', { name: 'Newest', exact: true }).click();
  await page.getByLabel('Show').selectOption('audit');
  await press(page, 'Refresh');
  const newest = page.getByRole('table', { name: 'The newest events' }).locator('tbody tr:not(.heads)').first();
  await page.getByRole('rowheader', { name: /^\w+,? \d+ \w+ \d{4}$/ }).waitFor();
  await newest.getByText(/made a new secret for a webhook endpoint/).waitFor();
  expectThat(true, 'the newest event of the feed is the last change');
}

/** Lowers the review limit, and reviews the withdrawal that then waits. */
async function review(page: Page, exchange: LocalExchange, customer: Customer): Promise<void> {
  await open(page, 'Settings');
  await page.getByRole('navigation', { name: 'Of settings' }).getByRole('link', { name: 'Accounts' }).click();
  await press(page, 'Change the review limit');
  const button = page.getByRole('dialog').getByRole('button', { name: 'Change the review limit' });
  expectThat(await button.isDisabled(), 'a setting is not changed before its value is another');
  await page.getByRole('dialog').getByLabel('Review limit').fill('10');
  const change = page.getByRole('dialog').locator('.change');
  const [old, next] = [await change.locator('del').textContent(), await change.locator('ins').textContent()];
  expectThat(
    old !== next && next === '10\u00A0USDT',
    `a setting shows its old value and its new one, ${old} and ${next}`,
  );
  await page.getByLabel('Reason, for the audit').fill('to review one');
  await confirm(page, 'Change the review limit');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const id = await customer.withdraw();
  await open(page, 'Reviews');
  await page.getByRole('heading', { name: 'Reviews', level: 1 }).and(page.locator(':focus')).waitFor();
  const waiting = page.getByRole('table', { name: 'Withdrawals to review' });
  await waiting.getByText(/^\d+ min$/).waitFor();
  await waiting.getByRole('link', { name: 'Review' }).first().click();
  await see(page, 'What to look at');
  await see(page, 'This is the account’s first withdrawal.');
  const happened = page.getByRole('list', { name: 'What happened' });
  await happened.getByText('Requested with API key bot').waitFor();
  await happened.getByText('Waits for review').waitFor();
  await press(page, 'Approve');
  await page.getByLabel('Reason, for the audit').fill('known customer');
  await confirm(page, 'Approve');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await happened.getByText(`${ADMIN} approved the withdrawal, because: known customer`).waitFor();
  expectThat(true, 'the page of a withdrawal says what happened to it, by whom and with which key');
  const path = `/operator/v1/accounts/${customer.accountId}/withdrawals/${id}`;
  const { withdrawal } = await send<{ withdrawal: { status: string } }>(exchange, 'GET', path);
  expectThat(withdrawal.status !== 'PENDING', `a reviewed withdrawal goes on, it is ${withdrawal.status}`);
  await page.goto(`${exchange.consoleOrigin}/desk/accounts/${customer.accountId}/transactions`);
  const moved = page.getByRole('row').filter({ hasText: '−0.1 ETH' });
  await moved.getByRole('link', { name: 'ETH withdrawal' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Withdrawal of 0.1 ETH' }).waitFor();
  expectThat(true, 'what moved has its sign, and leads to its record');
}

/** Halts trading and lifts the halt, alone while there is one admin and then with a second person. Returns their page. */
async function halt(page: Page, exchange: LocalExchange, browser: Browser): Promise<Page> {
  const readHalt = async () =>
    (await send<{ settings: { tradingHalted: boolean } }>(exchange, 'GET', '/operator/v1/settings')).settings
      .tradingHalted;
  const haltTrading = async () => {
    await open(page, 'Today');
    await press(page, 'Halt trading');
    await confirm(page, 'Halt trading');
    await page.getByRole('button', { name: 'Resume trading' }).waitFor();
  };
  const lift = async (does: string) => {
    await press(page, 'Resume trading');
    await confirm(page, does);
  };
  await haltTrading();
  expectThat(await readHalt(), 'a halt is in force');
  await lift('Resume trading');
  await page.getByRole('button', { name: 'Halt trading' }).waitFor();
  expectThat(!(await readHalt()), 'one admin lifts it while there is no other');
  await open(page, 'Staff');
  await press(page, 'Add a person');
  await page.getByLabel('E-mail, as Access knows it').fill(SECOND);
  await page
    .getByRole('dialog')
    .getByLabel(/^Admin/)
    .check();
  await confirm(page, 'Add a person');
  await page.getByRole('table', { name: 'Staff' }).getByText(SECOND).waitFor();
  await haltTrading();
  await lift('Propose it');
  await page.getByRole('link', { name: 'a proposal' }).click();
  await see(page, 'You proposed this.');
  expectThat(await readHalt(), 'with two admins it is proposed, and who proposed it cannot approve it');
  const [, other] = await signIn(browser, exchange, SECOND);
  await open(other, 'Proposals');
  await see(other, `by ${ADMIN}, for you to decide`);
  await other.getByRole('link', { name: 'Resume trading' }).click();
  await see(other, 'Trading is halted');
  await press(other, 'Approve');
  await confirm(other, 'Approve');
  await see(other, `Decided by`);
  await other.locator('dd', { hasText: SECOND }).waitFor();
  expectThat(!(await readHalt()), 'a second person approves it, and trading is open');
  await open(other, 'Audit');
  const row = other.getByRole('row').filter({ hasText: 'resumed trading' }).first();
  await row.getByText(SECOND).waitFor();
  expectThat(true, 'the audit names the second person');
  const [file] = await Promise.all([other.waitForEvent('download'), press(other, 'Export this list as CSV')]);
  const text = await readFile(await file.path(), 'utf8');
  expectThat(text.includes(`${SECOND},admin,change_settings`), 'the audit is exported');
  const asked: string[] = [];
  const note = (request: Request) => request.url().includes('/operator/v1/') && asked.push(request.url());
  other.on('request', note);
  await other.reload();
  await other.getByRole('row').filter({ hasText: 'exported the whole audit' }).first().waitFor();
  other.off('request', note);
  expectThat(true, 'the export is in the audit');
  expectThat(new Set(asked).size === asked.length, `the audit reads each thing once, ${asked.length} in all`);
  const rows = other.getByRole('table', { name: 'Audit' });
  await rows.getByRole('link', { name: 'Withdrawal of 0.1 ETH' }).first().waitFor();
  await rows.getByRole('link', { name: CUSTOMER }).first().waitFor();
  const shown = (await rows.textContent()) ?? '';
  expectThat(!/…[\da-f]{8}|operator\/v1/.test(shown), 'the audit names what was changed by its name, and by no id');
  await rows.getByRole('button', { name: 'Details' }).first().click();
  await see(other, 'export_list, as admin, of /operator/v1/audit');
  expectThat(true, 'a row of the audit shows what is stored');
  return other;
}

const NOTICE = 'On Sunday withdrawals of SOL wait for an hour.';

/** A coin is halted alone, and a notice to all holders needs a second person. */
async function switchOff(page: Page, other: Page): Promise<void> {
  await open(page, 'Switches');
  const row = page.getByRole('table', { name: 'Coins' }).getByRole('row').filter({ hasText: 'Halt trading of DOGE' });
  await press(page, 'Halt trading of DOGE');
  await confirm(page, 'Halt trading of DOGE');
  const off = page.getByRole('list', { name: 'What is off' });
  await off.getByRole('button', { name: 'Resume trading of DOGE' }).waitFor();
  expectThat((await row.count()) === 0, 'a coin is halted by itself');
  await press(page, 'Pause withdrawals over Solana');
  await confirm(page, 'Pause withdrawals over Solana');
  await off.getByRole('button', { name: 'Resume withdrawals over Solana' }).click();
  await confirm(page, 'Resume withdrawals over Solana');
  await page.getByRole('button', { name: 'Pause withdrawals over Solana' }).waitFor();
  await press(page, 'Pause deposits over Litecoin');
  await confirm(page, 'Pause deposits over Litecoin');
  await off.getByRole('button', { name: 'Resume deposits over Litecoin' }).click();
  await confirm(page, 'Resume deposits over Litecoin');
  await page.getByRole('button', { name: 'Pause deposits over Litecoin' }).waitFor();
  expectThat(true, 'withdrawals and deposits of a network are paused, and go on');
  await press(page, 'Write a notice');
  await page.getByLabel('What holders are told').fill(NOTICE);
  await confirm(page, 'Propose it');
  await page.getByRole('link', { name: 'a proposal' }).waitFor();
  await see(page, 'Holders are told nothing.');
  await open(other, 'Proposals');
  await other.getByRole('link', { name: `Tell all holders: ${NOTICE}` }).click();
  await see(other, NOTICE);
  await press(other, 'Approve');
  await confirm(other, 'Approve');
  await other.locator('dd', { hasText: SECOND }).waitFor();
  await page.reload();
  await page.getByText(NOTICE).waitFor();
  expectThat(true, 'a notice to all holders is proposed by one and approved by another');
  await press(page, 'Change the notice');
  expectThat(
    (await page.getByLabel('What holders are told').inputValue()) === NOTICE,
    'and is changed where it stands',
  );
  await confirm(page, 'Cancel');
}

/** One of two admins invites the holder of the account, which has coins, and the other approves. */
async function invite(page: Page, other: Page, exchange: LocalExchange, { accountId }: Customer): Promise<void> {
  await page.goto(`${exchange.consoleOrigin}/desk/accounts/${accountId}`);
  await press(page, 'Invite a holder');
  await page.getByLabel('E-mail of the holder').fill(EMAIL);
  await confirm(page, 'Invite a holder');
  await page.getByRole('link', { name: 'a proposal' }).waitFor();
  expectThat(listMails(exchange, EMAIL).length === 0, 'one person invites nobody to an account that has coins');
  await open(other, 'Proposals');
  await other.getByRole('link', { name: 'Invite a holder of the account' }).click();
  await see(other, EMAIL);
  await press(other, 'Approve');
  await confirm(other, 'Approve');
  await other.locator('dd', { hasText: SECOND }).waitFor();
  expectThat(listMails(exchange, EMAIL).length === 1, 'a second person approves it, and the link is mailed');
}

/** A stray deposit is kept, and a payout that hangs is settled by two. */
async function clearUp(page: Page, exchange: LocalExchange): Promise<void> {
  await open(page, 'Today');
  const matters = page.getByRole('list', { name: 'What is not as it should be' });
  for (const what of [
    'Hedging is halted',
    'Trading of DOGE is halted',
    /^Custody holds [\d.]+\sBTC less than is owed$/,
    /^It covers \d+\.\d\d\s%/,
  ])
    await matters.getByText(what).waitFor();
  expectThat(true, 'the first page begins with what is halted, off or not covered');
  await page.getByRole('img', { name: /^Came in and paid out by day since / }).waitFor();
  const waiting = page.getByRole('table', { name: 'Waits for somebody' }).locator('tbody tr');
  await waiting
    .filter({ hasText: 'A deposit in quarantine' })
    .first()
    .getByText(/^\d+ min$/)
    .waitFor();
  expectThat((await waiting.count()) === 2, 'the first page shows the day’s money, and what waits with its age');
  const { deposits } = await send<{ deposits: { id: string; ts: string }[] }>(
    exchange,
    'GET',
    '/operator/v1/deposits?status=QUARANTINED',
  );
  const oldest = deposits
    .toSorted((one, other) => (one.ts < other.ts ? -1 : 1))
    .map(({ id }) => `/desk/deposits/${id}`);
  const listed = await waiting.getByRole('link', { name: 'A deposit in quarantine' }).all();
  const shown = await Promise.all(listed.map((link) => link.getAttribute('href')));
  expectThat(shown.join() === oldest.join() && shown.length === 2, 'what waits is listed, the oldest first');
  const tile = await page.locator('.figures > div:nth-child(4)').boundingBox();
  const lowest = tile ? tile.y + tile.height : Infinity;
  expectThat(
    lowest <= WIDE.height,
    `four figures of the day are on the first screen, down to ${Math.round(lowest)} px`,
  );
  await open(page, 'Deposits');
  await page.getByRole('table', { name: 'In quarantine' }).getByRole('link').first().click();
  await see(page, 'Its address belongs to nobody here.');
  await page.getByRole('link', { name: 'See the sender in an explorer' }).waitFor();
  const happened = page.getByRole('list', { name: 'What happened' });
  await happened.getByText('reported the deposit over Ethereum, and it went into quarantine').waitFor();
  await press(page, 'Keep it');
  await page.getByLabel('Reason, for the audit').fill('no sender found');
  await confirm(page, 'Keep it');
  await page.locator('.named .state', { hasText: 'Kept' }).waitFor();
  await happened.getByText('kept the deposit in quarantine, because: no sender found').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Deposits', exact: true }).click();
  await page.getByRole('navigation', { name: 'Of deposits' }).getByRole('link', { name: 'Kept' }).click();
  const kept = page.getByRole('table', { name: 'Kept' }).getByRole('row').filter({ hasText: 'no sender found' });
  await kept.filter({ hasText: ADMIN }).getByText('Unknown address').waitFor();
  expectThat(true, 'a deposit in quarantine is kept; its page and the list say why, and the list by whom');
  await open(page, 'Payouts');
  const tabs = page.getByRole('navigation', { name: 'Of payouts' });
  await tabs.getByRole('link', { name: /^Over 1 hour \(\d+\)$/ }).waitFor();
  await tabs
    .getByRole('link', { name: /^All \(\d+\)$/ })
    .and(page.locator('[aria-current]'))
    .waitFor();
  await page.getByRole('table', { name: 'Payouts with the custodian' }).getByRole('link').first().click();
  await press(page, 'Settle it');
  await page.getByRole('radio', { name: /^It failed/ }).check();
  await page.getByLabel('Reason, for the audit').fill('the custodian never had it');
  await confirm(page, 'Propose it');
  await page.getByRole('link', { name: 'a proposal' }).waitFor();
  const { proposals } = await send<{ proposals: unknown[] }>(exchange, 'GET', '/operator/v1/proposals?status=OPEN');
  expectThat(proposals.length === 1, 'settling a stuck payout becomes a proposal');
  await page.getByRole('link', { name: 'a proposal' }).click();
  await page.getByRole('heading', { level: 1, name: 'End the withdrawal of 0.1 ETH as failed' }).waitFor();
  await page.locator('code', { hasText: NOBODYS }).waitFor();
  await page.getByRole('link', { name: 'Withdrawal of 0.1 ETH' }).waitFor();
  expectThat(true, 'it says how much of what was to go where, and links to the record');
  await open(page, 'Today');
  await waiting.filter({ hasText: 'End the withdrawal of 0.1 ETH as failed' }).getByText('Your proposal').waitFor();
  expectThat(true, 'what waits says what a proposal is about');
}

/** Hedges have no end for minutes, and hedging was halted minutes ago: the admins are mailed once of each. */
async function awaitAlerts(exchange: LocalExchange): Promise<void> {
  for (const sentence of ['at silent ha', 'Hedging is halted']) {
    const listAlerts = () => listMails(exchange, ADMIN).filter(({ text }) => text.includes(sentence));
    for (let looks = 0; looks < 100 && listAlerts().length === 0; looks += 1) await sleep(1_000);
    expectThat(listAlerts().length === 1, `the admin is mailed once: … ${sentence} …`);
  }
}

async function tryStranger(browser: Browser, exchange: LocalExchange): Promise<void> {
  const [context, page] = await signIn(browser, exchange, 'stranger@bureau.example');
  await page.getByText('Details').click();
  await see(page, /request [\da-f-]{36}/);
  expectThat((await page.getByRole('navigation').count()) === 0, 'who has no role is shown the refusal alone');
  await context.close();
}

/** Tries the desk as its staff would: the first admin, and a second one whom they add. */
export async function tryDesk(browser: Browser, exchange: LocalExchange, shots: string | undefined): Promise<void> {
  const link = writeSignInLink(exchange.storage, exchange.consoleOrigin, ADMIN);
  expectThat(exchange.greeting.includes(link), 'npm start prints the link to the desk');
  const [context, page] = await signIn(browser, exchange, ADMIN);
  await see(page, 'The day in figures');
  await leaveHedgesOpen(exchange);
  await hedge(page, exchange);
  await endAsNever(page, exchange);
  await send(exchange, 'PATCH', '/operator/v1/settings', { hedgingHalted: true });
  const customer = await openCustomer(exchange, await openAccount(page, exchange));
  await follow(page);
  await review(page, exchange, customer);
  await send(exchange, 'PATCH', '/operator/v1/settings', { reviewThreshold: '1000000' });
  await customer.withdraw('custodian_hangs');
  const second = await halt(page, exchange, browser);
  await endAsDealt(page, second, exchange);
  await enterMove(page, second);
  await switchOff(page, second);
  await invite(page, second, exchange, customer);
  for (const _ of [1, 2]) {
    const hash = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`;
    const report = { network: 'ETH', asset: 'ETH', amount: '0.5', address: NOBODYS, txHash: hash, confirmations: 32 };
    await send(exchange, 'POST', '/operator/v1/deposits', report);
  }
  await clearUp(page, exchange);
  await tryStranger(browser, exchange);
  await awaitAlerts(exchange);
  await compareNumbers(page, exchange, customer);
  // So that the pictures of the reviews and of a withdrawal show one that waits.
  await send(exchange, 'PATCH', '/operator/v1/settings', { reviewThreshold: '10' });
  await customer.withdraw();
  const pages = await listPages(exchange, customer, CUSTOMER);
  await checkPages(browser, context, exchange.consoleOrigin, pages, shots);
  expectThat(true, `${pages.length} pages of the desk in which axe finds nothing, in both themes and widths`);
  await tryTogether(browser, exchange, { first: page, second }, { customer, email: EMAIL, shots });
  await page.goto(`${exchange.consoleOrigin}/desk`);
  await page.getByRole('link', { name: 'Sign out' }).click();
  await see(page, /Open the link/);
  expectThat(true, 'signing out');
}

import type { Browser, Page } from 'playwright-core';
import { type LocalExchange, expectThat } from '../local-exchange.ts';
import { WIDE, addAuthenticator, checkState, open, openPage, press, see } from './browser.ts';
import { awaitLink, listMails } from './mails.ts';

/** What the platform tells the console of who asks. */
const FROM = { 'CF-Connecting-IP': '203.0.113.7', 'CF-IPCountry': 'DE' };

export async function openConsole(browser: Browser, exchange: LocalExchange): Promise<Page> {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce', extraHTTPHeaders: FROM });
  const page = await openPage(context, exchange.consoleOrigin);
  await addAuthenticator(page);
  return page;
}

/**
 * A holder whose devices are lost comes back by the second link that is mailed to them, in another browser, and looks
 * for how to recover. `asked` is called once the link is on its way.
 */
export async function returnByLink(
  browser: Browser,
  exchange: LocalExchange,
  email: string,
  asked: (page: Page) => Promise<void>,
): Promise<Page> {
  const page = await openConsole(browser, exchange);
  await page.goto(exchange.consoleOrigin);
  await page.getByLabel('E-mail').fill(email);
  await press(page, 'Send me a link');
  await see(page, 'a link is on its way');
  await see(page, email);
  await asked(page);
  await press(page, 'Send again');
  await see(page, 'Sent again.');
  await press(page, 'Use another address, or a passkey');
  await page.getByLabel('E-mail').waitFor();
  await page.goto(await awaitLink(exchange, email, 2));
  await press(page, 'Sign in');
  await see(page, 'You signed in by a link');
  await open(page, 'Security');
  await page.getByRole('heading', { name: 'Get back in' }).waitFor();
  await see(page, 'Signed in by a link from Germany, 203.0.113.7');
  return page;
}

/** After a recovery its holder adds a passkey. */
export async function enrolAgain(page: Page): Promise<void> {
  await see(page, /The account was recovered/);
  await page.getByLabel('Name of the new passkey').fill('new telephone');
  await press(page, 'Add a passkey');
  await see(page, 'new telephone');
}

/** Everything is lost but the mailbox and a recovery code, and the browser is another one. */
export async function tryRecovery(
  browser: Browser,
  exchange: LocalExchange,
  shots: string | undefined,
  { email, recoveryCode }: { readonly email: string; readonly recoveryCode: string },
): Promise<void> {
  const page = await returnByLink(browser, exchange, email, (asked) => checkState(asked, 'sign-in-asked', shots));
  await checkState(page, 'security-lost', shots);
  await see(page, 'To change anything, use one of these ways');
  for (const name of ['Add another passkey', 'Switch it off …', 'Make new codes …'])
    expectThat((await page.getByRole('button', { name }).count()) === 0, `a link alone offers no “${name}”`);
  await page.getByLabel('Authenticator or recovery code').fill(recoveryCode);
  await press(page, 'Recover the account');
  await enrolAgain(page);
  await checkState(page, 'security-held', shots);
  expectThat(true, 'a link and a recovery code bring the holder back, with a new passkey');
  await open(page, 'API keys');
  await see(page, 'You can make a key again after');
  expectThat((await page.getByLabel('Name').count()) === 0, 'the account is held for 24 hours: no new key');
  await page.locator('.over').getByText('Revoked', { exact: true }).first().waitFor();
  await checkState(page, 'api-keys-held', shots);
  await open(page, 'Addresses');
  await see(page, 'You can approve an address again after');
  expectThat((await page.getByLabel('Name').count()) === 0, 'and no new address');
  await open(page, 'Security');
  await press(page, 'Freeze my account …');
  const dialog = page.getByRole('dialog', { name: 'Freeze your account?' });
  await checkState(page, 'security-freeze', shots);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expectThat((await page.getByText('The account is frozen').count()) === 0, 'a freeze that is cancelled stops nothing');
  await press(page, 'Freeze my account …');
  await dialog.getByRole('button', { name: 'Freeze my account' }).click();
  await see(page, 'The account is frozen');
  await page.getByText('freeze the account above').waitFor({ state: 'detached' });
  await see(page, 'Froze the account');
  expectThat((await page.locator('main > .notice').count()) === 1, 'a frozen account is told so, and by one notice');
  await checkState(page, 'security-frozen', shots);
  const mails = listMails(exchange, email);
  for (const part of ['by an e-mail link', 'with a new browser', 'being recovered', 'A passkey was added']) {
    expectThat(
      mails.some(({ subject }) => subject.includes(part)),
      `a mail says: ${part}`,
    );
  }
  await tryFreezeLink(browser, exchange, shots, mails.at(-1)?.text ?? '');
}

/** The link of any such mail freezes by its button, in a browser that nobody has signed in with. */
async function tryFreezeLink(
  browser: Browser,
  exchange: LocalExchange,
  shots: string | undefined,
  mail: string,
): Promise<void> {
  const page = await openConsole(browser, exchange);
  await page.goto(`${exchange.consoleOrigin}/freeze#too-old`);
  await see(page, 'This link worked for seven days.');
  await checkState(page, 'freeze-by-link-dead', shots);
  await page.goto('about:blank');
  await page.goto(/http:\/\/localhost:\d+\/freeze#\S+/.exec(mail)?.[0] ?? '');
  await see(page, 'If you did not do this, freeze your account');
  await page.getByText(/^.…@customers\.example$/).waitFor();
  await checkState(page, 'freeze-by-link', shots);
  await press(page, 'Freeze my account');
  await see(page, 'Trading and withdrawals have stopped, including through API keys.');
  await page.getByRole('link', { name: /^\S+@\S+$/ }).waitFor();
  await checkState(page, 'freeze-by-link-done', shots);
  expectThat(true, 'a link in a mail freezes the account, without a sign-in');
}

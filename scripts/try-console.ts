import { generate } from 'otplib';
import type { Page } from 'playwright-core';
import { WIDE, checkPages, complaints, open, openBrowser, openPage, press, see } from './console/browser.ts';
import { checkSizes } from './console/check-sizes.ts';
import { tryDesk } from './console/try-desk.ts';
import { type LocalExchange, expectThat, withLocalExchange } from './local-exchange.ts';

/**
 * Tries the console in a browser, on an exchange started by `npm start`, as the holder of the demo account would, from the
 * link that is printed to a withdrawal, and as the staff would at the desk. Each page is then shown to axe in both themes
 * and widths. `-- SHOTS` names a folder for pictures of all of them. CHROMIUM names the browser if it is not Debian's.
 */

const PAGES = ['/', '/trade', '/deposit', '/withdraw', '/activity', '/keys', '/security'];
const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';

const [shots] = process.argv.slice(2);

/** A passkey of the browser's own, which verifies its user at once. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Signs in by the printed link, and secures the account. Returns the secret of the second factor, as the page shows it. */
async function secure(page: Page, link: string): Promise<string> {
  await page.goto(link);
  await press(page, 'Open my account');
  await see(page, 'Left to secure');
  await open(page, 'Security');
  await press(page, 'Add a passkey');
  await see(page, /^added /);
  expectThat(true, 'a link opens the account, and a passkey is enrolled');
  await press(page, 'Set it up');
  const secret = ((await page.locator('.secret').textContent()) ?? '').replaceAll(' ', '');
  await page.getByLabel('Code', { exact: true }).fill(await generate({ secret }));
  await press(page, 'Switch it on');
  await see(page, 'It is on');
  expectThat(true, 'two-factor authentication is set up from what the page shows');
  await press(page, 'Draw ten new recovery codes');
  await see(page, 'Write them down now');
  await page.getByLabel('Network').fill('eth');
  await page.getByLabel('Address', { exact: true }).fill(COLD);
  await page.getByLabel('Name', { exact: true }).fill('cold wallet');
  await press(page, 'Approve the address');
  await see(page, COLD);
  expectThat(true, 'an address is approved');
  return secret;
}

/** Makes a key and uses it over HTTP. */
async function tryKey(page: Page, { origin }: LocalExchange): Promise<void> {
  await open(page, 'API keys');
  await page.getByLabel('Name').fill('bot');
  await press(page, 'Make the key');
  const dialog = page.getByRole('dialog');
  const token = (await dialog.locator('.copied code').textContent()) ?? '';
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape');
  expectThat(await dialog.isVisible(), 'Escape does not lose a new key');
  expectThat(await dialog.getByRole('button', { name: 'Done' }).isDisabled(), 'it is closed once it is stored');
  const use = () => fetch(`${origin}/api/v1/wallet/balances`, { headers: { Authorization: `Bearer ${token}` } });
  expectThat((await use()).status === 200, 'the key opens the API');
  await dialog.getByLabel('I have stored it').check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  expectThat(!(await page.content()).includes(token), 'the key is gone from the page');
  await press(page, 'Revoke bot');
  await see(page, /revoked /);
  expectThat((await use()).status === 401, 'a revoked key is refused on its next request');
}

async function trade(page: Page): Promise<void> {
  for (const side of ['Buy', 'Sell'] as const) {
    await open(page, 'Trade');
    await page.getByLabel('Side').selectOption({ label: side });
    await page.getByLabel('Amount in USDT').fill('100');
    await page.locator('.preview dl').waitFor();
    const button = page.getByRole('button', { name: new RegExp(`^${side} `) });
    await button.dblclick();
    await see(page, side === 'Buy' ? /^Bought / : /^Sold /);
    expectThat(true, `${side.toLowerCase()}ing by what the preview says`);
  }
  await open(page, 'Activity');
  await page.locator('tbody tr').first().waitFor();
  const names = await page.locator('tbody th').allTextContents();
  const count = (name: string) => names.filter((known) => known === name).length;
  expectThat(count('Spot buy') === 1 && count('Spot sell') === 1, 'a double click trades once');
}

async function depositAndWithdraw(page: Page, exchange: LocalExchange, secret: string): Promise<void> {
  await open(page, 'Deposit');
  await see(page, 'Send only USDT over');
  const accountId = exchange.valueOf('demo account');
  const given = await fetch(`${exchange.origin}/operator/v1/sandbox/deposits`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${exchange.valueOf('operator token')}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ accountId, asset: 'USDC', network: 'ETH', amount: '123.45' }),
  });
  if (given.status !== 201) throw new Error(await given.text());
  await see(page, '123.45 USDC over ETH');
  expectThat(true, 'a deposit shows by itself');
  await open(page, 'Withdraw');
  await page.getByLabel('Asset').selectOption('ETH');
  await page.getByLabel('Network').selectOption('ETH');
  await page.getByLabel('Address on ETH').fill(COLD);
  await page.getByLabel('Amount of ETH that the address gets').fill('0.1');
  // The code of the step after the one that switched it on, which is taken half a minute early.
  const next = await generate({ secret, epoch: Math.floor(Date.now() / 1_000) + 30 });
  await page.getByLabel('Code of your authenticator app').fill(next);
  await press(page, 'Send ETH over ETH');
  await see(page, /0\.1 ETH over ETH to/);
  await see(page, /^Sent/);
  expectThat(true, 'a withdrawal is sent, and shown with its state in words');
}

/** The numbers on the page are the API's. */
async function compareBalances(page: Page, exchange: LocalExchange): Promise<void> {
  await open(page, 'Overview');
  await page.locator('tbody tr').first().waitFor();
  const rows = await page.locator('tbody tr').all();
  const shown = await Promise.all(
    rows.map(async (row) => [
      await row.locator('th').textContent(),
      ((await row.locator('td').first().textContent()) ?? '').replaceAll('\u202F', ''),
    ]),
  );
  const headers = { Authorization: `Bearer ${exchange.valueOf('api key')}` };
  const answer = await fetch(`${exchange.origin}/api/v1/wallet/balances`, { headers });
  const { balances } = (await answer.json()) as { balances: { asset: string; amount: string }[] };
  const told = balances.map(({ asset, amount }) => [asset, amount]);
  expectThat(JSON.stringify(shown) === JSON.stringify(told), 'the balances on the page are those of the API');
}

await withLocalExchange(async (start) => {
  const exchange = await start();
  checkSizes();
  const link = /http:\/\/localhost:\d+\/link#\S+/.exec(exchange.greeting)?.[0] ?? '';
  const { origin } = new URL(link);
  const browser = await openBrowser();
  try {
    const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce' });
    const page = await openPage(context, origin);
    await addAuthenticator(page);
    const secret = await secure(page, link);
    await tryKey(page, exchange);
    await trade(page);
    await depositAndWithdraw(page, exchange, secret);
    await compareBalances(page, exchange);
    await press(page, 'Sign out');
    await press(page, 'Sign in with a passkey');
    await see(page, 'Balances');
    expectThat(true, 'signing out, and in again with the passkey');
    const pages = PAGES.map((path) => ({ path, name: path === '/' ? 'overview' : path.slice(1) }));
    await checkPages(browser, context, origin, pages, shots);
    expectThat(true, `${PAGES.length} pages in which axe finds nothing, in both themes and widths`);
    await tryDesk(browser, exchange, shots);
    expectThat(complaints.length === 0, `no complaint of the browser ${complaints.slice(0, 5).join('; ')}`);
  } finally {
    await browser.close();
  }
});

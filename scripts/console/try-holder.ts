import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { generate } from 'otplib';
import type { Browser, Page } from 'playwright-core';
import { type LocalExchange, expectThat } from '../local-exchange.ts';
import { NARROW, WIDE, checkState, expectPaint, open, press, see, tabTo } from './browser.ts';
import { inGroups, showQuantity } from '../../console/pages/format.ts';
import { send } from './desk-customer.ts';
import { awaitLink, awaitMail } from './mails.ts';
import { tryPrintedLink } from './try-printed-link.ts';
import { openConsole, tryRecovery } from './try-recovery.ts';

const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';
const PAPER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const EMAIL = 'grace@customers.example';
const STEP_MS = 30_000;
const PAGES = ['Overview', 'Trade', 'Deposit', 'Withdraw', 'Addresses', 'Activity', 'API keys', 'Webhooks', 'Security'];

/** A holder's whole way through the console, on an exchange that `npm start` has just opened. */
export class HolderTrial {
  readonly #exchange: LocalExchange;
  readonly #browser: Browser;
  readonly #shots: string | undefined;
  /** The secret of the second factor, as the page showed it, and the recovery codes. */
  #secret = '';
  #usedStep = 0;
  #recoveryCodes: string[] = [];

  constructor(exchange: LocalExchange, browser: Browser, shots: string | undefined) {
    this.#exchange = exchange;
    this.#browser = browser;
    this.#shots = shots;
  }

  async run(): Promise<void> {
    await tryPrintedLink(this.#browser, this.#exchange, this.#shots);
    const accountId = await this.#invite();
    const page = await openConsole(this.#browser, this.#exchange);
    await this.#enter(page);
    await this.#fund(accountId);
    await this.#secure(page);
    const useKey = await this.#makeKey(page);
    await this.#deposit(page, accountId);
    await this.#trade(page);
    await this.#tradeByKeyboard(page);
    await this.#withdraw(page);
    await this.#follow(page);
    await this.#seeTroubles(page);
    await this.#seeWaiting(page);
    await this.#compareBalances(page, useKey);
    await this.#checkPages(page);
    await this.#revokeKey(page, useKey);
    await press(page, 'Sign out');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await this.#check(page, 'sign-in');
    await press(page, 'Sign in with a passkey');
    await see(page, 'Balances');
    expectThat(true, 'signing out, and in again with the passkey');
    await page.context().clearCookies();
    await open(page, 'Activity');
    await page.getByRole('button', { name: 'Sign in again' }).first().click();
    await press(page, 'Sign in with a passkey');
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    expectThat(true, 'a page whose sign-in has ended says so, and leads back to itself by a new one');
    const proof = { email: EMAIL, recoveryCode: this.#recoveryCodes[0] ?? '' };
    await tryRecovery(this.#browser, this.#exchange, this.#shots, proof);
    const { text } = await awaitMail(this.#exchange, EMAIL, 'A withdrawal of 0.1 ETH from your account');
    expectThat(text.includes(COLD), 'a mail says what was withdrawn, and where to');
  }

  #check(page: Page, state: string): Promise<void> {
    return checkState(page, state, this.#shots);
  }

  async #invite(): Promise<string> {
    const { account } = await send<{ account: { id: string } }>(this.#exchange, 'POST', '/operator/v1/accounts', {
      label: 'Grace',
    });
    const admin = /^signed in as (\S+): (\S+)$/m.exec(this.#exchange.greeting);
    const invited = await fetch(`${this.#exchange.consoleOrigin}/operator/v1/accounts/${account.id}/invitation`, {
      method: 'POST',
      headers: {
        Origin: this.#exchange.consoleOrigin,
        'Content-Type': 'application/json',
        'Cf-Access-Jwt-Assertion': admin?.[2] ?? '',
      },
      body: JSON.stringify({ email: EMAIL }),
    });
    if (!invited.ok) throw new Error(await invited.text());
    return account.id;
  }

  /** Credits the account, once it has a holder: one person invited them. */
  async #fund(accountId: string): Promise<void> {
    for (const [asset, amount] of Object.entries({ USDT: '5000', BTC: '0.1', ETH: '2' })) {
      const credit = { asset, amount, reference: `opening ${asset}` };
      await send(this.#exchange, 'POST', `/operator/v1/accounts/${accountId}/credits`, credit);
    }
  }

  async #enter(page: Page): Promise<void> {
    await page.goto(await awaitLink(this.#exchange, EMAIL, 1));
    await press(page, 'Sign in');
    await see(page, 'First steps');
    const leads = await page.locator('main a.main').allTextContents();
    expectThat(String(leads) === 'Start: Add a passkey', `of all steps the next one stands out: ${String(leads)}`);
    await open(page, 'Withdraw');
    await see(page, 'Switch on two-factor authentication');
    for (const name of ['Withdraw', 'Addresses', 'Deposit', 'Activity', 'API keys', 'Security']) {
      await open(page, name);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await this.#check(page, `${name.toLowerCase().replace(' ', '-')}-empty`);
    }
    await press(page, 'Add a passkey');
    await see(page, /^Added /);
    await see(page, 'This is your only passkey');
    expectThat((await page.getByRole('button', { name: /^Remove/ }).count()) === 0, 'which cannot be removed alone');
    expectThat(true, 'an invitation opens the account, and a passkey is enrolled');
  }

  /** A code that was not used yet. Each is taken once, and half a minute early: so the third in a minute is waited for. */
  async #nextCode(): Promise<string> {
    const step = Math.max(this.#usedStep + 1, Math.floor(Date.now() / STEP_MS));
    this.#usedStep = step;
    await sleep(Math.max(0, STEP_MS * (step - 1) - Date.now()));
    return generate({ secret: this.#secret, epoch: (step * STEP_MS) / 1_000 });
  }

  /** Keeps new recovery codes: their dialog hands them out as a file, and is closed once they are stored. */
  async #storeCodes(page: Page, state?: string): Promise<void> {
    const dialog = page.getByRole('dialog', { name: 'Your recovery codes' });
    await dialog.waitFor();
    this.#recoveryCodes = await dialog.locator('ol code').allTextContents();
    if (state !== undefined) await this.#check(page, state);
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    const text = readFileSync(await file.path(), 'utf8');
    expectThat(text === `${this.#recoveryCodes.join('\n')}\n`, `${file.suggestedFilename()} has the ten codes`);
    expectThat(await dialog.getByRole('button', { name: 'Done' }).isDisabled(), 'they stay until they are stored');
    await dialog.getByLabel('I have stored them').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    expectThat(!(await page.content()).includes(this.#recoveryCodes[0] ?? ''), 'and are then gone from the page');
  }

  async #secure(page: Page): Promise<void> {
    await press(page, 'Make ten new recovery codes');
    await this.#storeCodes(page, 'security-recovery-codes');
    await press(page, 'Set it up');
    const secret = page.locator('.copied code');
    await secret.waitFor();
    await this.#check(page, 'security-second-factor');
    const thrownAway = await secret.textContent();
    await press(page, 'Cancel');
    await secret.waitFor({ state: 'detached' });
    await press(page, 'Set it up');
    await secret.waitFor();
    this.#secret = ((await secret.textContent()) ?? '').replaceAll(' ', '');
    expectThat(thrownAway?.replaceAll(' ', '') !== this.#secret, 'a set-up that was cancelled begins anew');
    const uri = await page.getByText('Open your authenticator app', { exact: true }).getAttribute('href');
    expectThat(
      uri?.startsWith('otpauth://totp/') === true && uri.includes(this.#secret),
      'on a telephone the app itself is opened with the secret',
    );
    await page.getByLabel('6-digit code from the app', { exact: true }).fill('000000');
    await press(page, 'Switch it on');
    const wrong = page
      .getByRole('textbox', { name: '6-digit code from the app', exact: true })
      .and(page.locator('[aria-invalid]'));
    await wrong.waitFor();
    await see(page, 'The code is wrong, old or was used before');
    await this.#check(page, 'security-refused');
    await page.getByLabel('6-digit code from the app', { exact: true }).fill(await this.#nextCode());
    await press(page, 'Switch it on');
    await see(page, 'to make recovery codes, and to switch this off');
    expectThat(true, 'two-factor authentication is set up from what the page shows');
    await open(page, 'Addresses');
    await page.getByLabel('Network', { exact: true }).selectOption('ETH');
    await page.getByLabel('Address', { exact: true }).fill(COLD);
    await page.getByLabel('Name', { exact: true }).fill('cold wallet');
    await press(page, 'Approve the address');
    await see(page, inGroups(COLD));
    expectThat(true, 'an address is approved');
    await page.getByLabel('Address', { exact: true }).fill(PAPER);
    await page.getByLabel('Name', { exact: true }).fill('paper wallet');
    await press(page, 'Approve the address');
    for (const [name, address] of Object.entries({ 'paper wallet': PAPER, 'cold wallet': COLD })) {
      await page.getByRole('link', { name: `Withdraw to ${name}` }).click();
      await page.getByLabel('To', { exact: true }).waitFor();
      await page.getByText(inGroups(address)).waitFor();
      await open(page, 'Addresses');
    }
    await press(page, 'Remove paper wallet');
    await page.getByRole('link', { name: 'Withdraw to paper wallet' }).waitFor({ state: 'detached' });
    expectThat(true, 'an approved address leads to a withdrawal to it, and is removed');
  }

  async #expectDocument(page: Page, name: string): Promise<void> {
    const address = await page.getByRole('link', { name }).getAttribute('href');
    expectThat((await fetch(address ?? '')).ok, `“${name}” leads to ${address}`);
  }

  /** Makes a key and uses it over HTTP. Returns what reads with it. */
  async #makeKey(page: Page): Promise<(path: string) => Promise<Response>> {
    await open(page, 'API keys');
    await this.#expectDocument(page, 'the API’s documentation');
    await page.getByLabel('Name', { exact: true }).fill('bot');
    await page.getByLabel('Expires').selectOption('in 30 days');
    await press(page, 'Make the key');
    const dialog = page.getByRole('dialog');
    const token = (await dialog.locator('.copied code').textContent()) ?? '';
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Escape');
    expectThat(await dialog.isVisible(), 'Escape does not lose a new key');
    expectThat(await dialog.getByRole('button', { name: 'Done' }).isDisabled(), 'it is closed once it is stored');
    expectThat(
      (await dialog.locator('pre').textContent())?.includes(`${this.#exchange.origin}/api/v1/`) === true,
      'the code to paste names the API’s own address',
    );
    expectThat((await dialog.locator('pre').textContent())?.includes(token) === false, 'and not the key itself');
    await this.#check(page, 'api-keys-new');
    await page.setViewportSize(NARROW);
    const box = await dialog.getByRole('button', { name: 'Done' }).boundingBox();
    expectThat((box?.y ?? NaN) + (box?.height ?? NaN) < NARROW.height, 'its button is whole on a telephone');
    await page.setViewportSize(WIDE);
    const use = (path: string) =>
      fetch(`${this.#exchange.origin}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    expectThat((await use('/api/v1/wallet/balances')).status === 200, 'the key opens the API');
    await dialog.getByLabel('I have stored it').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    expectThat(!(await page.content()).includes(token), 'the key is gone from the page');
    const told = await page.locator('dt:text-is("Expires") + dd').first().textContent();
    const lasts_ms = Date.parse(told ?? '') - Date.now();
    expectThat(Math.abs(lasts_ms / 86_400_000 - 30) < 0.1, 'and it expires after the time that was chosen');
    return use;
  }

  async #revokeKey(page: Page, use: (path: string) => Promise<Response>): Promise<void> {
    await open(page, 'API keys');
    await press(page, 'Revoke bot');
    await page.locator('.over').getByText('Revoked', { exact: true }).first().waitFor();
    expectThat((await use('/api/v1/wallet/balances')).status === 401, 'a revoked key is refused on its next request');
  }

  async #deposit(page: Page, accountId: string): Promise<void> {
    await open(page, 'Deposit');
    await see(page, 'Send only USDT');
    await page.getByRole('img', { name: /^The .* address as a QR code$/ }).waitFor();
    await page.getByLabel('Network').selectOption('TRC20');
    await see(page, 'Nobody watches TRC20 here');
    expectThat(!(await page.content()).includes('Send only USDT'), 'a network that nobody watches has no address');
    const deposit = { accountId, asset: 'USDC', network: 'ETH', amount: '123.45' };
    await send(this.#exchange, 'POST', '/operator/v1/sandbox/deposits', deposit);
    const row = page.getByRole('listitem').filter({ hasText: '123.45 USDC over ETH (Ethereum)' });
    await row.getByText('Credited').waitFor();
    await row.getByRole('link', { name: /opens an explorer of ETH$/ }).waitFor();
    expectThat(true, 'a deposit shows by itself, with its state and the way to an explorer');
  }

  async #trade(page: Page): Promise<void> {
    await open(page, 'Trade');
    await page.getByRole('heading', { name: 'Trade' }).and(page.locator(':focus')).waitFor();
    await page.getByRole('img', { name: /^BTC in the last day: from .* USDT, between/ }).waitFor();
    await this.#readChart(page);
    await press(page, 'Buy BTC');
    await see(page, 'Fill this in.');
    await page.getByLabel('Amount in USDT').and(page.locator(':focus[aria-invalid]')).waitFor();
    await press(page, '25 % of USDT');
    await page.getByText('Fill this in.').waitFor({ state: 'detached' });
    expectThat(true, 'a button that is pressed too early says what is missing, until a share fills it');
    for (const side of ['Buy', 'Sell'] as const) {
      await page.getByRole('radio', { name: side }).check({ force: true });
      if (side === 'Buy') await this.#typeAmounts(page);
      await page.getByLabel('Amount in USDT').fill('100');
      await page.locator('.preview strong').first().waitFor();
      if (side === 'Buy') await this.#check(page, 'trade-preview');
      await page.getByRole('button', { name: new RegExp(`^${side} `) }).dblclick();
      await see(page, side === 'Buy' ? /^Bought .* for / : /^Sold .* for /);
      expectThat(true, `${side.toLowerCase()}ing by what the preview says`);
    }
    await page
      .getByRole('listitem')
      .filter({ hasText: /^.?Sold .*\sBTC/ })
      .first()
      .waitFor();
    await open(page, 'Activity');
    await page.locator('tbody tr').first().waitFor();
    const names = await page.locator('tbody th button').allTextContents();
    const count = (name: string) => names.filter((known) => known === name).length;
    expectThat(count('Bought BTC') === 2 && count('Sold BTC') === 1, 'a double click trades once');
    for (const size of [NARROW, WIDE]) {
      await page.setViewportSize(size);
      const words = await page.locator('tbody tr').first().innerText();
      expectThat(
        words.includes('Completed') && /\d{1,2} \w{3}, \d\d:\d\d/.test(words),
        `a movement has its state and its time at ${size.width} pixels`,
      );
    }
    const rows = page.locator('tbody tr');
    await page.getByLabel('Asset').selectOption('ETH');
    await rows.filter({ hasText: 'BTC' }).first().waitFor({ state: 'detached' });
    await rows.filter({ hasText: 'ETH' }).first().waitFor();
    expectThat((await rows.filter({ hasText: 'BTC' }).count()) === 0, 'activity of one asset has none of another');
    await page.getByLabel('State', { exact: true }).selectOption('FAILED');
    await see(page, 'Nothing of that kind happened then.');
    await press(page, 'Show everything again');
    await page.getByLabel('When').selectOption('last 7 days');
    await rows.filter({ hasText: 'BTC' }).first().waitFor();
    await page.getByLabel('When').selectOption('other days');
    await page.getByLabel('Until', { exact: true }).fill('2000-01-01');
    await see(page, 'Nothing of that kind happened then.');
    await press(page, 'Show everything again');
    expectThat(true, 'activity is narrowed by its asset, its state and its days');
    await press(page, 'Sold BTC');
    await see(page, 'you, in the console');
    await page.getByRole('button', { name: 'Copy the id' }).waitFor();
    expectThat((await page.getByText('Worth then').count()) === 0, 'a trade is not said to be worth what it was paid');
    await this.#check(page, 'activity-movement');
    await press(page, 'Close');
    await page.getByLabel('Period').selectOption('last year');
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download the statement')]);
    const year = new Date().getUTCFullYear() - 1;
    const name = `statement-${year}-01-01-${year}-12-31.csv`;
    expectThat(download.suggestedFilename() === name, `the statement of last year is a file: ${name}`);
  }

  /** Another span is another line, and the arrow keys read a line moment by moment. */
  async #readChart(page: Page): Promise<void> {
    await page.getByRole('radio', { name: 'Week' }).check({ force: true });
    const chart = page.getByRole('img', { name: /^BTC in the last week: from .* USDT, between/ });
    await chart.locator('canvas').waitFor();
    const told = page.locator('.chart [aria-live]');
    const bounds = (await told.textContent()) ?? '';
    expectThat(/^Between .* and .* USDT$/.test(bounds), `a chart says between what it is: ${bounds}`);
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    const before = await told.textContent();
    await page.keyboard.press('ArrowRight');
    const last = (await told.textContent()) ?? '';
    await page.keyboard.press('ArrowLeft');
    expectThat(
      / \d\d:\d\d: .* USDT$/.test(last) && last !== before && (await told.textContent()) === before,
      `the arrow keys read the price: ${before}`,
    );
    await chart.hover({ position: { x: 120, y: 60 } });
    await page.getByText(before ?? '').waitFor({ state: 'detached' });
    expectThat((await told.textContent()) !== '', `and so does the pointer: ${await told.textContent()}`);
    const price = page.locator('.figure').first();
    await page
      .getByText((await price.textContent()) ?? '', { exact: true })
      .first()
      .waitFor({ state: 'detached' });
    expectThat(true, 'the price follows the market by itself');
  }

  /** Amounts as people write them: what may be misread is refused beside its field, and no press of the button is dead. */
  async #typeAmounts(page: Page): Promise<void> {
    const field = page.getByLabel('Amount in USDT');
    for (const [unclear, why] of [
      ['1,000', 'Write it without a comma'],
      ['1,5', 'Use a point for decimals: 1.5'],
    ] as const) {
      await field.fill(unclear);
      await see(page, why);
      await page.keyboard.press('Enter');
      expectThat(
        (await page.locator(':focus').getAttribute('id')) === (await field.getAttribute('id')),
        `${unclear} is refused at its field`,
      );
    }
    await this.#check(page, 'trade-refused');
    for (const [written, read] of Object.entries({ '1,000.50': '1\u202F000.5', '1 000': '1\u202F000' })) {
      await field.fill(written);
      await see(page, `Read as ${read} USDT`);
    }
    await page.getByLabel('Quantity of BTC').fill('0.01');
    await page.locator('.preview strong').first().waitFor();
    expectThat(Number(await field.inputValue()) > 100, 'either amount may be typed, and the other one follows');
    await press(page, 'Max of USDT');
    expectThat((await field.inputValue()) === '5000', 'Max is what the account has');
    await press(page, '25 % of USDT');
    expectThat((await field.inputValue()) === '1250', 'and 25 % is a quarter of it');
    await field.fill('100.5 ');
    await page.keyboard.press('Enter');
    await see(page, /^Bought .* for 100\.50 USDT/);
    await page.getByRole('radio', { name: 'Sell' }).check({ force: true });
    await page.getByText(/^Bought .* for 100/).waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: 'Buy' }).check({ force: true });
    expectThat(true, 'Enter right after typing trades, and what was bought is said until the form changes');
  }

  async #withdraw(page: Page): Promise<void> {
    await open(page, 'Withdraw');
    await page.getByLabel('Asset').selectOption('ETH');
    await press(page, 'Max of ETH');
    await press(page, 'Continue');
    await see(page, 'Check and send');
    await see(page, '2 ETH');
    await press(page, 'Back');
    const amount = page.getByLabel('Amount to send');
    await amount.fill('0.1');
    for (const fact of ['Fee, on top', 'You pay in total', 'Minimum', 'Arrives', 'Left of your daily limit'])
      await see(page, fact);
    await press(page, 'Continue');
    await page.getByText(inGroups(COLD)).waitFor();
    expectThat(
      (await page.getByText('Your withdrawals').count()) === 0,
      'a review shows the whole address, and no more',
    );
    await this.#check(page, 'withdraw-review');
    await this.#withdrawByKeyboard(page);
    await see(page, 'A mail about it is on its way');
    await see(page, /^to cold wallet on Ethereum$/);
    await see(page, /^Completed/);
    expectThat(true, 'a withdrawal is sent, and shown with its state in words');
  }

  /** Until its heading has the focus, which a key that is pressed before would lose. */
  async #openOverview(page: Page): Promise<void> {
    await open(page, 'Overview');
    await page.getByRole('heading', { name: 'Overview' }).and(page.locator(':focus')).waitFor();
  }

  /** From another page to an order, with the keys alone. */
  async #tradeByKeyboard(page: Page): Promise<void> {
    await this.#openOverview(page);
    await tabTo(page, page.getByRole('link', { name: 'Trade', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Trade' }).and(page.locator(':focus')).waitFor();
    await page.getByLabel('Amount in USDT').waitFor();
    await tabTo(page, page.getByLabel('Amount in USDT'));
    await page.keyboard.type('50');
    await tabTo(page, page.getByRole('button', { name: 'Buy BTC' }));
    await page.keyboard.press('Enter');
    await see(page, /^Bought .* for 50\.00 USDT/);
    expectThat(true, 'the keys alone reach a trade');
  }

  /** From another page to a withdrawal, with the keys alone. */
  async #withdrawByKeyboard(page: Page): Promise<void> {
    await this.#openOverview(page);
    await tabTo(page, page.getByRole('navigation').getByRole('link', { name: 'Withdraw', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByLabel('Asset').waitFor();
    await tabTo(page, page.getByLabel('Asset'));
    await page.keyboard.type('ETH');
    await tabTo(page, page.getByLabel('Amount to send'));
    await page.keyboard.type('0.1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Check and send' }).and(page.locator(':focus')).waitFor();
    await tabTo(page, page.getByLabel('6-digit code from your authenticator app'));
    await page.keyboard.type(await this.#nextCode());
    await tabTo(page, page.getByRole('button', { name: 'Send 0.1 ETH' }));
    await page.keyboard.press('Enter');
    expectThat(true, 'the keys alone reach a withdrawal');
  }

  async #follow(page: Page): Promise<void> {
    const received: string[] = [];
    let fault = '';
    const server = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      request.resume();
      response.writeHead(fault === '' ? 200 : 500).end(fault);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await open(page, 'Webhooks');
      await see(page, 'An endpoint is a URL of your own that events are sent to.');
      await see(page, 'Somebody signed in, or changed passkeys');
      await this.#expectDocument(page, 'guide to events');
      await this.#check(page, 'events-empty');
      await page.getByLabel('URL of the endpoint').fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.getByLabel('What it is for (optional)').fill('bookkeeping');
      await press(page, 'Add an endpoint');
      const dialog = page.getByRole('dialog');
      await see(page, /^whsec_/);
      await this.#check(page, 'events-secret');
      await dialog.getByLabel('I have stored it').check();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await press(page, 'Send a test');
      await page
        .locator('.done')
        .getByText(/Test delivered: HTTP 200 in/)
        .waitFor();
      await dialog.waitFor({ state: 'detached' });
      await this.#check(page, 'events-endpoint');
      expectThat(received.length === 1, 'a test reaches a new endpoint');
      await open(page, 'Security');
      await press(page, 'Make new codes …');
      await page.getByLabel('Code of your authenticator app').fill(await this.#nextCode());
      await press(page, 'Make ten new recovery codes');
      await this.#storeCodes(page);
      await open(page, 'Webhooks');
      await press(page, 'Deliveries');
      await dialog.getByRole('rowheader', { name: 'Recovery codes made' }).waitFor();
      await dialog.getByText(/^to http:\/\/127/).waitFor();
      expectThat(received.length === 2, 'what happens to the account’s security is sent');
      fault = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>';
      const newest = dialog.getByRole('button', { name: /^Resend event/ }).first();
      await newest.click();
      await dialog.getByRole('status').getByText('Resent: failed').waitFor({ state: 'attached' });
      const details = dialog.getByText('Details', { exact: true }).first();
      await details.click();
      await dialog.getByText(fault).waitFor();
      await dialog.getByText(/^Before, .+: delivered, HTTP 200 in/).waitFor();
      await details.click();
      await this.#check(page, 'events-deliveries');
      fault = '';
      await newest.click();
      await dialog.getByRole('status').getByText('Resent: delivered').waitFor({ state: 'attached' });
      const sent = received.slice(1).map((id) => id === received[1]);
      expectThat(String(sent) === 'true,true,true', 'one event is sent again at once, and then taken');
      await press(page, 'Resend all of the last 90 days');
      await see(page, 'Resend all events of the last 90 days?');
      await press(page, 'Yes, resend all of the last 90 days');
      await see(page, 'Being resent');
      await press(page, 'Close');
      const isSentAgain = () => received.filter((id) => id === received[1]).length === 4;
      for (let looks = 0; looks < 300 && !isSentAgain(); looks += 1) await page.waitForTimeout(100);
      expectThat(isSentAgain(), 'an event is sent again under its old id');
      await press(page, 'More');
      await press(page, 'Make a new secret');
      await see(page, 'The old one keeps working for 24 hours');
      await this.#check(page, 'events-actions');
      await press(page, 'Yes, make a new secret');
      await see(page, /^whsec_/);
      await dialog.getByLabel('I have stored it').check();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await press(page, 'Switch off');
      await see(page, 'Nothing while it is off');
      await press(page, 'Delete');
      await see(page, 'It cannot be brought back');
      await press(page, 'Yes, delete');
      await see(page, 'An endpoint is a URL of your own that events are sent to.');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  /** What is halted, and an exchange that is out of reach, is said on whichever page. */
  async #seeTroubles(page: Page): Promise<void> {
    const halt = (isHalted: boolean) =>
      send(this.#exchange, 'PATCH', '/operator/v1/settings', { tradingHalted: isHalted, withdrawalsHalted: isHalted });
    await halt(true);
    await page.reload();
    for (const name of ['Deposit', 'Security']) {
      await open(page, name);
      await see(page, 'Trading and withdrawals are halted by the exchange.');
    }
    await this.#check(page, 'halted');
    await halt(false);
    await page.getByText('halted by the exchange').waitFor({ state: 'detached' });
    await page.context().setOffline(true);
    await see(page, 'The exchange does not answer.');
    await page.context().setOffline(false);
    expectThat(true, 'a halt, and an exchange that is out of reach, are a banner on every page');
    const pause = (...networks: readonly string[]) =>
      send(this.#exchange, 'PATCH', '/operator/v1/settings', { pausedDeposits: { networks, assets: [] } });
    await pause('BTC');
    await page.reload();
    await open(page, 'Deposit');
    await page.getByLabel('Asset').selectOption('BTC');
    await see(page, 'Do not send BTC now.');
    await this.#check(page, 'deposit-paused');
    await pause();
    expectThat(true, 'a paused network says so, and shows no address');
  }

  /** What is on its way has its place, until it is there. */
  async #seeWaiting(page: Page): Promise<void> {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const answers = '**/v1/wallet/transactions**';
    await page.route(answers, async (route) => {
      await held;
      await route.continue();
    });
    await open(page, 'Activity');
    await page.locator('main .waiting').first().waitFor();
    release();
    await page.locator('main .waiting').first().waitFor({ state: 'detached' });
    await page.unroute(answers);
    expectThat(true, 'what is on its way has its place, until it is there');
  }

  /** The numbers on the page are the API's. */
  async #compareBalances(page: Page, use: (path: string) => Promise<Response>): Promise<void> {
    await page.goto(this.#exchange.consoleOrigin);
    await expectPaint(page, 'the overview is there');
    await page.locator('tbody tr').first().waitFor();
    const balanceRows = page.getByRole('table', { name: 'Balances' }).locator('tbody tr');
    expectThat((await balanceRows.count()) === 4, 'what the account does not hold is folded away');
    await press(page, /^Show \d more that you do not hold$/);
    const rows = await balanceRows.all();
    const shown = await Promise.all(
      rows.map(async (row) => {
        const name = (await row.locator('th .coin > :last-child').textContent()) ?? '';
        return `${name.split(' ')[0]} ${((await row.locator('td').first().textContent()) ?? '').replaceAll('\u202F', '')}`;
      }),
    );
    const { balances } = (await (await use('/api/v1/wallet/balances')).json()) as {
      balances: { asset: string; amount: string }[];
    };
    const told = balances.map(
      ({ asset, amount }) => `${asset} ${showQuantity(amount, asset).replaceAll('\u202F', '')}`,
    );
    expectThat(String(shown.toSorted()) === String(told.toSorted()), 'the balances on the page are those of the API');
    const actions = page.getByRole('row').filter({ hasText: 'Bitcoin' }).first().locator('.actions a');
    expectThat((await actions.count()) === 3, `a coin leads to ${String(await actions.allTextContents())}`);
    await page.setViewportSize(NARROW);
    const wereHidden = !(await actions.first().isVisible());
    await press(page, 'What to do with BTC');
    await actions.first().waitFor();
    expectThat(wereHidden, 'on a telephone its row opens them');
    await page.getByRole('table', { name: 'Cost and gain' }).getByRole('rowheader', { name: 'BTC' }).waitFor();
    await this.#check(page, 'overview-open');
    await page.setViewportSize(WIDE);
    expectThat((await page.getByText('First steps').count()) === 0, 'the first steps are done, and gone');
    await page.getByRole('img', { name: /^The value of your account in the last day: from .* USDT/ }).waitFor();
    expectThat(true, 'what the account was worth is drawn, and what each coin cost and gained is worked out');
  }

  async #checkPages(page: Page): Promise<void> {
    await open(page, 'Security');
    const log = page.locator('.log li');
    await log.nth(4).waitFor();
    expectThat((await log.count()) === 5, 'the security log begins with its last five entries');
    await press(page, 'Show more');
    await see(page, 'The exchange invited you');
    expectThat((await log.count()) > 5, 'and shows the others when somebody asks');
    await page.setViewportSize(NARROW);
    await press(page, 'Menu');
    const link = page.getByRole('navigation').getByRole('link', { name: 'Security', exact: true });
    await link.click();
    await link.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor();
    expectThat(true, 'the menu of a telephone leads to a page, and is gone then');
    await page.setViewportSize(WIDE);
    for (const name of PAGES) {
      await open(page, name);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await this.#check(page, name.toLowerCase().replace(' ', '-'));
      const words = name === 'Webhooks' ? '' : await page.locator('main').innerText();
      const [odd] = /\bscopes?\b|\bstring\b|\w_\w/i.exec(words) ?? [];
      if (odd !== undefined) throw new Error(`${name} speaks of “${odd}”, as programs do`);
    }
  }
}

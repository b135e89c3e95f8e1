import type { Browser, Page } from 'playwright-core';
import { problems } from '../src/http/problems.ts';
import { NARROW, WIDE, axe, complaints, openPage, runAxe, withBrowser } from './console/browser.ts';
import { type LocalExchange, expectThat, withLocalExchange } from './local-exchange.ts';
import { type Document, type Operation, listOperations } from './openapi/document.ts';

/**
 * Tries the documentation in a browser, on an exchange started by `npm start`: reads pages, sends requests from them,
 * and checks that nothing is loaded from another machine. CHROMIUM names the browser if it is not Debian's.
 */

/** Opens a page that can reach nothing but the exchange: what it asks of others is blocked, and a complaint. */
async function openOwnPage(browser: Browser, { origin }: LocalExchange): Promise<Page> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  await context.route(
    (url) => !url.href.startsWith(`${origin}/`) && !/^(data|blob|about):/.test(url.href),
    (route) => route.abort(),
  );
  await context.routeWebSocket(/.*/, (socket) => {
    complaints.push(`a socket to ${socket.url()}`);
  });
  const page = await openPage(context, origin);
  page.on('requestfailed', (request) => {
    // A request that was cut off because the test left the page is no fault.
    const reason = request.failure()?.errorText ?? '';
    if (reason !== 'net::ERR_ABORTED') complaints.push(`${request.url()} could not be loaded: ${reason}`);
  });
  return page;
}

/** Opens the viewer's block of an operation, ready to send. */
async function unfold(page: Page, method: string, path: string) {
  const block = page
    .locator(`#viewer .opblock-${method}`)
    .filter({ has: page.locator(`.opblock-summary-path[data-path="${path}"]`) });
  await block.locator('.opblock-summary-control').click();
  await block.locator('.try-out__btn').click();
  return block;
}

async function tryOut(page: Page, path: string): Promise<{ status: string; body: string }> {
  const block = await unfold(page, 'get', path);
  await block.locator('.execute').click();
  const answer = block.locator('.live-responses-table .response');
  await answer.waitFor();
  return {
    status: await answer.locator('.response-col_status').innerText(),
    body: await answer.locator('.response-col_description').innerText(),
  };
}

/** Enters a key in the viewer. */
async function authorize(page: Page, token: string): Promise<void> {
  await page.locator('#viewer .auth-wrapper .authorize').first().click();
  const dialog = page.locator('.dialog-ux');
  await dialog.locator('input[type="text"], input[type="password"]').first().fill(token);
  await dialog.locator('button.authorize').first().click();
  await dialog.locator('.btn-done').first().click();
}

async function readOperations({ origin }: LocalExchange): Promise<Operation[]> {
  const document = (await (await fetch(`${origin}/api/v1/openapi.json`)).json()) as Document;
  return listOperations(document).map(({ operation }) => operation);
}

const isKeyed = ({ security = [] }: Operation) => security.every((one) => Object.keys(one).length > 0);

/** How many operations nobody can call without a key. */
async function countKeyed(exchange: LocalExchange): Promise<number> {
  return (await readOperations(exchange)).filter(isKeyed).length;
}

/** Unfolds one operation after the other: each fits a laptop's screen. They stay unfolded. */
async function measureOperations(page: Page, { origin }: LocalExchange): Promise<void> {
  await page.setViewportSize(WIDE);
  await page.goto(`${origin}/docs/reference`);
  const blocks = page.locator('#viewer .opblock');
  await blocks.first().waitFor();
  for (const block of await blocks.all()) {
    await block.locator('.opblock-summary-control').click();
    await block.locator('.responses-table').waitFor();
    const height = await block.evaluate((element) => element.getBoundingClientRect().height);
    const path = await block.locator('.opblock-summary-path').getAttribute('data-path');
    if (height > WIDE.height) throw new Error(`${path} is ${height} high on a screen of ${WIDE.height}`);
  }
  expectThat(true, `each of ${await blocks.count()} operations fits a screen of 1,280 px`);
}

async function tryReference(page: Page, exchange: LocalExchange): Promise<void> {
  await page.goto(`${exchange.origin}/docs/reference`);
  await page.locator('#viewer .opblock').first().waitFor();
  const paths = await page
    .locator('#viewer .opblock-summary-path')
    .evaluateAll((elements) => elements.map((element) => element.getAttribute('data-path')));
  expectThat(paths.includes('/api/v1/orders') && paths.length >= 13, `${paths.length} operations on the page`);

  const order = await unfold(page, 'post', '/api/v1/orders');
  for (const header of ['Idempotency-Key', 'X-Request-Id']) {
    const field = order.locator(`tr[data-param-name="${header}"] input`);
    expectThat((await field.inputValue()) === '', `an empty ${header} to begin with`);
  }
  const locked = page.getByRole('button', { name: 'Needs a key' });
  const keyed = await countKeyed(exchange);
  expectThat((await locked.count()) === keyed, `padlocks at the ${keyed} operations that need a key`);
  const padlocks = page.locator('#viewer .authorization__btn');
  expectThat((await padlocks.count()) === keyed, 'none at the others');

  const tickers = await tryOut(page, '/api/v1/markets/tickers');
  expectThat(tickers.status.startsWith('200') && tickers.body.includes('"BTC-USDT"'), 'tickers, asked from the page');
  await authorize(page, exchange.valueOf('api key'));
  const opened = page.getByRole('button', { name: 'A key is entered' });
  expectThat((await opened.count()) === keyed && (await locked.count()) === 0, 'open padlocks once a key is entered');
  const balances = await tryOut(page, '/api/v1/wallet/balances');
  expectThat(balances.status.startsWith('200') && balances.body.includes('"USDT"'), 'balances, with a key');
}

/** Checks a page in each theme by axe's accessibility rules. */
async function checkAccess(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // The viewer's colours follow by a script, which has run when the next picture but one is drawn.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    await runAxe(page, `${page.url()}, ${colorScheme}`);
  }
}

async function readPages(page: Page, { origin }: LocalExchange): Promise<void> {
  await page.setViewportSize(NARROW);
  const seen = new Set<string>();
  const open = [`${origin}/docs`];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (seen.has(url)) continue;
    seen.add(url);
    const response = await page.goto(url);
    if (response?.status() !== 200) throw new Error(`${url} is answered ${response?.status()}`);
    const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    if ((await page.locator('#viewer').count()) > 0) {
      await page.locator('#viewer .opblock').first().waitFor();
      for (const path of ['/api/v1/orders', '/api/v1/wallet/withdrawals']) await unfold(page, 'post', path);
    }
    const width = await page.locator('html').evaluate((html) => html.scrollWidth);
    if (width > NARROW.width) throw new Error(`${url} is ${width} wide on a screen of ${NARROW.width}`);
    await page.evaluate(axe);
    await checkAccess(page);
    const own = links.filter((link) => /^\/(docs|errors)\b/.test(link));
    open.push(...own.map((link) => `${origin}${link.split('#')[0]}`));
  }
  expectThat(seen.size > 40, `${seen.size} pages that fit a narrow screen and that axe finds nothing wrong with`);
}

async function findFirst(page: Page, words: string): Promise<{ href: string; text: string }> {
  await page.locator('search input').fill('');
  await page.locator('search ol').waitFor({ state: 'hidden' });
  await page.locator('search input').fill(words);
  const first = page.locator('search li a').first();
  await first.waitFor();
  return { href: (await first.getAttribute('href')) ?? '', text: await first.innerText() };
}

async function trySearch(page: Page, exchange: LocalExchange): Promise<void> {
  const { origin } = exchange;
  await page.goto(`${origin}/docs`);
  for (const code of Object.keys(problems)) {
    const { href } = await findFirst(page, code);
    if (href !== `/errors/${code}`) throw new Error(`the search for ${code} finds ${href} first`);
  }
  const operations = await readOperations(exchange);
  for (const { operationId } of operations) {
    const { href } = await findFirst(page, operationId ?? '');
    if (!href.endsWith(`/${operationId}`)) throw new Error(`the search for ${operationId} finds ${href} first`);
  }
  await findFirst(page, 'second factor withdrawals');
  await page.locator('search input').press('Enter');
  await page.waitForURL('**/withdrawals-and-2fa*');
  expectThat(true, `the search finds ${Object.keys(problems).length} codes and ${operations.length} operations`);
}

async function tryCopy(page: Page, { origin }: LocalExchange): Promise<void> {
  await page.goto(`${origin}/docs/guides/first-order`);
  const block = page.locator('.copyable').first();
  await block.locator('button').click();
  await block.getByText('Copied').waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expectThat(copied === (await block.locator('code').textContent()), 'a block of code, copied by its button');
}

/** The languages of a request: one at a time, the same on all pages; all of them without JavaScript. */
async function tryLanguages(browser: Browser, page: Page, { origin }: LocalExchange): Promise<void> {
  const guide = `${origin}/docs/guides/first-order`;
  await page.goto(guide);
  const panels = page.locator('.languages [data-language]');
  const shown = async () => {
    const all = await panels.evaluateAll((each) =>
      each.map((panel) =>
        panel.checkVisibility() ? (panel as { dataset?: { language?: string } }).dataset?.language : '',
      ),
    );
    return [...new Set(all.filter((language) => language))].join();
  };
  expectThat((await shown()) === 'sh', 'requests for curl to begin with');
  await page.getByRole('tab', { name: 'curl' }).nth(2).focus();
  await page.keyboard.press('ArrowRight');
  expectThat((await shown()) === 'ts', 'requests in TypeScript everywhere, after one arrow key');
  await page.getByRole('tab', { name: 'Python' }).first().click();
  await page.goto(`${origin}/docs/guides/moving`);
  expectThat((await shown()) === 'python', 'requests in Python, as chosen on another page');
  const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await plain.goto(guide);
  const visible = await plain.locator('.languages [data-language]:visible').count();
  expectThat(
    visible > 10 && visible === (await panelsOf(plain)),
    `${visible} blocks, all languages, without JavaScript`,
  );
}

const panelsOf = (page: Page) => page.locator('.languages [data-language]').count();

async function tryErrorPage(page: Page, { origin }: LocalExchange): Promise<void> {
  const problem = (await (await fetch(`${origin}/api/v1/orders`)).json()) as { type: string; title: string };
  await page.goto(problem.type);
  expectThat((await page.locator('h1').innerText()) === problem.title, `the page of ${problem.type}`);
}

await withLocalExchange(async (start) => {
  const exchange = await start();
  await withBrowser(async (browser) => {
    const page = await openOwnPage(browser, exchange);
    await tryReference(page, exchange);
    await tryErrorPage(page, exchange);
    await trySearch(page, exchange);
    await tryCopy(page, exchange);
    await tryLanguages(browser, page, exchange);
    await measureOperations(page, exchange);
    await readPages(page, exchange);
  });
});

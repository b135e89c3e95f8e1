import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { problems } from '../src/http/problems.ts';
import { NARROW, WIDE, axe, complaints, expectPaint, openPage, runAxe, tabTo, withBrowser } from './console/browser.ts';
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

/** Opens the form that sends an operation. */
async function unfold(page: Page, id: string) {
  const form = page.locator(`#${id} .try`);
  if ((await form.getAttribute('open')) === null) await form.locator('summary').click();
  await form.locator('button').waitFor();
  return form;
}

async function tryOut(page: Page, id: string): Promise<string> {
  const form = await unfold(page, id);
  await form.getByRole('button', { name: 'Send' }).click();
  const answer = form.getByRole('status');
  await answer.filter({ hasText: /^\d/ }).waitFor();
  return answer.innerText();
}

async function readOperations({ origin }: LocalExchange): Promise<Operation[]> {
  const document = (await (await fetch(`${origin}/api/v1/openapi.json`)).json()) as Document;
  return listOperations(document).map(({ operation }) => operation);
}

/** The most of a laptop's screens that an operation may fill before anything in it is opened. */
const MOST_SCREENS = 1.6;

/** The most of a screen that may stay empty below what is said of an operation, or below its examples. */
const MOST_EMPTY = 0.4;

/**
 * Nobody scrolls through an endless operation, or an empty one, or within one. Each is short while its long parts are
 * folded, has its answer beside it on the screen on which it begins, and leaves no large part of a screen empty. Opened, a
 * part takes its room.
 */
async function measureOperations(page: Page, { origin }: LocalExchange): Promise<void> {
  await page.setViewportSize(WIDE);
  await page.goto(`${origin}/docs/reference`);
  await page.locator('.try').first().waitFor();
  const operations = page.locator('.operation');
  const layouts = await operations.evaluateAll((all) =>
    all.map((section) => {
      const [said, shown, more] = [...section.children];
      const lengthOf = (first: typeof said, last: typeof said) =>
        last.lastElementChild.getBoundingClientRect().bottom - first.getBoundingClientRect().top;
      const [, answered] = shown.querySelectorAll('figure');
      const [box, answer] = [section, answered].map((each) => each.getBoundingClientRect());
      return {
        id: section.id,
        height: box.height,
        empty: Math.abs(lengthOf(said, more.lastElementChild === null ? said : more) - lengthOf(shown, shown)),
        isBeside: answer.left >= said.getBoundingClientRect().right,
        answerBelow: answer.top - box.top,
      };
    }),
  );
  for (const { id, height, empty, isBeside, answerBelow } of layouts) {
    if (height > MOST_SCREENS * WIDE.height) throw new Error(`${id} is ${height} high on a screen of ${WIDE.height}`);
    if (empty > MOST_EMPTY * WIDE.height)
      throw new Error(`${id} has ${empty} of nothing on a screen of ${WIDE.height}`);
    if (!isBeside || answerBelow > WIDE.height) throw new Error(`${id} has its answer not beside it`);
  }
  const scrolling = await operations.evaluateAll((all) => {
    for (const fold of all.flatMap((section) => [...section.querySelectorAll('details')])) fold.open = true;
    const scrolls = (part: (typeof all)[number]) =>
      part.scrollHeight > part.clientHeight && /auto|scroll/.test(part.computedStyleMap().get('overflow-y').value);
    return all.filter((section) => [section, ...section.querySelectorAll('*')].some(scrolls)).map(({ id }) => id);
  });
  if (scrolling.length > 0) throw new Error(`something scrolls within ${scrolling.join(', ')}`);
  expectThat(layouts.length > 0, `${layouts.length} operations, none endless, empty or with a part that scrolls`);
}

/** The most that the page may load, in bytes as they are sent. */
const MOST_BYTES = 150_000;

async function tryReference(page: Page, exchange: LocalExchange): Promise<void> {
  let bytes = 0;
  page.on(
    'response',
    (response) =>
      void response.body().then(
        (body) => (bytes += gzipSync(body).length),
        () => 0,
      ),
  );
  await page.goto(`${exchange.origin}/docs/reference`);
  await expectPaint(page, 'the reference is there');
  await page.waitForLoadState('networkidle');
  expectThat(bytes < MOST_BYTES, `the reference is ${bytes} bytes with all that it loads`);
  const operations = await readOperations(exchange);
  const ids = await page.locator('.operation').evaluateAll((all) => all.map(({ id }) => id));
  const missing = operations.filter(({ operationId = '' }) => !ids.includes(operationId));
  expectThat(missing.length === 0 && ids.length === operations.length, `${ids.length} operations on the page`);

  const [titles = [], entries = []] = await Promise.all(
    ['.operation h3', '.operations li a'].map((selector) => page.locator(selector).allInnerTexts()),
  );
  const named = entries.map((entry) => entry.replace(/\s+[A-Z]+$/, ''));
  expectThat(titles.join() === named.join() && titles.includes('Place order'), 'each by one name, in the menu too');

  const order = await unfold(page, 'placeOrder');
  expectThat((await order.getByLabel('Idempotency-Key').inputValue()) === '', 'an empty Idempotency-Key to begin with');
  const tickers = await tryOut(page, 'listTickers');
  expectThat(tickers.startsWith('200') && tickers.includes('"BTC-USDT"'), 'tickers, asked from the page');
  expectThat((await tryOut(page, 'listBalances')).startsWith('401'), 'no balances without a key');
  await order.getByLabel('API key').fill(exchange.valueOf('api key'));
  const balances = await tryOut(page, 'listBalances');
  expectThat(balances.startsWith('200') && balances.includes('"USDT"'), 'balances, with a key');
  await order.getByLabel('Body').fill('{"coin":"BTC","side":"BUY","mode":"USDT_AMOUNT","value":"10"}');
  const placed = await tryOut(page, 'placeOrder');
  expectThat(placed.startsWith('201') && placed.includes('"usdtAmount": "10"'), 'an order, sent from the page');
  await page.goto(`${exchange.origin}/docs`);
  await page.goto(`${exchange.origin}/docs/reference#/Trade/placeOrder`);
  await page.locator('#placeOrder:target').waitFor();
  expectThat(true, 'an operation by the address that it had before');
  await page.locator('.operations [aria-current][href="#placeOrder"]').waitFor();
  for (const part of ['.copy', '.try summary', '.fold summary']) {
    await tabTo(page, page.locator(`#placeOrder ${part}`).last());
  }
  expectThat(true, 'the operation marked in the menu, and its parts reached by the keyboard');
}

/** Lists the blocks of code, by their beginnings, that are cut at an edge. */
const CUT = `[...document.querySelectorAll('pre')].filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
  .map(({ textContent }) => textContent.slice(0, 60))`;

/** Lists the names, such as those of headers and commands, that stand on more than one line. */
const BROKEN = `[...document.querySelectorAll('code')]
  .filter((code) => code.matches('.name-of-parts') || /^\\w{1,24}$/.test(code.textContent))
  .filter((code) => code.getClientRects().length > 1)
  .map(({ textContent }) => textContent)`;

/** Checks that a page fits its screen, cuts no code and breaks no name, and keeps axe's accessibility rules in each theme. */
async function checkPage(page: Page): Promise<void> {
  const [width, screen] = [await page.locator('html').evaluate((html) => html.scrollWidth), page.viewportSize()?.width];
  if (width > (screen ?? 0)) throw new Error(`${page.url()} is ${width} wide on a screen of ${screen}`);
  const cut = (await page.evaluate(CUT)) as string[];
  if (cut.length > 0) throw new Error(`${page.url()} cuts code: ${cut.join('\n')}`);
  const broken = (await page.evaluate(BROKEN)) as string[];
  if (broken.length > 0) throw new Error(`${page.url()} breaks names: ${broken.join(', ')}`);
  await page.evaluate(axe);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await runAxe(page, `${page.url()}, ${colorScheme}`);
  }
}

/** A page of each kind. */
const KINDS = [
  '/docs',
  '/docs/operate',
  '/docs/guides/first-order',
  '/docs/reference',
  '/errors',
  '/errors/rate_limited',
];

async function readPages(page: Page, { origin }: LocalExchange): Promise<void> {
  await page.setViewportSize(WIDE);
  for (const path of KINDS) {
    await page.goto(`${origin}${path}`);
    await checkPage(page);
  }
  await page.setViewportSize(NARROW);
  const seen = new Set<string>();
  const open = [`${origin}/docs`];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (seen.has(url)) continue;
    seen.add(url);
    const response = await page.goto(url);
    if (response?.status() !== 200) throw new Error(`${url} is answered ${response?.status()}`);
    const links = await page.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    if ((await page.locator('.reference').count()) > 0) {
      for (const id of ['placeOrder', 'createWithdrawal']) await unfold(page, id);
    }
    await checkPage(page);
    const own = links.filter((link) => /^\/(docs|errors)\b/.test(link));
    open.push(...own.map((link) => `${origin}${link.split('#')[0]}`));
  }
  expectThat(seen.size > 40, `${seen.size} pages that fit a narrow screen, and one of each kind a wide one`);
}

async function findFirst(page: Page, words: string): Promise<{ href: string; text: string }> {
  await page.locator('search input').fill('');
  await page.getByRole('listbox', { name: 'Found' }).waitFor({ state: 'hidden' });
  await page.locator('search input').fill(words);
  const first = page.getByRole('option').first();
  await first.waitFor();
  return { href: (await first.getAttribute('href')) ?? '', text: await first.innerText() };
}

/** The results say of which kind each is, and are moved through, opened and closed by keys alone. */
async function trySearchKeys(page: Page, { origin }: LocalExchange): Promise<void> {
  const input = page.getByRole('combobox', { name: 'Search the documentation' });
  await page.goto(`${origin}/docs`);
  const kinds = { rate_limited: 'Error', placeOrder: 'Reference', 'is there a testnet': 'Guide', runbook: 'Operate' };
  for (const [words, kind] of Object.entries(kinds)) {
    const { text } = await findFirst(page, words);
    if (!text.split('\n').some((line) => line.startsWith(kind))) throw new Error(`${words} finds no ${kind}: ${text}`);
  }
  await page.locator('search input').press('Escape');
  await page.locator('h1').click();
  await page.keyboard.press('/');
  await findFirst(page, 'rate');
  await checkPage(page);
  const chosenPlace = async () => {
    const chosen = page.getByRole('option', { selected: true });
    const [named, id] = [await input.getAttribute('aria-activedescendant'), await chosen.getAttribute('id')];
    const all = await page.getByRole('option').evaluateAll((each) => each.map((option) => option.id));
    return named === id ? all.indexOf(id ?? '') : NaN;
  };
  const places = [await chosenPlace()];
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowUp']) {
    await page.keyboard.press(key);
    places.push(await chosenPlace());
  }
  const last = (await page.getByRole('option').count()) - 1;
  expectThat(places.join() === `0,1,2,1,0,${last}`, `the arrow keys choose the results ${places.join(', ')}`);
  await input.fill('nothinglikeit');
  const beginning = page.getByRole('option', { name: 'Questions' });
  await beginning.waitFor();
  const isTold =
    (await page.locator('search p').innerText()) ===
    'Nothing found for “nothinglikeit”.\nCheck the spelling, or begin here:';
  expectThat(
    isTold && (await page.getByRole('option', { selected: true }).count()) === 0,
    'nothing found, and where to look, of which nothing is chosen',
  );
  await page.keyboard.press('ArrowDown');
  await beginning.and(page.getByRole('option', { selected: true })).waitFor();
  await checkPage(page);
  await page.keyboard.press('Escape');
  await input.and(page.locator(':focus')).waitFor();
  const isClosed = (await page.locator('search p').innerText()) === '' && (await input.inputValue()) === '';
  expectThat(isClosed, 'Escape closes what was found');
  await findFirst(page, 'rate');
  await page.keyboard.press('ArrowDown');
  const second = (await page.getByRole('option').nth(1).getAttribute('href')) ?? '';
  await page.keyboard.press('Enter');
  await page.waitForURL(`${origin}${second}`);
  await findFirst(page, 'rate');
  await page.locator('h1').click();
  await page.getByRole('listbox', { name: 'Found' }).waitFor({ state: 'hidden' });
  expectThat(true, 'Enter opens the result that is chosen, and a click elsewhere closes them');
}

/** What people ask for that is not here, and the part of the answers that it must lead to. */
const questions = [
  ['how do I cancel', 'how-do-i-cancel'],
  ['websocket', 'is-there-a-websocket'],
  ['testnet', 'is-there-a-testnet'],
  ['order book', 'are-there-limit-orders'],
] as const;

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
    if (!href.endsWith(`#${operationId}`)) throw new Error(`the search for ${operationId} finds ${href} first`);
  }
  await findFirst(page, 'fee');
  const titles = await page.getByRole('option').allInnerTexts();
  expectThat(
    titles.length > 3 && titles.slice(0, 3).every((text) => /\bfees?\b/i.test(text)),
    'a whole word is found before its beginnings',
  );
  const [first = ''] = titles;
  const isTold = (await page.locator('search p').innerText()).includes('type more to narrow');
  expectThat(
    isTold && first.startsWith('Questions › What are the fees?'),
    'a question before all else, by its page and its part',
  );
  await findFirst(page, 'second factor withdrawals');
  const marked = await page.getByRole('option').first().locator('mark').allInnerTexts();
  expectThat(marked.length > 0, `the words that were found are marked: ${marked.join(', ')}`);
  await page.locator('search input').press('Enter');
  await page.waitForURL('**/withdrawals-and-2fa*');
  for (const [words, part] of questions) {
    const { href } = await findFirst(page, words);
    if (!href.startsWith(`/docs/guides/questions#${part}`))
      throw new Error(`the search for ${words} finds ${href} first`);
  }
  expectThat(true, `the search finds ${Object.keys(problems).length} codes and ${operations.length} operations`);
}

async function tryCopy(page: Page, { origin }: LocalExchange): Promise<void> {
  await page.goto(`${origin}/docs/guides/first-order`);
  const block = page.locator('.languages .copyable').first();
  await block.locator('button').click();
  await block.getByText('Copied').waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  expectThat(copied === (await block.locator('code').textContent()), 'a block of code, copied by its button');
  expectThat(String(copied).includes(`URL=${origin}\n`), 'the address of this exchange in it');
  const printed = page.locator('.printed');
  const [figures, buttons] = await Promise.all([printed.count(), printed.getByRole('button').count()]);
  expectThat(figures > 1 && buttons === 0, 'what was printed has no button that copies it');
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

/** Where lists have no room beside the page, one row has the way to all of them, and they lead on and close. */
async function tryMenus(browser: Browser, page: Page, { origin }: LocalExchange): Promise<void> {
  await page.setViewportSize(NARROW);
  await page.goto(`${origin}/docs/reference#placeOrder`);
  const boxes = await page
    .locator('header > :is(.open-menu, .name, search)')
    .evaluateAll((all) => all.map((part) => part.getBoundingClientRect().top));
  expectThat(boxes.length === 3 && new Set(boxes).size === 1, 'the menu, the name and the search in one row');
  const [menu, operations] = [page.locator('#menu'), page.getByRole('button', { name: 'Operations' })];
  await operations.filter({ hasText: 'Place order' }).waitFor();
  await operations.click();
  await checkPage(page);
  await menu.getByRole('link', { name: 'List candles' }).click();
  await menu.waitFor({ state: 'hidden' });
  await operations.filter({ hasText: 'List candles' }).waitFor();
  expectThat(page.url().endsWith('#listCandles'), 'a telephone leads from operation to operation');
  await page.goto(`${origin}/docs/guides/first-order#sell`);
  await page.getByRole('button', { name: 'On this page' }).filter({ hasText: 'Sell' }).click();
  await page.locator('#contents').getByRole('link', { name: 'Buy' }).click();
  await page.locator('#contents').waitFor({ state: 'hidden' });
  await page.setViewportSize(WIDE);
  await page.locator('#contents [aria-current][href="#buy"]').waitFor();
  expectThat(await menu.isVisible(), 'the part that is read is marked, and both lists stand beside a wide page');
  const plain = await (await browser.newContext({ javaScriptEnabled: false, viewport: NARROW })).newPage();
  await plain.goto(`${origin}/docs/guides/first-order`);
  await plain.getByRole('button', { name: 'Menu' }).click();
  await plain.locator('#menu').getByRole('link', { name: 'Operate' }).click();
  await plain.waitForURL(`${origin}/docs/operate`);
  expectThat(true, 'the menu opens without JavaScript as well');
}

/** On a telephone the open menu covers the line below the header, and its button closes it. */
async function tryOpenMenu(page: Page, { origin }: LocalExchange): Promise<void> {
  await page.setViewportSize(NARROW);
  await page.goto(`${origin}/docs/guides/first-order`);
  const [button, menu, here] = [
    page.getByRole('button', { name: 'Menu' }),
    page.locator('#menu'),
    page.locator('.here'),
  ];
  const shown = async () =>
    [await button.locator('.open').isVisible(), await button.locator('.close').isVisible()].join();
  const before = await shown();
  await button.click();
  const [over, below] = await Promise.all(
    [menu, here].map((part) =>
      part.evaluate((box) => box.getBoundingClientRect().toJSON() as { top: number; bottom: number }),
    ),
  );
  const isCovered =
    over !== undefined && below !== undefined && over.top <= below.top + 1 && over.bottom === NARROW.height;
  expectThat(before === 'true,false' && (await shown()) === 'false,true' && isCovered, 'a menu that fills the screen');
  await menu.getByRole('link', { name: 'Errors', exact: true }).scrollIntoViewIfNeeded();
  await button.click();
  await menu.waitFor({ state: 'hidden' });
  expectThat((await shown()) === 'true,false', 'and is closed by the button that opened it');
}

/** The list of errors is narrowed by what is typed, and leads to pages that lead back. */
async function tryErrorList(page: Page, { origin }: LocalExchange): Promise<void> {
  await page.setViewportSize(NARROW);
  await page.goto(`${origin}/errors`);
  const shown = page.locator('.codes > li:visible');
  const all = await shown.count();
  await page.getByLabel('Narrow the list').fill('404 symbol');
  const named = await shown.locator('a').first().innerText();
  const isNarrowed = (await shown.count()) === 1 && (await page.locator('main h2:visible').count()) === 1;
  expectThat(isNarrowed && named === 'symbol_not_supported', `one of ${all} errors, by its status and a word`);
  const lines = await page.evaluate("document.querySelector('.codes > li:not([hidden]) > a').getClientRects().length");
  expectThat(lines === 1, 'its code on one line');
  await page.getByLabel('Narrow the list').fill('');
  expectThat((await shown.count()) === all && all === Object.keys(problems).length, 'all of them again');
  await page.goto(`${origin}/errors/rate_limited`);
  const places = await page
    .locator('.examples, .further')
    .evaluateAll((each) => each.map((part) => part.getBoundingClientRect().top));
  expectThat(
    places.length === 2 && (places[0] ?? NaN) < (places[1] ?? NaN),
    'the answer of an error before the ways on',
  );
  await page.locator('#menu [aria-current][href="/errors"]').waitFor({ state: 'attached' });
  await page.locator('main').getByRole('link', { name: 'Errors', exact: true }).click();
  await page.waitForURL(`${origin}/errors`);
}

/** The page of an address that does not exist, in both themes and at both widths. */
async function tryUnknown(page: Page, { origin }: LocalExchange): Promise<void> {
  for (const viewport of [NARROW, WIDE]) {
    await page.setViewportSize(viewport);
    const response = await page.goto(`${origin}/docs/nothing`);
    expectThat(response?.status() === 404, `404 for nothing, ${viewport.width} wide`);
    await checkPage(page);
  }
  const { href } = await findFirst(page, 'rate_limited');
  expectThat(href === '/errors/rate_limited', 'a page with the search of the others for an address without one');
}

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
    await tryUnknown(page, exchange);
    await trySearch(page, exchange);
    await trySearchKeys(page, exchange);
    await tryMenus(browser, page, exchange);
    await tryOpenMenu(page, exchange);
    await tryErrorList(page, exchange);
    await tryCopy(page, exchange);
    await tryLanguages(browser, page, exchange);
    await measureOperations(page, exchange);
    await readPages(page, exchange);
  });
});

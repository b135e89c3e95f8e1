import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, type Locator, type Page, chromium } from 'playwright-core';
import { expectThat } from '../local-exchange.ts';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const PATIENCE_MS = 90_000;

/** A wide screen and the narrowest telephone. */
export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 360, height: 740 };

/** Starts a browser that reaches nothing but this machine. CHROMIUM names it if it is not Debian's. */
function openBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`there is no browser at ${CHROMIUM}: install chromium, or set CHROMIUM`);
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost', ...asRoot];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** What only the browser sees: errors of the pages, and requests to other places. */
export const complaints: string[] = [];

/** Runs `use` with a browser, and throws when its pages complained. */
export async function withBrowser(use: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await openBrowser();
  try {
    await use(browser);
    expectThat(
      complaints.length === 0,
      `no request to anywhere else, and no complaint ${complaints.slice(0, 5).join('; ')}`,
    );
  } finally {
    await browser.close();
  }
}

export async function openPage(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('console', (message) => {
    // The browser tells of every refusal, which the page shows as well, and of a socket whose page was left at once.
    const isExpected = /^Failed to load resource|WebSocket is closed before the connection/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isExpected) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith(`blob:${origin}/`)) complaints.push(`a request to ${url}`);
  });
  return page;
}

/** A passkey of the browser's own, which verifies its user at once. */
export async function addAuthenticator(page: Page): Promise<void> {
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

export function press(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('button', { name }).click();
}

export function open(page: Page, name: string): Promise<void> {
  return page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
}

export function see(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor();
}

/** The most that a page may take until it shows anything, by the browser's own clock. */
const FIRST_PAINT_MS = 1_000;

/** Throws when the page that is open showed nothing within a second of its opening. */
export async function expectPaint(page: Page, what: string): Promise<void> {
  let paint: unknown;
  // Not by a script that waits in the page: its policy refuses what is evaluated there.
  for (let looks = 0; looks < 100 && typeof paint !== 'number'; looks += 1) {
    paint = await page.evaluate('performance.getEntriesByName("first-contentful-paint")[0]?.startTime');
    if (typeof paint !== 'number') await sleep(50);
  }
  expectThat(Number(paint) < FIRST_PAINT_MS, `${what} after ${Math.round(Number(paint))} ms`);
}

/** Presses Tab until an element has the focus. Throws when a hundred lead nowhere. */
export async function tabTo(page: Page, element: Locator, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 100; presses += 1) {
    if ((await element.and(page.locator(':focus')).count()) === 1) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${String(element)}`);
}

export const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

export let checkedStates = 0;

/** Shows a page, in which axe's script runs, to axe. Throws what it finds. */
export async function runAxe(page: Page, what: string): Promise<void> {
  const found = await page.evaluate(`axe.run(document, { preload: false }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ' at ' + nodes.map(({ html }) => html.slice(0, 100)).join(', ')))`);
  if ((found as string[]).length > 0) throw new Error(`${what}: ${String(found)}`);
}

/**
 * Lists everything whose content is wider than its box, or is cut off by it, as its beginning in HTML. What scrolls
 * sideways or ends in an ellipsis is meant to, and so is a field whose text is longer than it.
 */
const OVERFLOWS = `[...document.querySelectorAll('body *:not(input, textarea, select, option)')].flatMap((element) => {
  const { display, overflowX, overflowY, textOverflow } = getComputedStyle(element);
  // What is there for who listens alone is clipped away, with all that is in it.
  const isClipped = (of) => of !== null && (getComputedStyle(of).clipPath !== 'none' || isClipped(of.parentElement));
  const isScroller = /auto|scroll/.test(overflowX) && element.localName !== 'dialog';
  const isMeant = isScroller || textOverflow === 'ellipsis' || display === 'inline' || element.clientWidth === 0;
  const isWide = element.scrollWidth > element.clientWidth + 1;
  const isCut = overflowY === 'hidden' && element.scrollHeight > element.clientHeight + 1;
  return (isWide || isCut) && !isMeant && !isClipped(element) ? [element.outerHTML.slice(0, 120)] : [];
})`;

/**
 * Shows a page, in the state that it is in, to axe in both themes and widths; throws what it finds, and when the page is
 * wider than its screen or something in it wider than its place. `shots` names a folder for pictures.
 */
export async function checkState(page: Page, state: string, shots: string | undefined): Promise<void> {
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  for (const [size, viewport] of [['narrow', NARROW] as const, ['wide', WIDE] as const]) {
    await page.setViewportSize(viewport);
    // What the pointer stands on looks chosen.
    await page.mouse.move(0, 0);
    // Not by a script of the test's own: what is evaluated after a pause, the pages' policy refuses.
    await page.locator('.waiting').first().waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle');
    const width = await page.locator('html').evaluate((html) => html.scrollWidth);
    if (width > viewport.width) throw new Error(`${state} is ${width} wide on a screen of ${viewport.width}`);
    await page.evaluate(`window.axe === undefined && (() => {${axe}\n})()`);
    for (const colorScheme of ['light', 'dark'] as const) {
      // Colours that are still changing from one theme to the other are nobody's.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const picture = shots === undefined ? undefined : join(shots, `${state}-${size}-${colorScheme}.png`);
      // Of a dialog as it is seen: a picture of the whole page would move it.
      const fullPage = (await page.locator('dialog[open]').count()) === 0;
      if (picture !== undefined) await page.screenshot({ path: picture, fullPage });
      await runAxe(page, `${state}, ${size}, ${colorScheme}`);
    }
    const overflows = (await page.evaluate(OVERFLOWS)) as string[];
    if (overflows.length > 0) throw new Error(`${state}, ${size}, runs out of its place: ${overflows.join('\n')}`);
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  checkedStates += 1;
}

/** A page to be shown to axe: its path, the name of its pictures, and what to do with it first. */
export interface ShownPage {
  readonly path: string;
  readonly name: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Opens pages one by one and shows each to axe. The policy is lifted for that, or axe could not run. */
export async function checkPages(
  browser: Browser,
  from: BrowserContext,
  origin: string,
  pages: readonly ShownPage[],
  shots: string | undefined,
): Promise<void> {
  const context = await browser.newContext({ bypassCSP: true, storageState: await from.storageState() });
  const page = await openPage(context, origin);
  for (const { path, name, prepare } of pages) {
    // Prepared where there is least room: what gets the focus must be in sight there.
    await page.setViewportSize(NARROW);
    await page.goto(`${origin}${path}`);
    await page.locator('h1').waitFor();
    // Not by a script of the test's own: what is evaluated after a pause, the pages' policy refuses.
    await page.locator('.waiting').first().waitFor({ state: 'detached' });
    if (prepare) await prepare(page);
    else if ((await page.getByRole('alert').count()) > 0) throw new Error(`${path} shows that it cannot be read`);
    await checkState(page, name, shots);
  }
  await context.close();
}

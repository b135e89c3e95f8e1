import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const PATIENCE_MS = 20_000;
const NARROW = { width: 360, height: 740 };
export const WIDE = { width: 1280, height: 800 };

export function openBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`there is no browser at ${CHROMIUM}: install chromium, or set CHROMIUM`);
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost', ...asRoot];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** What only the browser sees: errors of the pages, and requests to other places. */
export const complaints: string[] = [];

/** Opens a page of which every complaint is noted. */
export async function openPage(context: BrowserContext, origin: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('console', (message) => {
    // The browser tells of every refusal, which the page shows as well.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) complaints.push(`a request to ${request.url()}`);
  });
  return page;
}

/** A page to be shown to axe: its path, the name of its pictures, and what to do with it first. */
export interface ShownPage {
  readonly path: string;
  readonly name: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

/**
 * Shows pages to axe, in both themes and widths, and takes a picture of each into the folder `shots` if it is given. The
 * policy is lifted for that, or axe could not run. Throws at whatever axe finds, and at a page that is wider than the
 * screen.
 */
export async function checkPages(
  browser: Browser,
  from: BrowserContext,
  origin: string,
  pages: readonly ShownPage[],
  shots: string | undefined,
): Promise<void> {
  const context = await browser.newContext({ bypassCSP: true, storageState: await from.storageState() });
  const page = await openPage(context, origin);
  if (shots !== undefined) mkdirSync(shots, { recursive: true });
  for (const shown of pages) {
    for (const [size, viewport] of [['narrow', NARROW] as const, ['wide', WIDE] as const]) {
      await page.setViewportSize(viewport);
      await page.goto(`${origin}${shown.path}`);
      await page.locator('h1').waitFor();
      await page.waitForFunction("document.querySelector('.waiting') === null");
      await page.waitForLoadState('networkidle');
      await shown.prepare?.(page);
      const width = await page.locator('html').evaluate((html) => html.scrollWidth);
      if (width > viewport.width) throw new Error(`${shown.path} is ${width} wide on a screen of ${viewport.width}`);
      await checkThemes(page, `${shown.name}-${size}`, shots);
    }
  }
  await context.close();
}

async function checkThemes(page: Page, name: string, shots: string | undefined): Promise<void> {
  await page.evaluate(readFileSync('node_modules/axe-core/axe.min.js', 'utf8'));
  for (const colorScheme of ['light', 'dark'] as const) {
    // Colours that are still changing from one theme to the other are nobody's.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}-${colorScheme}.png`), fullPage: true });
    const found = await page.evaluate(`axe.run().then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ' at ' + nodes.map(({ html }) => html.slice(0, 100)).join(', ')))`);
    if ((found as string[]).length > 0) throw new Error(`${name}, ${colorScheme}: ${String(found)}`);
  }
}

/** Presses the button of this name. */
export function press(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('button', { name }).click();
}

/** Opens a page by its link in the navigation. */
export function open(page: Page, name: string): Promise<void> {
  return page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
}

/** Waits until a text is on the page. */
export function see(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor();
}

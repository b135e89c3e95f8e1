import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { LocalExchange } from '../local-exchange.ts';
import { writeSignInLink } from '../start/play-access.ts';
import { WIDE, openPage } from './browser.ts';

/** Presses the button of exactly this name. */
export function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click();
}

/** Presses the button of the open dialog that makes the change. */
export function confirm(page: Page, name: string): Promise<void> {
  return page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
}

export async function signIn(
  browser: Browser,
  exchange: LocalExchange,
  email: string,
): Promise<[BrowserContext, Page]> {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce' });
  const page = await openPage(context, exchange.consoleOrigin);
  await page.goto(writeSignInLink(exchange.storage, exchange.consoleOrigin, email));
  return [context, page];
}

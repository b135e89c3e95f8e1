import type { Browser } from 'playwright-core';
import { type LocalExchange, expectThat } from '../local-exchange.ts';
import { checkState, open, press, see } from './browser.ts';
import { openConsole } from './try-recovery.ts';

/** Opens the demo account by the link that `npm start` printed, which works once. `shots` names a folder for pictures. */
export async function tryPrintedLink(
  browser: Browser,
  exchange: LocalExchange,
  shots: string | undefined,
): Promise<void> {
  const link = /http:\/\/localhost:\d+\/link#\S+/.exec(exchange.greeting)?.[0] ?? '';
  const page = await openConsole(browser, exchange);
  await page.goto(link);
  await checkState(page, 'link', shots);
  await press(page, 'Open my account');
  await see(page, 'First steps');
  await checkState(page, 'overview-looking', shots);
  await open(page, 'Events');
  await see(page, 'Use a passkey to see');
  expectThat(true, 'the printed link opens the demo account, to look');
  await page.goto(link);
  await press(page, 'Open my account');
  await see(page, /The link was used, is too old/);
  await checkState(page, 'link-refused', shots);
  await page.context().close();
}

import type { Browser, Page } from 'playwright-core';
import { type LocalExchange, expectThat } from '../local-exchange.ts';
import { checkState, open, press, see } from './browser.ts';
import { send } from './desk-customer.ts';
import { openConsole } from './try-recovery.ts';

/** More movements than a page of them: what the coins cost is worked out when somebody asks. */
async function tryManyMovements(page: Page, exchange: LocalExchange): Promise<void> {
  const path = `/operator/v1/accounts/${exchange.valueOf('demo account')}/credits`;
  const credits = Array.from({ length: 100 }, (_, place) => ({
    asset: 'BTC',
    amount: '0.001',
    reference: `many ${place}`,
  }));
  await Promise.all(credits.map((credit) => send(exchange, 'POST', path, credit)));
  await page.reload();
  await see(page, '100 movements are read, and there are more.');
  await press(page, 'Work it out');
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Cost and gain' }) });
  await card
    .getByText(/\bBTC\b/)
    .first()
    .waitFor();
  expectThat(true, 'what coins cost is worked out from more movements than one page');
}

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
  await press(page, 'Sign in');
  await see(page, 'First steps');
  await press(page, 'Show all 5 steps');
  await page.locator('.done').filter({ hasText: 'Make a first deposit' }).waitFor();
  expectThat(true, 'a first step that is done is listed, and ticked');
  await press(page, 'Show only the next step');
  await checkState(page, 'overview-looking', shots);
  await tryManyMovements(page, exchange);
  await open(page, 'Webhooks');
  await see(page, 'Use a passkey to see');
  expectThat(true, 'the printed link opens the demo account, to look');
  await page.goto(link);
  await press(page, 'Sign in');
  await page.getByRole('heading', { name: 'Link no longer valid' }).waitFor();
  await see(page, /It may have been used, be older/);
  expectThat((await page.getByRole('button').count()) === 0, 'a link that is dead opens nothing any more');
  await checkState(page, 'link-refused', shots);
  await page.getByRole('link', { name: 'Ask for a new link' }).click();
  await page.waitForURL(`${exchange.consoleOrigin}/`);
  await page.context().close();
}

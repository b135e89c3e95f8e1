import { openPage, withBrowser } from './console/browser.ts';
import { tryPrintedLink } from './console/try-printed-link.ts';
import { expectThat, withLocalExchange } from './local-exchange.ts';
import { tryPrintedLines } from './try-printed-lines.ts';

/**
 * Tries the first minutes with an exchange that `npm start` has opened: the lines that it prints, its documentation, and
 * the console by the printed link. `npm run test:start`, `test:browser` and `test:console` try all of each.
 */
await withLocalExchange(async (start) => {
  const exchange = await start();
  await tryPrintedLines(exchange);
  await withBrowser(async (browser) => {
    const page = await openPage(await browser.newContext(), exchange.origin);
    await page.goto(`${exchange.origin}/docs`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.goto(`${exchange.origin}/docs/reference`);
    await page.locator('.operation').first().waitFor();
    expectThat(true, 'guides and the reference in a browser');
    await tryPrintedLink(browser, exchange, undefined);
  });
});

import { withBrowser } from './console/browser.ts';
import { checkSizes } from './console/check-sizes.ts';
import { tryDesk } from './console/try-desk.ts';
import { HolderTrial } from './console/try-holder.ts';
import { withLocalExchange } from './local-exchange.ts';

/**
 * Tries the console in a browser, on an exchange started by `npm start`, as holders would, and as the staff would at the
 * desk. Every page is shown to axe in the states that it is in on the way, in both themes and widths. `-- SHOTS` names a
 * folder for pictures of all of them. CHROMIUM names the browser if it is not Debian's.
 */

const [shots] = process.argv.slice(2);

await withLocalExchange(async (start) => {
  const exchange = await start();
  checkSizes();
  await withBrowser(async (browser) => {
    await new HolderTrial(exchange, browser, shots).run();
    await tryDesk(browser, exchange, shots);
  });
});

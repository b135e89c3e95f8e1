import { parseArgs } from 'node:util';
import { readConfig } from '../config.ts';
import { examineVenue } from '../examine.ts';
import { tradeThereAndBack } from '../trade-there-and-back.ts';
import { openVenue } from '../venues/open-venue.ts';

/**
 * Checks every venue account before the dealer is started, and sends no order. Its exit code is 1 when a check fails. With
 * `--trade BTC=65000`, the price of the coin there, it buys and sells the smallest amount at each testnet. Only while the
 * dealer is stopped.
 */
const { values } = parseArgs({ options: { trade: { type: 'string', multiple: true, default: [] } } });
const prices = values.trade.map((text) => {
  const [, coin, price] = /^([A-Z0-9]{1,16})=(\d{1,12}(?:\.\d{1,8})?)$/.exec(text) ?? [];
  if (coin === undefined || price === undefined) throw new Error(`--trade COIN=PRICE, not ${text}`);
  return { coin, price };
});
const config = readConfig(process.env);
const findings = (
  await Promise.all(
    config.venues.map(async (settings) => {
      const venue = openVenue(settings, Date.now);
      const examined = await examineVenue(venue);
      for (const { coin, price } of prices) {
        if (venue.coins.includes(coin)) examined.push(await tradeThereAndBack(settings, venue, coin, price, Date.now));
      }
      return examined;
    }),
  )
).flat();
for (const { name, isRight, detail } of findings) console.log(`${isRight ? 'ok   ' : 'WRONG'}  ${name}: ${detail}`);
if (findings.some(({ isRight }) => !isRight)) process.exitCode = 1;

import { type Finding, check } from '../../custodian/src/check.ts';
import { writeAmount } from './amounts.ts';
import type { Venue } from './venues/venue.ts';

/** A clock that is further off is wrong: Binance refuses what comes from a second ahead. */
const MAX_OFFSET_MS = 1_000;

/** What is right and wrong with a venue account, asked without any order. */
export async function examineVenue(venue: Venue): Promise<Finding[]> {
  const named = (what: string) => `${venue.name}: ${what}`;
  return [
    await check(named('its clock is ours'), async () => {
      const offset_ms = await venue.readClockOffset();
      if (Math.abs(offset_ms) > MAX_OFFSET_MS) throw new Error(`it is ${offset_ms} ms ahead of ours`);
      return `${offset_ms} ms ahead`;
    }),
    await check(named('every coin is traded'), async () => {
      const markets = await venue.readMarkets();
      const missing = venue.coins.filter((coin) => !markets.some((market) => market.coin === coin && market.isOpen));
      if (missing.length > 0) throw new Error(`not ${missing.join(', ')}`);
      return markets
        .map(({ coin, amountStep, priceStep, minCost, takerFee }) => {
          return `${coin} in steps of ${amountStep} at ${priceStep}, from ${minCost} USDT, fee ${takerFee}`;
        })
        .join('; ');
    }),
    await check(named('the key may trade, and take nothing away'), async () => {
      const rights = await venue.readKeyRights();
      if (!rights) return 'a testnet does not say it';
      if (rights.mayWithdraw) throw new Error('it may withdraw: nothing is sent with it');
      if (!rights.mayTrade) throw new Error('it may not trade');
      return 'as it should be';
    }),
    await check(named('the key is bound to addresses, and fees are as expected'), async () => {
      const rights = await venue.readKeyRights();
      const faults = [...(rights?.faults ?? []), ...(rights?.isBound === false ? ['any address may use the key'] : [])];
      if (faults.length > 0) throw new Error(faults.join('; '));
      return 'as it should be';
    }),
    await check(named('balances can be read'), async () => {
      const held = [...(await venue.readBalances())].filter(([, amount]) => amount > 0n);
      return held.map(([asset, amount]) => `${writeAmount(amount)} ${asset}`).join(', ') || 'nothing is there';
    }),
  ];
}

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ProblemBody, createKey, json, openAccount, openTrader } from '../support/exchange.ts';
import { readEffects } from '../support/ledger/probes.ts';
import { breakVenues, forgetPrices, resetVenues, setVenue, setVenues } from '../support/markets/venues.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';

const BUY = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10000' };

/** The new price arrives in the background, so one of these orders is the first to fill at it. */
const MOST_LOOKS = 200;

let tests = 0;
beforeEach(async () => {
  await resetVenues();
  stopClock();
  // After every fill so far, because a hub without memory numbers its rounds by the clock. But not so late that the
  // times in the venues' answers would be too old.
  tests += 1;
  moveClock(tests * 8_000);
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a holder of two keys', () => {
  it.each([
    ['rises', '60600'],
    ['falls', '59400'],
  ])(
    'fills at one price with both when it %s, so buying with one key and selling with the other gains nothing',
    async (_, moved) => {
      const accountId = await openAccount({ USDT: '20000', BTC: '0.2' });
      const [one, other] = [await createKey(accountId), await createKey(accountId)];
      await setVenues({ BTC: '60000' });
      await forgetPrices();
      // Each key places its first order at a different time.
      expect((await one.trade({ ...BUY, value: '1' })).executedPrice).toBe('60000');
      moveClock(1_500);
      await setVenues({ BTC: moved });
      for (let looked = 0; looked < MOST_LOOKS; looked += 1) {
        if ((await other.trade({ ...BUY, value: '1' })).executedPrice === moved) break;
        await scheduler.wait(20);
      }

      // 2 s after its first order, a key with its own copy would still use the old price.
      moveClock(500);
      const [cheap, dear] = moved > '60000' ? [one, other] : [other, one];
      const bought = await cheap.trade(BUY);
      const sold = await dear.trade({ coin: 'BTC', side: 'SELL', mode: 'COIN_QTY', value: bought.coinAmount });
      expect([bought.executedPrice, sold.executedPrice]).toEqual([moved, moved]);
      expect(Number(sold.usdtAmount)).toBeLessThanOrEqual(Number(bought.usdtAmount));
    },
  );
});

describe('the price of a fill', () => {
  it('is at most 2 s old, so nothing fills after the venues stopped answering', async () => {
    const trader = await openTrader({ USDT: '20000' });
    await setVenues({ BTC: '60000' });
    await forgetPrices();
    await trader.trade({ ...BUY, value: '10' });
    await breakVenues();
    moveClock(2_000);
    expect((await trader.order({ ...BUY, value: '10' })).status).toBe(201);
    const before = await readEffects(trader.accountId);
    moveClock(1);
    const refused = await trader.order({ ...BUY, value: '10' }, 'silent');
    expect([refused.status, (await json<ProblemBody>(refused)).code]).toEqual([503, 'price_unavailable']);
    expect(await readEffects(trader.accountId)).toEqual(before);
  });

  it('includes half of the venues’ difference, so moving one venue’s price gains nothing against the middle', async () => {
    const trader = await openTrader({ USDT: '20000' });
    await setVenue('binance', { mode: 'ok', coins: { BTC: { price: '60000' } } });
    await setVenue('kraken', { mode: 'ok', coins: { BTC: { price: '60300' } } });
    await forgetPrices();
    // The middle is 60150, and half of 300 is added or subtracted.
    const bought = await trader.trade(BUY);
    expect(bought.executedPrice).toBe('60300');
    const sold = await trader.trade({ coin: 'BTC', side: 'SELL', mode: 'COIN_QTY', value: bought.coinAmount });
    expect(sold.executedPrice).toBe('60000');
  });
});

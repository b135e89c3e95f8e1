import { beforeEach, expect, it, vi } from 'vitest';
import { PricePoller } from '../../src/markets/price-poller.ts';
import { openSandboxMarket } from '../../src/markets/sandbox-market.ts';
import { formatPrice } from '../../src/money/amounts.ts';
import { reachHub } from '../../src/markets/read-hub.ts';
import { abort } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { type Trader, openTrader, ORDER } from '../support/exchange.ts';

const FIVE_MINUTES_MS = 300_000;

/**
 * The price at which a purchase fills now: the price that the sandbox's four venues agree on, plus half of the
 * difference between the highest venue (2 hundredths of a percent above) and the lowest (3 below).
 */
function priceNow(): string {
  const price = openSandboxMarket('BTC').priceAt(Date.now());
  const dispersion = (price * 10_002n) / 10_000n - (price * 9_997n) / 10_000n;
  return formatPrice(price + (dispersion + 1n) / 2n);
}

/** The clock is set ahead of the machine's own time, so that no alarm fires by itself. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 5, 1, 12) }));

async function fillAfterClockWentBack(trader: Trader, next: Trader): Promise<void> {
  const before = (await trader.trade(ORDER)).executedPrice;
  vi.setSystemTime(Date.now() - FIVE_MINUTES_MS);
  expect(priceNow()).not.toBe(before);
  expect((await next.trade(ORDER)).executedPrice).toBe(priceNow());
}

it('after the clock goes back, the gate does not fill at the price that it held before', async () => {
  const trader = await openTrader({ USDT: '1000' });
  await fillAfterClockWentBack(trader, trader);
});

it('after the clock goes back, the price hub does not give the price that it held before', async () => {
  await fillAfterClockWentBack(await openTrader({ USDT: '1000' }), await openTrader({ USDT: '1000' }));
});

it('after the clock goes back, the price hub does not wait longer before it asks silent venues again', async () => {
  vi.setSystemTime(Date.now() + FIVE_MINUTES_MS);
  vi.spyOn(PricePoller.prototype, 'ask').mockResolvedValueOnce([]);
  expect((await reachHub(env).snapshot({ maxAge_ms: 0 })).taken_ms).toBeLessThan(Date.now());
  vi.setSystemTime(Date.now() - FIVE_MINUTES_MS / 2);
  expect((await reachHub(env).snapshot({ maxAge_ms: 0 })).taken_ms).toBe(Date.now());
});

it('a price of an order has a higher number than all before, also after a reset of the hub with the clock a day back', async () => {
  const day_ms = 86_400_000;
  const numbers: number[] = [];
  for (const step_ms of [0, 4_000, day_ms, -day_ms, 70_000, -90_000]) {
    vi.setSystemTime(Date.now() + step_ms);
    for (const pause_ms of [0, 1_100]) {
      vi.setSystemTime(Date.now() + pause_ms);
      numbers.push((await reachHub(env).after({ coin: 'BTC', waited_ms: 0 }))?.round ?? 0);
    }
    await abort(reachHub(env));
  }
  expect(new Set(numbers).size).toBe(12);
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
});

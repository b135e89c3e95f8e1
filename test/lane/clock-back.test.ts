import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PricePoller } from '../../src/markets/price-poller.ts';
import { openSandboxMarket } from '../../src/markets/sandbox-market.ts';
import { formatPrice } from '../../src/money/prices.ts';
import { type Trader, openTrader } from '../support/exchange.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };
const FIVE_MINUTES_MS = 300_000;

/**
 * What a purchase fills at now: what the three venues of the sandbox agree on, and half of what lies between the lowest
 * and the highest, which are 3 hundredths of a percent below and 2 above.
 */
function priceNow(): string {
  const price = openSandboxMarket('BTC').priceAt(Date.now());
  const dispersion = (price * 10_002n) / 10_000n - (price * 9_997n) / 10_000n;
  return formatPrice(price + (dispersion + 1n) / 2n);
}

/** Ahead of the machine's own time, so that no alarm fires by itself. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2031, 5, 1, 12) }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function fillAfterClockWentBack(trader: Trader, next: Trader): Promise<void> {
  const before = (await trader.trade(ORDER)).executedPrice;
  vi.setSystemTime(Date.now() - FIVE_MINUTES_MS);
  expect(priceNow()).not.toBe(before);
  expect((await next.trade(ORDER)).executedPrice).toBe(priceNow());
}

it('a clock that goes back makes no price younger that the gate held before', async () => {
  const trader = await openTrader({ USDT: '1000' });
  await fillAfterClockWentBack(trader, trader);
});

it('nor one that the price hub held', async () => {
  await fillAfterClockWentBack(await openTrader({ USDT: '1000' }), await openTrader({ USDT: '1000' }));
});

it('and does not prolong the pause after a round that nobody answered', async () => {
  const trader = await openTrader({ USDT: '1000' });
  vi.setSystemTime(Date.now() + FIVE_MINUTES_MS);
  vi.spyOn(PricePoller.prototype, 'ask').mockResolvedValueOnce([]);
  expect((await trader.order(ORDER)).status).toBe(503);
  vi.setSystemTime(Date.now() - FIVE_MINUTES_MS / 2);
  expect((await trader.trade(ORDER)).executedPrice).toBe(priceNow());
});

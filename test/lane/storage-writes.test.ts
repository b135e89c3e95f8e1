import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OrderAnswer, type Trader, json, openTrader } from '../support/exchange.ts';
import { failStorageFrom } from '../support/object-storage.ts';
import { readEffects, sumOfBalances, unexplainedBalances } from '../support/probes.ts';
import { openWarmTrader, useWithdrawalFaults } from '../support/withdrawal-faults.ts';
import { withdraw } from '../support/withdrawals.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

/** What the lane writes for a POST: its bucket, its intent, its answer. */
const WRITES = [1, 2, 3];

const { expectOnePayout } = useWithdrawalFaults();

let restore: () => void = () => undefined;
beforeEach(() => {
  restore = () => undefined;
});
afterEach(() => {
  restore();
  vi.restoreAllMocks();
});

/** Sends a request while storage fails from a write on, and mends the storage. */
async function sendWhileFailing(trader: Trader, write: number, send: () => Promise<Response>) {
  const fault = await failStorageFrom(trader, write);
  restore = fault.restore;
  const response = await send();
  fault.restore();
  return { response, ...fault.state };
}

describe('an object that throws between two of its writes', () => {
  it.each(WRITES)('at the write %i of an order leaves no half of it: the retry has it filled, once', async (write) => {
    const trader = await openTrader({ USDT: '1000' });
    await trader.trade(ORDER);
    const send = () => trader.order(ORDER, 'k');
    const { response, refused } = await sendWhileFailing(trader, write, send);
    expect(refused).toBeGreaterThan(0);
    expect(response.status).toBe(504);
    const { order } = await json<OrderAnswer>(await send());
    expect(await json(await trader.get(`/api/v1/orders/${order.id}`))).toEqual({ order });
    // The first one warmed the lane.
    expect((await readEffects(trader.accountId)).orders).toBe(2);
    expect((await trader.balances())['USDT']).toBe('980');
    expect([await sumOfBalances(), await unexplainedBalances()]).toEqual([[], []]);
    expect((await send()).headers.get('X-Idempotency-Replay')).toBe('true');
  });

  it.each(WRITES)(
    'at the write %i of a withdrawal leaves no half of it: the retry has it paid, once',
    async (write) => {
      const trader = await openWarmTrader();
      const send = () => withdraw(trader, {}, 'k');
      const { response, refused } = await sendWhileFailing(trader, write, send);
      expect(refused).toBeGreaterThan(0);
      expect(response.status).toBe(504);
      await expectOnePayout(trader, await send());
      expect((await send()).headers.get('X-Idempotency-Replay')).toBe('true');
    },
  );

  it('has no more writes between which to throw', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await trader.trade(ORDER);
    const last = WRITES.length + 1;
    const order = await sendWhileFailing(trader, last, () => trader.order(ORDER, 'order'));
    const withdrawal = await sendWhileFailing(trader, last, () => withdraw(trader, {}, 'withdrawal'));
    expect([order.response.status, withdrawal.response.status]).toEqual([201, 201]);
    expect([order.seen, withdrawal.seen]).toEqual([WRITES.length, WRITES.length]);
  });
});

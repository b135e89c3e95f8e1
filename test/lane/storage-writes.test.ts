import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { type OrderAnswer, type Trader, json, openTrader, ORDER } from '../support/exchange.ts';
import { waitForLateWrites } from '../support/runtime/meter.ts';
import { failStorageFrom } from '../support/runtime/object-storage.ts';
import { readEffects, sumOfBalances, unexplainedBalances } from '../support/db/probes.ts';
import { openWarmTrader, useWithdrawalFaults } from '../support/withdrawals/withdrawal-faults.ts';

/** The lane's writes before a POST's effect: its bucket and its intent. The answer is written later. */
const WRITES = [1, 2];

const { expectOnePayout } = useWithdrawalFaults();

async function sendWhileFailing(trader: Trader, write: number, send: () => Promise<Response>) {
  const fault = await failStorageFrom(trader, write);
  const response = await send();
  fault.restore();
  return { response, ...fault.state };
}

describe('an object that throws between two of its writes', () => {
  it.each(WRITES)(
    'at the write %i of an order leaves no partial effect: the retry has it filled once',
    async (write) => {
      const trader = await openTrader({ USDT: '1000' });
      await trader.trade(ORDER);
      await waitForLateWrites(trader.lane);
      const send = () => trader.order(ORDER, 'k');
      const { response, refused } = await sendWhileFailing(trader, write, send);
      expect(refused).toBeGreaterThan(0);
      expect(response.status).toBe(504);
      const { order } = await json<OrderAnswer>(await send());
      expect(await json(await trader.get(`/api/v1/orders/${order.id}`))).toEqual({ order });
      // The first order loaded the lane's key.
      expect((await readEffects(trader.accountId)).orders).toBe(2);
      expect((await trader.balances())['USDT']).toBe('980');
      expect([await sumOfBalances(), await unexplainedBalances()]).toEqual([[], []]);
      expect((await send()).headers.get('X-Idempotency-Replay')).toBe('true');
    },
  );

  it.each(WRITES)(
    'at the write %i of a withdrawal leaves no partial effect: the retry has it paid once',
    async (write) => {
      const trader = await openWarmTrader();
      await waitForLateWrites(trader.lane);
      const send = () => trader.withdraw({}, 'k');
      const { response, refused } = await sendWhileFailing(trader, write, send);
      expect(refused).toBeGreaterThan(0);
      expect(response.status).toBe(504);
      await expectOnePayout(trader, await send());
      expect((await send()).headers.get('X-Idempotency-Replay')).toBe('true');
    },
  );

  it.each(['order', 'withdrawal'] as const)(
    'at the late write of the answer to an %s changes no balance, and the retry gets the same answer',
    async (kind) => {
      const trader = await openWarmTrader();
      await waitForLateWrites(trader.lane);
      const send = () => (kind === 'order' ? trader.order(ORDER, 'k') : trader.withdraw({}, 'k'));
      const fault = await failStorageFrom(trader, WRITES.length + 1);
      const first = await send();
      await waitForLateWrites(trader.lane);
      expect(fault.state).toEqual({ seen: WRITES.length + 1, refused: 1 });
      fault.restore();
      await evictDurableObject(trader.lane);
      const again = await send();
      expect([first.status, again.headers.get('X-Idempotency-Replay')]).toEqual([201, 'true']);
      expect(await again.text()).toBe(await first.text());
      expect([await sumOfBalances(), await unexplainedBalances()]).toEqual([[], []]);
    },
  );
});

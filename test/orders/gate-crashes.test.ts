import { describe, expect, it, vi } from 'vitest';
import { LedgerGate } from '../../src/orders/gate.ts';
import { PriceHub } from '../../src/markets/price-hub.ts';
import { type OrderAnswer, type ProblemBody, type Trader, json, openTrader, ORDER } from '../support/exchange.ts';
import { CONNECTION_LOST, abort, aroundBatch, fail } from '../support/runtime/faults.ts';
import { forgetSettings, ledgerGate } from '../support/gate.ts';
import { readEffects, sumOfBalances } from '../support/db/probes.ts';

/** Aborts the gate at one step of an order, the given number of times. */
type InjectFault = (times: number) => void;

function aroundCall(prototype: object, method: string, moment: 'before' | 'after'): InjectFault {
  return (times) => {
    const target = prototype as Record<string, (...values: unknown[]) => Promise<unknown>>;
    const original = target[method];
    let injected = 0;
    vi.spyOn(target, method).mockImplementation(async function around(this: unknown, ...values: unknown[]) {
      const isInjected = injected < times;
      injected += 1;
      if (isInjected && moment === 'before') await abort(ledgerGate());
      const result = await original?.apply(this, values);
      if (isInjected && moment === 'after') await abort(ledgerGate());
      return result;
    });
  };
}

function aroundOrder(moment: 'before' | 'after'): InjectFault {
  return (times) => {
    aroundBatch('order', moment, times, async () => {
      await abort(ledgerGate());
      // What a dead object had not sent yet never arrives.
      if (moment === 'before') throw new Error(CONNECTION_LOST);
    });
  };
}

const steps: [string, InjectFault, isFilled: boolean][] = [
  ['as it takes the order up', aroundCall(LedgerGate.prototype, 'placeOrder', 'before'), false],
  ['before it has a price', aroundCall(PriceHub.prototype, 'after', 'before'), false],
  ['when it has a price', aroundCall(PriceHub.prototype, 'after', 'after'), false],
  ['before the batch', aroundOrder('before'), false],
  ['after the batch', aroundOrder('after'), true],
  ['with the answer in its hand', aroundCall(LedgerGate.prototype, 'placeOrder', 'after'), true],
];

/** A trader whose key the lane knows, while the gate holds no settings yet. */
async function openBeforeColdGate(): Promise<Trader> {
  const trader = await openTrader({ USDT: '1000' });
  await trader.balances();
  await forgetSettings();
  return trader;
}

async function expectOneOrder(trader: Trader, response: Response): Promise<void> {
  expect(response.status).toBe(201);
  const { order } = await json<OrderAnswer>(response.clone());
  expect(await json(await trader.get(`/api/v1/orders/${order.id}`))).toEqual({ order });
  expect((await readEffects(trader.accountId)).orders).toBe(1);
  expect((await trader.balances())['USDT']).toBe('990');
  expect(await sumOfBalances()).toEqual([]);
}

describe('a gate that is aborted', () => {
  it.each(steps)('%s: the order is made once, and the lane answers it', async (_, injectFault) => {
    const trader = await openBeforeColdGate();
    injectFault(1);
    const response = await trader.order(ORDER, 'once');
    expect(response.headers.get('X-Idempotency-Replay')).toBeNull();
    await expectOneOrder(trader, response);
    const replay = await trader.order(ORDER, 'once');
    expect([replay.headers.get('X-Idempotency-Replay'), await replay.text()]).toEqual(['true', await response.text()]);
  });

  it.each(steps)(
    '%s, and then once more: the client may get outcome_unknown, and its retry gets the one order',
    async (_, injectFault, isFilled) => {
      const trader = await openBeforeColdGate();
      injectFault(2);
      const first = await trader.order(ORDER, 'twice');
      if (isFilled) return expectOneOrder(trader, first);
      const problem = await json<ProblemBody>(first);
      expect([first.status, problem.code]).toEqual([504, 'outcome_unknown']);
      expect((await readEffects(trader.accountId)).orders).toBe(0);
      const second = await trader.order(ORDER, 'twice');
      expect((await json<OrderAnswer>(second.clone())).order.id).toBe(problem.orderId);
      await expectOneOrder(trader, second);
    },
  );

  it('between two orders loses no order and no replay', async () => {
    const trader = await openBeforeColdGate();
    const first = await trader.order(ORDER, 'first');
    await abort(ledgerGate());
    const replay = await trader.order(ORDER, 'first');
    expect(await replay.text()).toBe(await first.clone().text());
    await expectOneOrder(trader, first);
  });

  it('while D1 does not answer leaves the outcome open, and the retry settles it under the same id', async () => {
    const trader = await openBeforeColdGate();
    aroundBatch('order', 'after', 9, fail(CONNECTION_LOST));
    aroundCall(LedgerGate.prototype, 'placeOrder', 'after')(1);
    await expectOneOrder(trader, await trader.order(ORDER, 'both'));
  });
});

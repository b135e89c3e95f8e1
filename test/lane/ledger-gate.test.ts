import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PriceHub } from '../../src/markets/price-hub.ts';
import type { PlaceOrder } from '../../src/trade/place-order.ts';
import { type Trader, openTrader } from '../support/exchange.ts';
import { OVERLOADED, aroundBatch } from '../support/runtime/faults.ts';
import { handOver, openGate, until } from '../support/gate.ts';
import { readEffects, unexplainedBalances } from '../support/ledger/probes.ts';
import { env } from '../support/runtime/test-env.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';

const BUY: PlaceOrder = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };
const ROOM = 256;
const BATCH_DEADLINE_MS = 3_000;

const openRich = (): Promise<Trader> => openTrader({ USDT: '100000', BTC: '1' });

const faults: ReturnType<typeof aroundBatch>[] = [];
beforeEach(stopClock);
afterEach(() => {
  for (const fault of faults.splice(0)) fault.restore();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Holds this many orders' batches before they reach D1, until the test releases them or has D1 refuse them. */
function hold(times: number) {
  let end: 'released' | 'turned away' | undefined;
  const fault = aroundBatch('order', 'before', times, async () => {
    await until(() => end !== undefined, 50);
    if (end === 'turned away') throw new Error(OVERLOADED);
  });
  faults.push(fault);
  return {
    reach: () => until(() => fault.state.injected === times),
    release: () => void (end = 'released'),
    turnAway: () => void (end = 'turned away'),
    batches: () => fault.state.injected,
  };
}

describe('an order at the gate', () => {
  it('that is called again while it is in progress is joined: one order, one answer', async () => {
    const [trader, gate] = [await openRich(), openGate()];
    const call = handOver(trader, BUY);
    const { reach, release, batches } = hold(1);
    const first = gate.placeOrder(call);
    await reach();
    const second = gate.placeOrder({ ...call, order: { ...BUY, value: '20' } });
    release();
    const replies = await Promise.all([first, second]);
    expect(replies[0]).toMatchObject({ kind: 'committed', row: { id: call.orderId, keyId: trader.keyId } });
    expect(replies[1]).toEqual(replies[0]);
    expect(batches()).toBe(1);
    expect((await readEffects(trader.accountId)).orders).toBe(1);
  });

  it('that is called again later is not made twice: it is looked up', async () => {
    const [trader, gate] = [await openRich(), openGate()];
    const call = handOver(trader, BUY);
    await gate.placeOrder(call);
    expect(await gate.placeOrder(call)).toEqual({ kind: 'unknown' });
    expect((await readEffects(trader.accountId)).orders).toBe(1);
  });

  it('that starts after its deadline is refused, and nothing happens', async () => {
    const [trader, gate] = [await openRich(), openGate()];
    const before = await readEffects(trader.accountId);
    expect(await gate.placeOrder(handOver(trader, BUY, { deadline_ms: Date.now() - 1 }))).toMatchObject({
      kind: 'refused',
      refusal: { code: 'service_unavailable' },
    });
    expect(await readEffects(trader.accountId)).toEqual(before);
    expect((await gate.placeOrder(handOver(trader, BUY, { deadline_ms: Date.now() }))).kind).toBe('committed');
  });

  it('whose batch D1 does not answer for 3 s is outcome_unknown, delays no other order, and is made once when it is retried', async () => {
    const [trader, gate] = [await openRich(), openGate()];
    await gate.placeOrder(handOver(trader, BUY));
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() });
    const { reach, release } = hold(1);
    const call = handOver(trader, BUY);
    const silent = gate.placeOrder(call);
    await reach();
    expect((await gate.placeOrder(handOver(trader, BUY))).kind).toBe('committed');
    await runInDurableObject(gate, () => void vi.advanceTimersByTime(BATCH_DEADLINE_MS));
    expect(await silent).toEqual({ kind: 'unknown' });
    const deadline_ms = Date.now() + 5_000;
    expect((await gate.placeOrder({ ...call, deadline_ms })).kind).toBe('committed');
    // The late batch collides with the order that was made.
    release();
    expect(await gate.placeOrder({ ...call, deadline_ms })).toEqual({ kind: 'unknown' });
    expect((await readEffects(trader.accountId)).orders).toBe(3);
    expect(await unexplainedBalances()).toEqual([]);
  });

  it('beyond the gate’s room is refused, and nothing happens', async () => {
    const [trader, gate] = [await openRich(), openGate()];
    const before = await readEffects(trader.accountId);
    const { reach, turnAway } = hold(ROOM);
    const held = Array.from({ length: ROOM }, () => gate.placeOrder(handOver(trader, BUY)));
    await reach();
    const turnedAway = { kind: 'refused', refusal: { code: 'service_unavailable' } };
    expect(await gate.placeOrder(handOver(trader, BUY))).toMatchObject(turnedAway);
    turnAway();
    for (const reply of await Promise.all(held)) expect(reply).toMatchObject(turnedAway);
    expect(await readEffects(trader.accountId)).toEqual(before);
    expect((await gate.placeOrder(handOver(trader, BUY))).kind).toBe('committed');
  });
});

describe('two gates of one ledger', () => {
  /**
   * Two gates that hold different prices of BTC, each of which has filled an order. The newer gate's price is of a
   * later round.
   */
  async function openApart(trader: Trader) {
    const [old, newer] = [openGate(), openGate()];
    const first = await old.placeOrder(handOver(trader, BUY));
    if (first.kind !== 'committed') throw new Error('an order was not filled');
    // A round that was in progress when the clock moved gives the earlier price.
    for (let turn = 0; turn < 5; turn += 1) {
      moveClock(1_100);
      const second = await newer.placeOrder(handOver(trader, BUY));
      if (second.kind !== 'committed') throw new Error('an order was not filled');
      const newest = second.row.executedPrice;
      if (newest !== first.row.executedPrice) return { old, newest };
    }
    throw new Error('the price did not move');
  }

  it('fill no order at a price older than one already filled at: the order is planned again at the newer price', async () => {
    const trader = await openRich();
    const { old, newest } = await openApart(trader);
    const { batches, release } = hold(2);
    release();
    const reply = await old.placeOrder(handOver(trader, BUY));
    expect(reply).toMatchObject({ kind: 'committed', row: { executedPrice: newest } });
    // The first batch was refused for its round.
    expect(batches()).toBe(2);
  });

  it('fill nothing when the older gate gets no newer prices: price_unavailable, and nothing happens', async () => {
    const trader = await openRich();
    const { old } = await openApart(trader);
    const before = await readEffects(trader.accountId);
    vi.spyOn(console, 'error').mockReturnValue();
    vi.spyOn(PriceHub.prototype, 'snapshot').mockRejectedValue(new Error('the hub is away'));
    const { batches, release } = hold(9);
    release();
    expect(await old.placeOrder(handOver(trader, BUY))).toMatchObject({
      kind: 'refused',
      refusal: { code: 'price_unavailable' },
    });
    expect(batches()).toBe(2);
    expect(await readEffects(trader.accountId)).toEqual(before);
  });

  it('never fill an order for a coin at an older round after one at a newer round, whichever gate is asked', async () => {
    const trader = await openRich();
    const gates = [openGate(), openGate()];
    for (let turn = 0; turn < 12; turn += 1) {
      const side = turn % 3 === 0 ? 'SELL' : 'BUY';
      const reply = await gates[turn % 2]?.placeOrder(handOver(trader, { ...BUY, side }));
      expect(reply?.kind).toBe('committed');
      moveClock(turn % 4 === 0 ? 1_100 : 600);
    }
    const { results } = await env.DB.prepare(
      `SELECT o.price_round AS round FROM transfers AS t JOIN orders AS o ON o.id = t.reference AND o.account_id = ?
       WHERE t.asset = 'BTC' ORDER BY t.id`,
    )
      .bind(trader.accountId)
      .all<{ round: number }>();
    const rounds = results.map(({ round }) => round);
    expect(rounds).toHaveLength(12);
    expect(rounds).toEqual(rounds.toSorted((one, other) => one - other));
    expect(new Set(rounds).size).toBeGreaterThan(3);
  });
});

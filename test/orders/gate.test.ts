import { runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { PriceHub } from '../../src/markets/price-hub.ts';
import type { PlaceOrder } from '../../src/orders/terms.ts';
import type { GateReply } from '../../src/orders/place-order.ts';
import { type Trader, openTrader } from '../support/exchange.ts';
import { OVERLOADED, aroundBatch, fail } from '../support/runtime/faults.ts';
import { handOver, termsOf, openGate, until } from '../support/gate.ts';
import { readEffects, unexplainedBalances } from '../support/db/probes.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';
import { sql, listRows } from '../support/db/sql.ts';
import { atOnce } from '../support/at-once.ts';

const BUY: PlaceOrder = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };
const ROOM = 512;
const ACCOUNT_ROOM = 256;
const TAKE_UP_MS = 5_000;
const BATCH_DEADLINE_MS = 3_000;

const openRich = (): Promise<Trader> => openTrader({ USDT: '100000', BTC: '1' });

beforeEach(stopClock);

/** Holds this many orders' batches before they reach D1, until the test releases them or has D1 refuse them. */
function hold(times: number) {
  let end: 'released' | 'turned away' | undefined;
  const fault = aroundBatch('order', 'before', times, async () => {
    await until(() => end !== undefined, 50);
    if (end === 'turned away') throw new Error(OVERLOADED);
  });
  return {
    restore: fault.restore,
    reach: (count = times) => until(() => fault.state.injected === count),
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
    const second = gate.placeOrder({ ...call, terms: termsOf({ ...BUY, value: '20' }) });
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

  it('with which the gate does not begin within 5 s is refused, and nothing happens', async () => {
    const [trader, gate] = [await openRich(), openGate()];
    await gate.placeOrder(handOver(trader, BUY));
    for (const [waited_ms, outcome] of [
      [TAKE_UP_MS, { kind: 'committed' }],
      [TAKE_UP_MS + 1, { kind: 'refused', refusal: { code: 'service_unavailable' } }],
    ] as const) {
      const { reach, release, restore } = hold(1);
      const first = gate.placeOrder(handOver(trader, BUY));
      await reach();
      const before = await readEffects(trader.accountId);
      const second = gate.placeOrder(handOver(trader, BUY));
      // The gate has taken it up when it answers a later call.
      await gate.preview(0, termsOf(BUY));
      moveClock(waited_ms);
      // The settings are read anew, so that they are not what is too old.
      await gate.preview(0, termsOf(BUY));
      release();
      await first;
      expect(await second).toMatchObject(outcome);
      const { orders } = await readEffects(trader.accountId);
      expect(orders - before.orders).toBe(outcome.kind === 'committed' ? 2 : 1);
      restore();
    }
  });

  it('whose price has grown older than 2 s while D1 was slow fills at a newer one', async () => {
    const [trader, gate] = [await openRich(), openGate()];
    await gate.placeOrder(handOver(trader, BUY));
    for (const [waited_ms, isAsked] of [
      [2_000, false],
      [2_001, true],
    ] as const) {
      const { reach, release, restore } = hold(1);
      const first = gate.placeOrder(handOver(trader, BUY));
      await reach();
      const call = handOver(trader, BUY);
      const second = gate.placeOrder(call);
      await gate.preview(0, termsOf(BUY));
      const admitted_ms = Date.now();
      moveClock(waited_ms);
      release();
      await first;
      expect((await second).kind).toBe('committed');
      const [row] = await listRows('SELECT admitted_at, price_as_of FROM orders WHERE id = ?', call.orderId);
      expect(row).toEqual({ admitted_at: admitted_ms, price_as_of: admitted_ms + (isAsked ? waited_ms : 0) });
      restore();
    }
  });

  it('whose batch D1 does not answer for 3 s is outcome_unknown, delays others no longer, and is made once when it is retried', async () => {
    const [trader, gate] = [await openRich(), openGate()];
    await gate.placeOrder(handOver(trader, BUY));
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() });
    const { reach, release } = hold(1);
    const call = handOver(trader, BUY);
    const silent = gate.placeOrder(call);
    await reach();
    const next = gate.placeOrder(handOver(trader, BUY));
    await runInDurableObject(gate, () => void vi.advanceTimersByTime(BATCH_DEADLINE_MS));
    expect(await silent).toEqual({ kind: 'unknown' });
    expect((await next).kind).toBe('committed');
    expect((await gate.placeOrder(call)).kind).toBe('committed');
    // The late batch collides with the order that was made.
    release();
    expect(await gate.placeOrder(call)).toEqual({ kind: 'unknown' });
    expect((await readEffects(trader.accountId)).orders).toBe(3);
    expect(await unexplainedBalances()).toEqual([]);
  });

  async function overfill(gate: ReturnType<typeof openGate>, orders: readonly Trader[], last: Trader) {
    const { reach, turnAway, restore } = hold(ROOM);
    const [first, ...others] = orders;
    const begun = gate.placeOrder(handOver(first as Trader, BUY));
    await reach(1);
    const held = [begun, ...others.map((trader) => gate.placeOrder(handOver(trader, BUY)))];
    const beyond = await gate.placeOrder(handOver(last, BUY));
    return { beyond, held, turnAway, restore };
  }

  it('beyond the gate’s room is refused, and nothing happens', async () => {
    const gate = openGate();
    const traders = await Promise.all(Array.from({ length: Math.ceil(ROOM / ACCOUNT_ROOM) }, openRich));
    const trader = await openRich();
    const before = await readEffects(trader.accountId);
    const orders = Array.from({ length: ROOM }, (_, index) => traders[index % traders.length] as Trader);
    const { beyond, held, turnAway, restore } = await overfill(gate, orders, trader);
    const turnedAway = { kind: 'refused', refusal: { code: 'service_unavailable' } };
    expect(beyond).toMatchObject(turnedAway);
    turnAway();
    for (const reply of await Promise.all(held)) expect(reply).toMatchObject(turnedAway);
    restore();
    expect(await readEffects(trader.accountId)).toEqual(before);
    expect((await gate.placeOrder(handOver(trader, BUY))).kind).toBe('committed');
  });

  it('beyond the room of its account is rate_limited, while other accounts have theirs', async () => {
    const [gate, trader, other] = [openGate(), await openRich(), await openRich()];
    const orders = Array.from({ length: ACCOUNT_ROOM }, () => trader);
    const { beyond, held, turnAway, restore } = await overfill(gate, orders, trader);
    expect(beyond).toMatchObject({ kind: 'refused', refusal: { code: 'rate_limited', retryAfterSeconds: 1 } });
    const others = gate.placeOrder(handOver(other, BUY));
    await gate.preview(0, termsOf(BUY));
    turnAway();
    await Promise.all(held);
    restore();
    expect(await others).toMatchObject({ refusal: { code: 'service_unavailable' } });
    expect((await gate.placeOrder(handOver(trader, BUY))).kind).toBe('committed');
  });
});

describe('orders that arrive while a batch is under way', () => {
  const MAX_ORDERS = 50;

  /** Replies to orders that all waited for the batch of another one, and how many batches were sent in all. */
  async function placeBehind(traders: readonly Trader[], inject?: () => void) {
    const [leader, gate] = [await openRich(), openGate()];
    const { reach, release, batches, restore } = hold(inject ? 1 : 1_000);
    const first = gate.placeOrder(handOver(leader, BUY));
    await reach(1);
    const waiting = traders.map((trader) => gate.placeOrder(handOver(trader, BUY)));
    // The gate has taken all of them up when it answers a later call.
    await gate.preview(0, termsOf(BUY));
    if (inject) {
      restore();
      inject();
    }
    release();
    expect((await first).kind).toBe('committed');
    return { replies: await Promise.all(waiting), batches: batches() };
  }

  const openMany = (count: number) => atOnce(count, openRich);

  it('go together in the next batch', async () => {
    const traders = await openMany(5);
    const { replies, batches } = await placeBehind(traders);
    expect(replies.map(({ kind }) => kind)).toEqual(Array(5).fill('committed'));
    expect(batches).toBe(2);
    for (const { accountId } of traders) expect((await readEffects(accountId)).orders).toBe(1);
    expect(await unexplainedBalances()).toEqual([]);
  });

  it('are at most fifty in one batch', async () => {
    const traders = await openMany(3);
    const orders = Array.from({ length: MAX_ORDERS + 1 }, (_, index) => traders[index % 3] as Trader);
    const { replies, batches } = await placeBehind(orders);
    expect(replies.every(({ kind }) => kind === 'committed')).toBe(true);
    expect(batches).toBe(3);
    expect(await unexplainedBalances()).toEqual([]);
  });

  it('are filled at the newest round although the first of them was planned at an older one', async () => {
    const traders = await openMany(3);
    const other = openGate();
    const gate = openGate();
    await gate.placeOrder(handOver(traders[0] as Trader, BUY));
    const { reach, release } = hold(1);
    const first = gate.placeOrder(handOver(traders[0] as Trader, BUY));
    await reach();
    const waiting = traders.map((trader) => gate.placeOrder(handOver(trader, BUY)));
    moveClock(1_100);
    await other.placeOrder(handOver(traders[0] as Trader, BUY));
    release();
    for (const reply of await Promise.all([first, ...waiting])) expect(reply.kind).toBe('committed');
    expect(await unexplainedBalances()).toEqual([]);
  });

  it('go one by one when the database refuses a whole batch, as for a bug', async () => {
    const traders = await openMany(3);
    const { replies } = await placeBehind(traders, () =>
      aroundBatch('order', 'before', 1, fail('D1_ERROR: cannot store REAL value: SQLITE_CONSTRAINT')),
    );
    for (const reply of replies) expect(reply.kind).toBe('committed');
    expect(await unexplainedBalances()).toEqual([]);
  });
});

describe('two gates of one ledger', () => {
  /** The round of prices that an order filled at. Its price says less: the market stands still at times. */
  async function roundOf(reply: GateReply): Promise<number> {
    if (reply.kind !== 'committed') throw new Error('an order was not filled');
    const order = sql('SELECT price_round FROM orders WHERE id = ?', reply.row.id);
    return (await order.first<number>('price_round')) ?? 0;
  }

  /** A gate for which the hub has the price of an order before, while another gate has filled at a newer one. */
  async function openApart(trader: Trader) {
    const { after } = PriceHub.prototype;
    let before: Awaited<ReturnType<typeof after>> = null;
    const asked = vi.spyOn(PriceHub.prototype, 'after').mockImplementation(async function look(
      this: PriceHub,
      question,
    ) {
      before = await after.call(this, question);
      return before;
    });
    const [old, newer] = [openGate(), openGate()];
    const first = await roundOf(await old.placeOrder(handOver(trader, BUY)));
    const answerAgain = () => Promise.resolve(before);
    asked.mockRestore();
    moveClock(900);
    const newest = await roundOf(await newer.placeOrder(handOver(trader, BUY)));
    expect(newest).toBeGreaterThan(first);
    return { old, newest, answerAgain };
  }

  it('fill no order at a price older than one already filled at: the order is planned again at the newer price', async () => {
    const trader = await openRich();
    const { old, newest, answerAgain } = await openApart(trader);
    vi.spyOn(PriceHub.prototype, 'after').mockImplementationOnce(answerAgain);
    const { batches, release } = hold(2);
    release();
    expect(await roundOf(await old.placeOrder(handOver(trader, BUY)))).toBeGreaterThanOrEqual(newest);
    // The first batch was refused for its round.
    expect(batches()).toBe(2);
  });

  it('fill nothing when the older gate gets no newer prices: price_unavailable, and nothing happens', async () => {
    const trader = await openRich();
    const { old, answerAgain } = await openApart(trader);
    const before = await readEffects(trader.accountId);
    vi.spyOn(PriceHub.prototype, 'after').mockImplementation(answerAgain);
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
    const results = await listRows<{ round: number }>(
      `SELECT o.price_round AS round FROM transfers AS t JOIN orders AS o ON o.id = t.reference AND o.account_id = ?
       WHERE t.asset = 'BTC' ORDER BY t.id`,
      trader.accountId,
    );
    const rounds = results.map(({ round }) => round);
    expect(rounds).toHaveLength(12);
    expect(rounds).toEqual(rounds.toSorted((one, other) => one - other));
    expect(new Set(rounds).size).toBeGreaterThan(3);
  });
});

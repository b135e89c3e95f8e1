// @runtime three-ledgers
import { reachHub } from '../../src/markets/read-hub.ts';
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GateConditions, SHARED_INTERVAL_MS, LedgerGate } from '../../src/orders/gate.ts';
import { SETTINGS_MAX_AGE_MS } from '../../src/db/settings.ts';
import type { PriceHub } from '../../src/markets/price-hub.ts';
import { handOver, ledgerGate, until } from '../support/gate.ts';
import { openTraderIn } from '../support/db/open-in-ledger.ts';
import { databaseInternals } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';
import { sqlIn } from '../support/db/sql.ts';

const BUY = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '5' } as const;

async function readRound(ledger: number, orderId: string): Promise<number> {
  const row = await sqlIn(ledger, 'SELECT price_round FROM orders WHERE id = ?', orderId).first<{
    price_round: number;
  }>();
  return row?.price_round ?? 0;
}

describe('the gates of two ledgers', () => {
  it('fill at no older round than another gate has answered with, over four rounds of trading', async () => {
    const traders = await Promise.all([openTraderIn(1), openTraderIn(2)]);
    const filled: { ledger: number; id: string }[] = [];
    const seen = new Set<number>();
    // One holder trades on both in turn, and sends each order when the one before was answered.
    for (let turn = 0; seen.size < 4; turn += 1) {
      const ledger = 1 + (turn % 2);
      const { id } = await traders[ledger - 1]!.trade(BUY);
      filled.push({ ledger, id });
      seen.add(await readRound(ledger, id));
      await scheduler.wait(40);
    }
    const rounds = await Promise.all(filled.map(({ ledger, id }) => readRound(ledger, id)));
    expect(rounds).toEqual(rounds.toSorted((one, other) => one - other));
  });

  it('take orders of their own ledger alone', async () => {
    const [own, other] = await Promise.all([openTraderIn(1), openTraderIn(2)]);
    const gate = ledgerGate(1);
    expect((await gate.placeOrder(handOver(own, BUY))).kind).toBe('committed');
    await runInDurableObject(gate, (instance) => {
      expect(() => instance.placeOrder(handOver(other, BUY))).toThrow('the gate of ledger 1 got one of 2');
    });
  });

  it('are two objects: an order waits for no batch of another ledger', async () => {
    const placed = vi.spyOn(LedgerGate.prototype, 'placeOrder');
    const traders = await Promise.all([openTraderIn(1), openTraderIn(2)]);
    await Promise.all(traders.map((trader) => trader.trade(BUY)));
    expect(new Set(placed.mock.contexts).size).toBe(2);
    placed.mockRestore();
  });
});

describe('two gates that ask the hub at different times', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() }));
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const roundOf = (conditions: GateConditions): number | undefined => {
    const held = conditions.held();
    return held.ok ? held.value.snapshot?.round : undefined;
  };

  let [asked, answered] = [0, 0];

  async function count<T>(question: () => Promise<T>): Promise<T> {
    asked += 1;
    try {
      return await question();
    } finally {
      answered += 1;
    }
  }

  /** The bindings of an exchange of three ledgers, whose questions to the hub and to D1 are counted. */
  function countQuestions(): typeof env {
    const internals = databaseInternals();
    const send = internals._send;
    vi.spyOn(internals, '_send').mockImplementation(function look(this: unknown, ...values: unknown[]) {
      return count(() => send.apply(this as never, values));
    });
    const hub = () => reachHub(env);
    const getByName = () => ({
      snapshot: (...question: Parameters<PriceHub['snapshot']>) => count(() => hub().snapshot(...question)),
    });
    return { ...env, PRICE_HUB: { getByName } as unknown as typeof env.PRICE_HUB };
  }

  /** Lets time pass in steps of 10 ms, in each of which everything that is asked is answered. */
  async function pass(duration_ms: number, look: () => void): Promise<void> {
    for (let passed_ms = 0; passed_ms < duration_ms; passed_ms += 10) {
      vi.advanceTimersByTime(10);
      if (asked > answered) {
        await until(() => asked === answered, 0);
        await scheduler.wait(0);
      }
      look();
    }
  }

  it('hold one round at every moment, and both always have one', async () => {
    const bindings = countQuestions();
    const [one, other] = [new GateConditions(bindings, 1), new GateConditions(bindings, 1)];
    void one.keepFresh();
    await pass(SHARED_INTERVAL_MS / 2, () => undefined);
    void other.keepFresh();
    await pass(1_000, () => undefined);
    const moments: (readonly [number | undefined, number | undefined])[] = [];
    await pass(20_000, () => moments.push([roundOf(one), roundOf(other)]));
    for (const [first, second] of moments) expect(second).toBe(first);
    const rounds = new Set(moments.map(([first]) => first));
    expect(rounds.has(undefined)).toBe(false);
    expect(rounds.size).toBeGreaterThan(15);
  });

  /** Lets time pass, a millisecond for each of the machine's, until the work is done. */
  async function runUntil(work: Promise<void> | undefined): Promise<void> {
    const state = { isDone: false };
    void work?.then(() => (state.isDone = true));
    while (!state.isDone) {
      await scheduler.wait(1);
      vi.advanceTimersByTime(1);
    }
  }

  it('have orders wait for the next window, and plan none outside of one', async () => {
    const conditions = new GateConditions(env, 0);
    const taken = await conditions.take('BTC');
    const before = taken.ok ? taken.value.snapshot : undefined;
    const until_ms = before?.window.until_ms ?? 0;
    vi.setSystemTime(until_ms - 1);
    expect([conditions.untilPriced(), roundOf(conditions)]).toEqual([undefined, before?.round]);
    vi.setSystemTime(until_ms);
    expect(roundOf(conditions)).toBeUndefined();
    await runUntil(conditions.untilPriced());
    expect(Date.now()).toBeGreaterThanOrEqual(until_ms);
    expect(roundOf(conditions)).toBeGreaterThan(before?.round ?? Infinity);
  });

  it('plan no order again at the round for which the database refused it', async () => {
    const conditions = new GateConditions(env, 0);
    const taken = await conditions.take('BTC');
    const round = (taken.ok && taken.value.snapshot?.round) || Infinity;
    vi.setSystemTime(Date.now() + 1_100);
    await runUntil(conditions.fetchNewer(round));
    expect(roundOf(conditions)).toBeGreaterThan(round);
  });

  it('read settings again that grew too old while an order waited for a window', async () => {
    const conditions = new GateConditions(env, 0);
    const taken = await conditions.take('BTC');
    const round = (taken.ok && taken.value.snapshot?.round) || Infinity;
    vi.setSystemTime(Date.now() + 1_100);
    const paused = vi.spyOn(conditions, 'pause').mockImplementation(async (duration_ms) => {
      vi.setSystemTime(Date.now() + duration_ms + SETTINGS_MAX_AGE_MS);
    });
    // The hub has a newer round as soon as the venues have answered, and its window may have begun by then.
    while (paused.mock.calls.length === 0) {
      await conditions.fetchNewer(roundOf(conditions) ?? round);
      vi.setSystemTime(Date.now() + 100);
    }
    expect(paused).toHaveBeenCalledTimes(1);
    expect(conditions.held().ok).toBe(true);
  });
});

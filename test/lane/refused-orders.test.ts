import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlaceOrder } from '../../src/trade/place-order.ts';
import type { GateCall } from '../../src/trade/reach-gate.ts';
import { type Trader, openTrader } from '../support/exchange.ts';
import { handOver, openGate, until } from '../support/gate.ts';
import { unexplainedBalances } from '../support/ledger/probes.ts';
import { databaseInternals } from '../support/runtime/meter.ts';

/** As many as the gate sends in one batch. */
const ORDERS = 50;

/**
 * What a trip to D1 costs beside its statements, in statements. It is more: a batch of one order took 1.0 ms, one of
 * twenty 2.3, so that a trip costs what 13 orders do.
 */
const TRIP = 10;

const BUY: PlaceOrder = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

let [rich, poor]: Trader[] = [];
beforeAll(async () => {
  [rich, poor] = [await openTrader({ USDT: '100000' }), await openTrader()];
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

interface Work {
  /** Batches that were sent to D1. */
  readonly trips: number;
  /** Orders that D1 wrote, those included that it rolled back with their batch. */
  readonly written: number;
  /** How often one order was written at most. */
  readonly mostOfOne: number;
}

/** Places orders that all wait for one batch, some of an account that has nothing, and counts what D1 did for them. */
async function place(isRefused: (index: number) => boolean): Promise<Work> {
  // However long the batches take, prices do not grow too old for the orders behind them.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const gate = openGate();
  const calls = Array.from({ length: ORDERS }, (_, index) =>
    handOver((isRefused(index) ? poor : rich) as Trader, BUY, { deadline_ms: Date.now() + 60_000 }),
  );
  const { batches, restore, open } = watchBatches(calls);
  const leader = gate.placeOrder(handOver(rich as Trader, BUY));
  await until(() => batches.length === 1);
  const replies = calls.map((call) => gate.placeOrder(call));
  // The gate has taken all of them up when it answers a later call.
  await gate.preview(0, BUY);
  open();
  await leader;
  const kinds = (await Promise.all(replies)).map(({ kind }) => kind);
  restore();
  expect(kinds).toEqual(calls.map((_, index) => (isRefused(index) ? 'refused' : 'committed')));
  const runs = batches.slice(1).map((ids) => {
    const refused = ids.findIndex((id) => isRefused(calls.findIndex(({ orderId }) => orderId === id)));
    return refused === -1 ? ids : ids.slice(0, refused + 1);
  });
  const times = Map.groupBy(runs.flat(), (id) => id);
  return {
    trips: runs.length,
    written: runs.flat().length,
    mostOfOne: Math.max(...[...times.values()].map(({ length }) => length)),
  };
}

/** The ids of the orders of each batch, as they are sent to the real D1. The first batch waits for `open`. */
function watchBatches(calls: readonly GateCall[]) {
  const ids = calls.map(({ orderId }) => orderId);
  const internals = databaseInternals();
  const send = internals._send;
  const batches: string[][] = [];
  let isOpen = false;
  const spy = vi.spyOn(internals, '_send').mockImplementation(async function look(this: unknown, ...values: unknown[]) {
    const [, statements, parameters] = values;
    if (Array.isArray(statements) && JSON.stringify(statements).includes('insert into \\"orders\\"')) {
      const sent = JSON.stringify(parameters);
      const places = ids.map((id) => [id, sent.indexOf(id)] as const).filter(([, at]) => at !== -1);
      batches.push(places.toSorted(([, one], [, other]) => one - other).map(([id]) => id));
      await until(() => isOpen);
    }
    return send.apply(this as never, values);
  });
  return { batches, restore: () => spy.mockRestore(), open: () => void (isOpen = true) };
}

/** Trips and written orders where the refused ones are spread evenly, the first, and the last of the fifty. */
const table = [
  [0, [1, 50], [1, 50], [1, 50]],
  [3, [5, 113], [4, 50], [4, 144]],
  [5, [8, 113], [6, 50], [6, 140]],
  [10, [15, 110], [11, 50], [11, 130]],
] as const;

const alone = ORDERS * (TRIP + 1);

describe('orders of one batch of which the database refuses', () => {
  it.each(table)('%i of fifty cost less than one by one, wherever these are', async (refused, spread, first, last) => {
    const evenly = (index: number) => Math.floor((index * refused) / ORDERS);
    const patterns = [
      [(index: number) => evenly(index + 1) > evenly(index), spread],
      [(index: number) => index < refused, first],
      [(index: number) => index >= ORDERS - refused, last],
    ] as const;
    for (const [isRefused, [trips, written]] of patterns) {
      expect(await place(isRefused)).toMatchObject({ trips, written });
      expect(trips * TRIP + written).toBeLessThan(alone);
    }
    expect(await unexplainedBalances()).toEqual([]);
  });

  it.each<[string, (index: number) => boolean]>([
    ['every second', (index) => index % 2 === 1],
    ['the last half', (index) => index >= ORDERS / 2],
    ['four of five', (index) => index % 5 !== 0],
  ])('%s one are written three times at most', async (_name, isRefused) => {
    expect((await place(isRefused)).mostOfOne).toBe(3);
  });

  it('all, cost what they cost one by one', async () => {
    const work = await place(() => true);
    expect(work).toEqual({ trips: ORDERS, written: ORDERS, mostOfOne: 1 });
  });
});

import { reachHub } from '../../../src/markets/read-hub.ts';
import { runInDurableObject } from 'cloudflare:test';
import { beforeAll, vi } from 'vitest';
import { WebhookSender } from '../../../src/events/webhooks/webhook-sender.ts';
import { KeyLane } from '../../../src/lane/key-lane.ts';
import { bindingOf } from '../../../src/db/record-id.ts';
import { listLedgers } from '../../../src/db/database.ts';
import { LedgerKeeper } from '../../../src/keeper/ledger-keeper.ts';
import { reachKeeper } from '../../../src/reconciliation/reach-keeper.ts';
import { LATE_WRITE_PAUSE_MS } from '../../../src/platform/turns.ts';
import { LedgerGate } from '../../../src/orders/gate.ts';
import { CandleHub } from '../../../src/markets/candles/candle-hub.ts';
import { PriceHub } from '../../../src/markets/price-hub.ts';
import { env } from './test-env.ts';

const FAR_AHEAD_MS = 3_600_000;

/** D1's own figures for some work. */
export interface DatabaseCost {
  /** Round trips: a batch is one. */
  readonly databaseTrips: number;
  readonly databaseRowsRead: number;
  readonly databaseRowsWritten: number;
}

export interface Cost extends DatabaseCost {
  /** Calls of key lanes, of the ledger's gate and of the two hubs, including their alarms. */
  readonly laneCalls: number;
  readonly gateCalls: number;
  readonly hubCalls: number;
  /** Calls of the senders of webhook endpoints, their alarms among them. */
  readonly senderCalls: number;
  /** Calls that have the keeper look for endpoints that are behind; see `holdWakings`. */
  readonly keeperCalls: number;
  readonly objectRowsRead: number;
  /** As the platform bills them: rows of SQLite, stored values, and one for every alarm that is set. */
  readonly objectRowsWritten: number;
  readonly upstreamFetches: number;
}

/** D1's internal method for sending, which every public method uses: one call is one round trip. */
interface DatabaseInternals {
  _send(...values: unknown[]): Promise<DatabaseReply | DatabaseReply[]>;
}

interface DatabaseReply {
  readonly meta?: DatabaseFigures;
}

/** D1's figures for one statement. */
interface DatabaseFigures {
  readonly rows_read?: number;
  readonly rows_written?: number;
  /** Milliseconds that SQLite needed. */
  readonly duration?: number;
  /** Bytes of the whole database. */
  readonly size_after?: number;
}

/** The internal object through which D1 sends; faults are injected here. */
export function databaseInternals(): DatabaseInternals {
  const session = env.DB.withSession('first-primary');
  const internals = Object.getPrototypeOf(session) as Partial<DatabaseInternals>;
  if (typeof internals._send !== 'function') throw new Error('D1 sends in another way now: mend the meter');
  return internals as DatabaseInternals;
}

/**
 * Puts off the looks for endpoints that are behind, until the test has them looked for or `restore` is called. The keeper
 * makes them beside the answers, whenever it comes to them, so they would be counted by chance. What a look costs has a
 * row of its own in the cost model. Looks that were asked for before are over when this returns.
 */
export async function holdWakings() {
  const { wakeSenders } = LedgerKeeper.prototype;
  if (vi.isMockFunction(wakeSenders)) {
    const earlier = wakeSenders.mock.calls.length;
    return { count: () => wakeSenders.mock.calls.length - earlier, restore: () => undefined };
  }
  await reachKeeper(env, 0).wakeSenders();
  const held = vi.spyOn(LedgerKeeper.prototype, 'wakeSenders').mockResolvedValue();
  return { count: () => held.mock.calls.length, restore: () => held.mockRestore() };
}

/**
 * Holds them for all tests of a file, at whose top it is called. Each count waits for the looks before it, which takes a
 * tenth of a second, unless they are held.
 */
export function holdWakingsThroughout(): void {
  beforeAll(async () => {
    (await holdWakings()).restore();
    // Not a spy, because those end with a test.
    const { wakeSenders } = LedgerKeeper.prototype;
    LedgerKeeper.prototype.wakeSenders = vi.fn(() => Promise.resolve());
    return () => {
      LedgerKeeper.prototype.wakeSenders = wakeSenders;
    };
  });
}

/** D1's figures for each statement of some work, by round trips. */
async function listenToDatabase(work: () => Promise<unknown>): Promise<DatabaseFigures[][]> {
  const wakings = await holdWakings();
  const sends = vi.spyOn(databaseInternals(), '_send');
  try {
    await work();
    const replies = await Promise.all(sends.mock.results.map(({ value }) => value as ReturnType<typeof sends>));
    return replies.map((reply) => [reply].flat().map(({ meta = {} }) => meta));
  } finally {
    sends.mockRestore();
    wakings.restore();
  }
}

export async function measureDatabase(work: () => Promise<unknown>): Promise<DatabaseCost> {
  const trips = await listenToDatabase(work);
  const sum = (figure: 'rows_read' | 'rows_written') =>
    trips.flat().reduce((total, figures) => total + (figures[figure] ?? 0), 0);
  return {
    databaseTrips: trips.length,
    databaseRowsRead: sum('rows_read'),
    databaseRowsWritten: sum('rows_written'),
  };
}

/**
 * Counts the round trips of `work` to each ledger's database, by the number of the ledger. A ledger that is not asked is
 * not in the result. It may be used within `measure`.
 */
export async function countTripsByDatabase(work: () => Promise<unknown>): Promise<Map<number, number>> {
  const ledgers = new Map(listLedgers(env).map((ledger) => [connectionOf(env[bindingOf(ledger)]), ledger]));
  const asked: number[] = [];
  const internals = databaseInternals();
  const send = internals._send;
  // No spy, because a spy on what is spied on already is the same one.
  internals._send = function look(this: unknown, ...values: unknown[]) {
    const ledger = ledgers.get(connectionOf(this));
    if (ledger === undefined) throw new Error('a database was asked that is no ledger');
    asked.push(ledger);
    return send.apply(this as never, values);
  };
  try {
    await work();
  } finally {
    internals._send = send;
  }
  return new Map([...Map.groupBy(asked, (ledger) => ledger)].map(([ledger, trips]) => [ledger, trips.length]));
}

/** What a database and its sessions send through, which tells one database from another. */
function connectionOf(database: unknown): unknown {
  const { fetcher } = database as { readonly fetcher?: unknown };
  if (fetcher === undefined) throw new Error('D1 sends in another way now: mend the meter');
  return fetcher;
}

export async function countRowsRead(work: () => Promise<unknown>): Promise<number> {
  return (await measureDatabase(work)).databaseRowsRead;
}

/** Every object's storage and its SQLite, because objects of one process share their prototypes. */
async function reachStorage(lane: DurableObjectStub<KeyLane>) {
  return runInDurableObject(lane, (_instance, { storage }) => ({
    storage: Object.getPrototypeOf(storage) as DurableObjectStorage,
    values: Object.getPrototypeOf(storage.kv) as SyncKvStorage,
    sql: Object.getPrototypeOf(storage.sql) as SqlStorage,
  }));
}

/**
 * Counts what `work` costs. Every call goes on to the real parts. `lane` is the object through which the storage of all
 * objects is reached, and whose late writes are awaited.
 */
export async function measure(lane: DurableObjectStub<KeyLane>, work: () => Promise<unknown>): Promise<Cost> {
  // What earlier calls left to do is not counted: writes of the lane, and the next round of the hub.
  await waitForLateWrites(lane);
  await putOffRounds();
  const wakings = await holdWakings();
  const lanes = (['admit', 'execute', 'alarm'] as const).map((method) => vi.spyOn(KeyLane.prototype, method));
  const gates = (['placeOrder', 'preview', 'awaitOrders'] as const).map((method) =>
    vi.spyOn(LedgerGate.prototype, method),
  );
  const hubs = [
    ...(['snapshot', 'after', 'alarm'] as const).map((method) => vi.spyOn(PriceHub.prototype, method)),
    vi.spyOn(CandleHub.prototype, 'candles'),
  ];
  const senders = [vi.spyOn(WebhookSender.prototype, 'wake'), vi.spyOn(WebhookSender.prototype, 'alarm')];
  const fetches = vi.spyOn(globalThis, 'fetch');
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const { storage, values, sql } = await reachStorage(lane);
  const written = [vi.spyOn(storage, 'setAlarm'), vi.spyOn(values, 'put')];
  const exec = sql.exec;
  const execs = vi.spyOn(sql, 'exec').mockImplementation(function look(this: SqlStorage, ...parameters: never[]) {
    const cursor = exec.apply(this, parameters as unknown as Parameters<SqlStorage['exec']>);
    cursors.push(cursor);
    return cursor;
  } as SqlStorage['exec']);
  try {
    const database = await measureDatabase(work);
    await waitForLateWrites(lane);
    return {
      ...database,
      laneCalls: countCalls(lanes),
      gateCalls: countCalls(gates),
      hubCalls: countCalls(hubs),
      senderCalls: countCalls(senders),
      keeperCalls: wakings.count(),
      objectRowsRead: cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0),
      objectRowsWritten: cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0) + countCalls(written),
      upstreamFetches: fetches.mock.calls.length,
    };
  } finally {
    for (const spy of [...lanes, ...gates, ...hubs, ...senders, ...written, fetches, execs]) spy.mockRestore();
    wakings.restore();
  }
}

/** Moves the hub's alarm to a time at which no test is running. A test that wants the round runs the alarm by itself. */
async function putOffRounds(): Promise<void> {
  await runInDurableObject(reachHub(env), async (_hub, { storage }) => {
    if ((await storage.getAlarm()) !== null) await storage.setAlarm(Date.now() + FAR_AHEAD_MS);
  });
}

/** Resolves when the lane's late writes are made: of two timers of an object, the earlier one runs first. */
export function waitForLateWrites(lane: DurableObjectStub<KeyLane>): Promise<void> {
  return runInDurableObject(lane, () => scheduler.wait(LATE_WRITE_PAUSE_MS + 1));
}

function countCalls(spies: readonly { readonly mock: { readonly calls: readonly unknown[] } }[]): number {
  return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
}

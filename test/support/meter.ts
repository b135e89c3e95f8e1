import { runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';
import { KeyLane } from '../../src/lane/key-lane.ts';
import { PriceHub } from '../../src/markets/price-hub.ts';
import { env } from './test-env.ts';

/** What a piece of work cost. */
export interface Cost {
  /** Calls of key lanes and of the price hub. */
  readonly laneCalls: number;
  readonly hubCalls: number;
  /** Round trips to D1: a batch is one. */
  readonly databaseTrips: number;
  readonly databaseRowsWritten: number;
  readonly objectRowsWritten: number;
  readonly upstreamFetches: number;
}

/** D1's own way of sending, below every method of its interface: one call is one round trip. */
interface DatabaseInternals {
  _send(...values: unknown[]): Promise<DatabaseReply | DatabaseReply[]>;
}

interface DatabaseReply {
  readonly meta?: { readonly rows_written?: number; readonly rows_read?: number };
}

/** Where D1 sends from; a fault is put in by standing here. */
export function databaseInternals(): DatabaseInternals {
  const session = env.DB.withSession('first-primary');
  const internals = Object.getPrototypeOf(session) as Partial<DatabaseInternals>;
  if (typeof internals._send !== 'function') throw new Error('D1 sends in another way now: mend the meter');
  return internals as DatabaseInternals;
}

/**
 * Counts what `work` costs, by looking over the shoulder of the real parts: every call goes on to them.
 * `lane` is the object whose rows are counted.
 */
export async function measure(lane: DurableObjectStub<KeyLane>, work: () => Promise<unknown>): Promise<Cost> {
  const lanes = (['admit', 'placeOrder', 'withdraw'] as const).map((method) => vi.spyOn(KeyLane.prototype, method));
  const hubs = (['snapshot', 'candles'] as const).map((method) => vi.spyOn(PriceHub.prototype, method));
  const sends = vi.spyOn(databaseInternals(), '_send');
  const fetches = vi.spyOn(globalThis, 'fetch');
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const sql = await runInDurableObject(
    lane,
    (_instance, state) => Object.getPrototypeOf(state.storage.sql) as SqlStorage,
  );
  const exec = sql.exec;
  const execs = vi.spyOn(sql, 'exec').mockImplementation(function look(this: SqlStorage, ...values: never[]) {
    const cursor = exec.apply(this, values as unknown as Parameters<SqlStorage['exec']>);
    cursors.push(cursor);
    return cursor;
  } as SqlStorage['exec']);
  try {
    await work();
    return {
      laneCalls: countCalls(lanes),
      hubCalls: countCalls(hubs),
      databaseTrips: sends.mock.calls.length,
      databaseRowsWritten: await sumReplies(sends, 'rows_written'),
      objectRowsWritten: cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0),
      upstreamFetches: fetches.mock.calls.length,
    };
  } finally {
    for (const spy of [...lanes, ...hubs, sends, fetches, execs]) spy.mockRestore();
  }
}

/** What D1 said, in all its replies to what was sent, of one figure. */
async function sumReplies(
  sends: { readonly mock: { readonly results: readonly { readonly value: unknown }[] } },
  figure: 'rows_read' | 'rows_written',
): Promise<number> {
  const replies = await Promise.all(sends.mock.results.map(({ value }) => value as Promise<DatabaseReply>));
  return replies.flat().reduce((sum, { meta }) => sum + (meta?.[figure] ?? 0), 0);
}

function countCalls(spies: readonly { readonly mock: { readonly calls: readonly unknown[] } }[]): number {
  return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
}

/** How many rows D1 read for a piece of work. */
export async function countRowsRead(work: () => Promise<unknown>): Promise<number> {
  const sends = vi.spyOn(databaseInternals(), '_send');
  try {
    await work();
    return await sumReplies(sends, 'rows_read');
  } finally {
    sends.mockRestore();
  }
}

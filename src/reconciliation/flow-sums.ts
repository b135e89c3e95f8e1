import { z } from 'zod';
import { timeOfRecord } from '../db/record-id.ts';
import type { CountedPayment } from './compose-payments.ts';
import type { FilledOrder } from './rounding.ts';

/** How many, and what they are worth together, in atoms of USDT as text. */
const Flow = z.object({ count: z.int(), atoms: z.string() });

type Flow = z.output<typeof Flow>;

const Flows = z.object({ deposits: Flow, withdrawals: Flow, orders: Flow });

type Flows = z.output<typeof Flows>;

/** What came in, what left and what was traded on a day (UTC). */
export interface FlowsOfDay extends Flows {
  /** Such as `2026-11-21`. */
  readonly day: string;
}

const NO_FLOW: Flow = { count: 0, atoms: '0' };

const NO_FLOWS: Flows = { deposits: NO_FLOW, withdrawals: NO_FLOW, orders: NO_FLOW };

const addFlows = (one: Flow, other: Flow): Flow => ({
  count: one.count + other.count,
  atoms: (BigInt(one.atoms) + BigInt(other.atoms)).toString(),
});

/** The sums of several ledgers added up: each day once, newest day first. Pure. */
export function mergeFlows(days: readonly FlowsOfDay[]): FlowsOfDay[] {
  const sums = new Map<string, FlowsOfDay>();
  for (const { day, ...flows } of days) {
    const before = sums.get(day) ?? NO_FLOWS;
    sums.set(day, {
      day,
      deposits: addFlows(before.deposits, flows.deposits),
      withdrawals: addFlows(before.withdrawals, flows.withdrawals),
      orders: addFlows(before.orders, flows.orders),
    });
  }
  return [...sums.values()].toSorted((one, other) => (one.day < other.day ? 1 : -1));
}

/**
 * What came in, left and was traded, by day, in the storage of the keeper. It counts each record once, in the order of
 * their transfers, however often they are read.
 */
export class FlowSums {
  readonly #sql: SqlStorage;
  #after: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec('CREATE TABLE IF NOT EXISTS flows (day TEXT PRIMARY KEY NOT NULL, sums TEXT NOT NULL) WITHOUT ROWID');
    sql.exec('CREATE TABLE IF NOT EXISTS flows_reach (id INTEGER PRIMARY KEY CHECK (id = 1), after INTEGER NOT NULL)');
    this.#after = sql.exec<{ after: number }>('SELECT after FROM flows_reach').toArray()[0]?.after ?? 0;
  }

  /** The number of the newest transfer whose record was counted. */
  get after(): number {
    return this.#after;
  }

  /**
   * Counts the records whose transfers have the numbers after `after` up to `to`. Without a wait in between, so that all of
   * it is stored or nothing. Numbers that were counted are left out. Throws when some before them were not.
   */
  add(orders: readonly FilledOrder[], payments: readonly CountedPayment[], after: number, to: number): void {
    if (to <= this.#after) return;
    if (after > this.#after) throw new Error(`what flowed up to transfer ${after} was not counted`);
    const counted = [
      ...orders.map(({ id, transfer, usdtAmount }) => {
        return { flow: 'orders', transfer, time_ms: timeOfRecord(id), atoms: usdtAmount } as const;
      }),
      ...payments.map(({ kind, transfer, time_ms, usdValue }) => {
        return { flow: `${kind}s`, transfer, time_ms, atoms: usdValue } as const;
      }),
    ];
    const days = new Map<string, Flows>();
    for (const { flow, transfer, time_ms, atoms } of counted) {
      if (transfer <= this.#after) continue;
      const day = new Date(time_ms).toISOString().slice(0, 10);
      const flows = days.get(day) ?? this.#read(day);
      days.set(day, { ...flows, [flow]: addFlows(flows[flow], { count: 1, atoms }) });
    }
    for (const [day, flows] of days) {
      this.#sql.exec('INSERT OR REPLACE INTO flows VALUES (?, ?)', day, JSON.stringify(flows));
    }
    this.#sql.exec('INSERT OR REPLACE INTO flows_reach VALUES (1, ?)', to);
    this.#after = to;
  }

  /** The sums from a day on, newest day first. */
  list(from: string): FlowsOfDay[] {
    const rows = this.#sql.exec<{ day: string; sums: string }>(
      'SELECT day, sums FROM flows WHERE day >= ? ORDER BY day DESC',
      from,
    );
    return rows.toArray().map(({ day, sums }) => ({ day, ...Flows.parse(JSON.parse(sums)) }));
  }

  /** Forgets all sums, so that all records are counted again. */
  forget(): void {
    this.#sql.exec('DELETE FROM flows');
    this.#sql.exec('DELETE FROM flows_reach');
    this.#after = 0;
  }

  #read(day: string): Flows {
    const [row] = this.#sql.exec<{ sums: string }>('SELECT sums FROM flows WHERE day = ?', day).toArray();
    return row ? Flows.parse(JSON.parse(row.sums)) : NO_FLOWS;
  }
}

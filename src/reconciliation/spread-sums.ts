import { z } from 'zod';
import { findCoin, toUsdt } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';
import type { FilledOrder } from './rounding.ts';
import { timestampOfRecord } from '../db/record-id.ts';

/** What the orders of a coin earned the house on a day (UTC) by their spread. */
export interface SpreadOfDay {
  /** Such as `2026-11-21`. */
  readonly day: string;
  readonly coin: string;
  readonly orders: number;
  /** The sum of what each order earned, in atoms of USDT, as text. */
  readonly atoms: string;
}

/**
 * What an order earned the house, in atoms of USDT: what the client paid more, or got less, than the amount is worth at
 * the market's middle price; rounded down. `undefined` for an order that has no middle price. Pure.
 */
export function spreadOf({
  coin: symbol,
  side,
  coinAmount,
  usdtAmount,
  middle,
}: Pick<FilledOrder, 'coin' | 'side' | 'coinAmount' | 'usdtAmount' | 'middle'>): Atoms | undefined {
  const coin = findCoin(symbol);
  if (middle === null || !coin) return undefined;
  const worth = (rounding: 'up' | 'down') => toUsdt(coin, BigInt(coinAmount), BigInt(middle), rounding);
  return side === 'BUY' ? BigInt(usdtAmount) - worth('up') : worth('down') - BigInt(usdtAmount);
}

/** The sums of several ledgers added up: each day and coin once, newest day first. Pure. */
export function sumSpread(days: readonly SpreadOfDay[]): SpreadOfDay[] {
  const sums = new Map<string, SpreadOfDay>();
  for (const { day, coin, orders, atoms } of days) {
    const name = `${day} ${coin}`;
    const before = sums.get(name) ?? { orders: 0, atoms: '0' };
    const summed = (BigInt(before.atoms) + BigInt(atoms)).toString();
    sums.set(name, { day, coin, orders: before.orders + orders, atoms: summed });
  }
  return [...sums.values()].toSorted((one, other) => (one.day < other.day ? 1 : one.day > other.day ? -1 : 0));
}

/** The sums of one day, by coin. */
const SumsOfDay = z.record(z.string(), z.object({ orders: z.int(), atoms: z.string() }));

type SumsOfDay = z.output<typeof SumsOfDay>;

/**
 * The spread that orders earned, by day and coin, in the storage of the keeper: a row for each day. It counts each order
 * once, in the order of their transfers, however often they are read: it remembers the newest that it has counted.
 */
export class SpreadSums {
  readonly #sql: SqlStorage;
  /** The number of the newest transfer whose order was counted. */
  #newest: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS spread (
      day TEXT PRIMARY KEY NOT NULL, sums TEXT NOT NULL, newest INTEGER NOT NULL) WITHOUT ROWID`);
    const [row] = sql.exec<{ newest: number | null }>('SELECT max(newest) AS newest FROM spread').toArray();
    this.#newest = row?.newest ?? 0;
  }

  /** Adds the orders of the next transfers. Without a wait in between, so that all of it is stored or nothing. */
  add(orders: readonly FilledOrder[]): void {
    const days = new Map<string, SumsOfDay>();
    let newest = this.#newest;
    for (const order of orders) {
      const atoms = spreadOf(order);
      if (order.transfer <= this.#newest || atoms === undefined) continue;
      newest = Math.max(newest, order.transfer);
      const day = timestampOfRecord(order.id).slice(0, 10);
      const sums = days.get(day) ?? this.#read(day);
      const before = sums[order.coin] ?? { orders: 0, atoms: '0' };
      const after = { orders: before.orders + 1, atoms: (BigInt(before.atoms) + atoms).toString() };
      days.set(day, { ...sums, [order.coin]: after });
    }
    for (const [day, sums] of days) {
      this.#sql.exec(
        `INSERT INTO spread VALUES (?, ?, ?)
         ON CONFLICT (day) DO UPDATE SET sums = excluded.sums, newest = excluded.newest`,
        day,
        JSON.stringify(sums),
        newest,
      );
    }
    this.#newest = newest;
  }

  /** The sums from a day on, newest day first. */
  list(from: string): SpreadOfDay[] {
    const rows = this.#sql.exec<{ day: string; sums: string }>(
      'SELECT day, sums FROM spread WHERE day >= ? ORDER BY day DESC',
      from,
    );
    return rows
      .toArray()
      .flatMap(({ day, sums }) =>
        Object.entries(SumsOfDay.parse(JSON.parse(sums))).map(([coin, sum]) => ({ day, coin, ...sum })),
      );
  }

  /** Forgets all sums, so that all orders are counted again. */
  forget(): void {
    this.#sql.exec('DELETE FROM spread');
    this.#newest = 0;
  }

  #read(day: string): SumsOfDay {
    const [row] = this.#sql.exec<{ sums: string }>('SELECT sums FROM spread WHERE day = ?', day).toArray();
    return row ? SumsOfDay.parse(JSON.parse(row.sums)) : {};
  }
}

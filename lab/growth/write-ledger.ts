import type { DatabaseSync } from 'node:sqlite';
import { composeCrowd, idInCrowd } from '../../test/support/growth/compose-crowd.ts';
import {
  type Owners,
  type RecordTable,
  composeHistory,
  historyTables,
} from '../../test/support/growth/compose-history.ts';

/** How many records one transaction writes. */
const CHUNK = 250_000;

/** Orders of each account of the crowd, and how many of each other kind of record it has. */
const ORDERS_EACH = 200;

/** One account has a tenth of all orders, so that it is scanned in parts. */
const LARGE_SHARE = 10;

/** Does something as if no trigger watched some tables, and restores the triggers. */
export function withoutTriggers(database: DatabaseSync, tables: readonly string[], act: () => void): void {
  const triggers = database.prepare(`SELECT name, sql, tbl_name FROM sqlite_schema WHERE type = 'trigger'`).all();
  const watching = triggers.filter(({ tbl_name }) => tables.includes(String(tbl_name)));
  for (const { name } of watching) database.exec(`DROP TRIGGER ${String(name)}`);
  act();
  for (const { sql } of watching) database.exec(String(sql));
}

/** Opens the accounts and writes their history, as requests would have left it. Returns how many accounts there are. */
export function writeLedger(database: DatabaseSync, orders: number): number {
  const accounts = Math.max(2, Math.ceil((orders - orders / LARGE_SHARE) / ORDERS_EACH));
  const crowd: Owners = { account: idInCrowd(`i % ${accounts}`), count: accounts };
  const large: Owners = { account: idInCrowd(String(accounts)), count: 1 };
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN');
  for (const statement of composeCrowd(0, accounts + 1)) database.exec(statement);
  database.exec('COMMIT');
  let next = 0;
  const write = (table: RecordTable, owners: Owners, count: number) => {
    const first = Math.ceil(next / (2 * owners.count)) * 2 * owners.count;
    const history = { table, owners, first, end: first + count };
    for (let from = first; from < history.end; from += CHUNK) {
      const head = Number(database.prepare('SELECT coalesce(max(id), 0) AS head FROM transfers').get()?.['head']);
      database.exec('BEGIN');
      const to = Math.min(from + CHUNK, history.end);
      for (const statement of composeHistory(history, from, to, head)) database.exec(statement);
      database.exec('COMMIT');
    }
    next = history.end;
  };
  withoutTriggers(database, historyTables, () => {
    for (const owners of [crowd, large]) write('deposits', owners, owners.count * 2);
    for (const table of ['withdrawals', 'settlements'] as const) write(table, crowd, accounts);
    write('orders', large, Math.floor(orders / LARGE_SHARE));
    write('orders', crowd, orders - Math.floor(orders / LARGE_SHARE));
  });
  return accounts + 1;
}

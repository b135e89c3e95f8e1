import { expect } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { FIRST_LEDGER, newRecordId } from '../../../src/db/record-id.ts';
import { env } from '../runtime/test-env.ts';
import { openInLedger } from './open-in-ledger.ts';
import { sql } from './sql.ts';

export { sql } from './sql.ts';

/** Writes to the ledger by plain SQL, as a bug or an intruder could. */

export const NOON_MS = Date.UTC(2026, 10, 21, 12);
export const database = openDatabase(env.DB);

/** The number of the next transfer, as SQL. */
export const NEXT = '(SELECT coalesce(max(id), 0) + 1 FROM transfers)';

/** Inserts a row. Its values are bound, except one that begins with `NEXT`, so a mistyped value is never another error. */
export function insertRow(table: string, row: Readonly<Record<string, string | number | null>>): D1PreparedStatement {
  const isSql = (value: string | number | null) => typeof value === 'string' && value.startsWith(NEXT);
  const values = Object.values(row);
  const places = values.map((value) => (isSql(value) ? value : '?'));
  return sql(
    `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
    ...values.filter((value) => !isSql(value)),
  );
}

/** A transfer that nobody may write: with the next number, but without a record. */
export function transfer(debit: string, receiver: string, asset: string, amount: string, kind = 'order') {
  return sql(
    `INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference) VALUES (${NEXT}, ?, ?, ?, ?, ?, 'test')`,
    debit,
    receiver,
    asset,
    amount,
    kind,
  );
}

/** The key of an account that `openFunded` opened. */
export function keyOf(accountId: string): string {
  return `key of ${accountId}`;
}

export function makeKey(accountId: string, id = keyOf(accountId)): D1PreparedStatement {
  return sql(
    `INSERT INTO api_keys (id, account_id, label, scopes, token_hash, created_at) VALUES (?, ?, 'test', 't', 'h', ?)`,
    id,
    accountId,
    NOON_MS,
  );
}

/**
 * The values of an order. By default, a key of the account buys one atom of BTC for one atom of USDT, at the newest
 * round.
 */
export interface OrderTerms {
  readonly id?: string;
  readonly coin?: string;
  readonly side?: string;
  readonly price?: string;
  readonly coinAmount?: string;
  readonly usdtAmount?: string;
  readonly status?: string;
  readonly keyId?: string;
  readonly priceRound?: number;
  /** The SQL of its first transfer's number. */
  readonly first?: string;
}

/** An order, which moves both its amounts. */
export function order(accountId: string, terms: OrderTerms = {}, insert = 'INSERT'): D1PreparedStatement {
  const { id = newRecordId(NOON_MS), coin = 'BTC', side = 'BUY', price = '1', status = 'COMPLETED' } = terms;
  const { coinAmount = '1', usdtAmount = '1', first = status === 'COMPLETED' ? NEXT : 'NULL' } = terms;
  const key =
    terms.keyId === undefined ? '(SELECT id FROM api_keys WHERE account_id = ?1 LIMIT 1)' : `'${terms.keyId}'`;
  const newest = `(SELECT price_round FROM balances WHERE account = 'house:liquidity' AND asset = ?3)`;
  return sql(
    `${insert} INTO orders
       (account_id, id, coin, side, executed_price, coin_amount, usdt_amount, status, price_round, key_id, first_transfer)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ${terms.priceRound ?? `coalesce(${newest}, 0)`}, ${key}, ${first})`,
    accountId,
    id,
    coin,
    side,
    price,
    coinAmount,
    usdtAmount,
    status,
  );
}

/** A credit by hand of this amount, out of custody. */
export function credit(
  accountId: string,
  asset: string,
  amount: string,
  id: string = newRecordId(NOON_MS),
  reference: string = id,
  insert = 'INSERT',
): D1PreparedStatement {
  return sql(
    `${insert} INTO deposits (account_id, id, type, asset, amount, usd_value, status, reference, transfer)
     VALUES (?, ?, 'INTERNAL_DEPOSIT', ?, ?, 1, 'COMPLETED', ?, ${NEXT})`,
    accountId,
    id,
    asset,
    amount,
    reference,
  );
}

/** The statements that set a limit of the only ledger: the audit row, its share in the settings, and the floor. */
export function setFloor(
  account: string,
  asset: string,
  floor: string,
  action = 'change_settings',
): [D1PreparedStatement, D1PreparedStatement, D1PreparedStatement] {
  return [
    sql(
      `INSERT INTO audit (id, ts, role, action, target, detail)
       SELECT coalesce(max(id), 0) + 1, 1, 'operator', ?, 'settings', '{}' FROM audit`,
      action,
    ),
    sql(
      `UPDATE settings SET revision = revision + 1,
         shares = json_set(shares, '$."' || ?1 || '"."' || ?2 || '"', json_array(CAST(-CAST(?3 AS INTEGER) AS TEXT)))`,
      account,
      asset,
      floor,
    ),
    sql('UPDATE balances SET floor = ? WHERE account = ? AND asset = ?', floor, account, asset),
  ];
}

/** An account with a key and a hundred atoms of each of two assets, which it has from this time on. */
export async function openFunded(now_ms = NOON_MS): Promise<string> {
  const id = await openInLedger(FIRST_LEDGER, now_ms);
  await env.DB.batch([makeKey(id), ...['USDT', 'BTC'].map((asset) => credit(id, asset, '100', newRecordId(now_ms)))]);
  return id;
}

const records = ['accounts', 'orders', 'deposits', 'withdrawals', 'settlements'];

/** Every table about money, to the digit: balances, transfers, and records. */
export async function readLedger(tables = records): Promise<unknown> {
  const results = await env.DB.batch([
    sql(
      'SELECT account, asset, CAST(amount AS TEXT) AS amount, CAST(floor AS TEXT) AS floor, last_transfer FROM balances',
    ),
    sql('SELECT *, CAST(amount AS TEXT) AS exact FROM transfers'),
    ...tables.map((table) => sql(`SELECT * FROM ${table}`)),
  ]);
  return results.map(({ results: rows }) => rows);
}

export async function balanceOf(account: string, asset: string): Promise<bigint> {
  const row = await sql(
    'SELECT CAST(amount AS TEXT) AS amount FROM balances WHERE account = ? AND asset = ?',
    account,
    asset,
  ).first<{ amount: string }>();
  return BigInt(row?.amount ?? 'no such balance');
}

/** Sends statements as one batch, and expects this refusal and nothing changed. */
export async function expectRefused(message: string, ...statements: D1PreparedStatement[]): Promise<void> {
  const before = await readLedger();
  await expect(env.DB.batch(statements)).rejects.toThrow(message);
  expect(await readLedger()).toEqual(before);
}

import { expect } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { FIRST_LEDGER, newRecordId } from '../../../src/db/record-id.ts';
import { env } from '../runtime/test-env.ts';
import { openInLedger } from './open-in-ledger.ts';
import { listRows, sql, sqlIn } from './sql.ts';

export { sql } from './sql.ts';

/** Writes to the ledger by plain SQL, as a bug or an intruder could. */

export const NOON_MS = Date.UTC(2026, 10, 21, 12);
export const database = openDatabase(env.DB);

/** The number of the next transfer, as SQL. */
export const NEXT = '(SELECT coalesce(max(id), 0) + 1 FROM transfers)';

export type Row = Readonly<Record<string, string | number | null>>;

/** A value that is the SQL of a query, such as `NEXT`, stands in a statement; all others are bound to it. */
const isSql = (value: Row[string]) => typeof value === 'string' && value.startsWith('(SELECT');
const placeOf = (value: Row[string]) => (isSql(value) ? value : '?');

export function insertRow(table: string, row: Row, insert = 'INSERT', ledger = FIRST_LEDGER): D1PreparedStatement {
  const values = Object.values(row);
  const text = `${insert} INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values.map(placeOf).join(', ')})`;
  return sqlIn(ledger, text, ...values.filter((value) => !isSql(value)));
}

/** Changes the record of an id. */
export function updateRow(table: string, id: string, row: Row, update = 'UPDATE', ledger = FIRST_LEDGER) {
  const set = Object.entries(row).map(([name, value]) => `${name} = ${placeOf(value)}`);
  const values = Object.values(row).filter((value) => !isSql(value));
  return sqlIn(ledger, `${update} ${table} SET ${set.join(', ')} WHERE id = ?`, ...values, id);
}

export const INSERTS = ['INSERT', 'INSERT OR IGNORE', 'INSERT OR REPLACE'] as const;
export const UPDATES = ['UPDATE', 'UPDATE OR IGNORE', 'UPDATE OR REPLACE'] as const;

export function audit(action: string, target = 'settings', detail: object = {}, more: Row = {}): D1PreparedStatement {
  const id = '(SELECT coalesce(max(id), 0) + 1 FROM audit)';
  return insertRow('audit', { id, ts: 1, role: 'operator', action, target, detail: JSON.stringify(detail), ...more });
}

/** A transfer with the next number. Nobody may write it by itself. */
export function transfer(
  debit: string,
  receiver: string,
  asset: string,
  amount: string,
  kind = 'order',
  reference = 'test',
): D1PreparedStatement {
  return insertRow('transfers', { id: NEXT, debit, credit: receiver, asset, amount, kind, reference });
}

/** The row of a withdrawal of 7 atoms with a fee of 2, whose money it takes. */
export function withdrawalRow(account: string, id: string, status = 'PROCESSING') {
  return {
    account_id: account,
    id,
    type: 'ONCHAIN_WITHDRAWAL',
    asset: 'USDT',
    network: 'TRC20',
    address: 'x',
    amount: 7,
    fee: 2,
    usd_value: 7,
    status,
    committed_at: NOON_MS,
    allowlist_required: 0,
    daily_limit: 5_000_000_000,
    key_id: keyOf(account),
    released_at: status === 'PENDING' ? null : NOON_MS,
    next_ask_at: status === 'PROCESSING' ? NOON_MS : null,
    taken_transfer: NEXT,
  };
}

/** The key of an account that `openFunded` opened. */
export function keyOf(accountId: string): string {
  return `key of ${accountId}`;
}

export function makeKey(accountId: string, id = keyOf(accountId)): D1PreparedStatement {
  const key = { id, account_id: accountId, label: 'test', scopes: 't', token_hash: 'h', created_at: NOON_MS };
  return insertRow('api_keys', key);
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
  readonly clientOrderId?: string;
  readonly priceRound?: number;
  /** As of when the price is; by default as of the order's admission. */
  readonly priceAsOf?: number;
  /** The SQL of its first transfer's number. */
  readonly first?: string;
}

/** An order, which moves both its amounts. */
export function order(accountId: string, terms: OrderTerms = {}, insert = 'INSERT'): D1PreparedStatement {
  const { id = newRecordId(NOON_MS), coin = 'BTC', side = 'BUY', price = '1', status = 'COMPLETED' } = terms;
  const { coinAmount = '1', usdtAmount = '1', first = status === 'COMPLETED' ? NEXT : null } = terms;
  const newest = `(SELECT coalesce(max(price_round), 0) FROM balances WHERE account = 'house:liquidity' AND asset = '${coin}')`;
  const row = {
    account_id: accountId,
    id,
    coin,
    side,
    executed_price: price,
    coin_amount: coinAmount,
    usdt_amount: usdtAmount,
    status,
    price_round: terms.priceRound ?? newest,
    key_id: terms.keyId ?? `(SELECT id FROM api_keys WHERE account_id = '${accountId}' LIMIT 1)`,
    first_transfer: first,
    admitted_at: NOON_MS,
    price_as_of: terms.priceAsOf ?? NOON_MS,
    client_order_id: terms.clientOrderId ?? null,
  };
  return insertRow('orders', row, insert);
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
  const row = { account_id: accountId, id, type: 'INTERNAL_DEPOSIT', asset, amount, usd_value: 1, status: 'COMPLETED' };
  return insertRow('deposits', { ...row, reference, transfer: NEXT }, insert);
}

/** The statements that set a limit of the only ledger: the audit row, its share in the settings, and the floor. */
export function setFloor(
  account: string,
  asset: string,
  floor: string,
  action = 'change_settings',
): [D1PreparedStatement, D1PreparedStatement, D1PreparedStatement] {
  return [
    audit(action),
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

/** Every row of the database, to the digit. */
export async function readLedger(): Promise<unknown> {
  const query = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'`;
  const tables = await listRows<{ name: string }>(query);
  const results = await env.DB.batch([
    sql('SELECT account, asset, CAST(amount AS TEXT) AS amount, CAST(floor AS TEXT) AS floor FROM balances'),
    sql('SELECT id, CAST(amount AS TEXT) AS amount FROM transfers'),
    ...tables.map(({ name }) => sql(`SELECT * FROM ${name}`)),
  ]);
  return results.map(({ results: rows }) => rows);
}

export async function balanceOf(account: string, asset: string): Promise<bigint> {
  const query = 'SELECT CAST(amount AS TEXT) AS amount FROM balances WHERE account = ? AND asset = ?';
  return BigInt((await sql(query, account, asset).first<string>('amount')) ?? 'no such balance');
}

/** Sends statements as one batch, and expects this refusal and nothing changed. */
export async function expectRefused(message: string, ...statements: D1PreparedStatement[]): Promise<void> {
  await expectUnchanged(() => expect(env.DB.batch(statements)).rejects.toThrow(message));
}

/** Sends each statement by itself, and expects this refusal of each and nothing changed. */
export async function expectEachRefused(message: string, ...statements: D1PreparedStatement[]): Promise<void> {
  await expectUnchanged(async () => {
    for (const statement of statements) await expect(statement.run()).rejects.toThrow(message);
  });
}

export async function expectUnchanged(act: () => Promise<void>): Promise<void> {
  const before = await readLedger();
  await act();
  expect(await readLedger()).toEqual(before);
}

import { expect } from 'vitest';
import { openAccount } from '../../src/accounts/account.ts';
import { openDatabase } from '../../src/ledger/database.ts';
import { newRecordId } from '../../src/ledger/record-id.ts';
import { env } from './test-env.ts';

/** The ledger by plain SQL on the database itself, as a bug or an intruder would reach it. */

export const NOON_MS = Date.UTC(2026, 10, 21, 12);
export const database = openDatabase(env.DB);

export function sql(query: string, ...parameters: (string | number)[]): D1PreparedStatement {
  return env.DB.prepare(query).bind(...parameters);
}

/** A transfer under the next number. */
export function transfer(debit: string, credit: string, asset: string, amount: string): D1PreparedStatement {
  return sql(
    `INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference, ts)
     VALUES ((SELECT coalesce(max(id), 0) + 1 FROM transfers), ?, ?, ?, ?, 'order', 'test', ?)`,
    debit,
    credit,
    asset,
    amount,
    NOON_MS,
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

/** What of an order may differ from one that is in order. */
export interface OrderChange {
  readonly keyId?: string;
  readonly priceRound?: number;
}

export function order(accountId: string, id = newRecordId(NOON_MS), change: OrderChange = {}): D1PreparedStatement {
  return sql(
    `INSERT INTO orders
       (account_id, id, coin, side, executed_price, coin_amount, usdt_amount, status, price_round, key_id)
     VALUES (?, ?, 'BTC', 'BUY', 1, 1, 1, 'COMPLETED', ?, ?)`,
    accountId,
    id,
    change.priceRound ?? 0,
    change.keyId ?? keyOf(accountId),
  );
}

/** An account with a key and a hundred atoms of each of two assets. */
export async function openFunded(): Promise<string> {
  const { id } = await openAccount(database, 'test', { role: 'operator', now_ms: NOON_MS });
  const funds = ['USDT', 'BTC'].map((asset) => transfer('house:custody', id, asset, '100'));
  await env.DB.batch([makeKey(id), ...funds]);
  return id;
}

const records = ['accounts', 'orders', 'deposits', 'settlements'];

/** Everything that is money, or says where it went, to the digit: balances, transfers, and tables of records. */
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

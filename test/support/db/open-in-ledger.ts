import { prepareAccount } from '../../../src/accounts/account.ts';
import { ledgerNumberOf, newRecordId } from '../../../src/db/record-id.ts';
import { listLedgers, openLedger } from '../../../src/db/database.ts';
import { type Trader, asOperator, createKey } from '../exchange.ts';
import { env } from '../runtime/test-env.ts';
import { databaseOf, listRowsIn } from './sql.ts';

export { databaseOf } from './sql.ts';

/** Opens an account in a ledger, whatever the weights are. Returns its id; throws when it is refused. */
export async function openInLedger(
  ledger: number,
  now_ms: number,
  externalId?: string,
  label = 'test',
): Promise<string> {
  const id = newRecordId(now_ms, ledger);
  const prepared = await prepareAccount(env, id, { label, externalId }, { role: 'operator', now_ms }, 0);
  if (!prepared.ok) throw new Error(prepared.detail);
  await openLedger(env, ledger).batch(prepared.value);
  return id;
}

/** An account of this ledger with 500 USDT, and its key. */
export async function openTraderIn(ledger: number): Promise<Trader> {
  const id = await openInLedger(ledger, Date.now());
  const body = { asset: 'USDT', amount: '500', reference: 'f' };
  const credited = await asOperator('POST', `/accounts/${id}/credits`, body);
  if (!credited.ok) throw new Error(await credited.text());
  return createKey(id);
}

export const ledgersUnderTest: readonly number[] = listLedgers(env);

export function databaseOfId(id: string): D1Database {
  return databaseOf(ledgerNumberOf(id));
}

/** The rows that a query finds in all ledgers under test, one ledger after the other. */
export async function queryAll<Row>(query: string, ...values: string[]): Promise<Row[]> {
  return (await Promise.all(ledgersUnderTest.map((ledger) => listRowsIn<Row>(ledger, query, ...values)))).flat();
}

/** Runs a statement in the ledger of an id, be it an account's or a record's. Returns its rows. */
export function runFor<Row = Record<string, unknown>>(
  id: string,
  statement: string,
  ...values: readonly unknown[]
): Promise<Row[]> {
  return listRowsIn<Row>(ledgerNumberOf(id), statement, ...values);
}

/** The first column of the first row that a query finds there; `null` without a row. */
export async function readFor<T = unknown>(
  id: string,
  query: string,
  ...values: readonly unknown[]
): Promise<T | null> {
  const [row = {}] = await runFor<Record<string, T>>(id, query, ...values);
  return Object.values(row)[0] ?? null;
}

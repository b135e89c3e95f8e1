import { expect } from 'vitest';
import { databaseOfId, queryAll } from './open-in-ledger.ts';

/** Everything that a refused request must not change. */
export interface Effects {
  readonly orders: number;
  readonly transfers: number;
  readonly balances: string;
}

/** Reads an account's balances and records directly from the ledger. */
export async function readEffects(accountId: string): Promise<Effects> {
  const database = databaseOfId(accountId);
  const [orders, transfers, balances] = await database.batch<Record<string, unknown>>([
    database.prepare('SELECT count(*) AS n FROM orders WHERE account_id = ?').bind(accountId),
    database.prepare('SELECT count(*) AS n FROM transfers WHERE debit = ?1 OR credit = ?1').bind(accountId),
    database
      .prepare('SELECT asset, CAST(amount AS TEXT) AS amount FROM balances WHERE account = ? ORDER BY asset')
      .bind(accountId),
  ]);
  return {
    orders: Number(orders?.results[0]?.['n']),
    transfers: Number(transfers?.results[0]?.['n']),
    balances: JSON.stringify(balances?.results),
  };
}

/** The sum of all balances of each asset in each ledger. It is zero unless money was made or lost. */
export async function sumOfBalances(): Promise<string[]> {
  const query = 'SELECT asset FROM balances GROUP BY asset HAVING sum(amount) <> 0';
  return (await queryAll<{ asset: string }>(query)).map(({ asset }) => asset);
}

/** Balances that are not the sum of their transfers. */
export async function unexplainedBalances(): Promise<unknown[]> {
  return queryAll(
    `SELECT account, asset FROM balances WHERE amount <>
       coalesce((SELECT sum(amount) FROM transfers t WHERE t.credit = balances.account AND t.asset = balances.asset), 0) -
       coalesce((SELECT sum(amount) FROM transfers t WHERE t.debit = balances.account AND t.asset = balances.asset), 0)`,
  );
}

export async function expectWholeLedger(): Promise<void> {
  expect([await sumOfBalances(), await unexplainedBalances()]).toEqual([[], []]);
}

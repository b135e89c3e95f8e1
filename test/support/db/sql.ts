import { bindingOf } from '../../../src/db/record-id.ts';
import { env } from '../runtime/test-env.ts';

export function databaseOf(ledger: number): D1Database {
  const database = env[bindingOf(ledger)];
  if (!database) throw new Error(`ledger ${ledger} is not bound`);
  return database;
}

/** A statement for the first ledger. */
export function sql(query: string, ...values: readonly unknown[]): D1PreparedStatement {
  return sqlIn(0, query, ...values);
}

export function sqlIn(ledger: number, query: string, ...values: readonly unknown[]): D1PreparedStatement {
  return databaseOf(ledger)
    .prepare(query)
    .bind(...values);
}

export function listRows<Row = Record<string, unknown>>(query: string, ...values: readonly unknown[]): Promise<Row[]> {
  return listRowsIn<Row>(0, query, ...values);
}

export async function listRowsIn<Row = Record<string, unknown>>(
  ledger: number,
  query: string,
  ...values: readonly unknown[]
): Promise<Row[]> {
  return (await sqlIn(ledger, query, ...values).all<Row>()).results;
}

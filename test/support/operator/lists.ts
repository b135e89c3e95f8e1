import { createExecutionContext } from 'cloudflare:test';
import { expect } from 'vitest';
import { app } from '../../../src/app.ts';
import { ORIGIN, operate } from '../exchange.ts';
import { CONNECTION_LOST, fail } from '../runtime/faults.ts';
import { env } from '../runtime/test-env.ts';

export type Row = Record<string, unknown> & { readonly id: string; readonly ledger?: number };
export type Page = Record<string, Row[]> & { readonly nextCursor: string | null };

export const withQuery = (path: string, query: object) => `${path}?${new URLSearchParams({ ...query }).toString()}`;

/** Reads one of the operator's lists from its first page to its last. */
export async function walk(path: string, name: string, query: Record<string, string> = {}): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = '';
  for (let pages = 0; pages < 200 && cursor !== null; pages += 1) {
    const page: Page = await operate<Page>('GET', withQuery(path, { ...query, ...(cursor && { cursor }) }));
    if (query['limit']) expect(page[name]?.length).toBeLessThanOrEqual(Number(query['limit']));
    rows.push(...(page[name] ?? []));
    cursor = page.nextCursor;
  }
  if (cursor !== null) throw new Error('the walk has no end');
  return rows;
}

export const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

/** Asks an exchange of three ledgers as the operator, while the database of the last one does not answer. */
export async function askWithoutLedger2(path: string): Promise<Response> {
  const failing = new Proxy({} as D1Database, { get: () => fail(CONNECTION_LOST) });
  const headers = { Authorization: `Bearer ${env.OPERATOR_TOKEN}` };
  const request = new Request(`${ORIGIN}/operator/v1${path}`, { headers });
  return app.fetch(request, { ...env, DB_2: failing }, createExecutionContext());
}

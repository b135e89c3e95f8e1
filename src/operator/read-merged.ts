import type { Context } from 'hono';
import { cursorsOf } from '../access/answer-read.ts';
import { type MergedOrder, findInLedgers } from '../db/merge-pages.ts';
import { type ListQuery, findPage, nameFilteredList, showPage } from '../http/list.ts';
import type { Database } from '../db/database.ts';
import { OPERATOR_SCOPE } from '../http/cursor.ts';
import type { OperatorEnvironment } from './authenticate-operator.ts';

/**
 * One page of a list that is in all ledgers. `readRows` gives the rows of one. Refuses with `invalid_cursor`. Throws
 * when D1 fails.
 */
export async function readMerged<const Name extends string, Row extends { readonly id: string }, Shown>(
  c: Context<OperatorEnvironment>,
  list: {
    readonly name: Name;
    readonly show: (row: Row) => Shown;
    readonly filter?: Readonly<Record<string, string | undefined>>;
    readonly order: MergedOrder<{ readonly id: string }>;
  },
  query: ListQuery,
  readRows: (database: Database, behind: string | null, count: number) => Promise<Row[]>,
) {
  const { path, secret } = cursorsOf(c);
  const scope = { route: nameFilteredList(path, list.filter ?? {}), accountId: OPERATOR_SCOPE };
  const page = findPage<Row>(query, scope, secret, (start, count) =>
    findInLedgers<{ readonly id: string }, Row>(c.env, list.order, start, count, async ({ database, behind }) => ({
      rows: await readRows(database, behind, count),
      horizon: null,
    })),
  );
  return showPage(await page, list.name, list.show);
}

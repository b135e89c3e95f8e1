import type { LedgerBindings } from '../platform/bindings.ts';
import { type MergedOrder, readMergedPage } from '../db/merge-pages.ts';
import { type ListQuery, nameFilteredList, showPage } from '../http/list.ts';
import type { Database } from '../db/database.ts';
import { OPERATOR_SCOPE } from '../http/cursor.ts';
import { config } from '../env.ts';

/**
 * One page of a list that is in all ledgers, to whose path and filter its cursors are bound. `readRows` gives those of a
 * ledger.
 */
export async function readMerged<const Name extends string, Row extends { readonly id: string }, Shown>(
  bindings: LedgerBindings,
  list: {
    readonly path: string;
    readonly filter?: Readonly<Record<string, string | undefined>>;
    readonly order: MergedOrder<{ readonly id: string }>;
    readonly name: Name;
    readonly show: (row: Row) => Shown;
  },
  query: ListQuery,
  readRows: (database: Database, behind: string | null, count: number) => Promise<Row[]>,
) {
  const scope = { route: nameFilteredList(list.path, list.filter ?? {}), accountId: OPERATOR_SCOPE };
  const cursors = { scope, secret: config.CURSOR_SECRET };
  return showPage(await readMergedPage(bindings, list.order, query, cursors, readRows), list.name, list.show);
}

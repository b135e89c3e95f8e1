import { z } from '@hono/zod-openapi';
import { type SQL, and, desc, eq, getTableColumns, gte, lt } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { CursorScope } from '../http/cursor.ts';
import { type Found, type ListQuery, MAX_LOOKED_AT, type Page, findPage, nameFilteredList } from '../http/list.ts';
import type { Outcome } from '../http/answer.ts';
import { symbolIn } from '../http/wire-types.ts';
import { type Asset, assetSymbols } from '../money/assets.ts';
import type { Database } from './database.ts';
import { lowestRecordId } from './record-id.ts';

function momentOf(description: string, example: string) {
  return z.iso
    .datetime('is not a time such as "2026-11-21T12:00:00Z"')
    .transform((text) => Date.parse(text))
    .optional()
    .openapi({ type: 'string', format: 'date-time', description, example });
}

/** The span of time of a list's query, in milliseconds. A record's time is the one of its id. */
export const TimeSpan = {
  from: momentOf('From this time on, ISO 8601 in UTC', '2026-11-01T00:00:00Z'),
  to: momentOf('Before this time, ISO 8601 in UTC', '2026-12-01T00:00:00Z'),
};

/** An asset of a list's query, in any case. */
export const AssetFilter = symbolIn(assetSymbols, 'Rows of this asset, in any case').optional();

/** What every list of records can be narrowed by; each list adds its own. */
export interface RecordFilter {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly asset?: Asset | undefined;
  readonly coin?: Asset | undefined;
  readonly side?: string | undefined;
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  /** The client's own name for a record, which at most one has. */
  readonly clientOrderId?: string | undefined;
}

/** The ids that a page looks at: below `before`, and not below `from`. `null` sets no bound. */
export interface IdRange {
  readonly before: string | null;
  readonly from: string | null;
}

export function isWithin(id: SQLiteColumn, { before, from }: IdRange): SQL | undefined {
  return and(before === null ? undefined : lt(id, before), from === null ? undefined : gte(id, from));
}

/** A table whose primary key is (account, id), ids rising with time. */
export type RecordTable = SQLiteTable & { readonly accountId: SQLiteColumn; readonly id: SQLiteColumn };

/** The condition of a list: an account's rows of a range, in whose columns is what the filter names. */
export function isListed(table: RecordTable, accountId: string, filter: object, range: IdRange): SQL | undefined {
  const columns: Readonly<Record<string, SQLiteColumn>> = getTableColumns(table);
  const narrowed = Object.entries(filter).map(([name, value]) => {
    const column = columns[name];
    return column && value !== undefined ? eq(column, value) : undefined;
  });
  return and(eq(table.accountId, accountId), isWithin(table.id, range), ...narrowed);
}

/** One kind of an account's records: where they are, how they are listed, and how each is shown. */
export interface RecordList<Name extends string, Row extends { readonly id: string }, Shown, Filter> {
  /** The member of the answer that holds the rows. */
  readonly name: Name;
  /** The tables in which a row that fits may be. */
  tablesOf(filter: Filter): readonly RecordTable[];
  /** At most `count` rows that fit, newest first; the time of a filter is in the range. Throws when D1 fails. */
  listRows(database: Database, accountId: string, filter: Filter, range: IdRange, count: number): Promise<Row[]>;
  show(row: Row): Shown;
}

/**
 * Reads one page of an account's records, newest first. A page looks at no more than `MAX_LOOKED_AT` rows: where only
 * some of them fit, it may be short and still have a next one. Refuses with `invalid_cursor`. Throws when D1 fails.
 */
export function readRecordPage<
  Name extends string,
  Row extends { readonly id: string },
  Shown,
  Filter extends RecordFilter,
>(
  database: Database,
  accountId: string,
  query: ListQuery & Filter,
  list: RecordList<Name, Row, Shown, Filter>,
  cursors: { readonly path: string; readonly secret: string },
): Promise<Outcome<Page<Row>>> {
  const { limit: _limit, cursor: _cursor, ...filter } = query;
  const { from, to, ...rest } = filter as RecordFilter;
  const scope: CursorScope = { route: nameFilteredList(cursors.path, { from, to, ...rest }), accountId };
  // One that has a name is found by its index, however old it is.
  const isNarrow = rest.clientOrderId === undefined && Object.values(rest).some((value) => value !== undefined);
  return findPage(query, scope, cursors.secret, async (behind, count): Promise<Found<Row>> => {
    const range = { before: behind ?? boundOf(to), from: boundOf(from) };
    const narrowed = rest as Filter;
    const horizon = isNarrow ? await findHorizon(database, list.tablesOf(narrowed), accountId, range) : null;
    const looked = { before: range.before, from: horizon ?? range.from };
    return { rows: await list.listRows(database, accountId, narrowed, looked, count), horizon };
  });
}

function boundOf(time_ms: number | undefined): string | null {
  return time_ms === undefined ? null : lowestRecordId(time_ms);
}

/**
 * The id at which a page stops looking, or `null` when the page reaches the end of the range. Half of the rows that a
 * page may look at are spent here, evenly over the tables, and the other half on reading what lies above it.
 */
async function findHorizon(
  database: Database,
  tables: readonly RecordTable[],
  accountId: string,
  range: IdRange,
): Promise<string | null> {
  const share = Math.floor(MAX_LOOKED_AT / 2 / Math.max(1, tables.length));
  const lookups = tables.map((table) => {
    const isOwn = and(eq(table.accountId, accountId), isWithin(table.id, range));
    const ids = database.select({ id: table.id }).from(table).where(isOwn).orderBy(desc(table.id));
    return ids.limit(1).offset(share - 1);
  });
  const [first, ...others] = lookups;
  if (!first) return null;
  const found = await database.batch([first, ...others]);
  const ids = found.flat().map(({ id }) => String(id));
  return ids.toSorted().at(-1) ?? null;
}

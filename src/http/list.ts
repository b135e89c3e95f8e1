import { z } from '@hono/zod-openapi';
import { type CursorScope, readCursor, writeCursor } from './cursor.ts';
import { type Outcome, accept } from './answer.ts';
import { countUpTo } from './wire-types.ts';

const DEFAULT_LIMIT = 50;

/** The most rows of a page. */
export const MAX_LIMIT = 200;
const EXAMPLE_CURSOR = '01a1fcca-895a-7000-b43c-11f474a4f8d5.q3Z0Hc9nVb1mJt2sXw7yEo5uKd8rLf4aPg6iTz0hNcM';

/** The query of a list: how many rows, and where to begin. */
export const ListQuery = z.strictObject({
  limit: countUpTo(MAX_LIMIT, DEFAULT_LIMIT, 'How many rows').optional(),
  // Of any length: a cursor that is not ours is refused as such.
  cursor: z
    .string()
    .optional()
    .openapi({ description: 'nextCursor of an earlier page of the same list', example: EXAMPLE_CURSOR }),
});

const NextCursor = z
  .string()
  .nullable()
  .openapi({ description: 'Opaque; null when there is no further page', example: EXAMPLE_CURSOR });

export type ListQuery = z.output<typeof ListQuery>;

/** The rows of a list in its order, and the cursor of the next page: `null` at the end. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly nextCursor: string | null;
}

/** How many rows a page of a filtered list looks at, at most. Such a page may be short, and still have a next one. */
export const MAX_LOOKED_AT = 2_000;

/** What a page found. */
export interface Found<Row> {
  /** A row may say at which place the page after it begins; else that is its id. */
  readonly rows: (Row & { readonly place?: string })[];
  /** The last id that was looked at, where the page stopped looking before the end of the list; else `null`. */
  readonly horizon: string | null;
}

/**
 * Reads one page of a list in the order of ids, falling or rising. `findRows(behind, count)` gives at most `count` rows
 * after the id `behind` (`null`: from the beginning). One row more than the page is read, so that a full last page is
 * known to be the last. Refuses a cursor of another list or account with `invalid_cursor`.
 */
export async function findPage<Row extends { readonly id: string }>(
  query: ListQuery,
  scope: CursorScope,
  secret: string,
  findRows: (behind: string | null, count: number) => Promise<Found<Row>>,
): Promise<Outcome<Page<Row>>> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const start = query.cursor ? await readCursor(query.cursor, scope, secret) : accept(null);
  if (!start.ok) return start;
  const { rows, horizon } = await findRows(start.value, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const position = rows.length > limit ? (last?.place ?? last?.id ?? null) : horizon;
  return accept({ rows: page, nextCursor: position === null ? null : await writeCursor(position, scope, secret) });
}

/** The same for a list of which every row belongs on a page. */
export function readPage<Row extends { readonly id: string }>(
  query: ListQuery,
  scope: CursorScope,
  secret: string,
  readRows: (behind: string | null, count: number) => Promise<Row[]>,
): Promise<Outcome<Page<Row>>> {
  return findPage(query, scope, secret, async (behind, count) => ({
    rows: await readRows(behind, count),
    horizon: null,
  }));
}

/** The route of a list with its filters, to which its cursors are bound. Without filters it is the path alone. */
export function nameFilteredList(path: string, filter: Readonly<Record<string, string | number | undefined>>): string {
  const set = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(set.toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))).toString();
  return text === '' ? path : `${path}?${text}`;
}

/**
 * How an operation that answers one thing, `{<name>: …}`, is documented, and how the outcome of what it does is
 * answered.
 */
export function oneOf<const Name extends string, Item extends z.ZodType, Value = z.output<Item>, Shown = Value>(
  name: Name,
  item: Item,
  show: (value: Value) => Shown = (value) => value as never,
) {
  return {
    documented: { answer: `The ${name}`, body: { [name]: item } as Record<Name, Item> },
    answer: async (outcome: Outcome<Value> | Promise<Outcome<Value>>): Promise<Outcome<Record<Name, Shown>>> => {
      const done = await outcome;
      return done.ok ? accept({ [name]: show(done.value) } as Record<Name, Shown>) : done;
    },
  };
}

/** How an operation that lists is documented. */
export function onePage<const Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  const rows = { [name]: z.array(item) } as Record<Name, z.ZodArray<Item>>;
  return { answer: 'One page', body: { ...rows, nextCursor: NextCursor } };
}

/** A page on the wire, as `onePage` documents it. */
export function showPage<const Name extends string, Row, Shown>(
  page: Outcome<Page<Row>>,
  name: Name,
  show: (row: Row) => Shown,
): Outcome<Record<Name, Shown[]> & { readonly nextCursor: string | null }> {
  if (!page.ok) return page;
  const shown = { [name]: page.value.rows.map((row) => show(row)) } as Record<Name, Shown[]>;
  return accept({ ...shown, nextCursor: page.value.nextCursor });
}

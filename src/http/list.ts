import { z } from '@hono/zod-openapi';
import { type CursorScope, readCursor, writeCursor } from './cursor.ts';
import { type Outcome, accept } from './refusal.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const EXAMPLE_CURSOR = '01a1fcca-895a-7000-b43c-11f474a4f8d5.q3Z0Hc9nVb1mJt2sXw7yEo5uKd8rLf4aPg6iTz0hNcM';

/** The query of a list: how many rows, and where to begin. A limit out of bounds is refused, not corrected. */
export const ListQuery = z.object({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.number().int().min(1).max(MAX_LIMIT))
    .optional()
    .openapi({
      type: 'integer',
      minimum: 1,
      maximum: MAX_LIMIT,
      default: DEFAULT_LIMIT,
      description: 'How many rows; a value out of bounds is refused',
    }),
  cursor: z
    .string()
    .max(512)
    .optional()
    .openapi({ description: 'nextCursor of an earlier page of the same list', example: EXAMPLE_CURSOR }),
});

/** Where the next page begins. */
export const NextCursor = z
  .string()
  .nullable()
  .openapi({ description: 'Opaque; null when there is no further page', example: EXAMPLE_CURSOR });

export type ListQuery = z.output<typeof ListQuery>;

/** The rows of a list in its order, and the cursor of the next page: `null` at the end. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly nextCursor: string | null;
}

/**
 * Reads one page of a list in the order of ids, falling or rising. `readRows(behind, count)` gives at most `count` rows
 * after the id `behind` (`null`: from the beginning). One row more than the page is read, so that a full last page is
 * known to be the last. Refuses a cursor of another list or account with `invalid_cursor`.
 */
export async function readPage<Row extends { readonly id: string }>(
  query: ListQuery,
  scope: CursorScope,
  secret: string,
  readRows: (behind: string | null, count: number) => Promise<Row[]>,
): Promise<Outcome<Page<Row>>> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const start = query.cursor ? await readCursor(query.cursor, scope, secret) : accept(null);
  if (!start.ok) return start;
  const rows = await readRows(start.value, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = last && rows.length > limit ? await writeCursor(last.id, scope, secret) : null;
  return accept({ rows: page, nextCursor });
}

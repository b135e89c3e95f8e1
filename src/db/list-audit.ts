import { z } from '@hono/zod-openapi';
import { type SQL, and, desc, eq, getTableColumns, gte, lt, sql } from 'drizzle-orm';
import { OPERATOR_SCOPE } from '../http/cursor.ts';
import { ListQuery, MAX_LOOKED_AT, type Page, findPage, nameFilteredList } from '../http/list.ts';
import type { Outcome } from '../http/answer.ts';
import { Timestamp, showTime } from '../http/wire-types.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import type { Database } from './database.ts';
import { firstNumberFrom } from './find-by-time.ts';
import { type FoundInLedger, type LedgerPlace, type MergedOrder, findInLedgers } from './merge-pages.ts';
import { TimeSpan } from './record-list.ts';
import { audit } from './schema.ts';

/** A row's time is the one of the Worker that wrote it: so far apart are the clocks of two at most. */
const CLOCK_MARGIN_MS = 60_000;

const MAX_TEXT_LENGTH = 200;

const Text = z.string().min(1).max(MAX_TEXT_LENGTH).optional();

export const AuditEntry = z
  .object({
    id: z.string().openapi({
      description: 'The number of the row; the rows of a ledger are numbered without a gap',
      example: '41',
    }),
    ledger: z.int().openapi({ description: 'The ledger that the row is in', example: 0 }),
    ts: Timestamp,
    actor: z.string().openapi({
      description: 'Who did it: the e-mail of a person, or the name of a token',
      example: 'ada@exchange.example',
    }),
    role: z.string().openapi({ description: 'The role that allowed it', example: 'compliance' }),
    action: z.string().openapi({ example: 'change_account' }),
    target: z.string().openapi({
      description: 'The id of what was changed',
      example: '01a1fcca-895a-7000-b43c-11f474a4f8d5',
    }),
    detail: z.record(z.string(), z.unknown()).openapi({ description: 'The change', example: { status: 'frozen' } }),
  })
  .openapi('AuditEntry');

export type AuditEntry = z.output<typeof AuditEntry>;

export const AuditQuery = ListQuery.extend({
  ...TimeSpan,
  actor: Text.openapi({ description: 'Rows of this person or token', example: 'ada@exchange.example' }),
  target: Text.openapi({
    description: 'Rows about this account, record or setting',
    example: '01a1fcca-895a-7000-b43c-11f474a4f8d5',
  }),
  action: Text.openapi({ description: 'Rows of this action', example: 'change_account' }),
});

type AuditQuery = z.output<typeof AuditQuery>;

type AuditFilter = Omit<AuditQuery, 'limit' | 'cursor'>;

const { proposal: _proposal, request: _request, ...shownColumns } = getTableColumns(audit);

export const auditColumns = { ...shownColumns, id: sql<string>`CAST(${audit.id} AS TEXT)` };

/** The number of a row is only of its ledger. */
type AuditRow = Omit<typeof audit.$inferSelect, 'id' | 'proposal' | 'request'> & {
  readonly id: string;
  readonly ledger: number;
};

export function showAuditEntry({ id, ledger, ts, actor, role, action, target, detail }: AuditRow): AuditEntry {
  const change = JSON.parse(detail) as Record<string, unknown>;
  return { id, ledger, ts: showTime(ts), actor: actor ?? role, role, action, target, detail: change };
}

interface AuditPlace {
  readonly id: string;
  readonly ts: number;
}

/** Newest first by the time; the rows of one ledger in the order of their numbers, whatever the clocks said. */
const auditOrder: MergedOrder<AuditPlace> = {
  compare: (one, other) => other.ts - one.ts,
  isNumberedByLedger: true,
};

/**
 * Reads one page of the audit of all ledgers, newest first. A page looks at no more than `MAX_LOOKED_AT` rows of each:
 * with filters it may be short and still have a next one. Refuses with `invalid_cursor`. Throws when D1 fails.
 */
export function readAuditPage(
  bindings: LedgerBindings,
  query: AuditQuery,
  cursors: { readonly path: string; readonly secret: string },
): Promise<Outcome<Page<AuditRow>>> {
  const { limit: _limit, cursor: _cursor, ...filter } = query;
  const scope = { route: nameFilteredList(cursors.path, filter), accountId: OPERATOR_SCOPE };
  return findPage(query, scope, cursors.secret, (behind, count) =>
    findInLedgers(bindings, auditOrder, behind, count, (place) => findAuditRows(place, filter, count)),
  );
}

async function findAuditRows(
  { database, ledger, behind }: LedgerPlace,
  { from, to, target, actor, action }: AuditFilter,
  count: number,
): Promise<FoundInLedger<AuditRow, AuditPlace>> {
  const isNarrow = [from, to, actor, action].some((value) => value !== undefined);
  // SQLite takes one bound at each end to seek by: so each end has the tighter one alone.
  const end = behind === null ? to && firstNumberFrom(audit, to + CLOCK_MARGIN_MS) : Number(behind);
  const begin = from && firstNumberFrom(audit, from - CLOCK_MARGIN_MS);
  const before = and(
    target === undefined ? undefined : eq(audit.target, target),
    end === undefined ? undefined : lt(audit.id, end),
  );
  const within = and(before, begin === undefined ? undefined : gte(audit.id, begin));
  const horizon = isNarrow ? await findHorizon(database, within) : null;
  const fits = and(
    horizon === null ? within : and(before, gte(audit.id, horizon.id)),
    from === undefined ? undefined : gte(audit.ts, from),
    to === undefined ? undefined : lt(audit.ts, to),
    actor === undefined ? undefined : sql`coalesce(${audit.actor}, ${audit.role}) = ${actor}`,
    action === undefined ? undefined : eq(audit.action, action),
  );
  const rows = await database.select(auditColumns).from(audit).where(fits).orderBy(desc(audit.id)).limit(count);
  return {
    rows: rows.map((row) => ({ ...row, ledger })),
    horizon: horizon && { id: String(horizon.id), ts: horizon.ts },
  };
}

/** The newest row of an action on a target. Throws when D1 fails, and without one. */
export async function readNewestEntry(database: Database, target: string, action: string) {
  const fits = and(eq(audit.target, target), eq(audit.action, action));
  const [row] = await database.select(auditColumns).from(audit).where(fits).orderBy(desc(audit.id)).limit(1);
  if (!row) throw new Error(`no row of the audit has the action ${action}`);
  return row;
}

/** The number at which a page stops looking; half of the rows that it may look at are spent on finding it. */
async function findHorizon(database: Database, within: SQL | undefined) {
  const places = database.select({ id: audit.id, ts: audit.ts }).from(audit).where(within).orderBy(desc(audit.id));
  const [row] = await places.limit(1).offset(MAX_LOOKED_AT / 2 - 1);
  return row ?? null;
}

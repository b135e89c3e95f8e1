import { z } from '@hono/zod-openapi';
import { and, asc, eq, gt, lt, sql } from 'drizzle-orm';
import { ListQuery, MAX_LOOKED_AT } from '../http/list.ts';
import { type Outcome, type Refusal, accept, refuse, refuseField } from '../http/answer.ts';
import { type Database, bindPrepared, prepareOnce } from '../db/database.ts';
import { wholeNumber } from '../http/wire-types.ts';
import { events, listeners } from '../db/schema.ts';
import { Event, type EventRow, Sequence, eventTypes } from './event.ts';
import { type Feed, composeEvents } from './feed.ts';
import { OperatorEvent, operatorEventTypes } from './operator-event.ts';

const DEFAULT_LIMIT = 50;
/** The query of a feed with events of these types. */
function describeQuery<const Types extends readonly string[]>(known: Types) {
  const types = z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(known)).min(1).max(known.length))
    .openapi({
      type: 'string',
      description: 'Events of these types, separated by commas; all unless told',
      example: 'deposit.completed,withdrawal.completed',
    });
  return z.strictObject({
    after: wholeNumber(15, 'is not a whole number').optional().openapi({
      type: 'integer',
      minimum: 0,
      description: 'Events with a higher number than this one; from the oldest that is kept unless told',
      example: 12,
    }),
    types: types.optional(),
    limit: ListQuery.shape.limit,
  });
}

/** A page of a feed, oldest first. */
function describePage<Shown extends z.ZodType>(shown: Shown) {
  return z.object({
    events: z.array(shown),
    nextAfter: Sequence.openapi({
      description: 'Send it as `after` for what comes next, also when `events` is empty',
      example: 12,
    }),
    since: Sequence.openapi({
      description: 'Every event with a higher number is kept; an `after` below it is refused',
      example: 0,
    }),
    newest: Sequence.openapi({
      description: 'The number of the newest event. Sent as `after`, it gives only what happens from now on',
      example: 40,
    }),
  });
}

/** The query of an account's feed. */
export const EventQuery = describeQuery(eventTypes);

export const EventPage = describePage(Event).openapi('EventPage');

/** The query of the operator's feed. */
export const OperatorEventQuery = describeQuery(operatorEventTypes);

export const OperatorEventPage = describePage(OperatorEvent).openapi('OperatorEventPage');

/** Where a listener's events begin and end: those with a number above `since`, up to `newest`, are kept. */
interface Span {
  readonly since: number;
  readonly newest: number;
  /** Of an account that is frozen now: the number of that event, or 0 where it is not kept. `null` for all others. */
  readonly frozenAt: number | null;
}

export interface FeedPage<Shown> extends Pick<Span, 'since' | 'newest'> {
  readonly events: Shown[];
  readonly nextAfter: number;
}

type PageQuery = z.output<typeof EventQuery> | z.output<typeof OperatorEventQuery>;

const isOwn = eq(events.accountId, sql.placeholder('accountId'));
const oldest = sql`(SELECT min(sequence) FROM events WHERE account_id = ${sql.placeholder('accountId')})`;
const newest = sql`(SELECT max(sequence) FROM events WHERE account_id = ${sql.placeholder('accountId')})`;

const frozenAt = sql`
  CASE WHEN (SELECT status FROM accounts WHERE id = ${sql.placeholder('accountId')}) = 'frozen' THEN coalesce((
    SELECT sequence FROM events WHERE account_id = ${sql.placeholder('accountId')} AND type = 'account.frozen'
    ORDER BY sequence DESC LIMIT 1), 0) END`;

/** Where a listener's events begin and end. Before the first one both are 0. */
export const selectSpan = prepareOnce((database) =>
  database
    .select({
      since: sql<number>`coalesce(${oldest} - 1, 0)`.as('since'),
      newest: sql<number>`coalesce(${newest}, 0)`.as('newest'),
      frozenAt: sql<number | null>`${frozenAt}`.as('frozen_at'),
    })
    .from(listeners)
    .where(eq(listeners.accountId, sql.placeholder('accountId')))
    .prepare(),
);

export const selectAfter = prepareOnce((database) =>
  database
    .select()
    .from(events)
    .where(and(isOwn, gt(events.sequence, sql.placeholder('after'))))
    .orderBy(asc(events.sequence))
    .limit(sql.placeholder('count'))
    .prepare(),
);

/** With types a page looks at `MAX_LOOKED_AT` events at most. Their numbers have no gap, so a number is the bound. */
const selectOfTypes = prepareOnce((database) =>
  database
    .select()
    .from(events)
    .where(
      and(
        isOwn,
        gt(events.sequence, sql.placeholder('after')),
        lt(events.sequence, sql`max(${sql.placeholder('after')} + 1, ${oldest}) + ${MAX_LOOKED_AT}`),
        sql`${events.type} IN (SELECT value FROM json_each(${sql.placeholder('types')}))`,
      ),
    )
    .orderBy(asc(events.sequence))
    .limit(sql.placeholder('count'))
    .prepare(),
);

/**
 * Lets an account, or the operator, listen from now on; repeating it changes nothing. The database tells an account what
 * was in the 90 days before. Throws when D1 fails.
 */
export async function listen(database: Database, listenerId: string): Promise<void> {
  await database.run(
    sql`INSERT INTO listeners (account_id) SELECT ${listenerId}
      WHERE NOT EXISTS (SELECT 1 FROM listeners WHERE account_id = ${listenerId})`,
  );
}

/** Events after a number, of some types or of all. */
export interface EventSelection {
  readonly after: number;
  readonly types: readonly string[] | undefined;
  readonly limit: number;
}

/** The rows of a page, and where it ends. */
export interface EventRows extends Span {
  readonly rows: EventRow[];
  /** The number up to which events were looked at. */
  readonly lookedTo: number;
}

/**
 * Reads rows of a feed in one round trip, oldest first. `undefined` when nobody of that name listens. Throws when D1
 * fails.
 */
export async function readEventRows(
  database: Database,
  accountId: string,
  { after, types, limit }: EventSelection,
): Promise<EventRows | undefined> {
  const query =
    types === undefined
      ? bindPrepared(selectAfter(database), { accountId, after, count: limit })
      : bindPrepared(selectOfTypes(database), { accountId, after, count: limit, types: JSON.stringify(types) });
  const [[span], rows] = await database.batch([bindPrepared(selectSpan(database), { accountId }), query]);
  if (!span) return undefined;
  const begin = Math.max(after, span.since);
  const end = types === undefined ? span.newest : Math.min(span.newest, begin + MAX_LOOKED_AT);
  const lookedTo = rows.length === limit ? (rows.at(-1)?.sequence ?? end) : Math.max(end, begin);
  return { rows, lookedTo, ...span };
}

/**
 * Reads one page of a feed, oldest first. With the first read its listener begins to listen. Refuses as `findEvents`
 * does. Throws when D1 fails.
 */
export async function readEvents<Shown extends Event | OperatorEvent>(
  database: Database,
  feed: Feed<Shown>,
  query: PageQuery,
): Promise<Outcome<FeedPage<Shown>>> {
  return (await findEvents(database, feed, query)) ?? beginToListen(database, feed, query);
}

/** Has the listener of a feed listen from now on, and reads as `findEvents` does. Throws when D1 fails. */
export async function beginToListen<Shown extends Event | OperatorEvent>(
  database: Database,
  feed: Feed<Shown>,
  query: PageQuery,
): Promise<Outcome<FeedPage<Shown>>> {
  await listen(database, feed.listenerId);
  const page = await findEvents(database, feed, query);
  if (!page) throw new Error(`${feed.listenerId} does not listen`);
  return page;
}

/**
 * Reads one page of a feed, oldest first, without any effect; `undefined` while its listener does not listen. Refuses
 * with `events_expired` an `after` below what is kept, and with `invalid_request` one that no event has yet. Throws
 * when D1 fails.
 */
export async function findEvents<Shown extends Event | OperatorEvent>(
  database: Database,
  feed: Feed<Shown>,
  query: PageQuery,
): Promise<Outcome<FeedPage<Shown>> | undefined> {
  const wanted = { after: query.after ?? 0, types: query.types, limit: query.limit ?? DEFAULT_LIMIT };
  const found = await readEventRows(database, feed.listenerId, wanted);
  if (!found) return undefined;
  const refused = query.after === undefined ? undefined : refuseAfter('after', query.after, found);
  if (refused) return refused;
  const { rows, lookedTo, since, newest: last } = found;
  return accept({ events: await composeEvents(database, feed, rows), nextAfter: lookedTo, since, newest: last });
}

/**
 * The event of an id, of those that a listener may be sent: while its account is frozen, none that came after that.
 * `undefined` where it is not kept, or another's. Throws when D1 fails.
 */
export async function findEvent<Shown extends Event | OperatorEvent>(
  database: Database,
  feed: Feed<Shown>,
  id: string,
): Promise<Shown | undefined> {
  const after = Number(/\d{1,15}$/.exec(id)?.[0] ?? 0) - 1;
  const page = await readEventRows(database, feed.listenerId, { after, types: undefined, limit: 1 });
  const rows =
    page?.rows.filter((row) => feed.idOf(row) === id && row.sequence <= (page.frozenAt ?? page.newest)) ?? [];
  return (await composeEvents(database, feed, rows))[0];
}

/** Why nothing can be read after a number: events behind it are gone, or none has come so far. */
export function refuseAfter(
  pointer: string,
  after: number,
  { since, newest: last }: Pick<Span, 'since' | 'newest'>,
): Refusal | undefined {
  if (after < since) {
    return refuse('events_expired', `Events are kept after number ${since}. Read without \`after\`.`);
  }
  if (after <= last) return undefined;
  return refuseField(pointer, 'above_maximum', `is above ${last}, the number of the newest event`);
}

/** Where a listener's events begin and end; nowhere for one that does not listen. Throws when D1 fails. */
export async function readSpan(database: Database, listenerId: string): Promise<Span> {
  const [span] = await selectSpan(database).all({ accountId: listenerId });
  return span ?? { since: 0, newest: 0, frozenAt: null };
}

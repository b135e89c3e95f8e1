import { and, asc, eq, lt, lte, or, sql } from 'drizzle-orm';
import type { Database } from '../../db/database.ts';
import { FIRST_LEDGER, moveToLedger } from '../../db/record-id.ts';
import { accountStreams, webhookEndpoints } from '../../db/schema/events.ts';
import type { Bindings } from '../../platform/bindings.ts';
import { tryOrLog } from '../../platform/log.ts';
import { reach } from '../../platform/objects.ts';
import type { Outcome } from '../../http/answer.ts';
import { type KeeperBindings, reachKeeper } from '../../reconciliation/reach-keeper.ts';
import { type StreamBindings, wakeStream } from '../reach-stream.ts';
import { OPERATOR } from '../operator-event.ts';
import type { Delivery } from './delivery-log.ts';

/** Whose endpoint it is, and its id, which also names the ledger. */
export interface EndpointName {
  /** An account's id, or `OPERATOR`. */
  readonly accountId: string;
  readonly id: string;
}

/** The id of the original of an endpoint, which is its own unless it is a copy. */
export function originalOf({ accountId, id }: EndpointName): string {
  return accountId === OPERATOR ? moveToLedger(id, FIRST_LEDGER) : id;
}

/** What the object of an endpoint knows about its deliveries. */
export interface SenderStanding {
  /** The newest attempts, newest first. */
  readonly deliveries: Delivery[];
  /** Events that the receiver refused again and again while it took later ones. */
  readonly setAside: Delivery[];
  /** The number up to which events are done with; `null` before the first was sent. */
  readonly delivered: number | null;
  /** When it next sends something, if a time is set. */
  readonly nextAttempt_ms: number | null;
}

/** The methods of the object of an endpoint. Every call may throw: the object can be reset while a call runs. */
export interface Sender {
  /** Sends what there is, unless it waits for its next attempt. `delivered` counts at the first call alone. */
  wake(name: EndpointName, delivered: number): Promise<void>;
  /** The same at once, whatever failed before. */
  retry(name: EndpointName, delivered: number): Promise<void>;
  /** The same, beginning after a number. Events up to `newest` are sent again, and not faster than a host can bear. */
  replay(name: EndpointName, after: number, newest: number): Promise<void>;
  /**
   * Sends one event at once, while how far the endpoint is stays: a past one again, or without an id one that says
   * nothing. Refuses with `not_found` and `rate_limited`, and a past one with `invalid_state` at one that is off.
   */
  sendNow(name: EndpointName, eventId?: string): Promise<Outcome<Delivery>>;
  read(): Promise<SenderStanding>;
  /** Deletes everything that the object keeps. */
  forget(): Promise<void>;
}

export type SenderBindings = Pick<Bindings, 'WEBHOOK_SENDER' | 'LEDGER_LOCATION'>;

/** The object of an endpoint. */
export function reachSender({ WEBHOOK_SENDER, LEDGER_LOCATION }: SenderBindings, id: string): Sender {
  return reach(WEBHOOK_SENDER, id, LEDGER_LOCATION) as unknown as Sender;
}

const wakingColumns = {
  accountId: webhookEndpoints.accountId,
  id: webhookEndpoints.id,
  delivered: webhookEndpoints.delivered,
};

/** How many endpoints one sweep wakes at most; those that have waited longest come first. */
const MAX_WOKEN = 200;

/** Before the last look the clock of the database may have been behind by this much. */
const LOOK_MARGIN_MS = 5_000;

/**
 * Wakes the endpoints of a ledger that are behind and do not wait for their own alarm, and the streams of accounts to
 * which something happened since the last look, or of which a key has ended. So a call of `wakeSenders` or `wakeStream`
 * that was lost is made good within a minute. Returns how many. Throws when D1 fails.
 */
export async function wakeBehind(
  bindings: SenderBindings & StreamBindings,
  database: Database,
  now_ms: number,
  looked_ms = 0,
): Promise<number> {
  const since_ms = looked_ms - LOOK_MARGIN_MS;
  const newest = sql`(SELECT max(sequence) FROM events WHERE events.account_id = webhook_endpoints.account_id)`;
  const findBehind = database
    .select(wakingColumns)
    .from(webhookEndpoints)
    // Written out as in the index: SQLite would not use it for a bound parameter.
    .where(
      and(
        sql`${webhookEndpoints.status} = 'enabled'`,
        lte(webhookEndpoints.dueAt, now_ms),
        lt(webhookEndpoints.delivered, newest),
      ),
    )
    .orderBy(asc(webhookEndpoints.dueAt))
    .limit(MAX_WOKEN);
  const happened = sql`(SELECT ts FROM events WHERE events.account_id = account_streams.account_id
    ORDER BY sequence DESC LIMIT 1) >= ${since_ms}`;
  const ended = sql`EXISTS (SELECT 1 FROM api_keys WHERE api_keys.account_id = account_streams.account_id
    AND (revoked_at >= ${since_ms} OR expires_at BETWEEN ${since_ms} AND ${now_ms}))`;
  const findStreams = database.select().from(accountStreams).where(or(happened, ended));
  const [behind, streams] = await database.batch([findBehind, findStreams]);
  await Promise.all([
    ...behind.map((endpoint) => wakeSender(bindings, endpoint)),
    ...streams.map(({ accountId }) => wakeStream(bindings, accountId)),
  ]);
  return behind.length + streams.length;
}

/** Wakes the enabled endpoints of one account. Throws when D1 fails. */
export async function wakeSenders(bindings: SenderBindings, database: Database, accountId: string): Promise<void> {
  const endpoints = await database
    .select(wakingColumns)
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.accountId, accountId), eq(webhookEndpoints.status, 'enabled')));
  await Promise.all(endpoints.map((endpoint) => wakeSender(bindings, endpoint)));
}

/** Wakes one endpoint. If that fails, the sweep wakes it. */
async function wakeSender(
  bindings: SenderBindings,
  { delivered, ...name }: EndpointName & { readonly delivered: number },
): Promise<void> {
  await tryOrLog('sender_not_woken', { endpointId: name.id }, undefined, () =>
    reachSender(bindings, name.id).wake(name, delivered),
  );
}

/**
 * Has all endpoints of a ledger woken that are behind, after a change that may have told anybody something. Never
 * throws: what fails here is made good by the sweep of the same minute.
 */
export async function wakeAfterChange(bindings: KeeperBindings, ledger: number): Promise<void> {
  await tryOrLog('senders_not_woken', {}, undefined, () => reachKeeper(bindings, ledger).wakeSenders());
}

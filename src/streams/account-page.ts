import { sql } from 'drizzle-orm';
import { listHoldings, selectBalances } from '../activity/balances.ts';
import { type Database, bindPrepared, prepareOnce } from '../db/database.ts';
import { apiKeys } from '../db/schema.ts';
import type { Event } from '../events/event.ts';
import { accountFeed, composeEvents } from '../events/feed.ts';
import { selectAfter, selectSpan } from '../events/read-events.ts';
import { type KeyDetails, readKeyRow } from '../keys/record.ts';

/** How many events a message has at most. */
const PAGE = 100;

/** What an account's stream says next, all of one moment. */
export interface AccountPage {
  readonly since: number;
  readonly newest: number;
  readonly events: readonly Event[];
  readonly holdings: ReturnType<typeof listHoldings>;
  /** The keys of the sockets, as they are now, by their ids. */
  readonly keys: ReadonlyMap<string, KeyDetails>;
}

const selectKeys = prepareOnce((database) =>
  database
    .select()
    .from(apiKeys)
    .where(sql`${apiKeys.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`)
    .prepare(),
);

/**
 * Reads the events after a number, the balances as of the newest event, and the keys that may see them, in one read; then
 * what the events show. Two round trips, or one where nothing happened. Throws when D1 fails.
 */
export async function readAccountPage(
  database: Database,
  accountId: string,
  after: number,
  keyIds: readonly string[],
): Promise<AccountPage> {
  const [[span], rows, balances, keys] = await database.batch([
    bindPrepared(selectSpan(database), { accountId }),
    bindPrepared(selectAfter(database), { accountId, after, count: PAGE }),
    bindPrepared(selectBalances(database), { account: accountId }),
    bindPrepared(selectKeys(database), { ids: JSON.stringify(keyIds) }),
  ]);
  if (!span) throw new Error(`${accountId} does not listen`);
  return {
    since: span.since,
    newest: span.newest,
    events: await composeEvents(database, accountFeed(accountId), rows),
    holdings: listHoldings(balances),
    keys: new Map(keys.map((row) => [row.id, readKeyRow(row)])),
  };
}

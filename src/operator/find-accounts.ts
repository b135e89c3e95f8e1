import { z } from '@hono/zod-openapi';
import { type SQL, and, asc, desc, eq, gte, inArray, lt, or, sql } from 'drizzle-orm';
import { type AccountRow, accountColumns } from '../accounts/account.ts';
import { OPERATOR_SCOPE } from '../http/cursor.ts';
import { ListQuery, MAX_LOOKED_AT, type Page, findPage, nameFilteredList } from '../http/list.ts';
import { type Outcome, accept } from '../http/answer.ts';
import { type Database, ledgerOf, listLedgers, openLedger } from '../db/database.ts';
import { type MergedOrder, compareTexts, findInLedgers, newestFirst, oldestFirst } from '../db/merge-pages.ts';
import { accounts, apiKeys } from '../db/schema/accounts.ts';
import { addresses } from '../db/schema/addresses.ts';
import { networks } from '../money/networks.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { readAddress } from '../addresses/validate-address.ts';

const MAX_QUERY_LENGTH = 200;

/** Above every text that begins as another one does. */
const LAST_CHARACTER = '\u{10FFFF}';

/** The query of the list of accounts. */
export const AccountListQuery = ListQuery.extend({
  query: z.string().min(1).max(MAX_QUERY_LENGTH).optional().openapi({
    description:
      'The id of an account or its externalId, the id of one of its API keys, one of its deposit addresses, or the beginning of its label, in the same case',
    example: 'demo',
  }),
  status: z.enum(['active', 'frozen']).optional().openapi({ description: 'Accounts in this state', example: 'frozen' }),
});

type AccountListQuery = z.output<typeof AccountListQuery>;

/** The place of an account in the lists. */
interface AccountPlace {
  readonly id: string;
  readonly label: string;
}

/**
 * Accounts in one order: where a page begins and where it ends, by the ids of accounts. SQLite takes one bound at each
 * end to seek by, so each end has one.
 */
interface Order extends MergedOrder<AccountPlace> {
  isBehind(place: AccountPlace | undefined): SQL | undefined;
  isUpTo(place: AccountPlace | undefined): SQL | undefined;
  readonly sorted: readonly SQL[];
}

const byAge: Order = {
  ...newestFirst,
  isBehind: (place) => place && lt(accounts.id, place.id),
  isUpTo: (place) => place && gte(accounts.id, place.id),
  sorted: [desc(accounts.id)],
};

const sortedBy = sql`(${accounts.label}, ${accounts.id})`;

/** Those whose label begins with a text, in the order of the labels. */
function byLabel(beginning: string): Order {
  return {
    compare: (one, other) => compareTexts(one.label, other.label) || oldestFirst.compare(one, other),
    isBehind: (place) => (place ? sql`${sortedBy} > (${place.label}, ${place.id})` : gte(accounts.label, beginning)),
    isUpTo: (place) =>
      place ? sql`${sortedBy} <= (${place.label}, ${place.id})` : lt(accounts.label, beginning + LAST_CHARACTER),
    sorted: [asc(accounts.label), asc(accounts.id)],
  };
}

/**
 * Reads one page of the accounts: those that `query` names exactly; else those whose label begins with it, in the order
 * of their labels; without a query all of them, newest first. A page looks at no more than `MAX_LOOKED_AT` rows of each
 * ledger. Refuses with `invalid_cursor`. Throws when D1 fails.
 */
export async function findAccounts(
  bindings: LedgerBindings,
  listed: AccountListQuery,
  cursors: { readonly path: string; readonly secret: string },
): Promise<Outcome<Page<AccountRow>>> {
  const { query, status } = listed;
  if (query !== undefined) {
    const ledgers = listLedgers(bindings).map((ledger) => openLedger(bindings, ledger));
    const named = (await Promise.all(ledgers.map((database) => findNamed(database, query)))).flat();
    if (named.length > 0) {
      return accept({ rows: named.filter((row) => !status || row.status === status), nextCursor: null });
    }
  }
  const order = query === undefined ? byAge : byLabel(query);
  const scope = { route: nameFilteredList(cursors.path, { query, status }), accountId: OPERATOR_SCOPE };
  return findPage(listed, scope, cursors.secret, async (start, count) => {
    const place = start === null ? undefined : await findPlace(bindings, start, query !== undefined);
    return findInLedgers(bindings, order, start, count, async ({ database }) => {
      const begins = order.isBehind(place);
      const within = and(begins, order.isUpTo(undefined));
      const horizon = status === undefined ? undefined : await findHorizon(database, within, order);
      const rows = await database
        .select(accountColumns)
        .from(accounts)
        .where(and(begins, order.isUpTo(horizon), status && eq(accounts.status, status)))
        .orderBy(...order.sorted)
        .limit(count);
      return { rows, horizon: horizon ?? null };
    });
  });
}

/** The place of the account at which a page begins, which may be in another ledger. Its label is read where it counts. */
async function findPlace(bindings: LedgerBindings, id: string, isByLabel: boolean): Promise<AccountPlace> {
  if (!isByLabel) return { id, label: '' };
  const found = ledgerOf(bindings, id).select({ id: accounts.id, label: accounts.label }).from(accounts);
  const [row] = await found.where(eq(accounts.id, id));
  if (!row) throw new Error(`the account ${id} of a cursor is missing`);
  return row;
}

/** The accounts that a text names exactly: by their id, the operator's own id, a key's id, or a deposit address. */
async function findNamed(database: Database, text: string): Promise<AccountRow[]> {
  const owned = isAddress(text);
  const keyOwner = database.select({ id: apiKeys.accountId }).from(apiKeys).where(eq(apiKeys.id, text));
  const addressOwner = database.select({ id: addresses.accountId }).from(addresses).where(owned);
  return database
    .select(accountColumns)
    .from(accounts)
    .where(
      or(
        eq(accounts.id, text),
        eq(accounts.externalId, text),
        inArray(accounts.id, keyOwner),
        owned ? inArray(accounts.id, addressOwner) : undefined,
      ),
    );
}

/** The condition that an address is the one of a text, on whichever networks it can be one; `undefined` on none. */
export function isAddress(text: string): SQL | undefined {
  const readings = networks.flatMap((network) => {
    const address = readAddress(network, text);
    return address === undefined ? [] : [and(eq(addresses.network, network), eq(addresses.address, address))];
  });
  return readings.length > 0 ? or(...readings) : undefined;
}

/**
 * The account at which a page stops looking. An index row and the account's own are read for each: a third each way.
 */
async function findHorizon(
  database: Database,
  within: SQL | undefined,
  order: Order,
): Promise<AccountPlace | undefined> {
  const [row] = await database
    .select({ id: accounts.id, label: accounts.label })
    .from(accounts)
    .where(within)
    .orderBy(...order.sorted)
    .limit(1)
    .offset(Math.floor(MAX_LOOKED_AT / 3) - 1);
  return row;
}

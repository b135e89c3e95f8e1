import { z } from '@hono/zod-openapi';
import { type SQL, and, asc, desc, eq, gte, inArray, lt, or, sql } from 'drizzle-orm';
import { type AccountRow, accountColumns } from '../accounts/account.ts';
import { foldName } from '../accounts/name-words.ts';
import { OPERATOR_SCOPE } from '../http/cursor.ts';
import { ListQuery, MAX_LOOKED_AT, type Page, findPage, nameFilteredList } from '../http/list.ts';
import { type Outcome, accept } from '../http/answer.ts';
import { Id } from '../http/wire-types.ts';
import { type Database, ledgerOf, listLedgers, openLedger } from '../db/database.ts';
import { lowestRecordId } from '../db/record-id.ts';
import { type MergedOrder, compareTexts, findInLedgers, newestFirst, oldestFirst } from '../db/merge-pages.ts';
import { accountWords, accounts, apiKeys } from '../db/schema/accounts.ts';
import { addresses } from '../db/schema/addresses.ts';
import { networks } from '../money/networks.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { readAddress } from '../addresses/validate-address.ts';

const MAX_QUERY_LENGTH = 200;

/** Above every text that begins as another one does. */
const LAST_CHARACTER = '\u{10FFFF}';

/** At most every id. */
const FIRST_ID = '0';

/** As many accounts can be named by their ids. */
const MAX_IDS = 100;

export const AccountListQuery = ListQuery.extend({
  query: z.string().min(1).max(MAX_QUERY_LENGTH).optional().openapi({
    description:
      'The id of an account or its externalId, the id of one of its API keys, one of its deposit addresses, or the beginning of any word of its label and what follows it there, whatever the case and the accents',
    example: 'demo',
  }),
  ids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(Id).max(MAX_IDS))
    .optional()
    .openapi({
      type: 'string',
      description: `The ids of at most ${MAX_IDS} accounts, with commas between them: these accounts, newest first, whatever query says`,
      example: '01a1fcca-895a-7000-b43c-11f474a4f8d5',
    }),
  status: z.enum(['active', 'frozen']).optional().openapi({ description: 'Accounts in this state', example: 'frozen' }),
  openedFrom: z.iso
    .datetime()
    .optional()
    .openapi({ description: 'Accounts that were opened then or later', example: '2026-11-21T00:00:00Z' }),
  openedTo: z.iso
    .datetime()
    .optional()
    .openapi({ description: 'Accounts that were opened before', example: '2026-11-22T00:00:00Z' }),
});

type AccountListQuery = z.output<typeof AccountListQuery>;

interface AccountPlace {
  readonly id: string;
  /** Where accounts are found by words: the first of its own that fit. */
  readonly words: string;
}

/** The accounts that a statement finds, with their places. */
type SelectedAccounts = Promise<(AccountRow & AccountPlace)[]> & { toSQL(): { sql: string; params: unknown[] } };

/**
 * Accounts in one order: where a page begins and where it ends, by the ids of accounts. SQLite takes one bound at each
 * end to seek by, so each end has one.
 */
interface Order extends MergedOrder<AccountPlace> {
  /** How many rows are read, at most, of each account that is looked at and shown. */
  readonly rowsOfEach: number;
  isBehind(place: AccountPlace | undefined): SQL | undefined;
  isUpTo(place: AccountPlace | undefined): SQL | undefined;
  /** Selects accounts in this order. */
  select(database: Database, where: SQL | undefined, count: number): SelectedAccounts;
  /** Selects the place of one of them. */
  selectPlace(database: Database, where: SQL | undefined, offset: number): Promise<AccountPlace[]>;
  /** The place of the account at which a page begins, which may be in another ledger. */
  findPlace(bindings: LedgerBindings, id: string): Promise<AccountPlace>;
}

const placeByAge = { id: accounts.id, words: sql<string>`''` };
const columnsByAge = { ...accountColumns, ...placeByAge };

/** The ids of accounts, from one on and below another. */
interface Range {
  readonly from: string;
  readonly below: string;
}

const byAge = ({ from, below }: Range): Order => ({
  ...newestFirst,
  rowsOfEach: 3,
  isBehind: (place) => lt(accounts.id, place?.id ?? below),
  isUpTo: (place) => gte(accounts.id, place?.id ?? from),
  select: (database, where, count) =>
    database.select(columnsByAge).from(accounts).where(where).orderBy(desc(accounts.id)).limit(count),
  selectPlace: (database, where, offset) =>
    database.select(placeByAge).from(accounts).where(where).orderBy(desc(accounts.id)).limit(1).offset(offset),
  findPlace: (_bindings, id) => Promise.resolve({ id, words: '' }),
});

const { words: wordsOf, accountId: ownerOf } = accountWords;
const sortedBy = sql`(${wordsOf}, ${ownerOf})`;

const selectWords = (database: Database) => database.select({ id: ownerOf, words: wordsOf }).from(accountWords);

/** Those of whom any word begins with a text, which is folded, in the order of the words; each at its first alone. */
export function byWords(beginning: string): Order {
  const end = beginning + LAST_CHARACTER;
  const isFirst = sql`NOT EXISTS (SELECT 1 FROM account_words AS earlier
    WHERE earlier.account_id = ${ownerOf} AND earlier.words >= ${beginning} AND earlier.words < ${wordsOf})`;
  return {
    compare: (one, other) => compareTexts(one.words, other.words) || oldestFirst.compare(one, other),
    rowsOfEach: 6,
    isBehind: (place) => (place ? sql`${sortedBy} > (${place.words}, ${place.id})` : gte(wordsOf, beginning)),
    isUpTo: (place) => (place ? sql`${sortedBy} <= (${place.words}, ${place.id})` : lt(wordsOf, end)),
    select: (database, where, count) =>
      database
        .select({ ...accountColumns, words: wordsOf })
        .from(accountWords)
        .innerJoin(accounts, eq(accounts.id, ownerOf))
        .where(and(where, isFirst))
        .orderBy(asc(wordsOf), asc(ownerOf))
        .limit(count),
    selectPlace: (database, where, offset) =>
      selectWords(database).where(and(where, isFirst)).orderBy(asc(wordsOf), asc(ownerOf)).limit(1).offset(offset),
    findPlace: async (bindings, id) => {
      const fits = and(eq(ownerOf, id), gte(wordsOf, beginning));
      const [row] = await selectWords(ledgerOf(bindings, id)).where(fits).orderBy(asc(wordsOf)).limit(1);
      if (!row) throw new Error(`the account ${id} of a cursor is missing`);
      return row;
    },
  };
}

/**
 * Reads one page of the accounts: those of `ids`, or those that `query` names exactly; else those of whose label any word
 * begins with it, in the order of the words; without a query all of them, newest first. A page looks at no more than
 * `MAX_LOOKED_AT` rows of each ledger. Refuses with `invalid_cursor`. Throws when D1 fails.
 */
export async function findAccounts(
  bindings: LedgerBindings,
  listed: AccountListQuery,
  cursors: { readonly path: string; readonly secret: string },
): Promise<Outcome<Page<AccountRow>>> {
  const { query, ids, status, openedFrom, openedTo } = listed;
  const range = { from: idOf(openedFrom) ?? FIRST_ID, below: idOf(openedTo) ?? LAST_CHARACTER };
  if (query !== undefined || ids !== undefined) {
    const ledgers = listLedgers(bindings).map((ledger) => openLedger(bindings, ledger));
    const isNamed = (database: Database) => (ids ? inArray(accounts.id, ids) : isNamedBy(database, query ?? ''));
    const selected = ledgers.map((database) => database.select(accountColumns).from(accounts).where(isNamed(database)));
    const named = (await Promise.all(selected)).flat();
    const rows = named
      .filter((row) => (!status || row.status === status) && row.id >= range.from && row.id < range.below)
      .toSorted((one, other) => newestFirst.compare(one, other));
    if (ids || named.length > 0) return accept({ rows, nextCursor: null });
  }
  const beginning = query === undefined ? undefined : foldName(query);
  if (beginning === '') return accept({ rows: [], nextCursor: null });
  const order = beginning === undefined ? byAge(range) : byWords(beginning);
  const isInRange =
    beginning === undefined || (openedFrom ?? openedTo) === undefined
      ? undefined
      : and(gte(accounts.id, range.from), lt(accounts.id, range.below));
  const isWanted = and(status && eq(accounts.status, status), isInRange);
  const scope = {
    route: nameFilteredList(cursors.path, { query, status, openedFrom, openedTo }),
    accountId: OPERATOR_SCOPE,
  };
  return findPage(listed, scope, cursors.secret, async (start, count) => {
    const place = start === null ? undefined : await order.findPlace(bindings, start);
    return findInLedgers(bindings, order, start, count, async ({ database }) => {
      const begins = order.isBehind(place);
      const horizon = isWanted && (await findHorizon(database, order, begins));
      const within = and(begins, order.isUpTo(horizon), isWanted);
      return { rows: await order.select(database, within, count), horizon: horizon ?? null };
    });
  });
}

/** The least id of what was made at a time. */
const idOf = (time: string | undefined) => (time === undefined ? undefined : lowestRecordId(Date.parse(time)));

/** The condition that a text names an account exactly: by its id, the operator's own id, a key's id, or an address. */
function isNamedBy(database: Database, text: string): SQL | undefined {
  const owned = isAddress(text);
  const keyOwner = database.select({ id: apiKeys.accountId }).from(apiKeys).where(eq(apiKeys.id, text));
  const addressOwner = database.select({ id: addresses.accountId }).from(addresses).where(owned);
  return or(
    eq(accounts.id, text),
    eq(accounts.externalId, text),
    inArray(accounts.id, keyOwner),
    owned ? inArray(accounts.id, addressOwner) : undefined,
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

/** The account at which a page stops looking. */
async function findHorizon(
  database: Database,
  order: Order,
  begins: SQL | undefined,
): Promise<AccountPlace | undefined> {
  const within = and(begins, order.isUpTo(undefined));
  const [row] = await order.selectPlace(database, within, Math.floor(MAX_LOOKED_AT / order.rowsOfEach) - 1);
  return row;
}

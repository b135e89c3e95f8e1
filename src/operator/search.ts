import { z } from '@hono/zod-openapi';
import { and, desc, eq, gte, inArray, lt, or, sql } from 'drizzle-orm';
import { Id } from '../http/wire-types.ts';
import { type Database, findLedger, firstLedger, listLedgers, openLedger } from '../db/database.ts';
import { firstNumberFrom } from '../db/find-by-time.ts';
import { isRecordId, timeOfRecord } from '../db/record-id.ts';
import { accounts, apiKeys } from '../db/schema/accounts.ts';
import { addresses } from '../db/schema/addresses.ts';
import { deposits, withdrawals } from '../db/schema/records.ts';
import { transfers, violations } from '../db/schema/journal.ts';
import { type Network, networks } from '../money/networks.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { isReported } from '../deposits/account-deposit.ts';
import { UNOWNED } from '../deposits/deposit.ts';
import { readTransactionHash } from '../custody/transaction-hash.ts';
import { isAddress } from './find-accounts.ts';

/** The most that is found under one hash or address. */
const MAX_RESULTS = 50;

/**
 * Orders, settlements and credits have no index of their ids alone: they are found by their transfers, which lie close
 * to the time in the id. So many transfers are looked at, from a little before that time on.
 */
const TRANSFERS_LOOKED_AT = 2_000;
const CLOCK_MARGIN_MS = 2_000;

/**
 * Withdrawals have no index of their transactions, which would be one more row for each that is paid: so many of the
 * newest are looked at, three rows each.
 */
const WITHDRAWALS_LOOKED_AT = 600;

/** One thing that was found. */
export const SearchResult = z
  .object({
    kind: z.enum(['account', 'api_key', 'order', 'deposit', 'withdrawal', 'settlement', 'address', 'violation']),
    id: z.string().openapi({
      description: 'Its id; of an address, the address in its canonical form',
      example: '01a1fcca-895a-7000-b43c-11f474a4f8d5',
    }),
    accountId: Id.nullable().openapi({ description: 'The account it belongs to; null for none' }),
    network: z.string().nullable().openapi({ description: 'Where it is on one, else null', example: null }),
  })
  .openapi('SearchResult');

export type SearchResult = z.output<typeof SearchResult>;

/**
 * Everything that an id, a deposit address or a transaction hash names exactly. An id is looked for in the ledger that
 * it names, the others in all. Throws when D1 fails.
 */
export async function search(bindings: LedgerBindings, text: string): Promise<SearchResult[]> {
  if (isRecordId(text)) return findById(findLedger(bindings, text) ?? firstLedger(bindings), text);
  const ledgers = listLedgers(bindings).map((ledger) => openLedger(bindings, ledger));
  const found = (await Promise.all(ledgers.map((database) => findOnChains(database, text)))).flat();
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => found.filter((result) => result.kind === kind).slice(0, MAX_RESULTS));
}

const receivedColumns = { id: deposits.id, accountId: deposits.accountId, network: deposits.network };
const paidColumns = { id: withdrawals.id, accountId: withdrawals.accountId, network: withdrawals.network };

/** Shows rows of a kind; what they do not have is null. */
function show(
  kind: SearchResult['kind'],
  rows: readonly (Pick<SearchResult, 'id'> & Partial<SearchResult>)[],
): SearchResult[] {
  return rows.map(({ id, accountId = null, network = null }) => {
    return { kind, id, accountId: accountId === UNOWNED ? null : accountId, network };
  });
}

async function findById(database: Database, id: string): Promise<SearchResult[]> {
  const begin = firstNumberFrom(transfers, timeOfRecord(id) - CLOCK_MARGIN_MS);
  const isNear = and(gte(transfers.id, begin), lt(transfers.id, sql`${begin} + ${TRANSFERS_LOOKED_AT}`));
  const [ofAccounts, ofKeys, ofWithdrawals, ofViolations, ofDeposits, moved] = await database.batch([
    database.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, id)),
    database.select({ id: apiKeys.id, accountId: apiKeys.accountId }).from(apiKeys).where(eq(apiKeys.id, id)),
    database.select(paidColumns).from(withdrawals).where(eq(withdrawals.id, id)),
    database.select({ id: violations.id }).from(violations).where(eq(violations.id, id)),
    database.select(receivedColumns).from(deposits).where(isReported(id)),
    database
      .select({ kind: transfers.kind, debit: transfers.debit, credit: transfers.credit })
      .from(transfers)
      .where(and(isNear, eq(transfers.reference, id))),
  ]);
  const found = [
    ...show(
      'account',
      ofAccounts.map((account) => ({ id: account.id, accountId: account.id })),
    ),
    ...show('api_key', ofKeys),
    ...show('withdrawal', ofWithdrawals),
    ...show('violation', ofViolations),
    ...show('deposit', ofDeposits),
  ];
  if (found.length > 0) return found;
  const parties = new Map(
    moved.flatMap(({ kind, debit, credit }) =>
      // What the house does with its own money belongs to no account.
      kind === 'funding' || kind === 'hedge' ? [] : [debit, credit].map((party) => [party, kind] as const),
    ),
  );
  return [...parties]
    .filter(([party]) => !party.startsWith('house:'))
    .flatMap(([accountId, kind]) => show(kind, [{ id, accountId }]));
}

async function findOnChains(database: Database, text: string): Promise<SearchResult[]> {
  const owned = isAddress(text);
  const hashes = networks.flatMap((network) => {
    const txHash = readTransactionHash(network, text);
    return txHash === undefined ? [] : [{ network, txHash }];
  });
  const [ofAddresses, ofTransactions] = await Promise.all([
    owned ? database.select().from(addresses).where(owned).limit(MAX_RESULTS) : [],
    hashes.length > 0 ? findTransactions(database, hashes) : [],
  ]);
  const shown = ofAddresses.map(({ address: id, ...row }) => ({ id, ...row }));
  return [...show('address', shown), ...ofTransactions];
}

async function findTransactions(
  database: Database,
  hashes: readonly { readonly network: Network; readonly txHash: string }[],
): Promise<SearchResult[]> {
  const isOutput = or(
    ...hashes.map(({ network, txHash }) => and(eq(deposits.network, network), eq(deposits.txHash, txHash))),
  );
  const newest = database
    .select({ id: withdrawals.id })
    .from(withdrawals)
    .orderBy(desc(withdrawals.id))
    .limit(WITHDRAWALS_LOOKED_AT);
  const named = hashes.map(({ txHash }) => txHash);
  const isPayment = and(inArray(withdrawals.id, newest), inArray(withdrawals.txHash, named));
  const [received, paid] = await database.batch([
    database.select(receivedColumns).from(deposits).where(isOutput).limit(MAX_RESULTS),
    database.select(paidColumns).from(withdrawals).where(isPayment).limit(MAX_RESULTS),
  ]);
  return [...show('deposit', received), ...show('withdrawal', paid)];
}

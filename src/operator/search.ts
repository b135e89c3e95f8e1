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

const atNoNetwork = { network: null };

async function findById(database: Database, id: string): Promise<SearchResult[]> {
  const begin = firstNumberFrom(transfers, timeOfRecord(id) - CLOCK_MARGIN_MS);
  const [ofAccounts, ofKeys, ofWithdrawals, ofViolations, ofDeposits, moved] = await database.batch([
    database.select({ id: accounts.id }).from(accounts).where(eq(accounts.id, id)),
    database.select({ accountId: apiKeys.accountId }).from(apiKeys).where(eq(apiKeys.id, id)),
    database
      .select({ accountId: withdrawals.accountId, network: withdrawals.network })
      .from(withdrawals)
      .where(eq(withdrawals.id, id)),
    database.select({ id: violations.id }).from(violations).where(eq(violations.id, id)),
    selectReportedDeposit(database, id),
    database
      .select({ kind: transfers.kind, debit: transfers.debit, credit: transfers.credit })
      .from(transfers)
      .where(
        and(
          gte(transfers.id, begin),
          lt(transfers.id, sql`${begin} + ${TRANSFERS_LOOKED_AT}`),
          eq(transfers.reference, id),
        ),
      ),
  ]);
  const found: SearchResult[] = [
    ...ofAccounts.map(() => ({ kind: 'account' as const, id, accountId: id, ...atNoNetwork })),
    ...ofKeys.map(({ accountId }) => ({ kind: 'api_key' as const, id, accountId, ...atNoNetwork })),
    ...ofWithdrawals.map((row) => ({ kind: 'withdrawal' as const, id, ...row })),
    ...ofViolations.map(() => ({ kind: 'violation' as const, id, accountId: null, ...atNoNetwork })),
    ...ofDeposits.map((row) => showDeposit(row)),
  ];
  if (found.length > 0) return found;
  const parties = new Map(
    moved.flatMap(({ kind, debit, credit }) => [debit, credit].map((party) => [party, kind] as const)),
  );
  return [...parties]
    .filter(([party]) => !party.startsWith('house:'))
    .map(([accountId, kind]) => ({ kind, id, accountId, ...atNoNetwork }));
}

/** A deposit that custody reported, by its id. */
function selectReportedDeposit(database: Database, id: string) {
  return database
    .select({ id: deposits.id, accountId: deposits.accountId, network: deposits.network })
    .from(deposits)
    .where(isReported(id));
}

function showDeposit(row: { readonly id: string; readonly accountId: string; readonly network: string | null }) {
  return {
    kind: 'deposit' as const,
    id: row.id,
    accountId: row.accountId === UNOWNED ? null : row.accountId,
    network: row.network,
  };
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
  const shown = ofAddresses.map(({ network, address, accountId }) => ({
    kind: 'address' as const,
    id: address,
    accountId,
    network,
  }));
  return [...shown, ...ofTransactions];
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
  const [received, paid] = await database.batch([
    database
      .select({ id: deposits.id, accountId: deposits.accountId, network: deposits.network })
      .from(deposits)
      .where(isOutput)
      .limit(MAX_RESULTS),
    database
      .select({ id: withdrawals.id, accountId: withdrawals.accountId, network: withdrawals.network })
      .from(withdrawals)
      .where(
        and(
          inArray(withdrawals.id, newest),
          inArray(
            withdrawals.txHash,
            hashes.map(({ txHash }) => txHash),
          ),
        ),
      )
      .limit(MAX_RESULTS),
  ]);
  return [...received.map((row) => showDeposit(row)), ...paid.map((row) => ({ kind: 'withdrawal' as const, ...row }))];
}

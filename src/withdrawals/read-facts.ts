import { and, eq, gt, ne, sql } from 'drizzle-orm';
import { type TotpState, countAttempt, selectTotp } from '../accounts/totp.ts';
import { type Database, bindPrepared } from '../db/database.ts';
import { nameAddress, selectHolder } from '../db/directory.ts';
import { lowestRecordId } from '../db/record-id.ts';
import { accounts, allowlist, exactly, withdrawals } from '../db/schema.ts';
import { type Settings, parseSettings, selectSettings } from '../db/settings.ts';
import type { Atoms } from '../money/amounts.ts';
import { showUsdt } from '../money/assets.ts';
import type { Network } from '../money/networks.ts';

const DAY_MS = 86_400_000;

/** The ledger of an account, and the directory; they may be one database. */
export interface Ledgers {
  readonly database: Database;
  readonly directory: Database;
}

/** What planning a withdrawal needs to know about the account, the destination and the exchange. */
export interface WithdrawalFacts {
  readonly settings: Settings;
  /** The second factor before this attempt was counted. */
  readonly totp: TotpState | undefined;
  /** The account that owns the address, if it is one of ours. */
  readonly owner: string | undefined;
  /** When the approval of the address takes effect; `undefined` when it is not on the allowlist. */
  readonly approvedFrom_ms: number | undefined;
  /** Until when a recovery holds the account; in the past when it does not. */
  readonly heldUntil_ms: number;
  /** The account's withdrawal that has the same name of the client's already. */
  readonly firstId: string | null;
  /** In atoms of USDT: the daily limit, and how much of it the last 24 hours have used. */
  readonly limit: Atoms;
  readonly used: Atoms;
}

const selectLimit = (database: Database, accountId: string, clientOrderId: string | null = null) =>
  database
    .select({
      limit: exactly(accounts.dailyWithdrawalLimit),
      heldUntil: accounts.heldUntil,
      firstId: sql<string | null>`(
        SELECT id FROM withdrawals WHERE account_id = ${accountId} AND client_order_id = ${clientOrderId})`,
    })
    .from(accounts)
    .where(eq(accounts.id, accountId));

/** What the daily limit counts of the last 24 hours. An id is at most a day older than its commit. */
const selectUsed = (database: Database, accountId: string, now_ms: number) =>
  database
    .select({
      used: sql`CAST(coalesce(sum(${withdrawals.usdValue}), 0) AS TEXT)`.mapWith((text: string) => BigInt(text)),
    })
    .from(withdrawals)
    .where(
      and(
        eq(withdrawals.accountId, accountId),
        gt(withdrawals.id, lowestRecordId(now_ms - 2 * DAY_MS)),
        gt(withdrawals.committedAt, now_ms - DAY_MS),
        ne(withdrawals.status, 'FAILED'),
      ),
    );

export interface Destination {
  readonly network: Network;
  readonly address: string;
  /** The client's own name for the withdrawal. */
  readonly clientOrderId: string | null;
}

/**
 * Reads the facts in one round trip to the account's ledger. If the directory is another database, it is read at the
 * same time. If a code was sent, the attempt is counted in the same trip: the count must be stored before the code is
 * checked, or parallel guesses would count as one. Throws when D1 fails, or the account is gone.
 */
export async function readFacts(
  { database, directory }: Ledgers,
  accountId: string,
  { network, address, clientOrderId }: Destination,
  hasCode: boolean,
  now_ms: number,
): Promise<WithdrawalFacts> {
  const isTarget = and(
    eq(allowlist.accountId, accountId),
    eq(allowlist.network, network),
    eq(allowlist.address, address),
  );
  const reads = [
    bindPrepared(selectTotp(database), { accountId }),
    bindPrepared(selectSettings(database), {}),
    database.select({ usableAt: allowlist.usableAt }).from(allowlist).where(isTarget),
    selectLimit(database, accountId, clientOrderId),
    selectUsed(database, accountId, now_ms),
  ] as const;
  const counts = hasCode ? [countAttempt(database, accountId, now_ms)] : [];
  const owner = bindPrepared(selectHolder(directory), { ...nameAddress(network, address) });
  const [[states, settings, approvals, limits, sums], owners] =
    directory === database
      ? await database.batch([...reads, owner, ...counts]).then((facts) => [facts, facts[5]] as const)
      : await Promise.all([database.batch([...reads, ...counts]), directory.batch([owner]).then(([found]) => found)]);
  if (!limits[0]) throw new Error('the account of a key is missing');
  return {
    settings: parseSettings(settings),
    totp: states[0],
    owner: owners[0]?.holder,
    approvedFrom_ms: approvals[0]?.usableAt,
    heldUntil_ms: limits[0].heldUntil,
    firstId: limits[0].firstId,
    limit: limits[0].limit,
    used: sums[0]?.used ?? 0n,
  };
}

/**
 * The daily limit of an account, how much of it the last 24 hours have used, and what is left, as decimals of USDT. Throws
 * when D1 fails.
 */
export async function showDailyUse(database: Database, accountId: string, now_ms: number) {
  const [limits, sums] = await database.batch([
    selectLimit(database, accountId),
    selectUsed(database, accountId, now_ms),
  ]);
  const [limit, used] = [limits[0]?.limit ?? 0n, sums[0]?.used ?? 0n];
  return { limit: showUsdt(limit), used: showUsdt(used), remaining: showUsdt(limit > used ? limit - used : 0n) };
}

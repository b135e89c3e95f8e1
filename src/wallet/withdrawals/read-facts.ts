import { and, eq, gt, ne, sql } from 'drizzle-orm';
import { type TotpState, countAttempt } from '../../accounts/totp.ts';
import type { Database } from '../../ledger/database.ts';
import { lowestRecordId } from '../../ledger/record-id.ts';
import { accounts, addresses, allowlist, exactly, totp, withdrawals } from '../../ledger/schema.ts';
import { type Settings, parseSettings, selectSettings } from '../../ledger/settings.ts';
import type { Atoms } from '../../money/amounts.ts';
import type { Network } from '../../money/networks.ts';

const DAY_MS = 86_400_000;

/** What deciding a withdrawal needs to know of the account, the destination and the exchange. */
export interface WithdrawalFacts {
  readonly settings: Settings;
  /** The second factor as it stood before this attempt was counted. */
  readonly totp: TotpState | undefined;
  /** The account that receives at the address, where it is one of ours. */
  readonly owner: string | undefined;
  /** From when on the address is approved; `undefined` when it is not on the allowlist. */
  readonly approvedFrom_ms: number | undefined;
  /** In atoms of USDT: the daily limit, and what the last 24 hours used of it. */
  readonly limit: Atoms;
  readonly used: Atoms;
}

/**
 * Reads the facts in one round trip, and counts the attempt in it when a code was sent: the count must stand before
 * the code is looked at, or parallel guesses would share one. Throws when D1 fails, or the account is gone.
 */
export async function readFacts(
  database: Database,
  accountId: string,
  destination: { readonly network: Network; readonly address: string },
  hasCode: boolean,
  now_ms: number,
): Promise<WithdrawalFacts> {
  const state = database.select().from(totp).where(eq(totp.accountId, accountId));
  const owner = database
    .select({ accountId: addresses.accountId })
    .from(addresses)
    .where(and(eq(addresses.network, destination.network), eq(addresses.address, destination.address)));
  const approval = database
    .select({ usableAt: allowlist.usableAt })
    .from(allowlist)
    .where(
      and(
        eq(allowlist.accountId, accountId),
        eq(allowlist.network, destination.network),
        eq(allowlist.address, destination.address),
      ),
    );
  const limit = database
    .select({ limit: exactly(accounts.dailyWithdrawalLimit) })
    .from(accounts)
    .where(eq(accounts.id, accountId));
  const used = database
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
  const reads = [state, selectSettings(database), owner, approval, limit, used] as const;
  const [states, settings, owners, approvals, limits, sums] = hasCode
    ? await database.batch([...reads, countAttempt(database, accountId, now_ms)])
    : await database.batch([...reads]);
  if (!limits[0]) throw new Error('the account of a key is missing');
  return {
    settings: parseSettings(settings),
    totp: states[0],
    owner: owners[0]?.accountId,
    approvedFrom_ms: approvals[0]?.usableAt,
    limit: limits[0].limit,
    used: sums[0]?.used ?? 0n,
  };
}

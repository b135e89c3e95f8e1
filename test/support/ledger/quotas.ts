import type { LimitedAccount } from '../../../src/ledger/quotas/read-quotas.ts';
import { databaseOf } from './open-in-ledger.ts';

const ledgers = [0, 1, 2] as const;

/** What a ledger has and uses of a limit, in atoms. */
export interface StandingQuota {
  readonly quota: bigint;
  readonly used: bigint;
}

/** The quotas of three ledgers as their databases have them. */
export function readStanding(asset: string, account: LimitedAccount = 'house:custody'): Promise<StandingQuota[]> {
  return Promise.all(
    ledgers.map(async (ledger) => {
      const row = await databaseOf(ledger)
        .prepare(
          `SELECT CAST(-floor AS TEXT) AS quota, CAST(max(-amount, 0) AS TEXT) AS used FROM balances
           WHERE account = ? AND asset = ?`,
        )
        .bind(account, asset)
        .first<{ quota: string; used: string }>();
      return { quota: BigInt(row?.quota ?? 'no balance'), used: BigInt(row?.used ?? 'no balance') };
    }),
  );
}

/** The limit of the whole exchange: the quota of ledger 0, and what it has given to the others. */
export async function readLimit(asset: string, account: LimitedAccount = 'house:custody'): Promise<bigint> {
  const limit = await databaseOf(0)
    .prepare(
      `SELECT CAST((SELECT coalesce(sum(amount), 0) FROM quotas WHERE account = ?1 AND asset = ?2) - floor AS TEXT)
         AS whole
       FROM balances WHERE account = ?1 AND asset = ?2`,
    )
    .bind(account, asset)
    .first<string>('whole');
  return BigInt(limit ?? 'no balance');
}

/** The sum of what three ledgers have, or use. */
export function sumOf(standing: readonly StandingQuota[], what: keyof StandingQuota): bigint {
  return standing.reduce((sum, one) => sum + one[what], 0n);
}

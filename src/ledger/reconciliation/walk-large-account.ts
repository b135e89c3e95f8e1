import { z } from 'zod';
import { type AddressesRow, composeAddresses } from './compose-addresses.ts';
import { type LimitsRow, composeLimits } from './compose-limits.ts';
import { type MovedRow, type SumRow, composeMoved, composePartSums, readMoved } from './compose-sums.ts';
import { type EndsRow, composeEnds } from './compose-journal.ts';
import { type Untied, composeTies, judgeTies, readExamples } from './compose-ties.ts';
import type { Counts, Finding } from './invariants.ts';
import { type Differences, judgeBalances } from './judge-balance.ts';
import { recordKinds } from './record-kinds.ts';
import { onlyRow, readBatch } from './statement.ts';
import { type BalanceRow, Sums, addSums, compareSums } from './sums.ts';

/** How far the walk over one account has come. */
export const LargeAccount = z.object({
  accountId: z.string(),
  /** The newest transfer as the walk began: of the records, only legs up to it are summed. */
  head: z.int(),
  /** Which kind of record is walked, by its place in `recordKinds`; behind the last of them the journal since `head`. */
  kind: z.int(),
  /** The id of the last record of the kind that was walked. */
  id: z.string(),
  /** The number of the last transfer that was summed from the journal. */
  journal: z.int(),
  sums: Sums,
});

export type LargeAccount = z.output<typeof LargeAccount>;

/** Before the first record of an account. */
export function beginLarge(accountId: string, head: number): LargeAccount {
  return { accountId, head, kind: 0, id: '', journal: head, sums: {} };
}

interface WalkedLarge {
  /** `null` when the account is done. */
  readonly next: LargeAccount | null;
  readonly checked: Counts;
  readonly findings: readonly Finding[];
  readonly differences: Differences;
  readonly untied: Untied;
  readonly duration_ms: number;
}

/**
 * Walks over the next part of an account with more records than a slice holds. Its records are walked by id, and of their
 * legs those are summed whose transfers were there as the walk began: records are never deleted, so each is met once.
 * What was transferred since comes from the journal itself. When that has been read to its end, the balances of the same
 * transaction are what both come to, however long it took. Throws when D1 fails.
 */
export async function walkLarge(database: D1Database, large: LargeAccount, count: number): Promise<WalkedLarge> {
  const kind = recordKinds[large.kind];
  if (!kind) return walkSince(database, large, count);
  const part = { accountId: large.accountId, after: large.id, rows: count };
  const hasLimits = kind.name === 'withdrawals';
  const { rows, duration_ms } = await readBatch(database, [
    composeTies(kind, part),
    composePartSums(kind, part, large.head),
    ...(hasLimits ? [composeLimits(part)] : []),
  ]);
  const ties = judgeTies(kind, rows[0]);
  const windows = hasLimits ? onlyRow(rows[2] as LimitsRow[] | undefined) : undefined;
  const isLast = ties.records < count || ties.last === null;
  return {
    next: {
      ...large,
      kind: isLast ? large.kind + 1 : large.kind,
      id: isLast || ties.last === null ? '' : ties.last,
      sums: addSums(large.sums, (rows[1] ?? []) as SumRow[]),
    },
    checked: { ...ties.checked, ...(windows && { withdrawals_within_limit: windows.withdrawals }) },
    findings: [...ties.findings, ...(windows ? readExamples('withdrawals_within_limit', windows.examples) : [])],
    differences: {},
    untied: ties.untied,
    duration_ms,
  };
}

/** Transfers are read some times as fast as records are. */
const TRANSFERS_PER_RECORD = 5;

async function walkSince(database: D1Database, large: LargeAccount, count: number): Promise<WalkedLarge> {
  const { accountId, journal } = large;
  const transfers = count * TRANSFERS_PER_RECORD;
  const { rows, duration_ms } = await readBatch(database, [
    composeEnds(),
    composeMoved(journal, transfers, { accountId }),
    {
      text: `SELECT account, asset, CAST(amount AS TEXT) AS amount, '0' AS floor, last_transfer AS lastTransfer
        FROM balances WHERE account = ?1`,
      values: [accountId],
    },
    composeAddresses({ from: accountId, before: `${accountId}!` }),
  ]);
  const head = onlyRow(rows[0] as EndsRow[] | undefined).head ?? 0;
  const last = Math.max(journal, Math.min(journal + transfers, head));
  const sums = addSums(large.sums, readMoved((rows[1] ?? []) as MovedRow[]));
  if (last < head) {
    return {
      next: { ...large, journal: last, sums },
      checked: {},
      findings: [],
      differences: {},
      untied: [],
      duration_ms,
    };
  }
  const balances = (rows[2] ?? []) as BalanceRow[];
  const owned = onlyRow(rows[3] as AddressesRow[] | undefined);
  const compared = judgeBalances(compareSums(sums, balances));
  return {
    next: null,
    checked: {
      balances_match_transfers: balances.length,
      balances_above_floor: balances.length,
      addresses_have_one_owner: owned.addresses,
    },
    findings: [...compared.findings, ...readExamples('addresses_have_one_owner', owned.examples)],
    differences: compared.differences,
    untied: [],
    duration_ms,
  };
}

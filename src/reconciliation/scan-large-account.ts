import { z } from 'zod';
import { type AddressesRow, composeAddresses } from './compose-addresses.ts';
import { type LimitsRow, composeLimits } from './compose-limits.ts';
import { type MovedRow, type SumRow, composeMoved, composePartSums, hasOwnLegs, readMoved } from './compose-sums.ts';
import { type EndsRow, composeEnds } from './compose-journal.ts';
import { type Untied, composeTies, judgeTies, readExamples } from './compose-ties.ts';
import type { Counts, Finding } from './invariants.ts';
import { type Differences, judgeBalances } from './judge-balance.ts';
import { countFitting } from './record-kind.ts';
import { recordKinds } from './record-kinds.ts';
import { onlyRow, readBatch } from './statement.ts';
import { type BalanceRow, Sums, addSums, compareSums } from './sums.ts';

/** How far the scan of a large account has come. */
export const LargeAccount = z.object({
  accountId: z.string(),
  /**
   * The newest transfer when the scan of this account began. Only legs with a number up to it are summed from records.
   */
  head: z.int(),
  /** The index in `recordKinds` of the kind being scanned. After the last kind, the journal since `head` is scanned. */
  kind: z.int(),
  /** The id of the last scanned record of that kind. */
  id: z.string(),
  /** The number of the last transfer summed from the journal. */
  journal: z.int(),
  sums: Sums,
});

export type LargeAccount = z.output<typeof LargeAccount>;

/** Before the first record of an account. */
export function beginLarge(accountId: string, head: number): LargeAccount {
  return { accountId, head, kind: 0, id: '', journal: head, sums: {} };
}

interface ScannedLarge {
  /** `null` when the account is done. */
  readonly next: LargeAccount | null;
  readonly checked: Counts;
  readonly findings: readonly Finding[];
  readonly differences: Differences;
  readonly untied: Untied;
  readonly legs: number;
  readonly duration_ms: number;
}

/**
 * Scans the next part of an account with more records than fit into a slice. Records are scanned by id; they are never
 * deleted, so each is met once. Of their legs, only those whose transfers existed when the scan began are summed. Later
 * transfers are summed from the journal. In the transaction that reads the journal's end, the account's balances must
 * be the total of both sums, however long the scan took. Throws when D1 fails.
 */
export async function scanLargeAccount(
  database: D1Database,
  large: LargeAccount,
  count: number,
  head: number,
): Promise<ScannedLarge> {
  const kind = recordKinds[large.kind];
  if (!kind) return isHouse(large) ? NOTHING_LEFT : scanSince(database, large, count);
  const fitting = countFitting(kind, count);
  const part = { accountId: large.accountId, after: large.id, rows: fitting };
  const hasLimits = kind.name === 'withdrawals';
  const { rows, duration_ms } = await readBatch(database, [
    composeTies([kind], part, head),
    ...(hasOwnLegs(kind) ? [composePartSums(kind, part, large.head)] : []),
    ...(hasLimits ? [composeLimits(part)] : []),
  ]);
  const ties = judgeTies(kind, rows[0]);
  const windows = hasLimits ? onlyRow(rows[2] as LimitsRow[] | undefined) : undefined;
  const isLast = ties.records < fitting || ties.last === null;
  return {
    next: {
      ...large,
      kind: isLast ? large.kind + 1 : large.kind,
      id: isLast || ties.last === null ? '' : ties.last,
      sums: hasOwnLegs(kind) ? addSums(large.sums, (rows[1] ?? []) as SumRow[]) : large.sums,
    },
    checked: { ...ties.checked, ...(windows && { withdrawals_within_limit: windows.withdrawals }) },
    findings: [...ties.findings, ...(windows ? readExamples('withdrawals_within_limit', windows.examples) : [])],
    differences: {},
    untied: ties.untied,
    legs: ties.legs,
    duration_ms,
  };
}

/** The balances of the house are compared at the end of the journal. */
const isHouse = ({ accountId }: LargeAccount) => accountId.startsWith('house:');

const NOTHING_LEFT: ScannedLarge = {
  next: null,
  checked: {},
  findings: [],
  differences: {},
  untied: [],
  legs: 0,
  duration_ms: 0,
};

/** Reading a transfer costs D1 a fraction of reading a record, so a slice holds more of them. */
const TRANSFERS_PER_RECORD = 5;

async function scanSince(database: D1Database, large: LargeAccount, count: number): Promise<ScannedLarge> {
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
      legs: 0,
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
    legs: 0,
    duration_ms,
  };
}

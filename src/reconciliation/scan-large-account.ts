import { z } from 'zod';
import { composeAddresses, composeLimits } from './compose-accounts.ts';
import { composeMoved, composePartSums, hasOwnLegs, readMoved } from './compose-sums.ts';
import { composeEnds } from './compose-journal.ts';
import { composeTies, judgeTies, readExamples } from './compose-ties.ts';
import { NOTHING, type SliceResult } from './invariants.ts';
import { type Ledger, countFitting } from './record-kind.ts';
import { type Statement, onlyRow, readBatch } from './statement.ts';
import { type BalanceRow, Sums, addSums, compareSums, judgeBalances } from './sums.ts';

/** How far the scan of a large account has come. */
export const LargeAccount = z.object({
  accountId: z.string(),
  /**
   * The newest transfer when the scan of this account began. Only legs with a number up to it are summed from records.
   */
  head: z.int(),
  /** The index among the kinds of the one being scanned. After the last kind, the journal since `head` is scanned. */
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

type LargeSlice = SliceResult & { readonly next: LargeAccount | null };

/**
 * Scans the next part of an account with more records than fit into a slice. Records are scanned by id; they are never
 * deleted, so each is met once. Of their legs, only those whose transfers existed when the scan began are summed. Later
 * transfers are summed from the journal. In the transaction that reads the journal's end, the account's balances must
 * be the total of both sums, however long the scan took; `next` is `null` then. Throws when D1 fails.
 */
export async function scanLargeAccount(
  { database, kinds }: Ledger,
  large: LargeAccount,
  count: number,
  head: number,
): Promise<LargeSlice> {
  const kind = kinds[large.kind];
  if (!kind) return isHouse(large) ? { ...NOTHING, next: null } : scanSince(database, large, count);
  const fitting = countFitting(kind, count);
  const part = { accountId: large.accountId, after: large.id, rows: fitting };
  const hasLimits = kind.name === 'withdrawals';
  const { rows, duration_ms } = await readBatch(database, [
    composeTies([kind], part, head),
    hasOwnLegs(kind) ? composePartSums(kind, part, large.head) : null,
    hasLimits ? composeLimits(part) : null,
  ]);
  const ties = judgeTies(kind, rows[0]);
  const [windows] = rows[2];
  const isLast = ties.records < fitting || ties.last === null;
  return {
    ...NOTHING,
    next: {
      ...large,
      kind: isLast ? large.kind + 1 : large.kind,
      id: isLast || ties.last === null ? '' : ties.last,
      sums: addSums(large.sums, rows[1]),
    },
    checked: { ...ties.checked, ...(windows && { withdrawals_within_limit: windows.checked }) },
    findings: [...ties.findings, ...(windows ? readExamples('withdrawals_within_limit', windows.examples) : [])],
    untied: ties.untied,
    legs: ties.legs,
    duration_ms,
  };
}

/** The balances of the house are compared at the end of the journal. */
const isHouse = ({ accountId }: LargeAccount) => accountId.startsWith('house:');

/** Reading a transfer costs D1 a fraction of reading a record, so a slice holds more of them. */
const TRANSFERS_PER_RECORD = 5;

async function scanSince(database: D1Database, large: LargeAccount, count: number): Promise<LargeSlice> {
  const { accountId, journal } = large;
  const transfers = count * TRANSFERS_PER_RECORD;
  const own: Statement<BalanceRow> = {
    text: `SELECT account, asset, CAST(amount AS TEXT) AS amount, '0' AS floor, last_transfer AS lastTransfer
      FROM balances WHERE account = ?1`,
    values: [accountId],
  };
  const { rows, duration_ms } = await readBatch(database, [
    composeEnds(),
    composeMoved(journal, transfers, { accountId }),
    own,
    composeAddresses({ from: accountId, before: `${accountId}!` }),
  ]);
  const [ends, moved, balances, addresses] = rows;
  const head = onlyRow(ends).head ?? 0;
  const last = Math.max(journal, Math.min(journal + transfers, head));
  const sums = addSums(large.sums, readMoved(moved));
  if (last < head) return { ...NOTHING, next: { ...large, journal: last, sums }, duration_ms };
  const owned = onlyRow(addresses);
  const compared = judgeBalances(compareSums(sums, balances));
  return {
    ...NOTHING,
    next: null,
    checked: {
      balances_match_transfers: balances.length,
      balances_above_floor: balances.length,
      addresses_have_one_owner: owned.checked,
    },
    findings: [...compared.findings, ...readExamples('addresses_have_one_owner', owned.examples)],
    differences: compared.differences,
    duration_ms,
  };
}

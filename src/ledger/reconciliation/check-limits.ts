import { sql } from 'drizzle-orm';
import { lowestRecordId, timeOfRecord } from '../record-id.ts';
import { type Check, cursorAfter } from './check.ts';
import type { Finding } from './invariants.ts';

const DAY_MS = 86_400_000;

/** Two withdrawals may be written in the other order than their times say, by as much as clocks differ. */
const CLOCK_SKEW_MS = 60_000;

interface LimitRow {
  /** Whether the row stands before the slice and is read for the windows that reach back to it. */
  readonly isContext: 0 | 1;
  readonly accountId: string;
  readonly id: string;
  readonly usdValue: string;
  readonly status: string;
  readonly committedAt: number;
  /** The account's limit when the row was written. */
  readonly dailyLimit: string | null;
}

/**
 * Holds what an account withdrew in the 24 hours up to each of its withdrawals against the limit of that moment, which
 * the withdrawal's own row names: the account's may have changed since. What failed later only lowers the sum, so a
 * window that was within its limit when it was written stays so.
 *
 * An id is at most a day older than its commit, so the rows of one window lie within 48 hours of ids, though not always
 * in the order of their commits. With the 48 hours before the slice, a window is whole in the slice of its last id.
 */
export const checkLimits: Check<LimitRow> = {
  name: 'limits',

  query: ({ after: [accountId, id], rows }) => {
    const from = id === '' ? id : lowestRecordId(timeOfRecord(id) - 2 * DAY_MS);
    const columns = sql`account_id AS accountId, id, CAST(usd_value AS TEXT) AS usdValue, status,
      committed_at AS committedAt, CAST(daily_limit AS TEXT) AS dailyLimit`;
    return sql`
      SELECT 1 AS isContext, ${columns} FROM withdrawals WHERE account_id = ${accountId} AND id > ${from} AND id <= ${id}
      UNION ALL
      SELECT * FROM (
        SELECT 0 AS isContext, ${columns} FROM withdrawals
        WHERE (account_id, id) > (${accountId}, ${id}) ORDER BY account_id, id LIMIT ${rows})`;
  },

  judge: (rows, slice) => {
    const fresh = rows.filter(({ isContext }) => isContext === 0);
    const byAccount = Map.groupBy(
      rows.filter(({ status }) => status !== 'FAILED'),
      ({ accountId }) => accountId,
    );
    return {
      next: cursorAfter(fresh, slice, ({ accountId, id }) => [accountId, id]),
      checked: { withdrawals_within_limit: fresh.length },
      findings: [...byAccount.values()].flatMap((own) => own.flatMap((row) => judgeWindow(row, own))),
    };
  },
};

/** The day up to one withdrawal. */
function judgeWindow({ accountId, id: withdrawal, committedAt }: LimitRow, own: readonly LimitRow[]): Finding[] {
  const window = own.filter((row) => row.committedAt <= committedAt && row.committedAt > committedAt - DAY_MS);
  // A window without a row of the slice was judged before.
  if (window.every(({ isContext }) => isContext === 1)) return [];
  const last = window.filter((row) => row.committedAt > committedAt - CLOCK_SKEW_MS);
  const limits = last.map(({ dailyLimit }) => dailyLimit).filter((limit) => limit !== null);
  if (limits.length < last.length) return [];
  const limit = limits.map(BigInt).reduce((most, one) => (one > most ? one : most), 0n);
  const used = window.reduce((sum, { usdValue }) => sum + BigInt(usdValue), 0n);
  if (used <= limit) return [];
  const example = { accountId, withdrawal, used: used.toString(), limit: limit.toString() };
  return [{ invariant: 'withdrawals_within_limit', example }];
}

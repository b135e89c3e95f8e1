import { lowestRecordId, timeOfRecord } from '../record-id.ts';
import { type Range, type Statement, selectRange } from './statement.ts';

const DAY_MS = 86_400_000;

/** Two withdrawals may be written in the other order than their times say, by as much as clocks differ. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Holds what an account withdrew in the 24 hours up to each of its withdrawals against the limit of that moment, which
 * the withdrawal's own row names: the account's may have changed since. What failed later only lowers the sum, so a
 * window that was within its limit when it was written stays so.
 *
 * An id is at most a day older than its commit, so the rows of one window lie within 48 hours of ids, though not always
 * in the order of their commits. With the 48 hours before a part, a window is whole in the part of its last id.
 */
export function composeLimits(range: Range): Statement {
  const { text, values } = selectRange('withdrawals', range);
  const isPart = 'rows' in range;
  const from = isPart && range.after !== '' ? lowestRecordId(timeOfRecord(range.after) - 2 * DAY_MS) : '';
  const before = isPart
    ? `UNION ALL SELECT *, 0 AS is_new FROM withdrawals WHERE account_id = ?1 AND id > ?4 AND id <= ?2`
    : '';
  return {
    text: `
      SELECT count(*) FILTER (WHERE is_new) AS withdrawals, json_group_array(json_object(
          'accountId', account_id, 'withdrawal', id, 'used', used, 'limit', allowed)) FILTER (WHERE broken) AS examples
      FROM (
        SELECT *, CAST(high * 4294967296 + low AS TEXT) AS used, CAST(most AS TEXT) AS allowed,
          has_new AND status <> 'FAILED' AND high * 4294967296 + low > most AS broken
        FROM (
          SELECT account_id, id, status, is_new, max(is_new) OVER day AS has_new,
            sum(iif(status = 'FAILED', 0, usd_value / 4294967296)) OVER day AS high,
            sum(iif(status = 'FAILED', 0, usd_value % 4294967296)) OVER day AS low,
            max(iif(status = 'FAILED', 0, daily_limit)) OVER (
              PARTITION BY account_id ORDER BY committed_at
              RANGE BETWEEN ${CLOCK_SKEW_MS - 1} PRECEDING AND CURRENT ROW) AS most
          FROM (SELECT *, 1 AS is_new FROM ${text} ${before})
          WINDOW day AS (
            PARTITION BY account_id ORDER BY committed_at
            RANGE BETWEEN ${DAY_MS - 1} PRECEDING AND CURRENT ROW)))`,
    values: isPart ? [...values, from] : values,
  };
}

/** The row of `composeLimits`. */
export interface LimitsRow {
  readonly withdrawals: number;
  readonly examples: string;
}

import { lowestRecordId, timeOfRecord } from '../db/record-id.ts';
import { networks } from '../money/networks.ts';
import { type AccountRange, type Range, type Statement, composeOnce, selectRange } from './statement.ts';

/** How many rows were checked, and a JSON array of those that break an invariant. */
interface CheckedRow {
  readonly checked: number;
  readonly examples: string;
}

const DAY_MS = 86_400_000;

/**
 * By how much the clocks of two lanes may differ: two withdrawals may be written in the other order than their times.
 */
const CLOCK_SKEW_MS = 60_000;

/**
 * For each withdrawal, compares the sum of its account's withdrawals in the 24 hours before it with the daily limit of
 * that time. The withdrawal's row has that limit, because the account's may have changed since. A withdrawal that fails
 * later lowers the sum, so a sum that was within the limit stays within it.
 *
 * An id is at most a day older than its commit. So all rows of one window have ids of at most 48 hours, though not always
 * in the order of their commits. A part of an account is therefore read together with the 48 hours of ids before it: then
 * every window is complete in the part that has its highest id.
 */
export function composeLimits(range: Range): Statement<CheckedRow> {
  const { text, values } = selectRange('withdrawals', range);
  const isPart = 'rows' in range;
  const from = isPart && range.after !== '' ? lowestRecordId(timeOfRecord(range.after) - 2 * DAY_MS) : '';
  const before = isPart
    ? `UNION ALL SELECT *, 0 AS is_new FROM withdrawals WHERE account_id = ?1 AND id > ?4 AND id <= ?2`
    : '';
  const compose = () => `
      SELECT count(*) FILTER (WHERE is_new) AS checked, json_group_array(json_object(
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
            RANGE BETWEEN ${DAY_MS - 1} PRECEDING AND CURRENT ROW)))`;
  return {
    text: composeOnce(isPart ? 'limits of a part' : 'limits', compose),
    values: isPart ? [...values, from] : values,
  };
}

/** As literals: SQLite then looks an address up in the index once for each network. */
const everyNetwork = networks.map((network) => `'${network}'`).join(', ');

/**
 * Finds addresses that also belong to another account, on any network. The unique index on (network, address) does not
 * see this: an account has the same address on all EVM networks.
 */
export function composeAddresses({ from, before }: AccountRange): Statement<CheckedRow> {
  return { text: composeOnce('addresses', selectAddresses), values: [from, before] };
}

/** An account has the same address on several networks; it is looked up once. */
function selectAddresses(): string {
  return `
    SELECT coalesce(sum(given), 0) AS checked, json_group_array(json_object(
        'address', address, 'networks', networks, 'accountId', account_id, 'other', other))
        FILTER (WHERE other IS NOT NULL) AS examples
    FROM (
      SELECT account_id, group_concat(network, ' ') AS networks, address, count(*) AS given,
        (SELECT o.account_id FROM addresses AS o
          WHERE o.network IN (${everyNetwork}) AND o.address = a.address AND o.account_id <> a.account_id LIMIT 1) AS other
      FROM addresses AS a WHERE account_id >= ?1 AND account_id < ?2 GROUP BY account_id, address)`;
}

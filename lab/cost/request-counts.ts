import type { active_ms, cpu_us } from './measured-times.ts';

export interface Counts {
  readonly workerRequests: number;
  /** Calls of key lanes, of the ledger's gate, of its keeper and of the price hub, their alarms among them. */
  readonly objectCalls: number;
  readonly objectRowsRead: number;
  /** Rows, values, alarms that are set, and what is deleted later. */
  readonly objectRowsWritten: number;
  readonly databaseRowsRead: number;
  readonly databaseRowsWritten: number;
  /** Lines in the exchange's log. The platform adds an event for each request and each call. */
  readonly logLines: number;
}

export interface CountedRequests {
  /** How many requests are counted together. Their total is divided by this number. */
  readonly requests: number;
  readonly counts: Counts;
  /** The measured times that apply to each of them. */
  readonly active: keyof typeof active_ms;
  readonly cpu: keyof typeof cpu_us;
}

/** How many orders are counted together to find what the reconciliation costs for one. */
export const CHECKED_ORDERS = 4_000;

/** The members of `Counts`, in their order. */
type Row = readonly [number, number, number, number, number, number, number];

function count(requests: number, row: Row, active: CountedRequests['active'], cpu: CountedRequests['cpu']) {
  const [workerRequests, objectCalls, objectRowsRead, objectRowsWritten, databaseRowsRead, databaseRowsWritten] = row;
  const objects = { objectCalls, objectRowsRead, objectRowsWritten };
  const counts: Counts = { workerRequests, ...objects, databaseRowsRead, databaseRowsWritten, logLines: row[6] };
  return { requests, counts, active, cpu } satisfies CountedRequests;
}

/**
 * What each kind of request costs. The test of the cost model counts every number here in the real D1, lane and hub,
 * and fails when this table differs.
 *
 * A key that polls reads every 9 s or faster, so its object stays awake and writes one row for ten reads. A key that
 * reads less often writes a row for each. Every order is a call of the gate, which holds the settings, and one of the hub
 * for its price. The only order in the whole exchange pays alone for the alarm that deletes its Idempotency-Key. The
 * settings that the gate fetches in the background depend on the clock and not on orders, and have a row of their own. A
 * change that may be told has the keeper look for webhook endpoints that are behind; changes within a tenth of a second
 * share a look, which has a row as well. The reconciliation reads rows for each order, and writes none. Its object stores a link of the history for 2,500 orders,
 * and runs for some minutes an hour at most, however many requests there were.
 */
export const requestCounts = {
  'order, one of twenty that a key places in a day': count(20, [20, 61, 43, 82, 584, 140, 60], 'write', 'write'),
  'order, alone in its day': count(1, [1, 4, 7, 6, 33, 7, 3], 'write', 'write'),
  'order, replayed': count(1, [1, 1, 1, 1, 0, 0, 1], 'replay', 'read'),
  'withdrawal of USDT, alone in its day': count(1, [1, 4, 7, 5, 48, 14, 4], 'payout', 'write'),
  'balances, of a key that polls': count(10, [10, 10, 0, 1, 100, 0, 10], 'read', 'read'),
  'page of 50 orders, of a key that polls': count(10, [10, 10, 0, 1, 510, 0, 10], 'read', 'read'),
  'tickers in the edge cache, of a key that polls': count(10, [10, 10, 0, 1, 0, 0, 10], 'read', 'cached'),
  'balances, of a key that reads alone': count(1, [1, 1, 2, 1, 10, 0, 1], 'read', 'read'),
  'tickers in the edge cache, without a key': count(1, [1, 0, 0, 0, 0, 0, 1], 'none', 'cached'),
  'tickers not in the edge cache': count(1, [1, 1, 0, 0, 0, 0, 1], 'read', 'read'),
  'forged key': count(1, [1, 0, 0, 0, 0, 0, 1], 'none', 'cached'),
  'credit by the operator': count(1, [1, 1, 0, 0, 24, 7, 2], 'none', 'write'),
  'deposit that custody reports': count(1, [1, 2, 0, 0, 29, 9, 2], 'read', 'write'),
  'order, checked as it is new and in the first pass over it': count(
    CHECKED_ORDERS,
    [0, 0, 82, 33, 116_500, 0, 1],
    'none',
    'none',
  ),
  'order, checked in each later pass': count(CHECKED_ORDERS, [0, 0, 70, 0, 34_900, 0, 0], 'none', 'none'),
  'settings beside orders, every 2 s while anyone trades': count(1, [0, 0, 0, 0, 1, 0, 0], 'awake', 'none'),
  'round of prices, every 8 s while anyone asks': count(1, [0, 1, 0, 2, 0, 0, 0], 'round', 'none'),
  'event of an account that listens, written beside what it tells and deleted later': count(
    1,
    [0, 0, 0, 0, 5, 2, 0],
    'none',
    'none',
  ),
  'events when there are none, of a key that polls': count(10, [10, 10, 0, 1, 40, 0, 10], 'read', 'read'),
  'look for endpoints that are behind after a change, for each endpoint': count(
    1,
    [0, 0, 0, 0, 2, 0, 0],
    'none',
    'none',
  ),
  'event, delivered to an endpoint with nineteen others': count(20, [0, 2, 84, 41, 96, 1, 0], 'delivery', 'none'),
  'event, delivered to an endpoint alone': count(1, [0, 2, 8, 3, 21, 1, 0], 'delivery', 'none'),
};

export type RequestName = keyof typeof requestCounts;

/**
 * What an exchange costs that nobody uses, in an hour: each minute the schedule wakes the keeper of every ledger, and one
 * pass is in it. `test/performance/idle-cost.test.ts` counts it.
 */
export const idleHours = {
  'one ledger': count(1, [60, 120, 200, 300, 7124, 0, 0], 'hour', 'hour'),
  'three ledgers': count(1, [60, 360, 600, 780, 36_732, 0, 0], 'hourOfThree', 'hour'),
};

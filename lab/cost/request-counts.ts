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

const nothing: Counts = {
  workerRequests: 0,
  objectCalls: 0,
  objectRowsRead: 0,
  objectRowsWritten: 0,
  databaseRowsRead: 0,
  databaseRowsWritten: 0,
  logLines: 0,
};

/** How many orders are counted together to find what the reconciliation costs for one. */
export const CHECKED_ORDERS = 4_000;

/** Requests that the Worker refuses before the lane, or answers from the edge cache. */
const atEdge: Counts = { ...nothing, workerRequests: 1, logLines: 1 };

/**
 * What each kind of request costs. The test of the cost model counts every number here in the real D1, lane and hub,
 * and fails when this table differs.
 *
 * A key that polls reads every 9 s or faster, so its object stays awake and writes one row for ten reads. A key that
 * reads less often writes a row for each. Every order is a call of the gate, which holds prices and settings. Of twenty
 * orders in a row only the first makes the gate ask the hub. The only order in the whole exchange pays for this alone,
 * for a round of prices, and for the alarm that deletes its Idempotency-Key. What the gate fetches in the background
 * depends on the clock and not on orders, and has a row of its own. A change that may be told has the keeper look for
 * webhook endpoints that are behind; changes within a tenth of a second share a look, which has a row as well. The
 * reconciliation reads rows for each order, and writes none. Its object stores a link of the history for 2,500 orders,
 * and runs for some minutes an hour at most, however many requests there were.
 */
export const requestCounts = {
  'order, one of twenty that a key places in a day': {
    requests: 20,
    counts: {
      workerRequests: 20,
      objectCalls: 42,
      objectRowsRead: 43,
      objectRowsWritten: 82,
      databaseRowsRead: 584,
      databaseRowsWritten: 140,
      logLines: 60,
    },
    active: 'write',
    cpu: 'write',
  },
  'order, alone in its day': {
    requests: 1,
    counts: {
      workerRequests: 1,
      objectCalls: 4,
      objectRowsRead: 7,
      objectRowsWritten: 6,
      databaseRowsRead: 33,
      databaseRowsWritten: 7,
      logLines: 3,
    },
    active: 'write',
    cpu: 'write',
  },
  'order, replayed': {
    requests: 1,
    counts: { ...atEdge, objectCalls: 1, objectRowsRead: 1, objectRowsWritten: 1 },
    active: 'replay',
    cpu: 'read',
  },
  'withdrawal of USDT, alone in its day': {
    requests: 1,
    counts: {
      workerRequests: 1,
      objectCalls: 3,
      objectRowsRead: 7,
      objectRowsWritten: 5,
      databaseRowsRead: 48,
      databaseRowsWritten: 14,
      logLines: 4,
    },
    active: 'payout',
    cpu: 'write',
  },
  'balances, of a key that polls': {
    requests: 10,
    counts: {
      ...nothing,
      workerRequests: 10,
      objectCalls: 10,
      objectRowsWritten: 1,
      databaseRowsRead: 100,
      logLines: 10,
    },
    active: 'read',
    cpu: 'read',
  },
  'page of 50 orders, of a key that polls': {
    requests: 10,
    counts: {
      ...nothing,
      workerRequests: 10,
      objectCalls: 10,
      objectRowsWritten: 1,
      databaseRowsRead: 510,
      logLines: 10,
    },
    active: 'read',
    cpu: 'read',
  },
  'tickers in the edge cache, of a key that polls': {
    requests: 10,
    counts: { ...nothing, workerRequests: 10, objectCalls: 10, objectRowsWritten: 1, logLines: 10 },
    active: 'read',
    cpu: 'cached',
  },
  'balances, of a key that reads alone': {
    requests: 1,
    counts: { ...atEdge, objectCalls: 1, objectRowsRead: 2, objectRowsWritten: 1, databaseRowsRead: 10 },
    active: 'read',
    cpu: 'read',
  },
  'tickers in the edge cache, without a key': { requests: 1, counts: atEdge, active: 'none', cpu: 'cached' },
  'tickers not in the edge cache': {
    requests: 1,
    counts: { ...atEdge, objectCalls: 1 },
    active: 'read',
    cpu: 'read',
  },
  'forged key': { requests: 1, counts: atEdge, active: 'none', cpu: 'cached' },
  'credit by the operator': {
    requests: 1,
    counts: { ...atEdge, objectCalls: 1, databaseRowsRead: 21, databaseRowsWritten: 7, logLines: 2 },
    active: 'none',
    cpu: 'write',
  },
  'deposit that custody reports': {
    requests: 1,
    counts: { ...atEdge, objectCalls: 2, databaseRowsRead: 26, databaseRowsWritten: 9, logLines: 2 },
    active: 'read',
    cpu: 'write',
  },
  'order, checked as it is new and in the first pass over it': {
    requests: CHECKED_ORDERS,
    counts: { ...nothing, objectRowsRead: 18, objectRowsWritten: 17, databaseRowsRead: 92_200, logLines: 1 },
    active: 'none',
    cpu: 'none',
  },
  'order, checked in each later pass': {
    requests: CHECKED_ORDERS,
    counts: { ...nothing, objectRowsRead: 6, databaseRowsRead: 34_900 },
    active: 'none',
    cpu: 'none',
  },
  'prices and settings beside orders, every 2 s while anyone trades': {
    requests: 1,
    counts: { ...nothing, objectCalls: 4, databaseRowsRead: 1 },
    active: 'awake',
    cpu: 'none',
  },
  'round of prices, every 8 s while anyone asks': {
    requests: 1,
    counts: { ...nothing, objectCalls: 1, objectRowsWritten: 1 },
    active: 'round',
    cpu: 'none',
  },
  'event of an account that listens, written beside what it tells and deleted later': {
    requests: 1,
    counts: { ...nothing, databaseRowsRead: 5, databaseRowsWritten: 2 },
    active: 'none',
    cpu: 'none',
  },
  'events when there are none, of a key that polls': {
    requests: 10,
    counts: {
      ...nothing,
      workerRequests: 10,
      objectCalls: 10,
      objectRowsWritten: 1,
      databaseRowsRead: 40,
      logLines: 10,
    },
    active: 'read',
    cpu: 'read',
  },
  'look for endpoints that are behind after a change, for each endpoint': {
    requests: 1,
    counts: { ...nothing, databaseRowsRead: 1 },
    active: 'none',
    cpu: 'none',
  },
  'event, delivered to an endpoint with nineteen others': {
    requests: 20,
    counts: {
      ...nothing,
      objectCalls: 2,
      objectRowsRead: 84,
      objectRowsWritten: 41,
      databaseRowsRead: 94,
      databaseRowsWritten: 1,
    },
    active: 'delivery',
    cpu: 'none',
  },
  'event, delivered to an endpoint alone': {
    requests: 1,
    counts: {
      ...nothing,
      objectCalls: 2,
      objectRowsRead: 8,
      objectRowsWritten: 3,
      databaseRowsRead: 19,
      databaseRowsWritten: 1,
    },
    active: 'delivery',
    cpu: 'none',
  },
} as const satisfies Record<string, CountedRequests>;

export type RequestName = keyof typeof requestCounts;

/**
 * What an exchange costs that nobody uses, in an hour: each minute the schedule wakes the keeper of every ledger, and one
 * pass is in it. `test/performance/idle-cost.test.ts` counts it.
 */
export const idleHours = {
  'one ledger': {
    requests: 1,
    counts: {
      ...nothing,
      workerRequests: 60,
      objectCalls: 120,
      objectRowsRead: 200,
      objectRowsWritten: 300,
      databaseRowsRead: 6_247,
    },
    active: 'hour',
    cpu: 'hour',
  },
  'three ledgers': {
    requests: 1,
    counts: {
      ...nothing,
      workerRequests: 60,
      objectCalls: 360,
      objectRowsRead: 600,
      objectRowsWritten: 780,
      databaseRowsRead: 34_101,
    },
    active: 'hourOfThree',
    cpu: 'hour',
  },
} as const satisfies Record<string, CountedRequests>;

import { LATE_WRITE_PAUSE_MS } from '../../src/platform/turns.ts';

/**
 * Microseconds of CPU for each request, rounded up to half a millisecond from the output of `npm run cost --
 * --measure`. That command sends requests to the deployed bundle and reads the CPU time of the runtime, which includes
 * the shares of D1 and of the objects, although these are not billed.
 */
export const cpu_us = { none: 0, cached: 1_500, read: 2_500, write: 3_000, hour: 60 * 1_500 } as const;

/** How long an order waits for its price in the mean, as `npm run arbitrage` measures it with streams of 50 to 170 ms. */
const PRICE_WAIT_MS = 330;

/**
 * Milliseconds that objects run for each request. They are estimates, rounded up, because a lane waits for D1, which
 * may be far away. A read takes no time. An order is one round trip to D1: the platform says that a write takes
 * "several milliseconds" ("FAQs" of D1), and the distance is estimated at some tens of milliseconds. A withdrawal is
 * three round trips, plus the time of its custodian, estimated at a second. After each of them the object stays awake
 * until its late writes are made. A round of prices takes as long as the slower venues. The gate and the
 * hub are both awake while anyone trades, since their timers let neither sleep. A keeper runs for a second each minute. A delivery takes as long as its receiver, which is estimated at a fifth of a second.
 */
export const active_ms = {
  none: 0,
  read: 1,
  replay: 1 + LATE_WRITE_PAUSE_MS,
  write: 50 + PRICE_WAIT_MS + LATE_WRITE_PAUSE_MS,
  payout: 1_200 + LATE_WRITE_PAUSE_MS,
  round: 500,
  awake: 2 * 2_000,
  hour: 60 * 1_000,
  hourOfThree: 3 * 60 * 1_000,
  delivery: 200,
} as const;

/** Bytes of one log event: the exchange's own line, and as much again for what the platform adds. */
export const logEvent_bytes = 800;

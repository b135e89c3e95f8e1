import { LATE_WRITE_PAUSE_MS } from '../../src/lane/late-writes.ts';

/**
 * Microseconds of CPU for each request, rounded up to half a millisecond from what `npm run cost -- --measure` prints:
 * it sends requests to the deployed bundle and reads the CPU time of the runtime. That includes the shares of D1 and of
 * the objects, which are not billed.
 */
export const cpu_us = { none: 0, cached: 1_500, read: 2_500, write: 3_000 } as const;

/**
 * Milliseconds that objects run for each request. They cannot be measured here, since a lane waits for D1, which may be
 * far away, so they are estimates, rounded up. A read takes no time. An order is one round trip to D1; the platform
 * says that a write takes "several milliseconds" ("FAQs" of D1), and the way there is taken for some tens. A withdrawal
 * is three, and as long as its custodian takes: a second. After each of them the object stays awake until its late
 * writes are made. A round of prices lasts as long as the slower venues. While anyone trades the gate is awake.
 */
export const active_ms = {
  none: 0,
  read: 1,
  replay: 1 + LATE_WRITE_PAUSE_MS,
  write: 50 + LATE_WRITE_PAUSE_MS,
  payout: 1_200 + LATE_WRITE_PAUSE_MS,
  round: 500,
  awake: 2_000,
} as const;

/** Bytes of one log event: the exchange's own line, and as much again for what the platform adds. */
export const logEvent_bytes = 800;

import { z } from 'zod';

/**
 * When the gates of several ledgers fill at a round of prices: from the first time to before the second. No moment is in
 * the windows of two rounds, so all gates go over to the next round together. A window may be empty.
 */
export const RoundWindow = z.object({ from_ms: z.number(), until_ms: z.number() }).readonly();

export type RoundWindow = z.output<typeof RoundWindow>;

/**
 * How long a round may be filled at after it ended. While orders come, a round begins every second, so each is known to
 * the gates about 0.3 s before the one before it is over. With the time that venues had to answer it stays below 2 s.
 */
export const HOLD_MS = 1_300;

/**
 * The window of a round that ended at `taken_ms`, after that of the round before. One that lies too far ahead was made
 * before the clock went back, and does not count.
 */
export function windowAfter(before: RoundWindow, taken_ms: number): RoundWindow {
  const until_ms = taken_ms + HOLD_MS;
  const isAhead = before.until_ms > until_ms;
  return { from_ms: isAhead ? taken_ms : Math.max(taken_ms, before.until_ms), until_ms };
}

export function isInWindow({ from_ms, until_ms }: RoundWindow, now_ms: number): boolean {
  return from_ms <= now_ms && now_ms < until_ms;
}

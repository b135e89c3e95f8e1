/**
 * Attempts that bring a receiver no news: of events that are sent again because somebody asked for it, and tests. They
 * are bounded, because an address may be that of a host which never asked for them. So many are there at first and at
 * most, and one more comes each second.
 */
const AT_FIRST = 10;
const AT_MOST = 60;
const SECOND_MS = 1_000;

/** Where none is left, so many come together before the next. */
const TOGETHER = 10;

/** How many attempts are left, as of a time. */
export interface ExtraAttempts {
  readonly count: number;
  readonly at_ms: number;
}

/** Those of a new endpoint: few, so that nobody gains by making endpoints again and again. */
export function beginExtraAttempts(now_ms: number): ExtraAttempts {
  return { count: AT_FIRST, at_ms: now_ms };
}

/** Takes an attempt, or says for how long to wait where none is left. Pure. */
export function takeExtraAttempt(
  { count, at_ms }: ExtraAttempts,
  now_ms: number,
): { readonly left: ExtraAttempts; readonly pause_ms: number } {
  const come = Math.max(0, Math.floor((now_ms - at_ms) / SECOND_MS));
  const left = { count: Math.min(AT_MOST, count + come), at_ms: at_ms + come * SECOND_MS };
  if (left.count === 0) return { left, pause_ms: TOGETHER * SECOND_MS };
  return { left: { ...left, count: left.count - 1 }, pause_ms: 0 };
}

/**
 * Whether something happened at most this long ago. A time in the future was recorded before the clock went back, and
 * counts as no, like a time that is not known. Pure.
 */
export function isRecent(age_ms: number, time_ms: number | undefined, now_ms: number): boolean {
  return time_ms !== undefined && time_ms <= now_ms && now_ms - time_ms <= age_ms;
}

/**
 * Does `work`, or rejects with a `TimeoutError` after `deadline_ms`. The signal aborts then, but the work may ignore
 * it; its later result is ignored.
 */
export async function withDeadline<T>(deadline_ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  // Not AbortSignal.timeout: that timer cannot be cleared, and keeps an idle object busy.
  const timer = setTimeout(() => {
    const fault = new DOMException(`took longer than ${deadline_ms} ms`, 'TimeoutError');
    controller.abort(fault);
    late.reject(fault);
  }, deadline_ms);
  try {
    return await Promise.race([work(controller.signal), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Whether something happened at most this long ago. A time in the future was recorded before the clock went back, and
 * counts as no, like a time that is not known. Pure.
 */
export function isRecent(age_ms: number, time_ms: number | undefined, now_ms: number): boolean {
  return time_ms !== undefined && time_ms <= now_ms && now_ms - time_ms <= age_ms;
}

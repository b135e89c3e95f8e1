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

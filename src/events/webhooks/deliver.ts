import { withDeadline } from '../../platform/deadline.ts';
import { readRetryAfter } from './schedule.ts';
import { signMessage } from './sign-delivery.ts';

/** The time for one attempt, until the receiver's status has arrived. */
const ATTEMPT_MS = 15_000;

/** What is sent: an event with its id, as JSON. */
export interface Parcel {
  readonly id: string;
  readonly body: string;
}

/** How one attempt ended. */
export interface Attempt {
  /** The receiver's status; `null` when none came. */
  readonly status: number | null;
  readonly duration_ms: number;
  /** What `Retry-After` asked for; 0 without it. */
  readonly retryAfter_ms: number;
  /** Why no status came. */
  readonly fault: 'timed_out' | 'unreachable' | null;
}

/** Whether the receiver has taken it: any 2xx. A redirect is not followed, and is a failure. */
export function isTaken({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

/**
 * Whether the receiver refused the event itself. A 408, 410, 425 or 429 says something about the endpoint instead, as
 * every 5xx does.
 */
export function isRefused({ status }: Attempt): boolean {
  return status !== null && status >= 400 && status < 500 && ![408, 410, 425, 429].includes(status);
}

/** Sends a parcel once, signed by each secret. Only the status of the answer is read. Never throws for a receiver. */
export async function deliver(
  url: string,
  { id, body }: Parcel,
  secrets: readonly string[],
  now: () => number,
): Promise<Attempt> {
  const began_ms = now();
  const signed = await signMessage({ id, timestamp_s: Math.floor(began_ms / 1_000), body }, secrets);
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Bureau-Webhooks/1', ...signed };
  try {
    const response = await withDeadline(ATTEMPT_MS, (signal) =>
      fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }),
    );
    const { status } = response;
    const retryAfter_ms = readRetryAfter(response.headers.get('Retry-After'), now());
    // Whatever the receiver goes on to send is not read.
    response.body?.cancel().catch(() => undefined);
    return { status, duration_ms: now() - began_ms, retryAfter_ms, fault: null };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    const fault = isLate ? 'timed_out' : 'unreachable';
    return { status: null, duration_ms: now() - began_ms, retryAfter_ms: 0, fault };
  }
}

import { withDeadline } from '../../platform/deadline.ts';
import type { Event } from '../event.ts';
import type { OperatorEvent } from '../operator-event.ts';
import { readRetryAfter } from './schedule.ts';
import { signMessage } from './sign-delivery.ts';

/** The time for one attempt, until the receiver's status has arrived. */
const ATTEMPT_MS = 15_000;

/** How many characters are kept of an answer, of four bytes at most, and how long they are waited for within that time. */
const ANSWER_LENGTH = 200;
const ANSWER_MS = 1_000;

/** What is sent: an event of an account, or of the operator. */
export type SentEvent = Event | OperatorEvent;

/** How one attempt ended. */
export interface Attempt {
  /** The receiver's status; `null` when none came. */
  readonly status: number | null;
  readonly duration_ms: number;
  /** What `Retry-After` asked for; 0 without it. */
  readonly retryAfter_ms: number;
  /** Why no status came. */
  readonly fault: 'timed_out' | 'unreachable' | null;
  /** How a body began that came without having taken the event: a line of somebody else's text. */
  readonly answer: string | null;
}

/** Whether the receiver has taken it: any 2xx. A redirect is not followed, and is a failure. */
export function isTaken({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/**
 * Whether the receiver refused the event itself. A 408, 410, 425 or 429 says something about the endpoint instead, as
 * every 5xx does.
 */
export function isRefused({ status }: Attempt): boolean {
  return status !== null && status >= 400 && status < 500 && ![408, 410, 425, 429].includes(status);
}

/**
 * Sends an event once, signed by each secret. Of the answer its status is read, and the beginning of a failure's body.
 * Never throws for a receiver.
 */
export async function deliver(
  url: string,
  event: SentEvent,
  secrets: readonly string[],
  now: () => number,
): Promise<Attempt> {
  const began_ms = now();
  const body = JSON.stringify(event);
  const signed = await signMessage({ id: event.id, timestamp_s: Math.floor(began_ms / 1_000), body }, secrets);
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'Bureau-Webhooks/1', ...signed };
  try {
    const response = await withDeadline(ATTEMPT_MS, (signal) =>
      fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }),
    );
    const { status } = response;
    const retryAfter_ms = readRetryAfter(response.headers.get('Retry-After'), now());
    const duration_ms = now() - began_ms;
    const reader = response.body?.getReader();
    const left_ms = Math.min(ANSWER_MS, ATTEMPT_MS - duration_ms);
    const answer = reader && !isTaken({ status }) ? await readBeginning(reader, left_ms) : null;
    // Whatever the receiver goes on to send is not read.
    reader?.cancel().catch(() => undefined);
    return { status, duration_ms, retryAfter_ms, fault: null, answer };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    const fault = isLate ? 'timed_out' : 'unreachable';
    return { status: null, duration_ms: now() - began_ms, retryAfter_ms: 0, fault, answer: null };
  }
}

/** How a body begins, as far as it comes in time: one line without control characters, or `null` where it says nothing. */
async function readBeginning(reader: ReadableStreamDefaultReader<Uint8Array>, wait_ms: number): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  const read = async () => {
    for (let left = 4 * ANSWER_LENGTH; left > 0;) {
      const { value } = await reader.read();
      if (!value) return;
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.length;
    }
  };
  // Where it hangs or breaks off, what came so far is the answer.
  await withDeadline(wait_ms, read).catch(() => undefined);
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ');
  return Array.from(line).slice(0, ANSWER_LENGTH).join('').trim() || null;
}

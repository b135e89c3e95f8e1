import { type AttemptOutcome, type Fetch, type ReadyRequest, attempt } from './attempt.ts';
import type { Clock } from './clock.ts';
import { BureauConnectionError, type CallDetails } from './errors.ts';
import { type RetryLimits, waitBeforeRetry } from './retry.ts';

/** The exchange's address, the key, and the functions that a call uses. */
export interface Connection extends RetryLimits {
  readonly origin: string;
  readonly apiKey: string | undefined;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Returns a random number from 0 to below 1, as `Math.random` does. */
  readonly random: () => number;
  /** Makes an Idempotency-Key: unique, 1 to 255 visible ASCII characters. */
  readonly createKey: () => string;
}

export interface CallOptions extends Partial<RetryLimits> {
  /** Ends the call, also while it waits. It then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The input of any operation. */
export interface CallInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly header?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** The last answer of the exchange, and how often the request was sent. */
export interface CallResult extends CallDetails {
  readonly outcome: Exclude<AttemptOutcome, { kind: 'lost' }>;
}

/**
 * Sends a request until it has a final answer. It is sent again, with the same Idempotency-Key, when no answer arrived
 * or the refusal is `retryable`, within the limits of attempts and time, and never before `Retry-After`. Returns the
 * answer or the last refusal. Rejects with a `BureauConnectionError` when the last attempt got no answer from the
 * exchange, or with the reason of the caller's signal.
 */
export async function call(
  connection: Connection,
  method: string,
  path: string,
  input: CallInput = {},
  options: CallOptions = {},
): Promise<CallResult> {
  const { fetch, clock, random } = connection;
  const limits: RetryLimits = { ...connection, ...pickDefined(options) };
  const request = prepareRequest(connection, method, path, input);
  const idempotencyKey = request.headers.get('Idempotency-Key') ?? undefined;
  const end = clock.now() + limits.totalMs;
  for (let attempts = 1; ; attempts += 1) {
    const timeoutMs = Math.min(limits.timeoutMs, end - clock.now());
    const outcome = await attempt(request, { fetch, clock, timeoutMs, signal: options.signal });
    const details = { attempts, idempotencyKey };
    const headers = outcome.kind === 'lost' ? outcome.headers : outcome.answer.headers;
    const wait = waitBeforeRetry(attempts, headers, random);
    if (!mayImprove(outcome) || attempts >= limits.attempts || clock.now() + wait >= end) {
      if (outcome.kind !== 'lost') return { outcome, ...details };
      throw new BureauConnectionError(`${method} ${path}: ${outcome.fault.message}`, {
        ...details,
        cause: outcome.fault,
      });
    }
    await clock.sleep(wait, options.signal);
  }
}

/** Whether the same request may succeed later. */
function mayImprove(outcome: AttemptOutcome): boolean {
  if (outcome.kind === 'answered') return false;
  return outcome.kind === 'refused' ? outcome.problem.retryable : !outcome.isFinal;
}

function prepareRequest(connection: Connection, method: string, path: string, input: CallInput): ReadyRequest {
  const { path: places = {}, query = {}, header = {}, body } = input;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(places[name] ?? ''));
  const url = new URL(filled, connection.origin);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const headers = new Headers();
  for (const [name, value] of Object.entries(header)) if (value !== undefined) headers.set(name, value);
  if (connection.apiKey !== undefined) headers.set('Authorization', `Bearer ${connection.apiKey}`);
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  // All attempts of a call have one key, so the request takes effect once.
  if (method === 'post' && !headers.has('Idempotency-Key')) headers.set('Idempotency-Key', connection.createKey());
  return {
    url: url.href,
    method: method.toUpperCase(),
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** The members that are not `undefined`, so that `undefined` leaves a default unchanged. */
export function pickDefined<T extends object>(options: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const defined = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

import type { Clock } from './clock.ts';
import type { Problem } from './operations.ts';

/** A request that is ready to be sent, any number of times with the same bytes. */
export interface ReadyRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** How one attempt ended. */
export type AttemptOutcome =
  | { readonly kind: 'answered'; readonly answer: ExchangeAnswer }
  | { readonly kind: 'refused'; readonly answer: ExchangeAnswer; readonly problem: Problem }
  /** No answer from the exchange. `isFinal`: another attempt would end in the same way. */
  | { readonly kind: 'lost'; readonly fault: Error; readonly isFinal: boolean; readonly headers?: Headers };

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What an attempt works with. */
export interface AttemptMeans {
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Sends a request once and reads the whole answer, for at most `timeoutMs`, even if `fetch` ignores its signal. Rejects
 * only when the caller's signal aborts, with the signal's reason.
 */
export async function attempt(request: ReadyRequest, means: AttemptMeans): Promise<AttemptOutcome> {
  const { signal, clock, timeoutMs } = means;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error));
  });
  const relay = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', relay, { once: true });
  const done = new AbortController();
  clock.sleep(timeoutMs, done.signal).then(
    () => controller.abort(new DOMException(`no answer within ${Math.round(timeoutMs)} ms`, 'TimeoutError')),
    () => undefined,
  );
  try {
    return await Promise.race([exchangeWords(request, means.fetch, controller.signal), stopped]);
  } catch (error) {
    signal?.throwIfAborted();
    return { kind: 'lost', fault: error instanceof Error ? error : new Error(String(error)), isFinal: false };
  } finally {
    done.abort();
    signal?.removeEventListener('abort', relay);
  }
}

async function exchangeWords(request: ReadyRequest, fetch: Fetch, signal: AbortSignal): Promise<AttemptOutcome> {
  const { url, method, headers, body } = request;
  // The exchange never redirects. Following a redirect could send a POST elsewhere, or as a GET.
  const init: RequestInit = { method, headers, redirect: 'manual', signal, ...(body !== undefined && { body }) };
  const response = await fetch(url, init);
  return readOutcome(response, await response.text());
}

/** Distinguishes an answer of the exchange from one of a proxy or gateway in front of it. */
function readOutcome({ status, ok, headers }: Response, text: string): AttemptOutcome {
  const body = parseJson(text);
  if (ok || status === 304) {
    if (body === undefined && text !== '') return lose('an answer that is no JSON', false, headers);
    return { kind: 'answered', answer: { status, headers, body } };
  }
  if (isProblem(body)) return { kind: 'refused', answer: { status, headers, body }, problem: body };
  return lose(`an answer of status ${status} that is no problem+json`, status !== 429 && status < 500, headers);
}

function lose(message: string, isFinal: boolean, headers: Headers): AttemptOutcome {
  return { kind: 'lost', fault: new Error(message), isFinal, headers };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false;
  const { code, retryable } = body as Partial<Problem>;
  return typeof code === 'string' && typeof retryable === 'boolean';
}

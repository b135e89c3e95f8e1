import { readText } from '../../../src/platform/read-text.ts';

/** How long a venue may take to answer an order, and any other question. */
export const PLACE_MS = 10_000;
export const QUESTION_MS = 3_000;

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** How long a venue is left alone that refuses requests for their number without saying for how long. */
const USUAL_PAUSE_MS = 15_000;
const BAN_PAUSE_MS = 120_000;

export interface VenueRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeout_ms?: number;
}

export interface VenueAnswer {
  readonly status: number;
  /** The JSON of the body with every number as text, `undefined` when it is none. */
  readonly json: unknown;
}

/** A request that was not sent, because the venue has asked to be left alone. */
export class PausedError extends Error {}

export type Ask = (request: VenueRequest) => Promise<VenueAnswer>;

/** Parses JSON with every number as the text that stands there, since ids and amounts pass 2^53. */
export function parseExactly(text: string): unknown {
  const asText = ((_key: string, value: unknown, context: { source?: string }) =>
    typeof value === 'number' ? context.source : value) as (key: string, value: unknown) => unknown;
  try {
    return JSON.parse(text, asText);
  } catch {
    return undefined;
  }
}

/** Sends requests to one venue. After 429 and 418 it sends none until the venue's time is over. */
export class Asker {
  readonly #url: string;
  readonly #now: () => number;
  #pausedUntil_ms = 0;

  constructor(url: string, now: () => number) {
    this.#url = url.replace(/\/+$/, '');
    this.#now = now;
  }

  /** Sends nothing for this long. */
  pause(pause_ms = USUAL_PAUSE_MS): void {
    this.#pausedUntil_ms = Math.max(this.#pausedUntil_ms, this.#now() + pause_ms);
  }

  /** Rejects without a complete answer in time; with a `PausedError` when nothing was sent. */
  readonly ask: Ask = async ({ method, path, headers = {}, body, timeout_ms = QUESTION_MS }) => {
    const left_ms = this.#pausedUntil_ms - this.#now();
    if (left_ms > 0) throw new PausedError(`the venue wants no requests for ${Math.ceil(left_ms / 1_000)} s`);
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(timeout_ms),
      redirect: 'manual',
    });
    const { status } = response;
    if (status === 429 || status === 418) {
      const after = response.headers.get('Retry-After') ?? '';
      const usual_ms = status === 418 ? BAN_PAUSE_MS : USUAL_PAUSE_MS;
      this.pause(/^\d{1,7}$/.test(after) ? Number(after) * 1_000 : usual_ms);
    }
    const text = await readText(response, MAX_ANSWER_BYTES);
    return { status, json: text === undefined ? undefined : parseExactly(text) };
  };
}

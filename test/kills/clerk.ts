import { problems } from '../../src/http/problems.ts';
import type { MoneyRequest } from './draw-request.ts';

/** Longer than any answer may take. */
const HANG_MS = 30_000;

/** The parts of an answer that a replay must repeat. */
export interface HeardAnswer {
  readonly status: number;
  readonly body: string;
  readonly location: string | null;
}

export interface Entry {
  readonly request: MoneyRequest;
  sent: number;
  /** The first answer that decides it: 201, or a refusal that is kept. */
  first: HeardAnswer | null;
  latest: HeardAnswer | null;
  /** Whether its client left without an answer and never sends the request again. */
  isAbandoned: boolean;
}

export interface Figures {
  sent: number;
  acknowledged: number;
  refused: number;
  cut: number;
  repeated: number;
  foundDone: number;
  /** Sent again after no answer, and executed only then. */
  executedLater: number;
  reads: number;
}

/** Sends the clients' requests, remembers the answers, and compares every later answer with the first. */
export class Clerk {
  readonly entries: Entry[] = [];
  readonly violations: string[] = [];
  readonly figures: Figures = {
    sent: 0,
    acknowledged: 0,
    refused: 0,
    cut: 0,
    repeated: 0,
    foundDone: 0,
    executedLater: 0,
    reads: 0,
  };
  origin = '';

  enter(request: MoneyRequest): Entry {
    const entry: Entry = { request, sent: 0, first: null, latest: null, isAbandoned: false };
    this.entries.push(entry);
    return entry;
  }

  /** The requests whose clients still wait for a deciding answer. */
  listOpen(): Entry[] {
    return this.entries.filter(({ first, isAbandoned }) => first === null && !isAbandoned);
  }

  /** Sends a request, for the first time or again. Returns whether a deciding answer came. */
  async send(entry: Entry): Promise<boolean> {
    const { request, first } = entry;
    entry.sent += 1;
    this.figures.sent += 1;
    const response = await this.#fetch(request.path, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${request.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': request.idempotencyKey,
      },
      body: JSON.stringify(request.body),
    });
    if (response === undefined) {
      this.figures.cut += 1;
      return false;
    }
    const { answer, isReplay } = response;
    if (!isDeciding(answer)) {
      entry.latest = answer;
      if (!isTemporary(answer)) this.#violate(entry, `was answered ${answer.status} ${answer.body}`);
      this.figures.cut += 1;
      return false;
    }
    if (first !== null) {
      this.figures.repeated += 1;
      this.#compare(entry, first, answer, isReplay);
      return true;
    }
    entry.first = answer;
    if (answer.status === 201) this.figures.acknowledged += 1;
    else this.figures.refused += 1;
    if (entry.sent > 1) this.figures[isReplay ? 'foundDone' : 'executedLater'] += 1;
    if (entry.sent === 1 && isReplay) this.#violate(entry, 'was called a replay when it was sent for the first time');
    return true;
  }

  /** Reads a page; `undefined` when no answer came. */
  async read(token: string, path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    this.figures.reads += 1;
    const response = await this.#fetch(path, { headers: { Authorization: `Bearer ${token}` } });
    if (response === undefined) return undefined;
    const { answer } = response;
    if (answer.status === 200) return JSON.parse(answer.body) as Record<string, unknown>;
    if (!isTemporary(answer)) this.violations.push(`GET ${path} was answered ${answer.status} ${answer.body}`);
    return undefined;
  }

  #compare(entry: Entry, first: HeardAnswer, answer: HeardAnswer, isReplay: boolean): void {
    const isEqual = first.status === answer.status && first.body === answer.body && first.location === answer.location;
    if (isEqual && isReplay) return;
    const what = isEqual ? 'was not called a replay' : `was first answered ${first.status} ${first.body}, then`;
    this.#violate(entry, `${what} ${answer.status} ${answer.body}`);
  }

  #violate({ request }: Entry, what: string): void {
    this.violations.push(`${request.kind} ${request.idempotencyKey} ${JSON.stringify(request.body)} ${what}`);
  }

  /** The answer; `undefined` when the connection ended without a whole one. */
  async #fetch(path: string, init: RequestInit): Promise<{ answer: HeardAnswer; isReplay: boolean } | undefined> {
    try {
      const response = await fetch(`${this.origin}${path}`, { ...init, signal: AbortSignal.timeout(HANG_MS) });
      const { status, headers } = response;
      const answer = { status, body: await response.text(), location: headers.get('Location') };
      return { answer, isReplay: headers.get('X-Idempotency-Replay') === 'true' };
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') {
        this.violations.push(`${path} was not answered within ${HANG_MS} ms`);
      }
      return undefined;
    }
  }
}

function codeOf({ body }: HeardAnswer): keyof typeof problems | undefined {
  const { code } = JSON.parse(body) as { code?: string };
  return code !== undefined && Object.hasOwn(problems, code) ? (code as keyof typeof problems) : undefined;
}

/** Whether an answer is final: a success, or a refusal that is remembered for replays. */
function isDeciding(answer: HeardAnswer): boolean {
  if (answer.status === 201) return true;
  const code = codeOf(answer);
  return code !== undefined && problems[code].kept === true;
}

/** Whether an answer asks for the same request again. */
function isTemporary(answer: HeardAnswer): boolean {
  const code = codeOf(answer);
  return code !== undefined && code !== 'internal_error' && problems[code].retryable === true;
}

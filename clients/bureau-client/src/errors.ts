import type { Problem, ProblemCode, ProblemMembers } from './operations.ts';

/** What the client knows about a call that failed. */
export interface CallDetails {
  /** How often the request was sent. */
  readonly attempts: number;
  /** For a POST: send the same request with this key again to finish it, or to learn that it took effect. */
  readonly idempotencyKey?: string | undefined;
}

/** The exchange refused: a problem of RFC 9457. Branch on `code`, and on `retryable` for codes that you do not know. */
export class BureauError extends Error {
  override readonly name = 'BureauError';
  readonly code: ProblemCode | (string & {});
  readonly status: number;
  readonly title: string;
  /** A text for people. Its wording may change. */
  readonly detail: string;
  /** The address of the page about this code. */
  readonly type: string;
  readonly requestId: string;
  /** Whether the same request, with the same Idempotency-Key, may succeed later. The client's own retries are over. */
  readonly retryable: boolean;
  /** For `invalid_request`: every field that is wrong. */
  readonly errors: NonNullable<Problem['errors']>;
  readonly members: ProblemMembers;
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;

  constructor(problem: Problem, { attempts, idempotencyKey }: CallDetails) {
    const { type, title, status, detail, instance: _, code, requestId, retryable, errors = [], ...members } = problem;
    super(`${code}: ${detail}`);
    this.code = code;
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.type = type;
    this.requestId = requestId;
    this.retryable = retryable;
    this.errors = errors;
    this.members = members;
    this.attempts = attempts;
    this.idempotencyKey = idempotencyKey;
  }
}

/**
 * No answer from the exchange arrived: the network failed, the time was over, or a proxy answered instead. A POST may
 * have taken effect; send it again with the same `idempotencyKey` to find out. `cause` is the last failure.
 */
export class BureauConnectionError extends Error {
  override readonly name = 'BureauConnectionError';
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;

  constructor(message: string, { attempts, idempotencyKey, cause }: CallDetails & { readonly cause?: unknown }) {
    super(message, { cause });
    this.attempts = attempts;
    this.idempotencyKey = idempotencyKey;
  }
}

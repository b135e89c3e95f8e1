import type { Problem, ProblemCode, ProblemMembers } from './operations.ts';

/** What the client knows about a call that ended badly. */
export interface CallDetails {
  /** How often it was sent. */
  readonly attempts: number;
  /** Of a POST: sending the same request under this key once more tells, or does, what this call could not. */
  readonly idempotencyKey?: string | undefined;
}

/** The exchange refused: a problem of RFC 9457. Branch on `code`, and on `retryable` for codes that you do not know. */
export class BureauError extends Error {
  override readonly name = 'BureauError';
  readonly code: ProblemCode | (string & {});
  readonly status: number;
  readonly title: string;
  /** For a person; its wording may change. */
  readonly detail: string;
  /** The address of the code's page. */
  readonly type: string;
  readonly requestId: string;
  /** Whether the same request, under the same Idempotency-Key, may succeed later. The client has given up on it. */
  readonly retryable: boolean;
  /** Of `invalid_request`: every field that is wrong. */
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
 * No answer of the exchange arrived: the network failed, time ran out, or something between answered in its place. A
 * POST may have taken effect; the same one under `idempotencyKey` finds out. `cause` is the last failure.
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

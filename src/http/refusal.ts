import type { ProblemCode, ProblemMember } from './problems.ts';

/** What can be wrong with a field. The words are stable within v1 and only ever added. */
export const fieldFaults = {
  missing: 'it is not there',
  wrong_type: 'it has another JSON type',
  wrong_format: 'its text is not written as the schema says',
  unknown_value: 'it is none of the values that are allowed',
  below_minimum: 'the number is too small, or the time too early',
  above_maximum: 'the number is too large',
  too_short: 'the text or the list is too short',
  too_long: 'the text or the list is too long',
  unknown_member: 'the body takes no member of this name',
  unknown_parameter: 'the operation takes no parameter of this name',
  repeated: 'it comes more than once',
  not_valid: 'anything else, which `detail` says',
} as const;

export type FieldFault = keyof typeof fieldFaults;

/** One invalid field of a request (RFC 6901 pointer into the body, or the name of a query parameter or header). */
export interface FieldError {
  readonly pointer: string;
  readonly code: FieldFault;
  readonly detail: string;
}

/** A refused request. It is a value, returned by the step that decided it; exceptions are for bugs and broken I/O. */
export interface Refusal {
  readonly ok: false;
  readonly code: ProblemCode;
  /** For the person who must act on it. Never an internal message. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  /** Seconds after which the same request may succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Whether the path names the refused thing. Some codes then have the status of a missing resource. */
  readonly inPath?: boolean;
  /** Members that the code defines beyond those of every problem, such as an order's id. */
  readonly members?: { readonly [Member in ProblemMember]?: string | readonly string[] };
}

/** The result of a step: its value, or the refusal that ends the request. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | Refusal;

export function accept<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function refuse(code: ProblemCode, detail: string, more: Omit<Refusal, 'ok' | 'code' | 'detail'> = {}): Refusal {
  return { ok: false, code, detail, ...more };
}

/** The refusal of a request that was turned away before anything happened. */
export const overloaded = refuse('service_unavailable', 'The exchange is overloaded. Nothing happened; try again.', {
  retryAfterSeconds: 1,
});

/** The refusal of a change of which the database has not said whether it was made; `detail` says what to do then. */
export function refuseUnconfirmed(detail: string): Refusal {
  return refuse('service_unavailable', detail, { retryAfterSeconds: 1 });
}

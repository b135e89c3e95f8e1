import type { ProblemCode, ProblemMember } from './problems.ts';

/** One invalid field of a request (RFC 6901 pointer into the body, or the name of a query parameter or header). */
export interface FieldError {
  readonly pointer: string;
  readonly code: string;
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

import { type Asset, scaleOf } from '../money/assets.ts';
import { type ProblemCode, type ProblemMember, problems, statusOf } from './problems.ts';

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

/** The refusal of an amount that is finer than its asset. */
export function refusePrecision(asset: Asset): Refusal {
  return refuse('precision_exceeded', `An amount of ${asset} has at most ${scaleOf(asset)} decimals.`);
}

/** The refusal of a request that has fields which are not valid. */
export function refuseFields(errors: readonly FieldError[]): Refusal {
  return refuse('invalid_request', 'The request is not valid.', { errors });
}

/** The same for one field. */
export function refuseField(pointer: string, code: FieldFault, detail: string): Refusal {
  return refuseFields([{ pointer, code, detail }]);
}

/** The refusal of a request that was turned away before anything happened. */
export const overloaded = refuse('service_unavailable', 'The exchange is overloaded. Nothing happened; try again.', {
  retryAfterSeconds: 1,
});

/** The refusal of a change of which the database has not said whether it was made; `detail` says what to do then. */
export function refuseUnconfirmed(detail: string): Refusal {
  return refuse('service_unavailable', detail, { retryAfterSeconds: 1 });
}

/** A response as plain data: it crosses from an object to the Worker, and is what a replay gives back to the byte. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The facts about a request that its problem shows. */
export interface RequestFacts {
  readonly requestId: string;
  /** The URL as the client sent it. Error pages have addresses at its origin. */
  readonly url: string;
  /** The path, also when the URL is invalid because of its Host header. */
  readonly path: string;
}

export function answerJson(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** A refusal as `application/problem+json` (RFC 9457), with status, title and retryability from the one table. */
export function answerProblem(refusal: Refusal, request: RequestFacts): Answer {
  const definition = problems[refusal.code];
  const { origin, pathname } = URL.parse(request.url) ?? { origin: '', pathname: request.path };
  const status = statusOf(refusal.code, refusal.inPath);
  const headers: Record<string, string> = {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
  };
  if (refusal.retryAfterSeconds !== undefined) headers['Retry-After'] = String(refusal.retryAfterSeconds);
  if (definition.status === 401) {
    headers['WWW-Authenticate'] = refusal.code === 'missing_api_key' ? 'Bearer' : 'Bearer error="invalid_token"';
  }
  const body = {
    type: `${origin}/errors/${refusal.code}`,
    title: definition.title,
    status,
    detail: refusal.detail,
    instance: pathname,
    code: refusal.code,
    requestId: request.requestId,
    retryable: definition.retryable ?? false,
    ...(refusal.errors && { errors: refusal.errors }),
    ...refusal.members,
  };
  return { status, headers, body: JSON.stringify(body) };
}

/** Turns an answer into the response on the wire. */
export function toResponse(answer: Answer, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(answer.body, { status: answer.status, headers: { ...answer.headers, ...headers } });
}

/** One window of a bucket, as its headers describe it. */
export interface ReportedWindow {
  readonly quota: number;
  readonly window_s: number;
  readonly remaining: number;
  readonly reset_ms: number;
}

/** Both windows of the bucket that a request was counted in. */
export interface ReportedRate {
  readonly bucket: string;
  readonly minute: ReportedWindow;
  readonly day: ReportedWindow;
}

/**
 * The headers of a counted request: `RateLimit-Policy` and `RateLimit` (IETF draft "RateLimit header fields for
 * HTTP"), and the older `X-RateLimit-*` for the tighter window, `-Reset` in unix seconds.
 */
export function rateLimitHeaders(rate: ReportedRate, now_ms: number): Record<string, string> {
  const windows = [
    { name: `${rate.bucket}-minute`, ...rate.minute },
    { name: `${rate.bucket}-day`, ...rate.day },
  ];
  const tighter = rate.day.remaining < rate.minute.remaining ? rate.day : rate.minute;
  const secondsUntil = (reset_ms: number) => Math.max(0, Math.ceil((reset_ms - now_ms) / 1_000));
  return {
    'RateLimit-Policy': windows.map(({ name, quota, window_s }) => `"${name}";q=${quota};w=${window_s}`).join(', '),
    RateLimit: windows
      .map(({ name, remaining, reset_ms }) => `"${name}";r=${remaining};t=${secondsUntil(reset_ms)}`)
      .join(', '),
    'X-RateLimit-Limit': String(tighter.quota),
    'X-RateLimit-Remaining': String(tighter.remaining),
    'X-RateLimit-Reset': String(Math.ceil(tighter.reset_ms / 1_000)),
  };
}

import { definitionOf, statusOf } from './problems.ts';
import type { Refusal } from './refusal.ts';

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

/** A JSON answer. */
export function answerJson(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** A refusal as `application/problem+json` (RFC 9457), with status, title and retryability from the one table. */
export function answerProblem(refusal: Refusal, request: RequestFacts): Answer {
  const definition = definitionOf(refusal.code);
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
    retryable: definition.retryable,
    ...(refusal.errors && { errors: refusal.errors }),
    ...refusal.members,
  };
  return { status, headers, body: JSON.stringify(body) };
}

/** Turns an answer into the response on the wire. */
export function toResponse(answer: Answer, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(answer.body, { status: answer.status, headers: { ...answer.headers, ...headers } });
}

import { BureauError } from '../../clients/bureau-client/src/errors.ts';
import type { Problem } from '../../clients/bureau-client/src/operations.ts';

/** Calls a route of the console itself. Rejects with a `BureauError` when it refuses. */
export async function ask<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method,
    ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as unknown;
  if (!response.ok) throw new BureauError(answer as Problem, { attempts: 1 });
  return answer as T;
}

/** Reads a text of the public API, whole. Rejects with a `BureauError` when it is refused. */
export async function readText(path: string): Promise<string> {
  const response = await fetch(path);
  if (!response.ok) throw new BureauError((await response.json()) as Problem, { attempts: 1 });
  return response.text();
}

/** What refuses everything once a sign-in has ended: the console, the exchange, or Access in front of the desk. */
const ofEnded = ['not_signed_in', 'invalid_api_key', 'api_key_expired', 'signed_out'];

/** Whether an error says that nobody is signed in any more. */
export const isSignedOut = (error: unknown) => error instanceof BureauError && ofEnded.includes(error.code);

/** Whether an error is a refusal with this code, of the exchange or of the console. */
export function isRefusal(error: unknown, code: string): error is BureauError {
  return error instanceof BureauError && error.code === code;
}

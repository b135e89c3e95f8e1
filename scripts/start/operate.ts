import type { Place } from './place.ts';

/** Sends a request with the operator's token, and returns the body of the answer. Throws on every other one than 2xx. */
export async function operate<T>(
  { origin }: Place,
  operatorToken: string,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(`${origin}/operator/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${operatorToken}`, 'Content-Type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

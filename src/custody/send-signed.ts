import { readText } from '../platform/read-text.ts';
import { type CustodyKey, type CustodyRequest, signRequest } from './sign-request.ts';

/** Where a service of the operator's is, and Bureau's key there. */
export interface SignedService extends CustodyKey {
  readonly url: string;
}

/** How one request is sent beside that. */
export interface Sending {
  readonly signal: AbortSignal;
  /** The largest answer that is read. */
  readonly maxBytes: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends a signed request to the custodian or the dealer: docs/custody.md, "Signature". Rejects without an answer, and when
 * its body is too large.
 */
export async function sendSigned(
  { method, path: route, body }: CustodyRequest,
  service: SignedService,
  { signal, maxBytes, headers: others = {} }: Sending,
): Promise<{ readonly status: number; readonly body: string }> {
  const { origin, pathname } = new URL(service.url);
  const path = `${pathname.replace(/\/+$/, '')}${route}`;
  const headers = new Headers(await signRequest({ method, path, body }, service, Math.floor(Date.now() / 1_000)));
  headers.set('Accept', 'application/json');
  if (method === 'PUT') headers.set('Content-Type', 'application/json');
  for (const [name, value] of Object.entries(others)) headers.set(name, value);
  const response = await fetch(`${origin}${path}`, {
    method,
    headers,
    body: method === 'PUT' ? body : null,
    signal,
    // A redirect would send what moves money to an address that the operator did not configure.
    redirect: 'manual',
    // A cache on the way could give an old answer.
    cache: 'no-store',
  });
  const text = await readText(response, maxBytes);
  if (text === undefined) throw new Error('answered with too large a body');
  return { status: response.status, body: text };
}

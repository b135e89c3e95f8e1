import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A request as it was received: everything that the signature covers. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const WINDOW_S = 300;

/** The reason to refuse the request, or `undefined` when it is Bureau's: docs/custody.md, "Signature". */
export function findSignatureFault(
  { method, path, headers, body }: SignedRequest,
  secrets: Readonly<Record<string, string>>,
  now_s: number,
): string | undefined {
  const secret = secrets[String(headers['x-bureau-key-id'])];
  if (secret === undefined) return 'unknown key';
  const timestamp = String(headers['x-bureau-timestamp']);
  if (!/^\d{1,12}$/.test(timestamp)) return 'no timestamp';
  if (Math.abs(now_s - Number(timestamp)) > WINDOW_S) return 'outside the window';
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const expected = createHmac('sha256', secret).update(`${timestamp}.${method}.${path}.${bodyHash}`).digest('hex');
  const given = Buffer.from(String(headers['x-bureau-signature']));
  const right = Buffer.from(`v1=${expected}`);
  return given.length === right.length && timingSafeEqual(given, right) ? undefined : 'wrong signature';
}

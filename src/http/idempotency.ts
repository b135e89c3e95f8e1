import { digest } from '../platform/digest.ts';
import { type Outcome, accept, refuse } from './refusal.ts';

/** How the header is documented; `readIdempotencyKey` is what reads it. */
export const idempotencyKeyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request take effect at most once in 24 hours, however often it is sent: 1 to 255 visible ASCII characters, of your choice, new for every new request. It is valid for one API key.',
  schema: { type: 'string' },
  example: 'b7c4b1b2-6d4e-4f1c-9a53-0a4d2f9f6f10',
} as const;

const KEY_SYNTAX = /^[!-~]{1,255}$/;
const QUOTED = /^"(.*)"$/;

/**
 * Reads the header Idempotency-Key (spec, "Limits"): `null` where there is none, since it is optional. A quoted value
 * equals the bare one. Refuses with `invalid_idempotency_key`.
 */
export function readIdempotencyKey(header: string | undefined): Outcome<string | null> {
  if (header === undefined) return accept(null);
  const key = QUOTED.exec(header)?.[1] ?? header;
  if (KEY_SYNTAX.test(key)) return accept(key);
  return refuse('invalid_idempotency_key', 'An Idempotency-Key is 1 to 255 visible ASCII characters.');
}

/**
 * The fingerprint of a POST: a digest of method, route and validated body. The body is as the schema gave it, so
 * the order of its fields does not change it; amounts count as they were sent.
 */
export function fingerprint(
  method: string,
  route: string,
  body: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const fields = Object.entries(body)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return digest(JSON.stringify([method, route, fields]));
}

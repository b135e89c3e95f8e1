import { toBase64Url } from '../../../src/platform/digest.ts';

const SECRET_BYTES = 32;

/** Draws a secret of 256 bits, in base64url. */
export function drawSecret(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

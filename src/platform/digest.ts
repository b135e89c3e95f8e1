const encoder = new TextEncoder();

/** Bytes in base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
}

async function hash(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)));
}

/** The SHA-256 of a text, in base64url. */
export async function digest(text: string): Promise<string> {
  return toBase64Url(await hash(text));
}

export async function digestInHex(text: string): Promise<string> {
  return (await hash(text)).toHex();
}

/** Keys by their secret. Resolved keys only: a promise shared between requests can hang those that follow. */
const importedKeys = new Map<string, CryptoKey>();

async function authenticate(text: string, secret: string): Promise<Uint8Array> {
  let key = importedKeys.get(secret);
  if (!key) {
    key = await crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
    ]);
    importedKeys.set(secret, key);
  }
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)));
}

/** The HMAC-SHA-256 (RFC 2104) of a text under a secret, in base64url. */
export async function sign(text: string, secret: string): Promise<string> {
  return toBase64Url(await authenticate(text, secret));
}

/** The HMAC-SHA-256 of a text under a secret, in hex. */
export async function signInHex(text: string, secret: string): Promise<string> {
  return (await authenticate(text, secret)).toHex();
}

/** Compares two digests as text in constant time. Their length is not secret. */
export function equalDigests(one: string, other: string): boolean {
  const [left, right] = [encoder.encode(one), encoder.encode(other)];
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right);
}

const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** A new secret of an endpoint, as its holder is shown it once: `whsec_` and 32 random bytes in base64. */
export function drawSecret(): string {
  return `${PREFIX}${crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64()}`;
}

export interface Message {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp_s: number;
  readonly body: string;
}

/**
 * The headers of a delivery by the Standard Webhooks specification: `webhook-id`, which is the same at every attempt,
 * `webhook-timestamp` of this attempt, and `webhook-signature` with a signature by each secret (HMAC-SHA-256 of
 * `id.timestamp.body`, `v1`). During a rotation there are two.
 */
export async function signMessage(
  { id, timestamp_s, body }: Message,
  secrets: readonly string[],
): Promise<Record<string, string>> {
  const content = new TextEncoder().encode(`${id}.${timestamp_s}.${body}`);
  const signatures = await Promise.all(secrets.map((secret) => signContent(content, secret)));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp_s),
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
}

async function signContent(content: Uint8Array, secret: string): Promise<string> {
  const bytes = Uint8Array.fromBase64(secret.slice(PREFIX.length));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, content)).toBase64();
}

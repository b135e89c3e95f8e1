import { createHash, createHmac } from 'node:crypto';

export const DEALING_KEY = { keyId: 'bureau', secret: 'sandbox-dealing-secret-of-the-public-repository' };

/** Sends a request as docs/dealing.md says that Bureau does. `undefined` without an answer. */
export async function askDealer(
  url: string,
  method: 'GET' | 'PUT',
  path: string,
  body = '',
  time_ms = Date.now(),
): Promise<{ readonly status: number; readonly body: Record<string, unknown> } | undefined> {
  const timestamp = Math.floor(time_ms / 1_000);
  const digest = createHash('sha256').update(body).digest('hex');
  const text = `${timestamp}.${method}.${path}.${digest}`;
  const signature = createHmac('sha256', DEALING_KEY.secret).update(text).digest('hex');
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'X-Bureau-Key-Id': DEALING_KEY.keyId,
        'X-Bureau-Timestamp': String(timestamp),
        'X-Bureau-Signature': `v1=${signature}`,
      },
      ...(method === 'PUT' && { body }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  } catch {
    return undefined;
  }
}

import { digestInHex, signInHex } from '../../platform/digest.ts';

/** A request to the custodian, as far as the signature covers it. */
export interface CustodyRequest {
  readonly method: 'GET' | 'PUT';
  /** As in the request line: with a prefix that `CUSTODY_URL` may have, without origin and query. */
  readonly path: string;
  /** The exact bytes sent, as text; empty for a GET. */
  readonly body: string;
}

/** Whose requests they are, and the secret that proves it. */
export interface CustodyKey {
  readonly keyId: string;
  readonly secret: string;
}

/** The headers by which the custodian knows a request as Bureau's, untouched and new: docs/custody.md, "Signature". */
export async function signRequest(
  { method, path, body }: CustodyRequest,
  { keyId, secret }: CustodyKey,
  timestamp_s: number,
): Promise<Record<string, string>> {
  const signature = await signInHex(`${timestamp_s}.${method}.${path}.${await digestInHex(body)}`, secret);
  return {
    'X-Bureau-Key-Id': keyId,
    'X-Bureau-Timestamp': String(timestamp_s),
    'X-Bureau-Signature': `v1=${signature}`,
  };
}

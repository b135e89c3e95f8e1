import { digestInHex, signInHex } from '../platform/digest.ts';

/** The part of a request to the custodian that the signature covers. */
export interface CustodyRequest {
  readonly method: 'GET' | 'PUT';
  /** As in the request line: with a prefix that `CUSTODY_URL` may have, without origin and query. */
  readonly path: string;
  /** The exact bytes sent, as text; empty for a GET. */
  readonly body: string;
}

/** Bureau's key at the custodian: its id and its secret. */
export interface CustodyKey {
  readonly keyId: string;
  readonly secret: string;
}

/** The headers that prove that a request is Bureau's, unchanged and recent: docs/custody.md, "Signature". */
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

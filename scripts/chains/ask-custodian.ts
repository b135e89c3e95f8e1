import { createHash, createHmac } from 'node:crypto';

export interface CustodyKey {
  readonly id: string;
  readonly secret: string;
}

/** Reads from a custodian as Bureau does: docs/custody.md, "Signature". */
export async function askCustodian(url: string, path: string, key: CustodyKey): Promise<unknown> {
  const timestamp = Math.floor(Date.now() / 1000);
  const nothing = createHash('sha256').update('').digest('hex');
  const signature = createHmac('sha256', key.secret).update(`${timestamp}.GET.${path}.${nothing}`).digest('hex');
  const response = await fetch(`${url}${path}`, {
    headers: {
      'X-Bureau-Key-Id': key.id,
      'X-Bureau-Timestamp': String(timestamp),
      'X-Bureau-Signature': `v1=${signature}`,
    },
  });
  return response.json();
}

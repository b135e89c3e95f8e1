import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import { z } from 'zod';
import { AMOUNT_SYNTAX } from '../../../src/money/amounts.ts';

/** A payout that Bureau orders: docs/custody.md, "Submit". */
const PayoutOrder = z.strictObject({
  withdrawalId: z.uuid(),
  asset: z.string().min(1).max(32),
  network: z.string().min(1).max(32),
  contractAddress: z.string().max(128).nullable(),
  address: z.string().min(1).max(128),
  amount: z.string().regex(AMOUNT_SYNTAX),
});

export type PayoutOrder = z.output<typeof PayoutOrder>;

/** Parses the body of an order; `undefined` when it is not one. */
export function readOrder(body: string): PayoutOrder | undefined {
  try {
    return PayoutOrder.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

/** The SHA-256 of an order's body, in hex. Two orders are the same only if all their bytes are equal. */
export function digestOrder(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}

/**
 * The text that Bureau signs with Ed25519 (RFC 8032): docs/custody.md, "The payout's own signature". It has no time,
 * since an id is paid once however late.
 */
function writeSignedText(body: string): Uint8Array {
  return new TextEncoder().encode(`bureau-payout-v1.${digestOrder(body)}`);
}

/** Whether the signature of the order is valid under one of these public keys, in hex. */
export function isSignedOrder(body: string, signature: string, publicKeys: readonly string[]): boolean {
  return publicKeys.some((key) => {
    try {
      return ed25519.verify(hex.decode(signature), writeSignedText(body), hex.decode(key), { zip215: false });
    } catch {
      return false;
    }
  });
}

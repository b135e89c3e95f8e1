import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import { z } from 'zod';
import { AMOUNT_SYNTAX } from '../../../src/money/amounts.ts';

/** What Bureau orders to be paid: docs/custody.md, "Submit". */
export const PayoutOrder = z.strictObject({
  withdrawalId: z.uuid(),
  asset: z.string().min(1).max(32),
  network: z.string().min(1).max(32),
  contractAddress: z.string().max(128).nullable(),
  address: z.string().min(1).max(128),
  amount: z.string().regex(AMOUNT_SYNTAX),
});

export type PayoutOrder = z.output<typeof PayoutOrder>;

/** Reads the body of an order; `undefined` for what is none. */
export function readOrder(body: string): PayoutOrder | undefined {
  try {
    return PayoutOrder.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

/** The SHA-256 of an order's body, in hex: two orders are one when their bytes are. */
export function digestOrder(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}

/**
 * What Bureau signs with Ed25519 (RFC 8032): docs/custody.md, "The payout's own signature". It names no time, since the
 * id makes an order one for ever.
 */
function writeSignedText(body: string): Uint8Array {
  return new TextEncoder().encode(`bureau-payout-v1.${digestOrder(body)}`);
}

/** Whether one of these public keys, in hex, signed the order. */
export function isSignedOrder(body: string, signature: string, publicKeys: readonly string[]): boolean {
  return publicKeys.some((key) => {
    try {
      return ed25519.verify(hex.decode(signature), writeSignedText(body), hex.decode(key), { zip215: false });
    } catch {
      return false;
    }
  });
}

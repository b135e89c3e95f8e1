import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { isReserved } from './reserved.ts';

const SYNTAX = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const KEY_BYTES = 32;

/** The derivation path of an account's Solana key (SLIP-0010, hardened throughout), as wallets of Solana write it. */
export function solanaPath(index: number): string {
  return `m/44'/501'/${index}'/0'`;
}

/** The address of an ed25519 public key: its 32 bytes in base58. */
export function encodeSolanaAddress(publicKey: Uint8Array): string {
  return base58.encode(publicKey);
}

/**
 * A Solana address of a wallet. The format has no checksum, so only this can be checked: 32 bytes, a point of the
 * curve, and not one of small order. A point off the curve is a program's own account, where a plain transfer would be
 * lost.
 */
export function readSolanaAddress(text: string): string | undefined {
  if (!SYNTAX.test(text)) return undefined;
  const bytes = base58.decode(text);
  return bytes.length === KEY_BYTES && !isReserved([...bytes]) && isWalletKey(bytes) ? text : undefined;
}

function isWalletKey(bytes: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(bytes).isSmallOrder();
  } catch {
    return false;
  }
}

import { base58 } from '@scure/base';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from './solana-message.ts';
import type { SolanaAccount } from './solana-node.ts';

/** A token account of the classic token program: its mint, its owner, what it has, and whether its issuer froze it. */
export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  readonly atoms: bigint;
  readonly isFrozen: boolean;
}

const TOKEN_ACCOUNT_BYTES = 165;
const FROZEN = 2;

/** Reads a token account; `undefined` for any other account. */
export function readTokenAccountData({
  program,
  data,
}: Pick<SolanaAccount, 'program' | 'data'>): TokenAccount | undefined {
  if (program !== TOKEN_PROGRAM || data.length !== TOKEN_ACCOUNT_BYTES) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    mint: base58.encode(data.subarray(0, 32)),
    owner: base58.encode(data.subarray(32, 64)),
    atoms: view.getBigUint64(64, true),
    isFrozen: data[108] === FROZEN,
  };
}

const NONCE_ACCOUNT_BYTES = 80;

/** The value of a nonce account that this authority can use; `undefined` for any other account. */
export function readNonce(account: SolanaAccount | null, authority: string): string | undefined {
  if (account?.program !== SYSTEM_PROGRAM || account.data.length !== NONCE_ACCOUNT_BYTES) return undefined;
  const view = new DataView(account.data.buffer, account.data.byteOffset, account.data.byteLength);
  // The current version, and made.
  if (view.getUint32(0, true) !== 1 || view.getUint32(4, true) !== 1) return undefined;
  if (base58.encode(account.data.subarray(8, 40)) !== authority) return undefined;
  return base58.encode(account.data.subarray(40, 72));
}

import { findListing, listAssets } from '../networks.ts';
import type { SolanaTransaction } from '../signer/requests.ts';
import {
  type Instruction,
  NONCE_RENT,
  SIGNATURE_FEE,
  TOKEN_ACCOUNT_RENT,
  advanceNonce,
  limitCompute,
  makeNonceAccount,
  makeTokenAccount,
  nonceAccountOf,
  tokenAccountOf,
  transferTokens,
  writeMessage,
} from './solana-message.ts';

/** Who signs a transaction beside the payer of its fee, and what it makes. */
export interface SolanaParties {
  /** Pays the fee, and is the authority of the nonces. */
  readonly hot: string;
  /** Owns the token accounts that are emptied: the hot wallet itself, or a deposit address. */
  readonly owner: string;
  /** The number of the nonce account to make; `null` to make none. */
  readonly newNonce: number | null;
}

/**
 * The message of a transaction. The same fields always give the same bytes. That of a token which is not listed would fail, and
 * is never signed.
 */
export function writePayment(transaction: SolanaTransaction, { hot, owner, newNonce }: SolanaParties): Uint8Array {
  const { nonceAccount, lifetime, computeLimit, computePrice, payment } = transaction;
  const instructions: Instruction[] = [];
  if (nonceAccount !== null) instructions.push(advanceNonce(nonceAccountOf(hot, nonceAccount), hot));
  // What makes a nonce account comes first, so that its fence can be read.
  if (newNonce !== null) instructions.push(...makeNonceAccount(hot, newNonce, hot));
  instructions.push(...limitCompute(computeLimit, BigInt(computePrice)));
  if (payment) {
    const { mint, recipient, transfers } = payment;
    const decimals = listAssets('SOL').find(({ contractAddress }) => contractAddress === mint)?.decimals ?? 0;
    const target = tokenAccountOf(recipient, mint);
    instructions.push(makeTokenAccount(hot, recipient, mint));
    for (const { source, atoms } of transfers) {
      instructions.push(transferTokens(source, mint, target, owner, BigInt(atoms), decimals));
    }
  }
  return writeMessage(hot, lifetime, instructions);
}

/**
 * The most that a transaction can take from the hot wallet's coins, in lamports: its fee, and what the accounts need that it
 * makes. A token account of our own that a sweep makes is not lost.
 */
export function costOf({ computeLimit, computePrice, payment }: SolanaTransaction, parties: SolanaParties): bigint {
  const signatures = parties.owner === parties.hot ? 1n : 2n;
  const offered = (BigInt(computeLimit) * BigInt(computePrice) + 999_999n) / 1_000_000n;
  const made = payment && payment.recipient !== parties.hot ? TOKEN_ACCOUNT_RENT : 0n;
  return signatures * SIGNATURE_FEE + offered + made + (parties.newNonce === null ? 0n : NONCE_RENT);
}

/** The mint of an asset. Throws when Solana does not carry it. */
export function mintOf(asset: string): string {
  const mint = findListing('SOL', asset)?.contractAddress;
  if (mint == null) throw new Error(`${asset} is no token of Solana`);
  return mint;
}

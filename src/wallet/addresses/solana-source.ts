import { deriveSandboxSolanaAddress } from './sandbox-wallet.ts';

/**
 * Says which Solana address an account has, of its index and of what the pool holds at that index; `null` when there
 * is none yet. SLIP-0010 has no public derivation, so at the edge an address cannot be made of a public key.
 */
export type SolanaSource = (index: number, pooled: string | null) => string | null;

/** Addresses that the operator made offline and uploaded: the one of the account's index, and no other. */
export const takeFromPool: SolanaSource = (_index, pooled) => pooled;

/** Addresses of the public test mnemonic, for the sandbox alone. */
export const deriveInSandbox: SolanaSource = (index) => deriveSandboxSolanaAddress(index);

import { deriveSandboxSolanaAddress } from './sandbox-wallet.ts';

/**
 * Gives an account's Solana address, from its index and the pool's entry at that index; `null` when there is none yet.
 * SLIP-0010 has no public derivation, so the Worker cannot derive an address from a public key.
 */
export type SolanaSource = (index: number, pooled: string | null) => string | null;

/** Addresses that the operator made offline and uploaded: the entry of the account's index. */
export const takeFromPool: SolanaSource = (_index, pooled) => pooled;

/** Addresses of the public test mnemonic, for the sandbox alone. */
export const deriveInSandbox: SolanaSource = (index) => deriveSandboxSolanaAddress(index);

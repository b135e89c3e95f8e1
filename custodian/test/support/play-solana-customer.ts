import { type Instruction, address as toAddress, generateKeyPairSigner } from '@solana/kit';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getMintToInstruction,
} from '@solana-program/token';
import { MINTS, type PlayedSolana, TOKEN } from './start-solana.ts';
import { wallet } from './run-custodian.ts';

export const hot = wallet.solanaAddress({ account: 'hot', index: 0 });

export const customerOf = (index: number): string => wallet.solanaAddress({ account: 'deposit', index });

/** The associated token account of a wallet, by the library of the token program. */
export async function associatedOf(owner: string, mint: string = MINTS.USDC, program = TOKEN): Promise<string> {
  const seeds = { owner: toAddress(owner), mint: toAddress(mint), tokenProgram: toAddress(program) };
  return (await findAssociatedTokenPda(seeds))[0];
}

/** The instructions of a deposit to the associated account of an address, as another wallet writes it. */
export async function writeDeposit(
  solana: PlayedSolana,
  owner: string,
  atoms: bigint,
  mint: string = MINTS.USDC,
): Promise<Instruction[]> {
  const token = toAddress(await associatedOf(owner, mint));
  const payer = solana.minter;
  return [
    getCreateAssociatedTokenIdempotentInstruction({
      payer,
      ata: token,
      owner: toAddress(owner),
      mint: toAddress(mint),
    }),
    getMintToInstruction({ mint: toAddress(mint), token, mintAuthority: payer, amount: atoms }),
  ];
}

/** A wallet that nobody has used. */
export async function drawWallet(): Promise<string> {
  return (await generateKeyPairSigner()).address;
}

/** Gives the hot wallet coins for fees, and tokens. They are finalized. */
export async function fundHot(solana: PlayedSolana, usdc: bigint, usdt = 0n): Promise<void> {
  solana.setBalance(hot, 5_000_000_000n);
  solana.setToken(await associatedOf(hot), MINTS.USDC, hot, usdc);
  solana.setToken(await associatedOf(hot, MINTS.USDT), MINTS.USDT, hot, usdt);
  solana.finalize();
}

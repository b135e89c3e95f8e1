import { z } from 'zod';
import type { PoolEntry } from './wallet.ts';
import { bitcoinNetworks, evmNetworks, servedNetworks, solanaNetworks, tronNetworks } from '../networks.ts';

const Whole = z.string().regex(/^(0|[1-9]\d{0,77})$/);
const Index = z
  .number()
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const Hex = z.string().regex(/^0x([0-9a-f]{2})*$/);

/** An EIP-1559 transaction without its signature. Numbers are decimal text. */
export const EvmTransaction = z.strictObject({
  chainId: Whole,
  nonce: Whole,
  to: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
  value: Whole,
  data: Hex,
  gasLimit: Whole,
  maxFeePerGas: Whole,
  maxPriorityFeePerGas: Whole,
});

export type EvmTransaction = z.output<typeof EvmTransaction>;

/**
 * A Tron transaction without its signature: a payment of TRX, or with `data` a call of a contract. Amounts are in sun. It may
 * be in no block after its expiration.
 */
export const TronTransaction = z.strictObject({
  to: z.string().regex(/^T[1-9A-HJ-NP-Za-km-z]{33}$/),
  value: Whole,
  data: Hex,
  /** The most that its energy may cost. */
  feeLimit: Whole,
  /** The id of a block: it is only valid on a chain that has it. */
  refBlock: z.string().regex(/^[0-9a-f]{64}$/),
  expiration_ms: Whole,
  timestamp_ms: Whole,
});

export type TronTransaction = z.output<typeof TronTransaction>;

const KeyName = z.strictObject({ account: z.enum(['deposit', 'hot', 'gas']), index: Index });

/** A coin that a transaction spends. */
const Coin = z.strictObject({
  txid: z.string().regex(/^[0-9a-f]{64}$/),
  vout: z.number().int().min(0).max(0xffff_ffff),
  atoms: Whole,
  key: KeyName,
  /** The whole transaction that made it. Without segwit, only that proves the coin's amount. */
  previous: z
    .string()
    .regex(/^([0-9a-f]{2})+$/)
    .nullable(),
});

const Output = z.strictObject({ address: z.string().min(1).max(128), atoms: Whole });

/** The most coins that one transaction spends. */
export const MAX_INPUTS = 200;

/** A transaction of a Bitcoin-like chain without its signatures. Its first input is the anchor. */
export const BitcoinTransaction = z.strictObject({
  inputs: z.array(Coin).min(1).max(MAX_INPUTS),
  outputs: z.array(Output).min(1).max(20),
});

export type BitcoinTransaction = z.output<typeof BitcoinTransaction>;

/** The sum of inputs or outputs, in atoms. */
export function sumAtoms(list: readonly { readonly atoms: string }[]): bigint {
  return list.reduce((total, { atoms }) => total + BigInt(atoms), 0n);
}

/** A key of Solana, in base58: of an account, a nonce or a block. */
const SolanaKey = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);

/** The most nonce accounts of the pool. */
export const MAX_NONCES = 200;

/** The most token accounts that one transaction empties, so that it stays below 1,232 bytes. */
export const MAX_SOURCES = 8;

/** What a transaction of Solana does. The signer itself writes the instructions. */
export const SolanaTransaction = z.strictObject({
  /** The number of the nonce account whose value it uses up; `null` when it lives by a blockhash, for 150 blocks. */
  nonceAccount: z
    .number()
    .int()
    .min(0)
    .max(MAX_NONCES - 1)
    .nullable(),
  /** The nonce's value, or the blockhash. */
  lifetime: SolanaKey,
  computeLimit: z.number().int().min(1).max(1_400_000),
  /** In millionths of a lamport for each compute unit. */
  computePrice: z.string().regex(/^(0|[1-9]\d{0,15})$/),
  /** Moves tokens to the recipient's associated token account, which is made when there is none; `null` to move nothing. */
  payment: z
    .strictObject({
      mint: SolanaKey,
      /** The wallet, which owns the token account. */
      recipient: SolanaKey,
      transfers: z
        .array(z.strictObject({ source: SolanaKey, atoms: z.string().regex(/^[1-9]\d{0,18}$/) }))
        .min(1)
        .max(MAX_SOURCES),
    })
    .nullable(),
});

export type SolanaTransaction = z.output<typeof SolanaTransaction>;

/** The most addresses that are asked for at once. */
export const MAX_ADDRESSES = 1_000;

/** The most entries for Bureau's pool that are asked for at once: each takes the signer a few milliseconds. */
export const MAX_POOL_ENTRIES = 100;

/** Bureau's order: the exact body of its request, and its Ed25519 signature in hex. */
export const Order = z.strictObject({
  body: z.string().max(4096),
  signature: z.string().regex(/^[0-9a-f]{128}$/),
});

export type Order = z.output<typeof Order>;

const onEvm = { network: z.enum(evmNetworks), transaction: EvmTransaction };
const onSolana = { network: z.enum(solanaNetworks), transaction: SolanaTransaction };
const onBitcoin = { network: z.enum(bitcoinNetworks), transaction: BitcoinTransaction };
const onTron = { network: z.enum(tronNetworks), transaction: TronTransaction };

/** A request to the signer. */
export const SignerRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('addresses') }),
  z.strictObject({ kind: z.literal('burn'), withdrawalId: z.uuid() }),
  z.strictObject({
    kind: z.literal('fence'),
    network: z.enum(servedNetworks),
    fence: z.string(),
  }),
  z.strictObject({
    kind: z.literal('deposit_addresses'),
    network: z.enum(solanaNetworks),
    from: Index,
    count: z.number().int().min(1).max(MAX_ADDRESSES),
  }),
  z.strictObject({
    kind: z.literal('pool_entries'),
    network: z.enum(solanaNetworks),
    from: Index,
    count: z.number().int().min(1).max(MAX_POOL_ENTRIES),
  }),
  z.strictObject({ kind: z.literal('evm_payout'), ...onEvm, order: Order }),
  z.strictObject({ kind: z.literal('evm_sweep'), ...onEvm, index: Index }),
  z.strictObject({ kind: z.literal('evm_gas'), ...onEvm, index: Index }),
  z.strictObject({ kind: z.literal('evm_cold'), ...onEvm }),
  z.strictObject({ kind: z.literal('evm_cancel'), ...onEvm, withdrawalId: z.uuid() }),
  z.strictObject({ kind: z.literal('bitcoin_payout'), ...onBitcoin, order: Order }),
  z.strictObject({ kind: z.literal('bitcoin_gather'), ...onBitcoin }),
  z.strictObject({ kind: z.literal('bitcoin_cold'), ...onBitcoin }),
  z.strictObject({ kind: z.literal('solana_payout'), ...onSolana, order: Order }),
  z.strictObject({ kind: z.literal('solana_sweep'), ...onSolana, index: Index }),
  z.strictObject({ kind: z.literal('solana_cold'), ...onSolana }),
  z.strictObject({ kind: z.literal('solana_cancel'), ...onSolana, withdrawalId: z.uuid() }),
  z.strictObject({
    kind: z.literal('solana_nonce'),
    ...onSolana,
    index: z
      .number()
      .int()
      .min(0)
      .max(MAX_NONCES - 1),
  }),
  z.strictObject({ kind: z.literal('tron_payout'), ...onTron, order: Order }),
  z.strictObject({ kind: z.literal('tron_sweep'), ...onTron, index: Index }),
  z.strictObject({ kind: z.literal('tron_gas'), ...onTron, index: Index }),
  z.strictObject({ kind: z.literal('tron_cold'), ...onTron }),
]);

export type SignerRequest = z.output<typeof SignerRequest>;

/** A request for a signature. */
export type SignRequest = Exclude<
  SignerRequest,
  { kind: 'addresses' | 'burn' | 'fence' | 'deposit_addresses' | 'pool_entries' }
>;

/**
 * Why the signer refuses. Only `limit`, `fee_limit`, `fee_too_high`, `not_burnt` and `earlier_version_alive` can go away by
 * waiting.
 */
export type RefusalReason =
  | 'not_signed_by_bureau'
  | 'not_an_order'
  | 'another_payment'
  | 'another_recipient'
  | 'fence_taken'
  | 'second_payment'
  | 'earlier_version_alive'
  | 'third_version'
  | 'burnt'
  | 'not_burnt'
  | 'gas_too_high'
  | 'cannot_be_signed'
  | 'fee_too_high'
  | 'fee_limit'
  | 'limit'
  | 'wrong_chain'
  | 'not_served'
  | 'clock_behind';

/** A signed transaction in the form that nodes accept. */
export interface SignedTransaction {
  readonly kind: 'signed';
  /** In hex; on the EVM it begins with `0x`. */
  readonly raw: string;
  readonly txHash: string;
}

/** The house's addresses on a network. */
export interface HouseAddresses {
  readonly hot: string;
  /** The address that pays for gas; `null` on networks without one. */
  readonly gas: string | null;
  readonly cold: string;
}

export type SignerAnswer =
  | SignedTransaction
  /** `signed` says that this payment was signed with this fence before. Then no other payment may use the fence. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly signed: boolean }
  /** Whether anything was ever signed with this fence. */
  | { readonly kind: 'fence'; readonly signed: boolean }
  /** Deposit addresses that no public key derives, in the order of their indexes. */
  | { readonly kind: 'deposit_addresses'; readonly addresses: readonly string[] }
  /** The same with the signer's signatures, for Bureau's pool. */
  | { readonly kind: 'pool_entries'; readonly entries: readonly PoolEntry[] }
  /**
   * From now on nothing is signed for this id. `signed` says whether something was signed before; `signature` is the
   * signer's own about both, Ed25519 in hex.
   */
  | { readonly kind: 'burnt'; readonly signed: boolean; readonly signature: string }
  /** `signerKey` is the public key of its signatures about burnt ids and addresses, in hex. */
  | {
      readonly kind: 'addresses';
      readonly networks: Readonly<Record<string, HouseAddresses>>;
      readonly signerKey: string;
    };

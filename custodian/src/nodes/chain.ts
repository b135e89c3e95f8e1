import type { ServedNetwork } from '../networks.ts';
import type { BlockId, Header } from '../states/chain.ts';

/** A payment to an address of ours that a block holds. */
export interface Payment {
  readonly txHash: string;
  /** docs/custody.md, "Which output": values, logs and inner payments of one transaction never collide. */
  readonly outputIndex: number;
  readonly address: string;
  readonly account: 'deposit' | 'hot';
  readonly addressIndex: number;
  /** Bureau's symbol, or the contract's address for what is no asset of Bureau. */
  readonly asset: string;
  readonly contract: string | null;
  readonly atoms: bigint;
  /** Whether a customer sent it. */
  readonly isDeposit: boolean;
  /** Whether it is an output that can be spent by itself. */
  readonly isCoin: boolean;
  /** Blocks until it can be spent: of what a miner was paid. */
  readonly maturity?: number;
  /** Whether a contract paid it from within: seen by trace alone, for a person to decide. */
  readonly isInner: boolean;
  /** What only one transaction can spend: this one while it stands. */
  readonly fences: readonly string[];
}

/** A fence that a transaction of a block spent. */
export interface SpentFence {
  readonly fence: string;
  readonly txHash: string;
  /** Spent without any other effect. */
  readonly isReverted: boolean;
}

/** A block, and all that it may say of us. */
export interface ScannedBlock extends Header {
  readonly payments: readonly Payment[];
  readonly spent: readonly SpentFence[];
}

/** Whose an address is. */
export interface Owner {
  readonly account: 'deposit' | 'hot' | 'gas';
  readonly addressIndex: number;
  /** In its canonical form; on the EVM it is found by lower case. */
  readonly address: string;
}

/** What a node says of a transaction that it was given. */
export type BroadcastOutcome =
  /** It has it, from now or from before. */
  | { readonly kind: 'known' }
  /** It does not take it. Nothing follows: only a block decides. */
  | { readonly kind: 'rejected'; readonly message: string };

/** A chain, through its nodes. Every method rejects when no node gives a usable answer. */
export interface Chain {
  readonly network: ServedNetwork;
  /** The newest block. */
  tip(): Promise<BlockId>;
  /** The block at a height, or `undefined` when the chain is not that high. */
  headerAt(height: number): Promise<Header | undefined>;
  /** The block of exactly this hash. */
  scan(block: Header, ownerOf: (address: string) => Owner | undefined): Promise<ScannedBlock>;
  /** What the chain itself calls final; `null` where only depth tells. */
  finalByTag(): Promise<number | null>;
  /** Whether a second node has the same block at this height; `undefined` where none is configured. */
  agrees(block: BlockId): Promise<boolean | undefined>;
  broadcast(raw: string): Promise<BroadcastOutcome>;
}

import type { ServedNetwork } from '../networks.ts';
import type { BlockId, Header } from '../states/chain.ts';

/** A payment in a block to one of our addresses. */
export interface Payment {
  readonly txHash: string;
  /** docs/custody.md, "Which output": values, logs and inner payments of one transaction never collide. */
  readonly outputIndex: number;
  readonly address: string;
  readonly account: 'deposit' | 'hot' | 'cold';
  readonly addressIndex: number;
  /** Bureau's symbol. */
  readonly asset: string;
  readonly contract: string | null;
  readonly atoms: bigint;
  /** Whether a customer sent it. */
  readonly isDeposit: boolean;
  /** Whether it is an output of a Bitcoin-like chain, which can be spent by itself. */
  readonly isCoin: boolean;
  /** For a miner's reward: after how many blocks it can be spent. */
  readonly maturity?: number;
  /** Whether a contract paid it within a transaction. Only a trace shows it, and a person decides about it. */
  readonly isInner: boolean;
  /** What its transaction spent and no other can spend as long as this one is in a block. */
  readonly fences: readonly string[];
  /** Where fences die: the `clock` of a block after which its transaction can be in none. */
  readonly diesAt?: number;
}

/** A fence that a transaction in a block spent. */
export interface SpentFence {
  readonly fence: string;
  readonly txHash: string;
  /** Whether the transaction was reverted, so that it had no other effect. */
  readonly isReverted: boolean;
  /** Whether it was reverted only because its own limit was too low. */
  readonly isStarved?: boolean;
  /** Whether an address of ours sent it, where only its fence shows that: it must be one of our versions. */
  readonly isOwn?: boolean;
  /** What its sender paid to the network, in atoms of the coin; `null` where the block does not say it. */
  readonly fee: bigint | null;
  /** What a transaction of ours moved of tokens away from its sender. */
  readonly moves?: readonly Move[];
}

/** A transfer of a token from the sender, as the chain itself shows it. Atoms are decimal text. */
export interface Move {
  readonly contract: string;
  readonly to: string;
  readonly atoms: string;
}

/** A token account of ours after a block. */
export interface TokenBalance {
  readonly account: string;
  readonly owner: Owner;
  /** Bureau's symbol. */
  readonly asset: string;
  readonly atoms: bigint;
}

/** A block with our payments and the fences spent in it. */
export interface ScannedBlock extends Header {
  readonly payments: readonly Payment[];
  readonly spent: readonly SpentFence[];
  /** The token accounts of ours that it changed, on a chain that has such accounts. */
  readonly balances?: readonly TokenBalance[];
  /** What a person should know about it, as events of the log. */
  readonly notes?: readonly Note[];
}

/** An event of the log. */
export interface Note {
  readonly event: string;
  readonly fields: Readonly<Record<string, string | number>>;
}

/** The owner of one of our addresses. */
export interface Owner {
  readonly account: 'deposit' | 'hot' | 'gas' | 'cold';
  readonly addressIndex: number;
  /** In its canonical form. */
  readonly address: string;
}

/** What a node answered to a transaction that was sent to it. */
export type BroadcastOutcome =
  /** It has the transaction, now or already before. */
  | { readonly kind: 'known' }
  /** It refused the transaction. That decides nothing: only a block does. */
  | { readonly kind: 'rejected'; readonly message: string };

/** What one transaction of a block did to us. */
export interface Effects {
  readonly payments: readonly Payment[];
  readonly moves?: readonly Move[];
  readonly isReverted: boolean;
}

/** The newest block of a node. */
export interface Tip extends BlockId {
  readonly mined_ms: number;
}

/** The end of the chain as a second node shows it. */
export interface SecondView {
  readonly height: number;
  /** Blocks up to this height are final, by that node. */
  readonly finalHeight: number;
  /** As `Chain.finalByTag`, by that node. */
  readonly finalByTag: number | null;
  /** The `clock` of that node's newest final block, where fences die. */
  readonly finalClock?: number;
}

/** The next heights of a chain that has a block at each. */
export function countOn(ahead: number, height: number, tipHeight: number): Promise<readonly number[]> {
  const count = Math.max(0, Math.min(ahead, tipHeight - height));
  return Promise.resolve(Array.from({ length: count }, (_, place) => height + 1 + place));
}

/** A chain as its nodes show it. Every method rejects when no node gives a usable answer. */
export interface Chain {
  readonly network: ServedNetwork;
  /** How many blocks are read at the same time while the custodian catches up. */
  readonly ahead: number;
  /** The newest block, and the time that its miner gave it. Rejects when the node is of another chain. */
  tip(): Promise<Tip>;
  /** The heights of the next blocks after ours, up to the tip: in order, at most `ahead` of them. */
  heightsAfter(height: number, tipHeight: number): Promise<readonly number[]>;
  /** The block at a height, or `undefined` when the chain has none there. */
  headerAt(height: number): Promise<Header | undefined>;
  /** Reads the block with exactly this hash. */
  scan(block: Header, ownerOf: (address: string) => Owner | undefined): Promise<ScannedBlock>;
  /** The height up to which the chain itself says that blocks are final; `null` when depth alone decides. */
  finalByTag(): Promise<number | null>;
  /** The end of the chain by the second node; `undefined` when there is none. Rejects when it is of another chain. */
  secondView(): Promise<SecondView | undefined>;
  /**
   * What a transaction of this block did, as the second node shows it; `null` when that node does not have it in this
   * block. Rejects when there is no second node. Inner payments are read only `withInner`, because that node then has to
   * trace the transaction.
   */
  readAgain(
    block: BlockId,
    txHash: string,
    ownerOf: (address: string) => Owner | undefined,
    withInner: boolean,
  ): Promise<Effects | null>;
  /** Whether the second node has a transaction in a block of its chain. Only where fences die. */
  secondHas?(txHash: string): Promise<boolean>;
  broadcast(raw: string): Promise<BroadcastOutcome>;
}

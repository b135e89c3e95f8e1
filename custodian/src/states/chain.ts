/** A block's height and hash. */
export interface BlockId {
  readonly height: number;
  readonly hash: string;
}

/** A block with the hash of its parent. */
export interface Header extends BlockId {
  readonly parent: string;
  /** What fences die by, where they do: on Tron the block's time in ms, on Solana how many blocks there are. It never falls from one block to the next. */
  readonly clock?: number;
  /** The parent's height, where it need not be the one before. */
  readonly parentHeight?: number;
}

/** What to do about the next block. */
export type FollowStep =
  /** Our newest block is its parent: store it. */
  | { readonly kind: 'extend' }
  /** Our newest block is no longer on the chain: delete it, then look again. */
  | { readonly kind: 'roll_back' }
  /** Our newest block was final and is no longer on the chain. A person must look. */
  | { readonly kind: 'halt' };

/** Compares our newest block with the chain's block after it. */
export function followStep(ours: BlockId, next: Header, finalHeight: number): FollowStep {
  const { height, parentHeight = height - 1 } = next;
  if (parentHeight > ours.height) throw new Error(`the node lacks the blocks between ${ours.height} and ${height}`);
  if (next.parent === ours.hash) return { kind: 'extend' };
  return { kind: ours.height <= finalHeight ? 'halt' : 'roll_back' };
}

/** A block's height and hash. */
export interface BlockId {
  readonly height: number;
  readonly hash: string;
}

/** A block with the hash of its parent. */
export interface Header extends BlockId {
  readonly parent: string;
  /** What fences die by, where they do: on Tron the block's time in ms. It never falls from one block to the next. */
  readonly clock?: number;
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
  if (next.height !== ours.height + 1) throw new Error('the next block is the one after ours');
  if (next.parent === ours.hash) return { kind: 'extend' };
  return { kind: ours.height <= finalHeight ? 'halt' : 'roll_back' };
}

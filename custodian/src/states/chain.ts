/** A block's place and name. */
export interface BlockId {
  readonly height: number;
  readonly hash: string;
}

/** A block that names the one before it. */
export interface Header extends BlockId {
  readonly parent: string;
}

/** What to do about the next block. */
export type FollowStep =
  /** It stands on ours: take it in. */
  | { readonly kind: 'extend' }
  /** Ours is no longer on the chain: take it back, then look again. */
  | { readonly kind: 'roll_back' }
  /** Ours is final and yet no longer on the chain. Nothing is safe to decide: a person must look. */
  | { readonly kind: 'halt' };

/** Compares our newest block with the chain's block after it. */
export function followStep(ours: BlockId, next: Header, finalHeight: number): FollowStep {
  if (next.height !== ours.height + 1) throw new Error('the next block is the one after ours');
  if (next.parent === ours.hash) return { kind: 'extend' };
  return { kind: ours.height <= finalHeight ? 'halt' : 'roll_back' };
}

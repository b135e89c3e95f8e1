export type DepositState =
  /** In a block that may still be reorganised away. */
  | 'INCLUDED'
  /** Its block was reorganised away. It may come back. */
  | 'ORPHANED'
  /** In a final block. */
  | 'FINAL'
  /** Another transaction that spends the same is final, so the deposit can never come back. */
  | 'DEAD';

export const depositStates = ['INCLUDED', 'ORPHANED', 'FINAL', 'DEAD'] as const satisfies readonly DepositState[];

/** What is known about a deposit's transaction. */
export interface DepositFacts {
  /** The height of the block it is in; `null` when it is in none. */
  readonly height: number | null;
  /**
   * The height at which another transaction spent one of its inputs or its sender's nonce, or by which its own can be in no
   * block any more; `null` when there is none.
   */
  readonly conflictHeight: number | null;
  /** Blocks up to this height are final. */
  readonly finalHeight: number;
}

/** The next state of a deposit. FINAL and DEAD never change. */
export function nextDepositState(
  state: DepositState,
  { height, conflictHeight, finalHeight }: DepositFacts,
): DepositState {
  if (state === 'FINAL' || state === 'DEAD') return state;
  if (height !== null) return height <= finalHeight ? 'FINAL' : 'INCLUDED';
  return conflictHeight !== null && conflictHeight <= finalHeight ? 'DEAD' : 'ORPHANED';
}

/**
 * The confirmations to report: the depth of the block. On a chain that says itself what is final (`finalByTag`), they
 * stay one below `credited` until the block is final. `finalByTag` is `null` on chains where depth alone decides.
 */
export function countConfirmations(height: number, tip: number, credited: number, finalByTag: number | null): number {
  const depth = Math.max(0, tip - height + 1);
  return finalByTag === null || height <= finalByTag ? depth : Math.min(depth, credited - 1);
}

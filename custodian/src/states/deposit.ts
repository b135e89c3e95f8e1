/** A deposit as the chain has it. */
export type DepositState =
  /** In a block that may still be reorganised away. */
  | 'INCLUDED'
  /** Its block was reorganised away. It may come back. */
  | 'ORPHANED'
  /** In a final block. */
  | 'FINAL'
  /** Another transaction that excludes it is final: it can never come back. */
  | 'DEAD';

export const depositStates = ['INCLUDED', 'ORPHANED', 'FINAL', 'DEAD'] as const satisfies readonly DepositState[];

/** What the chain says of a deposit's transaction. */
export interface DepositFacts {
  /** The height of the block it is in; `null` when in none. */
  readonly height: number | null;
  /** The height at which another transaction spent one of its inputs, or its sender's nonce; `null` where none did. */
  readonly conflictHeight: number | null;
  /** Blocks up to this height are final. */
  readonly finalHeight: number;
}

/** Where a deposit stands. FINAL and DEAD are for good. */
export function standDeposit(state: DepositState, { height, conflictHeight, finalHeight }: DepositFacts): DepositState {
  if (state === 'FINAL' || state === 'DEAD') return state;
  if (height !== null) return height <= finalHeight ? 'FINAL' : 'INCLUDED';
  return conflictHeight !== null && conflictHeight <= finalHeight ? 'DEAD' : 'ORPHANED';
}

/**
 * The confirmations to report: the depth, but below what credits the deposit while its block is not final, where the
 * chain says what is final by itself. `null` finality is a chain that has none but its depth.
 */
export function countConfirmations(height: number, tip: number, credited: number, finalByTag: number | null): number {
  const depth = Math.max(0, tip - height + 1);
  return finalByTag === null || height <= finalByTag ? depth : Math.min(depth, credited - 1);
}

import type { Asset } from '../../src/money/assets.ts';

/** One row of the journal. */
export interface Movement {
  readonly debit: string;
  readonly credit: string;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly kind: string;
  readonly reference: string;
}

/** A movement without the record's id, which nobody can predict. */
export function withoutReference({ debit, credit, asset, amount, kind }: Movement): Omit<Movement, 'reference'> {
  return { debit, credit, asset, amount, kind };
}

/** Whether two lists have the same movements, in any order. */
export function sameMovements(
  one: readonly Omit<Movement, 'reference'>[],
  other: readonly Omit<Movement, 'reference'>[],
): boolean {
  const write = (list: readonly Omit<Movement, 'reference'>[]) =>
    list
      .map(({ debit, credit, asset, amount, kind }) => `${debit} ${credit} ${asset} ${amount} ${kind}`)
      .toSorted()
      .join();
  return write(one) === write(other);
}

import type { Invariant } from './invariants.ts';

/** One transfer that a record commands, each value as SQL over the record's row `r`. */
export interface Leg {
  /** The number that the record names for it; NULL where its state calls for none. */
  readonly number: string;
  readonly debit: string;
  readonly credit: string;
  readonly asset: string;
  readonly amount: string;
  /** Of the transfer, where it is not the record's own. */
  readonly kind?: string;
  readonly reference?: string;
  /** 1 where the record's account receives, -1 where it gives; none where it takes no part. */
  readonly sign?: string;
}

/** Something else that must hold of a record: SQL that is true where it does not. */
export interface Claim {
  readonly invariant: Invariant;
  /** Which records it is about. */
  readonly about: string;
  readonly broken: string;
}

/**
 * One kind of record and its tie to the journal. It is written down once: the walk over the accounts asks of each record
 * for its transfers, the walk over the journal of each transfer for its record, and the sums add up the same legs.
 */
export interface RecordKind {
  /** The table. */
  readonly name: string;
  /** What it is called in an example. */
  readonly title: string;
  /** The kind of its transfers. */
  readonly kind: string;
  readonly legs: readonly Leg[];
  /** SQL that is true where the row contradicts itself, or lacks another row that belongs to it. */
  readonly odd: string;
  /** SQL that finds the record `r` of a transfer `t`. */
  readonly found: string;
  /** The columns that an example shows. */
  readonly shown: readonly string[];
  readonly claims: readonly Claim[];
}

import type { D1Database } from '@cloudflare/workers-types/experimental';
import type { Invariant } from './invariants.ts';

/** One transfer that belongs to a record. Each value is SQL over the record's row `r`. */
export interface Leg {
  /** The transfer's number; NULL when the record's state requires no such transfer. */
  readonly number: string;
  readonly debit: string;
  readonly credit: string;
  readonly asset: string;
  readonly amount: string;
  /** The transfer's kind and reference, when they are not the record's kind and id. */
  readonly kind?: string;
  readonly reference?: string;
  /** 1 when the record's account receives, -1 when it pays; absent when the leg does not touch that account. */
  readonly sign?: string;
  /** What the line of the statement adds to the type of the record. */
  readonly suffix?: string;
}

/** Another condition on the records of a kind. */
export interface Claim {
  readonly invariant: Invariant;
  /** SQL that is true for the records that the condition applies to. */
  readonly about: string;
  /** SQL that is true when the condition is broken. */
  readonly broken: string;
}

/**
 * One kind of record and the transfers that belong to it. All checks are composed from this: whether each record has
 * its transfers, whether each transfer has its record, and whether each balance is the sum of its records' legs.
 */
export interface RecordKind {
  readonly name: string;
  readonly title: string;
  /** The kind of its transfers. */
  readonly kind: string;
  /** SQL for the type under which the account's holder sees it. */
  readonly type: string;
  /** Whether its transfers may be much later than its id. */
  readonly isSlow: boolean;
  readonly legs: readonly Leg[];
  /** SQL that is true when the row contradicts itself, or when another row that belongs to it is missing. */
  readonly odd: string;
  /**
   * SQL that is true when the transfers are counted for this record. If two rows name the same transfers, only one of
   * them counts. By default every row counts.
   */
  readonly counted?: string;
  /** SQL that finds the record `r` of a transfer `t`. */
  readonly found: string;
  /** How many orders take D1 as long to check as one of these records: a slice holds so many fewer of them. */
  readonly weight: number;
  /** The columns that an example shows. */
  readonly shown: readonly string[];
  readonly claim?: Claim;
}

/** A ledger as it is read, and the kinds of its records, which are the same in all ledgers. */
export interface Ledger {
  readonly database: D1Database;
  readonly kinds: readonly RecordKind[];
}

/** How many records of a kind fit into a slice in which this many orders fit. Pure. */
export function countFitting({ weight }: RecordKind, orders: number): number {
  return Math.max(1, Math.floor(orders / weight));
}

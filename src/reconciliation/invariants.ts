import { z } from 'zod';

/**
 * What is true of the ledger at every moment. The database refuses writes that would break one of these; the
 * reconciliation checks that it did.
 */
export const invariants = [
  /** For each asset, all balances of the ledger sum to zero. */
  'ledger_sums_to_zero',
  /** No account's balance is below zero, and no balance of the house is below its floor. */
  'balances_above_floor',
  /** Each balance is the sum of its transfers, and has the number of the newest. */
  'balances_match_transfers',
  /** Transfers are numbered from 1 without a gap. */
  'journal_has_no_gap',
  /** Each record has exactly the transfers that its state requires, and each transfer has its record. */
  'records_match_transfers',
  /** Each payment between two ledgers has its withdrawal in one and its receipt in the other. */
  'payments_have_both_sides',
  /** No withdrawal was paid twice, or paid and also returned. */
  'withdrawals_paid_once',
  /** In any 24 hours, an account's withdrawals that have not failed stay within the limit in force at the time. */
  'withdrawals_within_limit',
  /** The rounded amount of a fill differs from the exact one by less than one atom, in the house's favour. */
  'rounding_favours_house',
  /** No address belongs to two accounts, on any networks. */
  'addresses_have_one_owner',
  /**
   * What clients brought in is within the supply cap; what is owed to them is within the cap plus the house's exposure.
   */
  'debts_within_caps',
  /**
   * What the house has beyond its capital is what its orders, hedges and settlements explain, and is worth what profit and
   * loss of all days add up to.
   */
  'pnl_unexplained',
  /** Every order at a venue is one hedge's, and no two are the same one's. */
  'hedges_sent_once',
  /** The journal and the audit are the same as when they were first read. */
  'history_unchanged',
] as const;

export type Invariant = (typeof invariants)[number];

/** One case that breaks an invariant: its ids and figures. */
export const Example = z.record(z.string(), z.string());

export type Example = Readonly<z.output<typeof Example>>;

/** One error that a check found. */
export interface Finding {
  readonly invariant: Invariant;
  readonly example: Example;
}

/** How many rows were checked for each invariant. */
export type Counts = Partial<Record<Invariant, number>>;

/** What a pass has found about one invariant so far. */
const Tally = z.object({ checked: z.int(), broken: z.int(), examples: z.array(Example).readonly() });

export type Tally = z.output<typeof Tally>;

export const Tallies = z.partialRecord(z.enum(invariants), Tally);

export type Tallies = z.output<typeof Tallies>;

/** Maximum number of examples kept per invariant; the rest are counted. */
export const MAX_EXAMPLES = 10;

const nothing: Tally = { checked: 0, broken: 0, examples: [] };

/** Adds the result of a slice to the results before it. Pure. */
export function addToTallies(tallies: Tallies, checked: Counts, findings: readonly Finding[]): Tallies {
  const sums: Tallies = { ...tallies };
  for (const invariant of invariants) {
    const found = findings.filter((finding) => finding.invariant === invariant).map(({ example }) => example);
    const before = tallies[invariant] ?? nothing;
    if (checked[invariant] === undefined && found.length === 0) continue;
    sums[invariant] = {
      checked: before.checked + (checked[invariant] ?? 0),
      broken: before.broken + found.length,
      examples: [...before.examples, ...found].slice(0, MAX_EXAMPLES),
    };
  }
  return sums;
}

/** By how many atoms balances differ from the sum of their transfers, per asset, as text. */
export type Differences = Readonly<Record<string, string>>;

export interface SliceResult {
  readonly checked: Counts;
  readonly findings: readonly Finding[];
  readonly differences: Differences;
  /** Assets whose records and transfers disagree: for these the sum of the records is not the sum of the transfers. */
  readonly untied: readonly string[];
  /** How many transfers, up to the newest before the pass, the records name. */
  readonly legs: number;
  readonly duration_ms: number;
}

/** A slice that has found nothing to compare. */
export const NOTHING: SliceResult = { checked: {}, findings: [], differences: {}, untied: [], legs: 0, duration_ms: 0 };

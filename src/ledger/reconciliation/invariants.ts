/**
 * What must hold of the ledger at every moment, whoever wrote to it. The database refuses whatever would break one of
 * them; the reconciliation checks that it did.
 */
export const invariants = [
  /** Of every asset, all balances of the ledger sum to zero. */
  'ledger_sums_to_zero',
  /** No balance of an account is below zero, and none of the house's below its floor. */
  'balances_above_floor',
  /** A balance is the sum of its transfers, and carries the number of the newest. */
  'balances_match_transfers',
  /** The journal is numbered from 1 without a gap. */
  'journal_has_no_gap',
  /** A record has exactly the transfers that its state calls for, and a transfer the record that explains it. */
  'records_match_transfers',
  /** A withdrawal was paid out at most once, and never both paid out and given back. */
  'withdrawals_paid_once',
  /** What an account withdrew in 24 hours, without what failed, was within its limit of that time. */
  'withdrawals_within_limit',
  /** The rounded side of a fill is off by less than one atom of its asset, in the house's favour. */
  'rounding_favours_house',
  /** An address belongs to one account, on whichever networks it receives. */
  'addresses_have_one_owner',
  /** What clients brought in is within the supply cap, and what is owed to them within that and the exposure. */
  'debts_within_caps',
  /** The journal and the audit are what they were when they were first read. */
  'history_unchanged',
] as const;

export type Invariant = (typeof invariants)[number];

/** One thing that breaks an invariant, by its ids and figures. */
export type Example = Readonly<Record<string, string>>;

/** What a check found wrong. */
export interface Finding {
  readonly invariant: Invariant;
  readonly example: Example;
}

/** How many things were looked at for each invariant. */
export type Counts = Partial<Record<Invariant, number>>;

/** What a pass has seen of one invariant. */
export interface Tally {
  readonly checked: number;
  readonly broken: number;
  readonly examples: readonly Example[];
}

export type Tallies = Partial<Record<Invariant, Tally>>;

/** The most examples that are kept of an invariant; the rest are counted. */
export const MAX_EXAMPLES = 10;

const nothing: Tally = { checked: 0, broken: 0, examples: [] };

/** Adds what a slice showed to what was seen before it. Pure. */
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

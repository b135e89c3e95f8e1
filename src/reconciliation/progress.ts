import { z } from 'zod';
import { ChainPosition, CHAIN_START } from './history.ts';
import { Example, Tallies, invariants } from './invariants.ts';
import { ACCOUNTS_START, AccountsPosition } from './scan-accounts.ts';
import { JOURNAL_START, JournalPosition } from './scan-journal.ts';

/** What a complete pass found about one invariant. Figures are counts, and plain decimals for each asset. */
export const InvariantReport = z.object({
  status: z.enum(['ok', 'broken']),
  figures: z.record(z.string(), z.union([z.string(), Example])),
  examples: z.array(Example),
});

export type InvariantReport = z.output<typeof InvariantReport>;

export const PassReport = z.object({
  pass: z.int(),
  startedAt: z.int(),
  completedAt: z.int(),
  invariants: z.record(z.enum(invariants), InvariantReport),
});

export type PassReport = z.output<typeof PassReport>;

const ChainPositions = z.object({ transfers: ChainPosition, audit: ChainPosition });

/** The progress of a pass, which checks first the accounts, then the history of both chains, then the journal. */
export const Pass = z.object({
  startedAt: z.int(),
  /** The newest transfer that was read before the pass began, and how many up to it the scanned records name. */
  head: z.int(),
  legs: z.int(),
  /** `null` when the accounts are done. */
  accounts: AccountsPosition.nullable(),
  journal: JournalPosition.nullable(),
  chains: ChainPositions,
  chainsDone: z.boolean(),
  /** By how many atoms balances differ from their transfers, per asset. */
  differences: z.record(z.string(), z.string()),
  /** Assets whose records and transfers disagree. */
  untied: z.array(z.string()).readonly(),
  tallies: Tallies,
});

export type Pass = z.output<typeof Pass>;

/** All that the reconciliation remembers between two slices. It is in the storage of its object, not in the ledger. */
export const Progress = z.object({
  /** The number of the running pass, or of the next one. */
  number: z.int(),
  steppedAt: z.int().nullable(),
  /** When the newest pass began. */
  beganAt: z.int().nullable(),
  pass: Pass.nullable(),
  /** How far new transfers were read, and (`found`) what was found in them since the last pass ended. */
  newest: JournalPosition,
  found: Tallies,
  /** How far the stored links of the chains reach. */
  chains: ChainPositions,
  /** The sums of the house's transfers up to the end of a stored link. A chain that is unchanged gives the same sums. */
  linked: JournalPosition,
  /** A report that lacks an invariant of today is dropped, and not the progress with it. */
  report: PassReport.nullable().catch(null),
});

export type Progress = z.output<typeof Progress>;

const CHAINS_START = { transfers: CHAIN_START, audit: CHAIN_START };

export const NO_PROGRESS: Progress = {
  number: 1,
  steppedAt: null,
  beganAt: null,
  pass: null,
  newest: JOURNAL_START,
  found: {},
  chains: CHAINS_START,
  linked: JOURNAL_START,
  report: null,
};

/**
 * A new pass that has scanned nothing. It counts everything again, so changes of rows that the last pass had read are
 * found.
 */
export function beginPass(now_ms: number, head: number): Pass {
  return {
    startedAt: now_ms,
    head,
    legs: 0,
    accounts: ACCOUNTS_START,
    journal: JOURNAL_START,
    chains: CHAINS_START,
    chainsDone: false,
    differences: {},
    untied: [],
    tallies: {},
  };
}

import { z } from 'zod';
import { ChainPosition, CHAIN_START } from './history.ts';
import { invariants } from './invariants.ts';
import { ACCOUNTS_START, AccountsPosition } from './walk-accounts.ts';
import { JOURNAL_START, JournalPosition } from './walk-journal.ts';

const Example = z.record(z.string(), z.string());
const Tally = z.object({ checked: z.int(), broken: z.int(), examples: z.array(Example).readonly() });

/** What a complete pass found of one invariant. Figures are counts, and plain decimals per asset. */
export const InvariantReport = z.object({
  status: z.enum(['ok', 'broken']),
  figures: z.record(z.string(), z.union([z.string(), Example])),
  examples: z.array(Example),
});

export type InvariantReport = z.output<typeof InvariantReport>;

/** What a complete pass found. */
export const PassReport = z.object({
  pass: z.int(),
  startedAt: z.int(),
  completedAt: z.int(),
  invariants: z.record(z.enum(invariants), InvariantReport),
});

export type PassReport = z.output<typeof PassReport>;

const ChainPositions = z.object({ transfers: ChainPosition, audit: ChainPosition });

/** How far a pass has come: over the accounts, then over the journal, then over the history of both chains. */
export const Pass = z.object({
  startedAt: z.int(),
  /** `null` when that walk is done. */
  accounts: AccountsPosition.nullable(),
  journal: JournalPosition.nullable(),
  chains: ChainPositions,
  chainsDone: z.boolean(),
  /** In atoms, per asset. */
  differences: z.record(z.string(), z.string()),
  /** Assets of which records and transfers do not agree. */
  untied: z.array(z.string()).readonly(),
  tallies: z.partialRecord(z.enum(invariants), Tally),
});

export type Pass = z.output<typeof Pass>;

/** All that the reconciliation keeps between two slices. Its object's storage holds it; nothing of it is in the ledger. */
export const Progress = z.object({
  /** The number of the pass that is under way, or of the next one. */
  number: z.int(),
  steppedAt: z.int().nullable(),
  /** When the newest pass began. */
  beganAt: z.int().nullable(),
  pass: Pass.nullable(),
  /** How far new transfers were read, and what was found in them since the last pass ended. */
  newest: JournalPosition,
  found: z.partialRecord(z.enum(invariants), Tally),
  /** How far the chains were computed for the first time. */
  chains: ChainPositions,
  report: PassReport.nullable(),
});

export type Progress = z.output<typeof Progress>;

const CHAINS_START = { transfers: CHAIN_START, audit: CHAIN_START };

/** Before anything was read. */
export const NO_PROGRESS: Progress = {
  number: 1,
  steppedAt: null,
  beganAt: null,
  pass: null,
  newest: JOURNAL_START,
  found: {},
  chains: CHAINS_START,
  report: null,
};

/** A pass that has walked nothing. It counts anew, so that what was changed behind the last one is found. */
export function beginPass(now_ms: number): Pass {
  return {
    startedAt: now_ms,
    accounts: ACCOUNTS_START,
    journal: JOURNAL_START,
    chains: CHAINS_START,
    chainsDone: false,
    differences: {},
    untied: [],
    tallies: {},
  };
}

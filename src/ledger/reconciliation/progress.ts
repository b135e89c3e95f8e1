import { isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { reconciliation, violations } from '../schema.ts';
import type { Cursor } from './check.ts';
import { type Invariant, type Tallies, invariants } from './invariants.ts';

const Example = z.record(z.string(), z.string());
const Tally = z.object({ checked: z.int(), broken: z.int(), examples: z.array(Example) });

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

/** Where a check stands: the last row that it has looked at, or at its end. */
export type Position = Cursor | 'done';

const Positions = z.record(z.string(), z.union([z.literal('done'), z.tuple([z.string(), z.string()])]));

/** How far the pass that is under way has come. */
export interface Progress {
  /** The number of steps ever taken; the next one is written only if no other came between. */
  readonly step: number;
  readonly pass: number;
  /** `null` before the pass's first step. */
  readonly startedAt: number | null;
  readonly steppedAt: number | null;
  /** The number of the newest transfer that the pass has read. */
  readonly journal: number;
  /** By the names of the checks; one that is not there has not begun. */
  readonly positions: Readonly<Record<string, Position>>;
  readonly tallies: Tallies;
  /** In atoms, per asset. */
  readonly differences: Readonly<Record<string, bigint>>;
  /** Of the last complete pass. */
  readonly report: PassReport | null;
}

/** An invariant that was found broken and is not cleared. */
export interface Violation {
  readonly id: string;
  readonly invariant: Invariant;
  readonly pass: number;
  readonly foundAt: number;
  readonly examples: readonly Readonly<Record<string, string>>[];
}

/** Everything that a step begins with, and that the operator is shown. */
export interface Standing {
  readonly progress: Progress;
  /** Those that are not cleared, oldest first. */
  readonly violations: readonly Violation[];
  /** The highest number in the journal. */
  readonly head: number;
}

/** Reads where the reconciliation stands, in one round trip. Throws when D1 fails. */
export async function readStanding(database: Database): Promise<Standing> {
  const [rows, open, heads] = await database.batch([
    database.select().from(reconciliation),
    database.select().from(violations).where(isNull(violations.clearedAt)).orderBy(violations.id),
    database.all<{ head: number }>(sql`SELECT coalesce(max(id), 0) AS head FROM transfers`),
  ]);
  const [row] = rows;
  const [journal] = heads;
  if (!row || !journal) throw new Error('the row of the reconciliation is missing');
  const { step, pass, startedAt, steppedAt } = row;
  return {
    progress: {
      step,
      pass,
      startedAt,
      steppedAt,
      journal: row.journal,
      positions: Positions.parse(JSON.parse(row.cursors)),
      tallies: z.partialRecord(z.enum(invariants), Tally).parse(JSON.parse(row.tallies)),
      differences: parseDifferences(row.differences),
      report: row.report === null ? null : PassReport.parse(JSON.parse(row.report)),
    },
    violations: open.map(({ id, invariant, foundAt, examples, ...found }) => ({
      id,
      invariant: z.enum(invariants).parse(invariant),
      pass: found.pass,
      foundAt,
      examples: z.array(Example).parse(JSON.parse(examples)),
    })),
    head: journal.head,
  };
}

function parseDifferences(text: string): Record<string, bigint> {
  const texts = z.record(z.string(), z.string()).parse(JSON.parse(text));
  return Object.fromEntries(Object.entries(texts).map(([asset, atoms]) => [asset, BigInt(atoms)]));
}

/** The columns of the row that say where a pass stands; the step is the next one. */
export function toColumns({ step, pass, startedAt, steppedAt, journal, ...progress }: Progress) {
  const differences = Object.entries(progress.differences).map(([asset, atoms]) => [asset, atoms.toString()]);
  return {
    pass,
    startedAt,
    steppedAt,
    journal,
    step: step + 1,
    cursors: JSON.stringify(progress.positions),
    tallies: JSON.stringify(progress.tallies),
    differences: JSON.stringify(Object.fromEntries(differences)),
    report: progress.report && JSON.stringify(progress.report),
  };
}

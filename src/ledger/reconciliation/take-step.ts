import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { readRaw } from '../raw-statement.ts';
import { BEGINNING, type Check, type Judgement, type Slice } from './check.ts';
import { checks } from './checks.ts';
import { type Closing, type HouseRow, closePass, selectHouse } from './close-pass.ts';
import { type Counts, type Finding, addToTallies, invariants } from './invariants.ts';
import type { InvariantReport, PassReport, Progress, Standing } from './progress.ts';
import { type Tail, type TailRow, readTail, selectTail } from './tail.ts';

/** The most rows that one step looks at: of the journal, and of the table of each check. */
export interface SliceLimits {
  readonly transfers: number;
  readonly rows: number;
}

/** What a step found, before it is written. */
export interface Step {
  /** Where the pass stands after it: at the outset of the next one, if this step ended it. */
  readonly next: Progress;
  readonly findings: readonly Finding[];
  /** The transfers that are counted with it: above the first number, up to the second, in the pass. */
  readonly counted: { readonly after: number; readonly upTo: number; readonly pass: number };
  /** Whether more of the journal is left than the step read. */
  readonly isBehind: boolean;
}

/** The slices that a step looks at, by check. */
type Slices = readonly { readonly check: Check; readonly slice: Slice }[];

/**
 * Looks at the next slice of everything, in one transaction, and says what it shows; writes nothing. It reads the next
 * transfers of the journal. If these reach the journal's end, then what was counted and read of it is exactly what the
 * balances and records of this transaction must agree with, so the next slice of each check is held against it; else
 * the checks wait. Throws when D1 fails.
 */
export async function takeStep(
  database: Database,
  { progress, head }: Standing,
  limits: SliceLimits,
  now_ms: number,
): Promise<Step> {
  const isNear = head - progress.journal <= limits.transfers;
  const slices = isNear ? sliceChecks(progress, limits.rows) : [];
  const view = await readView(database, progress, slices, limits.transfers);
  const { tail } = view;
  const isAtEnd = isNear && tail.end >= view.head;
  const judgements = isAtEnd ? judgeSlices(slices, view.rows, tail) : [];
  const began: Progress = { ...progress, startedAt: progress.startedAt ?? now_ms, steppedAt: now_ms };
  const advanced = advance({ ...began, journal: tail.end }, tail, judgements);
  const findings = [...tail.findings, ...judgements.flatMap(({ judgement }) => judgement.findings)];
  const step = { counted: { after: progress.journal, upTo: tail.end, pass: progress.pass }, isBehind: !isAtEnd };
  if (!checks.every(({ name }) => advanced.positions[name] === 'done')) return { ...step, next: advanced, findings };

  const closing = closePass(view.house, advanced.differences);
  const tallies = addToTallies(advanced.tallies, closing.checked, closing.findings);
  const report = writeReport({ ...advanced, tallies }, closing, now_ms);
  return { ...step, next: beginPass(advanced, report), findings: [...findings, ...closing.findings] };
}

function sliceChecks({ positions, pass }: Progress, rows: number): Slices {
  return checks.flatMap((check) => {
    const position = positions[check.name] ?? BEGINNING;
    return position === 'done' ? [] : [{ check, slice: { after: position, rows, pass } }];
  });
}

interface View {
  readonly head: number;
  readonly tail: Tail;
  readonly house: readonly HouseRow[];
  /** Of each slice, in their order. */
  readonly rows: readonly (readonly unknown[])[];
}

/** Everything that the step looks at, in one batch: D1 runs it as one transaction. */
async function readView(database: Database, { journal }: Progress, slices: Slices, count: number): Promise<View> {
  const ends = sql`SELECT (SELECT min(id) FROM transfers) AS first, (SELECT coalesce(max(id), 0) FROM transfers) AS head`;
  const [[end], transfers, house, ...rows] = (await database.batch([
    readRaw(database, ends),
    readRaw(database, selectTail(journal, count)),
    readRaw(database, selectHouse()),
    ...slices.map(({ check, slice }) => readRaw(database, check.query(slice))),
  ])) as [{ first: number | null; head: number }[], TailRow[], HouseRow[], ...unknown[][]];
  if (!end) throw new Error('a query of two numbers gave none');
  return { head: end.head, tail: readTail(transfers, journal, end.first, end.head), house, rows };
}

type Judged = readonly { readonly name: string; readonly judgement: Judgement }[];

function judgeSlices(slices: Slices, rows: View['rows'], tail: Tail): Judged {
  return slices.map(({ check, slice }, position) => {
    // Each check reads the rows of its own query.
    return { name: check.name, judgement: check.judge((rows[position] ?? []) as never[], slice, tail) };
  });
}

/** The pass with what the step added to it. */
function advance(progress: Progress, tail: Tail, judged: Judged): Progress {
  const positions = { ...progress.positions };
  const differences = { ...progress.differences };
  const journal: Counts = { journal_has_no_gap: tail.count };
  let tallies = addToTallies(progress.tallies, journal, tail.findings);
  for (const { name, judgement } of judged) {
    positions[name] = judgement.next ?? 'done';
    tallies = addToTallies(tallies, judgement.checked, judgement.findings);
    for (const [asset, atoms] of Object.entries(judgement.differences ?? {})) {
      differences[asset] = (differences[asset] ?? 0n) + atoms;
    }
  }
  return { ...progress, positions, differences, tallies };
}

function writeReport({ pass, startedAt, tallies }: Progress, closing: Closing, now_ms: number): PassReport {
  const reports = invariants.map((invariant): [string, InvariantReport] => {
    const { checked = 0, broken = 0, examples = [] } = tallies[invariant] ?? {};
    const counts = { checked: String(checked), broken: String(broken) };
    const figures = invariant in closing.figures ? closing.figures[invariant as keyof Closing['figures']] : {};
    return [
      invariant,
      { status: broken > 0 ? 'broken' : 'ok', figures: { ...counts, ...figures }, examples: [...examples] },
    ];
  });
  return {
    pass,
    startedAt: startedAt ?? now_ms,
    completedAt: now_ms,
    invariants: Object.fromEntries(reports) as PassReport['invariants'],
  };
}

/** The next pass begins with nothing counted: a journal that was changed behind the last one's back is read again. */
function beginPass({ step, pass, steppedAt }: Progress, report: PassReport): Progress {
  return {
    step,
    steppedAt,
    report,
    pass: pass + 1,
    startedAt: null,
    journal: 0,
    positions: {},
    tallies: {},
    differences: {},
  };
}

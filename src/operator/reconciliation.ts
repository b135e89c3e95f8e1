import { z } from '@hono/zod-openapi';
import { Id, Timestamp, showTime } from '../http/wire-types.ts';
import type { KeeperStanding } from '../reconciliation/reach-keeper.ts';
import { type Invariant, type Tally, invariants } from '../reconciliation/invariants.ts';
import { InvariantReport, type Progress } from '../reconciliation/progress.ts';
import type { Violation } from '../reconciliation/violations.ts';

const Name = z.enum(invariants);
const Status = z.enum(['ok', 'broken', 'pending']);

/** One invariant, as last checked. */
const ReconciledInvariant = z
  .object({
    name: Name,
    status: Status,
    figures: InvariantReport.shape.figures.openapi({
      description: 'Counts, and plain decimals per asset',
      example: { checked: '9', broken: '0' },
    }),
    examples: InvariantReport.shape.examples.openapi({ description: 'At most 10 examples of violations', example: [] }),
  })
  .openapi('ReconciledInvariant');

type ReconciledInvariant = z.output<typeof ReconciledInvariant>;

/** The newest link of a chain over the history. */
const HistoryLink = z
  .object({
    number: z.int().openapi({ example: 3 }),
    upTo: z.int().openapi({ description: 'The number of its last row', example: 15_000 }),
    digest: z.string().openapi({
      description: 'SHA-256, in hexadecimal digits',
      example: '6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b',
    }),
  })
  .nullable();

const Violations = z.array(
  z.object({
    id: Id,
    invariant: Name,
    pass: z.int().openapi({ example: 41 }),
    foundAt: Timestamp,
    examples: InvariantReport.shape.examples.openapi({ example: [{ asset: 'BTC', sum: '0.5' }] }),
  }),
);

const LastPass = z
  .object({ pass: z.int().openapi({ example: 41 }), startedAt: Timestamp, completedAt: Timestamp })
  .nullable();

const PassProgress = z.object({
  pass: z.int().openapi({ description: 'The running pass, or the next', example: 42 }),
  startedAt: Timestamp.nullable().openapi({ description: 'null while no pass is running' }),
  lastStepAt: Timestamp.nullable(),
  transfersRead: z
    .string()
    .openapi({ description: 'The number of the newest transfer that was read', example: '7312' }),
  walks: z.record(z.enum(['accounts', 'history', 'journal']), z.enum(['waiting', 'running', 'done'])).openapi({
    description: 'The parts of the running pass',
    example: { accounts: 'done', history: 'running', journal: 'waiting' },
  }),
});

const History = z
  .object({ transfers: HistoryLink, audit: HistoryLink })
  .openapi({ description: 'The newest link over every 5,000 transfers, and over every 100 rows of the audit' });

const LedgerStanding = z
  .object({
    ledger: z.int().openapi({ description: 'Its number', example: 0 }),
    status: z.enum([...Status.options, 'unreachable']).openapi({
      description: 'As of the whole. unreachable: the ledger did not answer, and nothing is known about it now',
    }),
    lastPass: LastPass,
    progress: PassProgress.nullable().openapi({ description: 'null while the ledger does not answer' }),
    history: History.nullable().openapi({ description: 'null while the ledger does not answer' }),
    violations: Violations,
  })
  .openapi('LedgerStanding');

export type LedgerStanding = z.output<typeof LedgerStanding>;

/** The progress of the reconciliation, and its results. */
export const Reconciliation = z
  .object({
    status: Status.openapi({
      description:
        'broken: a violation is not cleared, and the exchange is halted. pending: no complete pass has succeeded yet. Of several ledgers the worst; one that does not answer is pending here',
    }),
    invariants: z
      .array(ReconciledInvariant)
      .openapi({ description: 'With several ledgers, the figures are the sums over those that answered' }),
    violations: Violations,
    lastPass: LastPass,
    progress: PassProgress.openapi({
      description: 'With several ledgers this, lastPass and history are of the one whose last pass is the longest ago',
    }),
    history: History,
    ledgers: z.array(LedgerStanding).openapi({ description: 'How each ledger stands' }),
  })
  .openapi('Reconciliation');

export type Reconciliation = z.output<typeof Reconciliation>;

export type LedgerReconciliation = Omit<Reconciliation, 'ledgers'>;

/** Shows the progress of the reconciliation of one ledger. */
export function showReconciliation(
  { progress, links }: KeeperStanding,
  violations: readonly Violation[],
): LedgerReconciliation {
  const { number, pass, steppedAt, newest, report } = progress;
  const shown = invariants.map((invariant) => showInvariant(invariant, progress));
  const isOk = shown.every(({ status }) => status === 'ok');
  return {
    status: violations.length > 0 ? 'broken' : isOk ? 'ok' : 'pending',
    invariants: shown,
    violations: violations.map(({ foundAt, examples, ...violation }) => ({
      ...violation,
      foundAt: showTime(foundAt),
      examples: [...examples],
    })),
    lastPass: report && {
      pass: report.pass,
      startedAt: showTime(report.startedAt),
      completedAt: showTime(report.completedAt),
    },
    progress: {
      pass: number,
      startedAt: pass && showTime(pass.startedAt),
      lastStepAt: showTime(steppedAt),
      transfersRead: String(newest.after),
      walks: showParts(pass),
    },
    history: links,
  };
}

function showParts(pass: Progress['pass']): Reconciliation['progress']['walks'] {
  if (!pass) return { accounts: 'waiting', history: 'waiting', journal: 'waiting' };
  const areAccountsDone = pass.accounts === null;
  return {
    accounts: areAccountsDone ? 'done' : 'running',
    history: pass.chainsDone ? 'done' : areAccountsDone ? 'running' : 'waiting',
    journal: pass.chainsDone ? 'running' : 'waiting',
  };
}

/** The last complete pass's result for an invariant, unless it was found broken since. */
function showInvariant(name: Invariant, { pass, found, report }: Progress): ReconciledInvariant {
  const broken = [pass?.tallies[name], found[name]].find((tally) => tally !== undefined && tally.broken > 0);
  if (broken) return { name, status: 'broken', ...showTally(broken) };
  if (report) return { name, ...report.invariants[name] };
  return { name, status: 'pending', ...showTally(pass?.tallies[name]) };
}

function showTally({ checked, broken, examples }: Tally = { checked: 0, broken: 0, examples: [] }) {
  return { figures: { checked: String(checked), broken: String(broken) }, examples: [...examples] };
}

import { z } from '@hono/zod-openapi';
import { Id, Timestamp } from '../http/wire-types.ts';
import { checks } from '../ledger/reconciliation/checks.ts';
import { type Invariant, type Tally, invariants } from '../ledger/reconciliation/invariants.ts';
import { InvariantReport, type Progress, type Standing } from '../ledger/reconciliation/progress.ts';

const Name = z.enum(invariants);

/** One invariant, as it was last found. */
const ReconciledInvariant = z
  .object({
    name: Name,
    status: z.enum(['ok', 'broken', 'pending']),
    figures: InvariantReport.shape.figures.openapi({
      description: 'Counts, and plain decimals per asset',
      example: { checked: '9', broken: '0' },
    }),
    examples: InvariantReport.shape.examples.openapi({ description: 'At most 10 of what breaks it', example: [] }),
  })
  .openapi('ReconciledInvariant');

type ReconciledInvariant = z.output<typeof ReconciledInvariant>;

/** Where the reconciliation stands, and what it has found. */
export const Reconciliation = z
  .object({
    status: z.enum(['ok', 'broken', 'pending']).openapi({
      description:
        'broken: a violation is not cleared, and the exchange is halted. pending: no complete pass has found all well since',
    }),
    invariants: z.array(ReconciledInvariant),
    violations: z.array(
      z.object({
        id: Id,
        invariant: Name,
        pass: z.int().openapi({ example: 41 }),
        foundAt: Timestamp,
        examples: InvariantReport.shape.examples.openapi({ example: [{ asset: 'BTC', sum: '0.5' }] }),
      }),
    ),
    lastPass: z
      .object({ pass: z.int().openapi({ example: 41 }), startedAt: Timestamp, completedAt: Timestamp })
      .nullable(),
    progress: z.object({
      pass: z.int().openapi({ example: 42 }),
      startedAt: Timestamp.nullable(),
      lastStepAt: Timestamp.nullable(),
      transfersRead: z.string().openapi({ description: 'How far the journal was read', example: '5000' }),
      transfers: z.string().openapi({ description: 'How long it is', example: '7312' }),
      checks: z.record(z.string(), z.enum(['waiting', 'running', 'done'])).openapi({
        example: { balances: 'done', orders: 'running', deposits: 'waiting' },
      }),
    }),
  })
  .openapi('Reconciliation');

export type Reconciliation = z.output<typeof Reconciliation>;

/** Shows where the reconciliation stands. */
export function showReconciliation({ progress, violations, head }: Standing): Reconciliation {
  const { pass, startedAt, steppedAt, journal, positions, report } = progress;
  const shown = invariants.map((invariant) => showInvariant(invariant, progress));
  const isOk = shown.every(({ status }) => status === 'ok');
  return {
    status: violations.length > 0 ? 'broken' : isOk ? 'ok' : 'pending',
    invariants: shown,
    violations: violations.map(({ foundAt, examples, ...violation }) => ({
      ...violation,
      foundAt: showTimestamp(foundAt),
      examples: [...examples],
    })),
    lastPass: report && {
      pass: report.pass,
      startedAt: showTimestamp(report.startedAt),
      completedAt: showTimestamp(report.completedAt),
    },
    progress: {
      pass,
      startedAt: startedAt === null ? null : showTimestamp(startedAt),
      lastStepAt: steppedAt === null ? null : showTimestamp(steppedAt),
      transfersRead: String(journal),
      transfers: String(head),
      checks: Object.fromEntries(checks.map(({ name }) => [name, showPosition(positions[name])])),
    },
  };
}

/** What the last complete pass found of it, unless the one under way has found it broken already. */
function showInvariant(name: Invariant, { tallies, report }: Progress): ReconciledInvariant {
  const tally = tallies[name];
  if (tally && tally.broken > 0) return { name, status: 'broken', ...showTally(tally) };
  if (report) return { name, ...report.invariants[name] };
  return { name, status: 'pending', ...showTally(tally) };
}

function showTally({ checked, broken, examples }: Tally = { checked: 0, broken: 0, examples: [] }) {
  return { figures: { checked: String(checked), broken: String(broken) }, examples: [...examples] };
}

function showPosition(position: Progress['positions'][string] | undefined) {
  if (position === undefined) return 'waiting';
  return position === 'done' ? 'done' : 'running';
}

function showTimestamp(time_ms: number): string {
  return new Date(time_ms).toISOString();
}

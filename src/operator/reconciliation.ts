import { z } from '@hono/zod-openapi';
import { checks } from '../ledger/reconciliation/checks.ts';
import { type Invariant, type Tally, invariants } from '../ledger/reconciliation/invariants.ts';
import { InvariantReport, type Progress, type Standing } from '../ledger/reconciliation/progress.ts';

const Instant = z.iso.datetime({ precision: 3 }).openapi({ example: '2026-11-21T12:00:00.000Z' });
const Name = z.enum(invariants).openapi({ example: 'balances_match_transfers' });
const Examples = InvariantReport.shape.examples.openapi({
  description: 'At most 10 of what breaks it, by ids and figures',
  example: [],
});

/** One invariant, as it was last found. */
const ReconciledInvariant = z
  .object({
    name: Name,
    status: z.enum(['ok', 'broken', 'pending']),
    figures: InvariantReport.shape.figures.openapi({
      description: 'Counts, and plain decimals per asset',
      example: { checked: '270', broken: '0' },
    }),
    examples: Examples,
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
        id: z.string().openapi({ example: '019ac5a4-7c00-7000-8000-000000000001' }),
        invariant: Name,
        pass: z.int().openapi({ example: 12 }),
        foundAt: Instant,
        examples: Examples,
      }),
    ),
    lastPass: z.object({ pass: z.int().openapi({ example: 12 }), startedAt: Instant, completedAt: Instant }).nullable(),
    progress: z.object({
      pass: z.int().openapi({ example: 13 }),
      startedAt: Instant.nullable(),
      lastStepAt: Instant.nullable(),
      transfersRead: z.string().openapi({ example: '2000' }),
      transfers: z.string().openapi({ example: '48210' }),
      checks: z
        .record(z.string(), z.enum(['waiting', 'running', 'done']))
        .openapi({ example: { balances: 'running' } }),
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
      foundAt: showInstant(foundAt),
      examples: [...examples],
    })),
    lastPass: report && {
      pass: report.pass,
      startedAt: showInstant(report.startedAt),
      completedAt: showInstant(report.completedAt),
    },
    progress: {
      pass,
      startedAt: startedAt === null ? null : showInstant(startedAt),
      lastStepAt: steppedAt === null ? null : showInstant(steppedAt),
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

function showInstant(time_ms: number): string {
  return new Date(time_ms).toISOString();
}

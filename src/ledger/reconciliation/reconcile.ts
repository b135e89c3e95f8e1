import { logFault } from '../../platform/log.ts';
import type { CommitOutcome } from '../commit.ts';
import type { Database } from '../database.ts';
import { readStanding } from './progress.ts';
import { nameViolations, storeStep } from './store-step.ts';
import { type SliceLimits, takeStep } from './take-step.ts';

/** What one step may look at: some tens of thousands of rows read in all, in statements of some milliseconds. */
export const SLICE_LIMITS: SliceLimits = { transfers: 2_000, rows: 1_000 };

/** So many steps in one run while the journal is ahead: what is new is caught up with sooner than it is made. */
const MAX_STEPS = 5;

/** How a step ended. Only one that stands moved the pass on. */
export type StepOutcome =
  | { readonly kind: 'stands'; readonly isBehind: boolean }
  | Exclude<CommitOutcome, { kind: 'committed' }>;

/**
 * Takes the next step of the reconciliation: one transaction that reads, one that writes. An invariant that it finds
 * broken halts trading and withdrawals in the latter, and is logged. Of two steps at once only the first stands; the
 * other is `guarded`. Throws when D1 cannot be read.
 */
export async function reconcile(database: Database, limits: SliceLimits, now_ms: number): Promise<StepOutcome> {
  const standing = await readStanding(database);
  const step = await takeStep(database, standing, limits, now_ms);
  const found = nameViolations(standing, step.findings, now_ms);
  const outcome = await storeStep(database, step, found, now_ms);
  // One whose end stays open may have halted the exchange, and no later step would say so.
  if (found.length > 0 && (outcome.kind === 'committed' || outcome.kind === 'unknown')) {
    logFault('invariant_broken', { violations: JSON.stringify(found) });
  }
  return outcome.kind === 'committed' ? { kind: 'stands', isBehind: step.isBehind } : outcome;
}

/**
 * The scheduled part of the reconciliation: one step, and a few more while the journal is ahead of it. Gives how many
 * stood. What D1 did not take is left to the next run. Throws when D1 cannot be read.
 */
export async function runReconciliation(database: Database, now: () => number): Promise<number> {
  for (let taken = 0; taken < MAX_STEPS; taken += 1) {
    const outcome = await reconcile(database, SLICE_LIMITS, now());
    if (outcome.kind !== 'stands') return taken;
    if (!outcome.isBehind) return taken + 1;
  }
  return MAX_STEPS;
}

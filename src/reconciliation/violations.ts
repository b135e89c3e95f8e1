import { eq, isNull } from 'drizzle-orm';
import { z } from 'zod';
import { logFault } from '../platform/log.ts';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { type GuardRefusals, approvalRefusals, commitOrRefuse } from '../db/explain.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { commit } from '../db/commit.ts';
import type { Database } from '../db/database.ts';
import { newRecordId } from '../db/record-id.ts';
import { settings, violations } from '../db/schema.ts';
import { Example, type Finding, type Invariant, MAX_EXAMPLES, invariants } from './invariants.ts';

/** An invariant that was found broken and is not cleared. */
export interface Violation {
  readonly id: string;
  readonly invariant: Invariant;
  readonly pass: number;
  readonly foundAt: number;
  readonly examples: readonly Example[];
}

/** Reads the violations that are not cleared, oldest first. Throws when D1 fails. */
export async function listViolations(database: Database): Promise<Violation[]> {
  const rows = await database.select().from(violations).where(isNull(violations.clearedAt)).orderBy(violations.id);
  return rows.map(({ id, invariant, pass, foundAt, examples }) => ({
    id,
    invariant: z.enum(invariants).parse(invariant),
    pass,
    foundAt,
    examples: z.array(Example).parse(JSON.parse(examples)),
  }));
}

/**
 * Records a violation for each invariant that a slice found broken, unless it has one that is not cleared, and halts
 * trading and withdrawals in the same batch. Logs each. Throws unless D1 confirms the batch; the caller then reads the
 * slice again.
 */
export async function reportFindings(
  { database, ledger }: { readonly database: Database; readonly ledger: number },
  findings: readonly Finding[],
  pass: number,
  now_ms: number,
): Promise<void> {
  if (findings.length === 0) return;
  const standing = new Set((await listViolations(database)).map(({ invariant }) => invariant));
  const found = invariants.flatMap((invariant): Violation[] => {
    const examples = findings.filter((finding) => finding.invariant === invariant).map(({ example }) => example);
    if (examples.length === 0 || standing.has(invariant)) return [];
    return [
      { id: newRecordId(now_ms, ledger), invariant, pass, foundAt: now_ms, examples: examples.slice(0, MAX_EXAMPLES) },
    ];
  });
  if (found.length === 0) return;
  const actor: Actor = { role: 'reconciliation', now_ms };
  const outcome = await commit(database, [
    database.update(settings).set({ tradingHalted: true, withdrawalsHalted: true }).where(eq(settings.id, 1)),
    ...found.flatMap(({ id, invariant, foundAt, examples }) => [
      database.insert(violations).values({ id, invariant, pass, foundAt, examples: JSON.stringify(examples) }),
      insertAudit(database, actor, 'halt', id, { invariant, examples }),
    ]),
  ]);
  // An unknown outcome is logged too: the batch may have halted the exchange, and then no later slice logs it.
  if (outcome.kind === 'committed' || outcome.kind === 'unknown') {
    logFault('invariant_broken', { violations: JSON.stringify(found) });
  }
  if (outcome.kind !== 'committed') throw new Error(`violations were not recorded: ${outcome.kind}`);
}

const clearingRefusals: GuardRefusals = {
  ...approvalRefusals,
  violation_cleared: refuse('invalid_state', 'The violation is cleared already.'),
};

export const noViolation = refuse('not_found', 'There is no violation of that id.');

/**
 * Clears a violation: an operator has investigated it and gives a reason why the exchange may continue. The halts stay
 * until the operator lifts them in the settings. A check that finds the invariant broken again halts again. Refuses
 * with `not_found`, with `invalid_state` when it is cleared already, and with `service_unavailable` when the outcome is
 * unknown. Throws when D1 cannot be read.
 */
export async function clearViolation(
  database: Database,
  id: string,
  reason: string,
  actor: Actor,
): Promise<Outcome<{ readonly id: string }>> {
  const [row] = await database.select().from(violations).where(eq(violations.id, id));
  if (!row) return noViolation;
  const changes = [
    insertAudit(database, actor, 'clear_violation', id, { invariant: row.invariant, because: reason }),
    database.update(violations).set({ clearedAt: actor.now_ms, reason }).where(eq(violations.id, id)),
  ] as const;
  return (await commitOrRefuse(database, changes, clearingRefusals)) ?? accept({ id });
}

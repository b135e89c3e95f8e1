import { eq, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { type Actor, insertAudit } from '../audit.ts';
import { type CommitOutcome, commit } from '../commit.ts';
import type { Database } from '../database.ts';
import { writeRaw } from '../raw-statement.ts';
import { newRecordId } from '../record-id.ts';
import { reconciledBalances, reconciliation, settings, transfersOfRecords, violations } from '../schema.ts';
import { type Finding, MAX_EXAMPLES, invariants } from './invariants.ts';
import { type Standing, type Violation, toColumns } from './progress.ts';
import type { Step } from './take-step.ts';

/** The invariants that a step found broken and that no violation stands for yet. */
export function nameViolations(standing: Standing, findings: readonly Finding[], now_ms: number): Violation[] {
  const known = new Set(standing.violations.map(({ invariant }) => invariant));
  return invariants.flatMap((invariant) => {
    const examples = findings.filter((finding) => finding.invariant === invariant).map(({ example }) => example);
    if (examples.length === 0 || known.has(invariant)) return [];
    const { pass } = standing.progress;
    return [{ id: newRecordId(now_ms), invariant, pass, foundAt: now_ms, examples: examples.slice(0, MAX_EXAMPLES) }];
  });
}

/**
 * Writes a step in one batch: where the pass stands, the transfers that are counted with it, and, where it found an
 * invariant broken, the violation and both halts. A step that another one overtook is `guarded` by
 * `reconciliation_moved_on`, and nothing of it stands.
 */
export function storeStep(
  database: Database,
  step: Step,
  found: readonly Violation[],
  now_ms: number,
): Promise<CommitOutcome> {
  const moved = database.update(reconciliation).set(toColumns(step.next)).where(eq(reconciliation.id, 1));
  return commit(database, [moved, ...countTransfers(database, step.counted), ...halt(database, found, now_ms)]);
}

/** Both read the journal where it lies; what is in it never changes, so it is what the step has seen. */
function countTransfers(database: Database, { after, upTo, pass }: Step['counted']): BatchItem<'sqlite'>[] {
  if (upTo <= after) return [];
  return [
    writeRaw(
      database,
      sql`
      INSERT INTO ${reconciledBalances} (account, asset, pass, high, low, last_transfer)
      SELECT account, asset, ${pass}, sum(sign * (amount / 4294967296)), sum(sign * (amount % 4294967296)), max(id)
      FROM (
        SELECT id, debit AS account, asset, amount, -1 AS sign FROM transfers WHERE id > ${after} AND id <= ${upTo}
        UNION ALL
        SELECT id, credit AS account, asset, amount, 1 AS sign FROM transfers WHERE id > ${after} AND id <= ${upTo})
      WHERE true GROUP BY account, asset
      ON CONFLICT (account, asset) DO UPDATE SET ${added('high')}, ${added('low')},
        pass = excluded.pass, last_transfer = excluded.last_transfer`,
    ),
    writeRaw(
      database,
      sql`
      INSERT INTO ${transfersOfRecords} (reference, transfer)
      SELECT reference, id FROM transfers WHERE id > ${after} AND id <= ${upTo}
      ON CONFLICT DO NOTHING`,
    ),
  ];
}

/** Adds to what this pass has counted; what an earlier one did counts as nothing. */
function added(column: 'high' | 'low') {
  return sql.raw(`${column} = CASE WHEN pass = excluded.pass THEN ${column} ELSE 0 END + excluded.${column}`);
}

function halt(database: Database, found: readonly Violation[], now_ms: number): BatchItem<'sqlite'>[] {
  if (found.length === 0) return [];
  const actor: Actor = { role: 'reconciliation', now_ms };
  return [
    ...found.flatMap(({ id, invariant, pass, foundAt, examples }) => [
      database.insert(violations).values({ id, invariant, pass, foundAt, examples: JSON.stringify(examples) }),
      insertAudit(database, actor, 'halt', id, { invariant, examples }),
    ]),
    database.update(settings).set({ tradingHalted: true, withdrawalsHalted: true }).where(eq(settings.id, 1)),
  ];
}

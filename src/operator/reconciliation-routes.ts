import { Reconciliation, showReconciliation } from './reconciliation.ts';
import { z } from '@hono/zod-openapi';
import { FIRST_LEDGER, MAX_LEDGER, ledgerNumberOf } from '../db/record-id.ts';
import { Id, Reason } from '../http/wire-types.ts';
import type { Bindings } from '../platform/bindings.ts';
import { askLedgers } from '../db/ask-ledgers.ts';
import { reachKeeper } from '../reconciliation/reach-keeper.ts';
import { listViolations, clearViolation, noViolation } from '../reconciliation/violations.ts';
import { mergeReconciliations } from './merge-reconciliations.ts';
import { createOperatorArea } from './operations.ts';
import { accept, refuseUnconfirmed } from '../http/answer.ts';
import { findLedger, listLedgers } from '../db/database.ts';
import { describeError, logFault } from '../platform/log.ts';
import { ReasonBody } from './reason.ts';
import { actorOf } from './authenticate-operator.ts';
import { jsonBody } from '../http/request.ts';
import { findLedgerAt } from './find-records.ts';
import { acceptHistory } from '../reconciliation/accept-history.ts';

const RECONCILIATION_PATH = '/operator/v1/reconciliation';

const oneReconciliation = { answer: 'The progress and the results', body: { reconciliation: Reconciliation } };

const LedgerNumber = z.int().min(0).max(MAX_LEDGER).optional().openapi({
  description: 'The ledger whose database was restored; 0 unless told',
  example: 0,
});

const ViolationId = Id.openapi({ description: 'The id of the violation in the reconciliation' });

async function readReconciliation(bindings: Bindings) {
  const answers = await askLedgers(bindings, async (database, ledger) => {
    const [standing, violations] = await Promise.all([reachKeeper(bindings, ledger).read(), listViolations(database)]);
    return showReconciliation(standing, violations);
  });
  return { reconciliation: mergeReconciliations(answers) };
}

export const reconciliationRoutes = createOperatorArea('Reconciliation');

reconciliationRoutes.add({
  operationId: 'getReconciliation',
  path: RECONCILIATION_PATH,
  duty: 'read',
  summary: 'The result of the last complete pass for each invariant, and the progress of the next',
  description:
    'The results of all checks, and the violations that are not cleared yet: of each ledger, and of all together. A ledger that does not answer is named as unreachable, and the rest is shown.',
  ...oneReconciliation,
  handle: async (c) => accept(await readReconciliation(c.env)),
});

reconciliationRoutes.add({
  operationId: 'runReconciliation',
  method: 'post',
  path: `${RECONCILIATION_PATH}/run`,
  duty: 'reconcile',
  summary: 'Begin a pass now',
  description:
    'In every ledger. Works on it for some seconds and leaves the rest to the schedule. It is safe to repeat.',
  ...oneReconciliation,
  handle: async (c) => {
    try {
      await Promise.all(listLedgers(c.env).map((ledger) => reachKeeper(c.env, ledger).run()));
    } catch (error) {
      logFault('reconciliation_failed', { error: describeError(error) });
      return refuseUnconfirmed('The pass was interrupted. Send it again.');
    }
    return accept(await readReconciliation(c.env));
  },
});

reconciliationRoutes.add({
  operationId: 'clearViolation',
  method: 'post',
  path: `${RECONCILIATION_PATH}/violations/{violationId}/clear`,
  duty: 'clear_violations',
  needsTwo: true,
  summary: 'Clear a violation, so that the halts may be lifted in the settings',
  description:
    'Find and remove the cause first. If the invariant is still broken, the next pass finds it and halts again.',
  request: { params: z.object({ violationId: ViolationId }), body: ReasonBody },
  ...oneReconciliation,
  refusals: ['not_found', 'invalid_state'],
  handle: async (c) => {
    const { violationId } = c.req.valid('param');
    const database = findLedger(c.env, violationId);
    if (!database) return noViolation;
    const cleared = await clearViolation(database, violationId, c.req.valid('json').reason, actorOf(c));
    if (!cleared.ok) return cleared;
    await reachKeeper(c.env, ledgerNumberOf(violationId)).expectPass();
    return accept(await readReconciliation(c.env));
  },
});

reconciliationRoutes.add({
  operationId: 'acceptHistory',
  method: 'post',
  path: `${RECONCILIATION_PATH}/history/accept`,
  duty: 'clear_violations',
  summary: 'Accept the history of the ledger after the database was restored to an earlier time',
  description:
    'Deletes the stored links of the history and begins again. The audit records who did it, and the old links.',
  request: { body: jsonBody(z.strictObject({ reason: Reason, ledger: LedgerNumber })) },
  ...oneReconciliation,
  handle: async (c) => {
    const { reason, ledger = FIRST_LEDGER } = c.req.valid('json');
    const database = findLedgerAt('/ledger', c.env, ledger);
    if (!database.ok) return database;
    const accepted = await acceptHistory(database.value, reachKeeper(c.env, ledger), reason, actorOf(c));
    return accepted.ok ? accept(await readReconciliation(c.env)) : accepted;
  },
});

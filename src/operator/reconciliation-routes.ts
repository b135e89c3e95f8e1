import { createRoute, z } from '@hono/zod-openapi';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import type { Bindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { refuse } from '../http/refusal.ts';
import { Id } from '../http/wire-types.ts';
import { jsonBody } from '../http/json-body.ts';
import { askLedgers } from '../db/ask-ledgers.ts';
import { findLedger, findNumberedLedger, listLedgers } from '../db/ledgers.ts';
import { FIRST_LEDGER, MAX_LEDGER, ledgerNumberOf } from '../db/record-id.ts';
import { reachKeeper } from '../reconciliation/reach-keeper.ts';
import { acceptHistory } from '../reconciliation/accept-history.ts';
import { clearViolation, noViolation } from '../reconciliation/clear-violation.ts';
import { listViolations } from '../reconciliation/violations.ts';
import {
  actorOf,
  authenticateOperator,
  authenticateOperatorJson,
  operatorRefusals,
  proposedResponse,
  twoPeopleRefusals,
} from './authenticate-operator.ts';
import { mergeReconciliations } from './merge-reconciliations.ts';
import { Reason, ReasonBody } from './reason.ts';
import { refuseLedger } from './unknown-ledger.ts';
import { Reconciliation, showReconciliation } from './reconciliation.ts';

const RECONCILIATION_PATH = '/operator/v1/reconciliation';

const common = { tags: ['Reconciliation'], security: [{ operatorToken: [] }] };

const OneReconciliation = {
  200: {
    description: 'The progress and the results',
    content: jsonContent(z.object({ reconciliation: Reconciliation })),
  },
};

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

/** The operator's routes for the reconciliation. */
export const reconciliationRoutes = createArea();

reconciliationRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'getReconciliation',
    method: 'get',
    path: RECONCILIATION_PATH,
    summary: 'The result of the last complete pass for each invariant, and the progress of the next',
    description:
      'The results of all checks, and the violations that are not cleared yet: of each ledger, and of all together. A ledger that does not answer is named as unreachable, and the rest is shown.',
    middleware: authenticateOperator('read'),
    responses: { ...OneReconciliation, ...problemResponses(...operatorRefusals) },
  }),
  async (c) => c.json(await readReconciliation(c.env), 200),
);

reconciliationRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'runReconciliation',
    method: 'post',
    path: `${RECONCILIATION_PATH}/run`,
    summary: 'Begin a pass now',
    description:
      'In every ledger. Works on it for some seconds and leaves the rest to the schedule. It is safe to repeat.',
    middleware: authenticateOperator('reconcile'),
    responses: { ...OneReconciliation, ...problemResponses(...operatorRefusals) },
  }),
  async (c) => {
    try {
      await Promise.all(listLedgers(c.env).map((ledger) => reachKeeper(c.env, ledger).run()));
    } catch (error) {
      logFault('reconciliation_failed', { error: describeError(error) });
      return sendProblem(c, notConfirmed);
    }
    return c.json(await readReconciliation(c.env), 200);
  },
);

const notConfirmed = refuse('service_unavailable', 'The pass was interrupted. Send it again.', {
  retryAfterSeconds: 1,
});

reconciliationRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'clearViolation',
    method: 'post',
    path: `${RECONCILIATION_PATH}/violations/{violationId}/clear`,
    summary: 'Clear a violation, so that the halts may be lifted in the settings',
    description:
      'Find and remove the cause first. If the invariant is still broken, the next pass finds it and halts again.',
    middleware: authenticateOperatorJson('clear_violations'),
    request: {
      params: z.object({ violationId: ViolationId }),
      body: ReasonBody,
    },
    responses: {
      ...OneReconciliation,
      ...proposedResponse,
      ...problemResponses(...bodyRefusals, 'not_found', 'invalid_state', ...twoPeopleRefusals),
    },
  }),
  async (c) => {
    const { violationId } = c.req.valid('param');
    const database = findLedger(c.env, violationId);
    if (!database) return sendProblem(c, noViolation);
    const cleared = await clearViolation(database, violationId, c.req.valid('json').reason, actorOf(c));
    if (!cleared.ok) return sendProblem(c, cleared);
    await reachKeeper(c.env, ledgerNumberOf(violationId)).expectPass();
    return c.json(await readReconciliation(c.env), 200);
  },
);

reconciliationRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'acceptHistory',
    method: 'post',
    path: `${RECONCILIATION_PATH}/history/accept`,
    summary: 'Accept the history of the ledger after the database was restored to an earlier time',
    description:
      'Deletes the stored links of the history and begins again. The audit records who did it, and the old links.',
    middleware: authenticateOperatorJson('clear_violations'),
    request: { body: jsonBody(z.strictObject({ reason: Reason, ledger: LedgerNumber })) },
    responses: { ...OneReconciliation, ...problemResponses(...bodyRefusals, ...operatorRefusals) },
  }),
  async (c) => {
    const { reason, ledger = FIRST_LEDGER } = c.req.valid('json');
    const database = findNumberedLedger(c.env, ledger);
    if (!database) return sendProblem(c, refuseLedger('/ledger'));
    const accepted = await acceptHistory(database, reachKeeper(c.env, ledger), reason, actorOf(c));
    return accepted.ok ? c.json(await readReconciliation(c.env), 200) : sendProblem(c, accepted);
  },
);

import { createRoute, z } from '@hono/zod-openapi';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { refuse } from '../http/refusal.ts';
import { Id } from '../http/wire-types.ts';
import { type Database, openDatabase } from '../ledger/database.ts';
import { clearViolation } from '../ledger/reconciliation/clear-violation.ts';
import { readStanding } from '../ledger/reconciliation/progress.ts';
import { SLICE_LIMITS, reconcile } from '../ledger/reconciliation/reconcile.ts';
import { actorOf, authenticateOperator, authenticateOperatorJson, operatorRefusals } from './authenticate-operator.ts';
import { Reconciliation, showReconciliation } from './reconciliation.ts';

const RECONCILIATION_PATH = '/operator/v1/reconciliation';
const MAX_REASON_LENGTH = 500;

const common = { tags: ['Reconciliation'], security: [{ operatorToken: [] }] };

const OneReconciliation = {
  200: {
    description: 'Where it stands',
    content: jsonContent(z.object({ reconciliation: Reconciliation })),
  },
};

const ViolationId = Id.openapi({ description: 'As the reconciliation shows it' });
const Reason = z
  .string()
  .min(1)
  .max(MAX_REASON_LENGTH)
  .openapi({ description: 'For the audit', example: 'restored from the journal' });

async function readReconciliation(database: Database) {
  return { reconciliation: showReconciliation(await readStanding(database)) };
}

/** The operator's doors to the reconciliation. */
export const reconciliationRoutes = createArea();

reconciliationRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'getReconciliation',
    method: 'get',
    path: RECONCILIATION_PATH,
    summary: 'Every invariant of the ledger as the last complete pass found it, and how far the next one is',
    description: 'What was checked, what broke, and the violations that are not cleared yet.',
    middleware: authenticateOperator('read'),
    responses: { ...OneReconciliation, ...problemResponses(...operatorRefusals) },
  }),
  async (c) => c.json(await readReconciliation(openDatabase(c.env.DB)), 200),
);

reconciliationRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'runReconciliation',
    method: 'post',
    path: `${RECONCILIATION_PATH}/run`,
    summary: 'Take the next step now, beside the one of every minute',
    description: 'A bounded slice of the ledger, as the schedule takes one; safe to repeat.',
    middleware: authenticateOperator('change'),
    responses: { ...OneReconciliation, ...problemResponses(...operatorRefusals) },
  }),
  async (c) => {
    const database = openDatabase(c.env.DB);
    const outcome = await reconcile(database, SLICE_LIMITS, Date.now());
    // One that another step overtook did no harm, and the pass went on all the same.
    if (outcome.kind === 'stands' || outcome.kind === 'guarded') return c.json(await readReconciliation(database), 200);
    return sendProblem(c, notConfirmed);
  },
);

const notConfirmed = refuse('service_unavailable', 'The step was not confirmed. Send it again.', {
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
      'Find the cause and mend it first: what still breaks is found again by the next pass, and halts again.',
    middleware: authenticateOperatorJson('change'),
    request: {
      params: z.object({ violationId: ViolationId }),
      body: jsonBody(z.strictObject({ reason: Reason })),
    },
    responses: {
      ...OneReconciliation,
      ...problemResponses(...bodyRefusals, 'not_found', 'invalid_state', ...operatorRefusals),
    },
  }),
  async (c) => {
    const database = openDatabase(c.env.DB);
    const { violationId } = c.req.valid('param');
    const cleared = await clearViolation(database, violationId, c.req.valid('json').reason, actorOf(c));
    return cleared.ok ? c.json(await readReconciliation(database), 200) : sendProblem(c, cleared);
  },
);

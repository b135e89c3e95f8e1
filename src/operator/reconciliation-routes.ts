import { createRoute, z } from '@hono/zod-openapi';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { refuse } from '../http/refusal.ts';
import { type Database, openDatabase } from '../ledger/database.ts';
import { clearViolation } from '../ledger/reconciliation/clear-violation.ts';
import { readStanding } from '../ledger/reconciliation/progress.ts';
import { SLICE_LIMITS, reconcile } from '../ledger/reconciliation/reconcile.ts';
import { actorOf, authenticateOperator, authenticateOperatorJson, operatorRefusals } from './authenticate-operator.ts';
import { Reconciliation, showReconciliation } from './reconciliation.ts';

const RECONCILIATION_PATH = '/operator/v1/reconciliation';
const MAX_REASON_LENGTH = 500;

const common = { tags: ['Reconciliation'], security: [{ operatorToken: [] }] };

const ClearViolation = z
  .object({
    reason: z
      .string()
      .min(1)
      .max(MAX_REASON_LENGTH)
      .openapi({ description: 'What was found and done, for the audit', example: 'restored from the journal' }),
  })
  .openapi('ClearViolation');

const OneReconciliation = {
  200: {
    description: 'Where it stands',
    content: jsonContent(z.object({ reconciliation: Reconciliation })),
  },
};

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
    description: 'A slice of the ledger is checked every minute. A broken invariant halts trading and withdrawals.',
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
    description: 'Of two steps at once one stands, which harms neither: the answer tells where the pass is.',
    middleware: authenticateOperator('change'),
    responses: { ...OneReconciliation, ...problemResponses(...operatorRefusals) },
  }),
  async (c) => {
    const database = openDatabase(c.env.DB);
    const outcome = await reconcile(database, SLICE_LIMITS, Date.now());
    // One that another step overtook did no harm, and the pass went on all the same.
    if (outcome.kind === 'stands' || outcome.kind === 'guarded') return c.json(await readReconciliation(database), 200);
    return sendProblem(c, notConfirmed.refusal);
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
    description: 'It lifts no halt by itself. A step that finds the invariant broken again halts again.',
    middleware: authenticateOperatorJson('change'),
    request: {
      params: z.object({
        violationId: z
          .string()
          .openapi({ description: 'The violation', example: '019ac5a4-7c00-7000-8000-000000000001' }),
      }),
      body: {
        required: true,
        content: jsonContent(ClearViolation),
      },
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
    return cleared.ok ? c.json(await readReconciliation(database), 200) : sendProblem(c, cleared.refusal);
  },
);

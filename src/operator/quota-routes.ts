import { createRoute, z } from '@hono/zod-openapi';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { actorOf, authenticateOperator, authenticateOperatorJson, operatorRefusals } from './authenticate-operator.ts';
import { ChangeQuotas, QuotaReport, changeQuotas, readQuotaReport } from './quotas.ts';

const QUOTAS_PATH = '/operator/v1/quotas';

const OneReport = jsonContent(z.object({ quotas: QuotaReport }));

/** The operator's routes for each ledger's part of the supply caps and exposures. */
export const quotaRoutes = createArea();

quotaRoutes.openapi(
  createRoute({
    operationId: 'getQuotas',
    method: 'get',
    path: QUOTAS_PATH,
    tags: ['Settings'],
    summary: 'Which part of the supply caps and exposures each ledger has, and uses',
    description:
      'The limits of the whole exchange are in the settings. Each ledger has a quota of each; their sum is never above the limit.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator('read'),
    responses: { 200: { description: 'The quotas', content: OneReport }, ...problemResponses(...operatorRefusals) },
  }),
  async (c) => c.json({ quotas: await readQuotaReport(c.env, Date.now()) }, 200),
);

quotaRoutes.openapi(
  createRoute({
    operationId: 'changeQuotas',
    method: 'patch',
    path: QUOTAS_PATH,
    tags: ['Settings'],
    summary: 'Set quotas of a ledger other than 0',
    description:
      'Ledger 0 gives the ledger what it lacks, and gets what it has more. No limit of the exchange changes, and quotas that are not named stay. Quotas are set one after the other: after an error some may be set, and the same request may be sent again.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('set_caps'),
    request: { body: jsonBody(ChangeQuotas) },
    responses: {
      200: { description: 'The quotas', content: OneReport },
      ...problemResponses(
        ...bodyRefusals,
        'precision_exceeded',
        'amount_above_maximum',
        'invalid_state',
        ...operatorRefusals,
      ),
    },
  }),
  async (c) => {
    const changed = await changeQuotas(c.env, c.req.valid('json'), actorOf(c));
    return changed.ok ? c.json({ quotas: changed.value }, 200) : sendProblem(c, changed);
  },
);

import { createRoute, z } from '@hono/zod-openapi';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { actorOf, authenticateOperator, authenticateOperatorJson, operatorRefusals } from './authenticate-operator.ts';
import { ChangeShares, ShareReport, changeShares, readShareReport } from './shares.ts';

const SHARES_PATH = '/operator/v1/shares';

const OneReport = jsonContent(z.object({ shares: ShareReport }));

/** The operator's routes for each ledger's share of the supply caps and exposures. */
export const shareRoutes = createArea();

shareRoutes.openapi(
  createRoute({
    operationId: 'getShares',
    method: 'get',
    path: SHARES_PATH,
    tags: ['Settings'],
    summary: 'Each ledger’s share of the supply caps and exposures, and what is used of it',
    description: 'The limits of the whole exchange are in the settings. Each is the sum of the ledgers’ shares of it.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator('read'),
    responses: { 200: { description: 'The shares', content: OneReport }, ...problemResponses(...operatorRefusals) },
  }),
  async (c) => c.json({ shares: await readShareReport(c.env) }, 200),
);

shareRoutes.openapi(
  createRoute({
    operationId: 'changeShares',
    method: 'patch',
    path: SHARES_PATH,
    tags: ['Settings'],
    summary: 'Set shares of a ledger other than 0',
    description:
      'Ledger 0 gives the ledger what it lacks, and gets what it has more. No limit of the exchange changes, and shares that are not named stay. Either all take effect or none. What is taken is taken first: until every ledger has confirmed that, no ledger may use more.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('set_caps'),
    request: { body: jsonBody(ChangeShares) },
    responses: {
      200: { description: 'The shares', content: OneReport },
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
    const changed = await changeShares(c.env, c.req.valid('json'), actorOf(c));
    return changed.ok ? c.json({ shares: changed.value }, 200) : sendProblem(c, changed);
  },
);

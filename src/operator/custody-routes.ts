import { createRoute, z } from '@hono/zod-openapi';
import { config } from '../env.ts';
import { createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { refuse } from '../http/refusal.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import { countAddressIndexes } from '../db/directory.ts';
import { directoryOf, findLedger } from '../db/ledgers.ts';
import { chooseCustody } from '../providers.ts';
import { payOut } from '../withdrawals/pay-out.ts';
import { findProcessingWithdrawal } from '../withdrawals/withdrawal.ts';
import { authenticateOperator, operatorRefusals } from './authenticate-operator.ts';

const custody = chooseCustody(config);

/** The routes that the custodian itself uses, with the deposit token. */
export const custodyRoutes = createArea();

const common = {
  tags: ['Deposits'],
  security: [{ operatorToken: [] }],
  middleware: authenticateOperator('ask_custodian'),
};

custodyRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'lookAtWithdrawal',
    method: 'post',
    path: '/operator/v1/withdrawals/{id}/look',
    summary: 'Have Bureau ask the custodian about a withdrawal at once',
    description:
      'Bureau looks the payout up at once, as it does by itself after longer and longer pauses, and settles it if it can. Nothing else is taken from this request. 404 when no withdrawal of this id is PROCESSING.',
    request: { params: RecordPath },
    responses: {
      200: {
        description: 'The withdrawal’s status after the look-up',
        content: jsonContent(z.object({ id: Id, status: z.enum(['PROCESSING', 'COMPLETED', 'FAILED']) })),
      },
      ...problemResponses('not_found', ...operatorRefusals),
    },
  }),
  async (c) => {
    const database = findLedger(c.env, c.req.valid('param').id);
    const row = database && (await findProcessingWithdrawal(database, c.req.valid('param').id));
    if (!row) return sendProblem(c, refuse('not_found', 'No withdrawal of this id is with the custodian.'));
    const { id, status } = await payOut({ database, ledgers: c.env, custody, now: () => Date.now() }, row, false);
    return c.json({ id, status: status === 'PENDING' ? 'PROCESSING' : status }, 200);
  },
);

custodyRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'getAddressRange',
    method: 'get',
    path: '/operator/v1/address-range',
    summary: 'How many deposit addresses each network may have',
    description:
      'Every account has one index, from 0 on. Watch the addresses of all indexes below the count and of some more, since accounts are opened meanwhile.',
    responses: {
      200: {
        description: 'The number of indexes in use',
        content: jsonContent(z.object({ count: z.number().int().openapi({ example: 42 }) })),
      },
      ...problemResponses(...operatorRefusals),
    },
  }),
  async (c) => c.json({ count: await countAddressIndexes(directoryOf(c.env)) }, 200),
);

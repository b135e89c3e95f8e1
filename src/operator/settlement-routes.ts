import { createRoute, z } from '@hono/zod-openapi';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { CreateSettlement, ledgerOfTrade } from '../settlements/create-settlement.ts';
import { settleTrade } from '../settlements/settle-trade.ts';
import { Settlement, showSettlement } from '../settlements/settlement.ts';
import { actorOf, authenticateOperatorJson, twoPeopleRefusals, proposedResponse } from './authenticate-operator.ts';

const OneSettlement = jsonContent(z.object({ settlement: Settlement }));

/** The operator's route for trades that were agreed elsewhere. */
export const settlementRoutes = createArea();

settlementRoutes.openapi(
  createRoute({
    operationId: 'settleTrade',
    method: 'post',
    path: '/operator/v1/settlements',
    tags: ['Settlements'],
    summary: 'Settle a trade between two accounts, or of an account with the house, once per reference',
    description:
      'Moves the agreed amounts, both or neither. The same reference with the same terms gets the same answer and moves nothing again; with other terms it is refused.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('settle_trades', async (c) =>
      ledgerOfTrade(CreateSettlement.parse(await c.req.json())),
    ),
    request: { body: jsonBody(CreateSettlement) },
    responses: {
      200: { description: 'The settlement, made before', content: OneSettlement },
      201: { description: 'The settlement', content: OneSettlement },
      ...proposedResponse,
      ...problemResponses(
        ...bodyRefusals,
        'symbol_not_supported',
        'precision_exceeded',
        'amount_below_minimum',
        'amount_above_maximum',
        'not_found',
        'invalid_state',
        'account_frozen',
        'trading_halted',
        'insufficient_balance',
        'order_rejected',
        'outcome_unknown',
        ...twoPeopleRefusals,
      ),
    },
  }),
  async (c) => {
    const settled = await settleTrade(c.env, c.req.valid('json'), actorOf(c));
    if (!settled.ok) return sendProblem(c, settled);
    const { settlement, isNew } = settled.value;
    return c.json({ settlement: showSettlement(settlement) }, isNew ? 201 : 200);
  },
);

import { createOperatorArea } from './operations.ts';
import { CreateSettlement, ledgerOfTrade } from '../settlements/create-settlement.ts';
import { jsonBody } from '../http/request.ts';
import { Settlement, showSettlement } from '../settlements/settlement.ts';
import { settleTrade } from '../settlements/settle-trade.ts';
import { actorOf } from './authenticate-operator.ts';
import { accept } from '../http/answer.ts';

/** The operator's route for trades that were agreed elsewhere. */
export const settlementRoutes = createOperatorArea('Settlements');

settlementRoutes.add({
  operationId: 'settleTrade',
  method: 'post',
  path: '/operator/v1/settlements',
  duty: 'settle_trades',
  ledgerOfChange: async (c) => ledgerOfTrade(CreateSettlement.parse(await c.req.json())),
  needsTwo: true,
  summary: 'Settle a trade between two accounts, or of an account with the house, once per reference',
  description:
    'Moves the agreed amounts, both or neither. The same reference with the same terms gets the same answer and moves nothing again; with other terms it is refused.',
  request: { body: jsonBody(CreateSettlement) },
  answer: { 200: 'The settlement, made before', 201: 'The settlement' },
  body: { settlement: Settlement },
  refusals: [
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
  ],
  handle: async (c) => {
    const settled = await settleTrade(c.env, c.req.valid('json'), actorOf(c));
    if (!settled.ok) return settled;
    const { settlement, isNew } = settled.value;
    c.status(isNew ? 201 : 200);
    return accept({ settlement: showSettlement(settlement) });
  },
});

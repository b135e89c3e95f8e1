import { createRoute, z } from '@hono/zod-openapi';
import type { FurtherRoutes } from '../app.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { actorOf, authenticateOperatorJson, operatorRefusals } from '../operator/authenticate-operator.ts';
import { Deposit, showDeposit } from '../deposits/deposit.ts';
import { GiveDeposit, giveDeposit } from './give-deposit.ts';
import { MoveMarket, MovedMarket } from './market.ts';
import { changeMarket } from './move-market.ts';

const TAG = 'Sandbox';

const area = createArea();

area.openapi(
  createRoute({
    operationId: 'moveMarket',
    method: 'patch',
    path: '/operator/v1/sandbox/market',
    tags: [TAG],
    summary: 'Move the market for everybody',
    description:
      'Only in the sandbox. A price stands from now on in what the sources say, until `null` gives the coin back to the market. The exchange reads them as ever, so tickers and candles that are cached show it when they expire. It answers when no order can fill at a price from before: after some two seconds. What is not named stays as it is.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('change_settings'),
    request: { body: jsonBody(MoveMarket) },
    responses: {
      200: {
        description: 'The market as it is now',
        content: jsonContent(z.object({ market: MovedMarket })),
      },
      ...problemResponses(...bodyRefusals, ...operatorRefusals),
    },
  }),
  async (c) => {
    const moved = await changeMarket(c.env, c.req.valid('json'), actorOf(c));
    return moved.ok ? c.json({ market: moved.value }, 200) : sendProblem(c, moved);
  },
);

area.openapi(
  createRoute({
    operationId: 'giveDeposit',
    method: 'post',
    path: '/operator/v1/sandbox/deposits',
    tags: [TAG],
    summary: 'Deposit coins from nowhere into an account',
    description:
      'Only in the sandbox. It reports a deposit of a new transaction to the account’s own address, with the confirmations of its network, as the custodian would with `reportDeposit`. Every call is another deposit.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('credit'),
    request: { body: jsonBody(GiveDeposit) },
    responses: {
      201: { description: 'The deposit', content: jsonContent(z.object({ deposit: Deposit })) },
      ...problemResponses(...bodyRefusals, 'network_not_supported', 'not_found', 'invalid_state', ...operatorRefusals),
    },
  }),
  async (c) => {
    const given = await giveDeposit(c.env, c.req.valid('json'), actorOf(c));
    return given.ok ? c.json({ deposit: showDeposit(given.value.deposit) }, 201) : sendProblem(c, given);
  },
);

/** What the operator of a sandbox can do beyond production's: see docs/guides/sandbox.md. */
export const sandboxRoutes: FurtherRoutes = {
  area,
  tag: { name: TAG, description: 'What only the sandbox has: production answers 404, and its document lacks these' },
};

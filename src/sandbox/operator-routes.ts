import { createOperatorArea } from '../operator/operations.ts';
import { jsonBody } from '../http/request.ts';
import { MoveMarket, MovedMarket } from './market.ts';
import { changeMarket } from './move-market.ts';
import { actorOf } from '../operator/authenticate-operator.ts';
import { accept } from '../http/answer.ts';
import { GiveDeposit, giveDeposit } from './give-deposit.ts';
import { Deposit, showDeposit } from '../deposits/deposit.ts';
import type { FurtherRoutes } from '../app.ts';

const TAG = 'Sandbox';

const area = createOperatorArea(TAG);

area.add({
  operationId: 'moveMarket',
  method: 'patch',
  path: '/operator/v1/sandbox/market',
  duty: 'change_settings',
  summary: 'Move the market for everybody',
  description:
    'Only in the sandbox. A price stands from now on in what the sources say, until `null` gives the coin back to the market. The exchange reads them as ever, so tickers and candles that are cached show it when they expire. It answers when no order can fill at a price from before: after some two seconds. What is not named stays as it is.',
  request: { body: jsonBody(MoveMarket) },
  answer: 'The market as it is now',
  body: { market: MovedMarket },
  handle: async (c) => {
    const moved = await changeMarket(c.env, c.req.valid('json'), actorOf(c));
    return moved.ok ? accept({ market: moved.value }) : moved;
  },
});

area.add({
  operationId: 'giveDeposit',
  method: 'post',
  path: '/operator/v1/sandbox/deposits',
  duty: 'credit',
  summary: 'Deposit coins from nowhere into an account',
  description:
    'Only in the sandbox. It reports a deposit of a new transaction to the account’s own address, with the confirmations of its network, as the custodian would with `reportDeposit`. Every call is another deposit.',
  request: { body: jsonBody(GiveDeposit) },
  answer: { 201: 'The deposit' },
  body: { deposit: Deposit },
  refusals: ['network_not_supported', 'not_found', 'invalid_state'],
  handle: async (c) => {
    const given = await giveDeposit(c.env, c.req.valid('json'), actorOf(c));
    return given.ok ? accept({ deposit: showDeposit(given.value.deposit) }) : given;
  },
});

/** What the operator of a sandbox can do beyond production's: see docs/guides/sandbox.md. */
export const sandboxRoutes: FurtherRoutes = {
  area,
  tag: { name: TAG, description: 'What only the sandbox has: production answers 404, and its document lacks these' },
};

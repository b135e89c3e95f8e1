import { createRoute, z } from '@hono/zod-openapi';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { RecordPath } from '../http/wire-types.ts';
import { actorOf, authenticateOperatorJson, operatorRefusals } from './authenticate-operator.ts';
import { AccountMove, MoveAccount, moveAccount } from './move-account.ts';

/** The operator's route by which an account goes to another ledger. */
export const moveRoutes = createArea();

moveRoutes.openapi(
  createRoute({
    operationId: 'moveAccount',
    method: 'post',
    path: '/operator/v1/accounts/{id}/moves',
    tags: ['Accounts'],
    summary: 'Move an account to another ledger, once and for good',
    description:
      'For a database that is full. The account keeps its id, its keys and its history, and everything new of it is in the other ledger. Freeze it first, and unfreeze it afterwards: the answer does neither. It is refused with `invalid_state` while anything of the account is open, for 48 hours after its last withdrawal, and if it was moved before. Meanwhile, usually for less than a second, its requests get `service_unavailable`. The same request again finishes a move that was cut off, and then gets the same answer.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('move_accounts'),
    request: { params: RecordPath, body: jsonBody(MoveAccount) },
    responses: {
      200: { description: 'The account is in the other ledger', content: jsonContent(z.object({ move: AccountMove })) },
      ...problemResponses(...bodyRefusals, 'not_found', 'invalid_state', ...operatorRefusals),
    },
  }),
  async (c) => {
    const moved = await moveAccount(c.env, c.req.valid('param').id, c.req.valid('json'), actorOf(c));
    return moved.ok ? c.json({ move: moved.value }, 200) : sendProblem(c, moved);
  },
);

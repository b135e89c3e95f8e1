import { createRoute, z } from '@hono/zod-openapi';
import { allowRecovery } from '../accounts/allow-recovery.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { RecordPath, Timestamp } from '../http/wire-types.ts';
import { actorOf, authenticateOperatorJson, proposedResponse, twoPeopleRefusals } from './authenticate-operator.ts';
import { ReasonBody } from './reason.ts';
import { takeAccount } from './take-account.ts';

/** The operator's route by which two people let a holder back in who has lost everything but the mailbox. */
export const recoveryRoutes = createArea();

recoveryRoutes.openapi(
  createRoute({
    operationId: 'allowRecovery',
    method: 'post',
    path: '/operator/v1/accounts/{id}/recovery',
    tags: ['Security'],
    summary: 'Let a holder recover an account without a code',
    description:
      'For a holder who has lost the passkeys, the second factor and the recovery codes, once you know who they are. Two people must agree, also before there are two admins. Within 72 hours the holder signs in by a link and enrols a new passkey; for 24 hours after that the account has no withdrawals, new API keys or new approved addresses. The holder is mailed each step, and a freeze ends what was allowed.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('recover_accounts'),
    request: { params: RecordPath, body: ReasonBody },
    responses: {
      200: {
        description: 'Until when the holder can use it',
        content: jsonContent(z.object({ recovery: z.object({ allowedUntil: Timestamp }) })),
      },
      ...proposedResponse,
      ...problemResponses(...bodyRefusals, 'not_found', 'invalid_state', ...twoPeopleRefusals),
    },
  }),
  async (c) => {
    const taken = await takeAccount(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const { account, database } = taken.value;
    const allowed = await allowRecovery(database, account.id, c.req.valid('json').reason, actorOf(c));
    if (!allowed.ok) return sendProblem(c, allowed);
    return c.json({ recovery: { allowedUntil: new Date(allowed.value).toISOString() } }, 200);
  },
);

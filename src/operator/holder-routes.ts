import { createRoute, z } from '@hono/zod-openapi';
import { allowRecovery } from '../accounts/allow-recovery.ts';
import { Invitation, InviteHolder, inviteHolder } from '../accounts/invite-holder.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { RecordPath, Timestamp } from '../http/wire-types.ts';
import { actorOf, authenticateOperatorJson, proposedResponse, twoPeopleRefusals } from './authenticate-operator.ts';
import { ReasonBody } from './reason.ts';
import { takeAccount } from './take-account.ts';

/** The operator's routes that give an account a holder, and let one back in who has lost everything but the mailbox. */
export const holderRoutes = createArea();

holderRoutes.openapi(
  createRoute({
    operationId: 'inviteHolder',
    method: 'post',
    path: '/operator/v1/accounts/{id}/invitation',
    tags: ['Security'],
    summary: 'Invite somebody to become the holder of an account',
    description:
      'For an account that has no holder: who signs in to the console by a link to this e-mail address within 72 hours is its holder, for good. It takes the place of an earlier invitation; the same one sent again is answered as it is. Two people must agree, also before there are two admins, if the account ever had an API key, a balance, a deposit or a second factor; an invitation by one person ends when it gets one of these. Sent through the console, which the desk does, the link is mailed.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('open_accounts'),
    request: { params: RecordPath, body: jsonBody(InviteHolder) },
    responses: {
      201: { description: 'The invitation', content: jsonContent(z.object({ invitation: Invitation })) },
      ...proposedResponse,
      ...problemResponses(...bodyRefusals, 'not_found', 'invalid_state', ...twoPeopleRefusals),
    },
  }),
  async (c) => {
    const taken = await takeAccount(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const { account, database } = taken.value;
    const invited = await inviteHolder(database, account.id, c.req.valid('json').email, actorOf(c));
    return invited.ok ? c.json({ invitation: invited.value }, 201) : sendProblem(c, invited);
  },
);

holderRoutes.openapi(
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

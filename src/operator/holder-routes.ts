import { createArea } from '../http/area.ts';
import { operationsOf } from './operations.ts';
import { RecordPath, Timestamp } from '../http/wire-types.ts';
import { jsonBody } from '../http/request.ts';
import { Invitation, InviteHolder, inviteHolder } from '../accounts/invite-holder.ts';
import { findAccount } from './find-records.ts';
import { actorOf } from './authenticate-operator.ts';
import { accept } from '../http/answer.ts';
import { ReasonBody } from './reason.ts';
import { z } from '@hono/zod-openapi';
import { allowRecovery } from '../accounts/allow-recovery.ts';

/** The operator's routes that give an account a holder, and let one back in who has lost everything but the mailbox. */
export const holderRoutes = createArea();

const add = operationsOf(holderRoutes, 'Security');

add({
  operationId: 'inviteHolder',
  method: 'post',
  path: '/operator/v1/accounts/{id}/invitation',
  duty: 'open_accounts',
  needsTwo: true,
  summary: 'Invite somebody to become the holder of an account',
  description:
    'For an account that has no holder: who signs in to the console by a link to this e-mail address within 72 hours is its holder, for good. It takes the place of an earlier invitation; the same one sent again is answered as it is. Two people must agree, also before there are two admins, if the account ever had an API key, a balance, a deposit or a second factor; an invitation by one person ends when it gets one of these. Sent through the console, which the desk does, the link is mailed.',
  request: { params: RecordPath, body: jsonBody(InviteHolder) },
  find: findAccount,
  answer: { 201: 'The invitation' },
  body: { invitation: Invitation },
  refusals: ['not_found', 'invalid_state'],
  handle: async (c, { account, database }) => {
    const invited = await inviteHolder(database, account.id, c.req.valid('json').email, actorOf(c));
    return invited.ok ? accept({ invitation: invited.value }) : invited;
  },
});

add({
  operationId: 'allowRecovery',
  method: 'post',
  path: '/operator/v1/accounts/{id}/recovery',
  duty: 'recover_accounts',
  needsTwo: true,
  summary: 'Let a holder recover an account without a code',
  description:
    'For a holder who has lost the passkeys, the second factor and the recovery codes, once you know who they are. Two people must agree, also before there are two admins. Within 72 hours the holder signs in by a link and enrols a new passkey; for 24 hours after that the account has no withdrawals, new API keys or new approved addresses. The holder is mailed each step, and a freeze ends what was allowed.',
  request: { params: RecordPath, body: ReasonBody },
  find: findAccount,
  answer: 'Until when the holder can use it',
  body: { recovery: z.object({ allowedUntil: Timestamp }) },
  refusals: ['not_found', 'invalid_state'],
  handle: async (c, { account, database }) => {
    const allowed = await allowRecovery(database, account.id, c.req.valid('json').reason, actorOf(c));
    if (!allowed.ok) return allowed;
    return accept({ recovery: { allowedUntil: new Date(allowed.value).toISOString() } });
  },
});

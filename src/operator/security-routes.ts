import { z } from '@hono/zod-openapi';
import { cursorsOf } from '../access/answer-read.ts';
import { createOperatorArea } from './operations.ts';
import { Id, RecordPath, Timestamp } from '../http/wire-types.ts';
import { anAccount } from './find-records.ts';
import { TotpCode, confirmTotp, drawTotp, removeTotp } from '../accounts/totp.ts';
import { config } from '../env.ts';
import { actorOf } from './authenticate-operator.ts';
import { jsonBody } from '../http/request.ts';
import { accept, refuse } from '../http/answer.ts';
import { ApproveAddress, approveWanted } from '../addresses/approve-wanted.ts';
import { AllowlistEntry, listAllowlist, removeApproval, showEntry } from '../accounts/allowlist.ts';
import { allowRecovery } from '../accounts/allow-recovery.ts';
import { Invitation, InviteHolder, inviteHolder } from '../accounts/invite-holder.ts';
import { ListQuery, oneOf, onePage, readPage, showPage } from '../http/list.ts';
import { findLedger } from '../db/database.ts';
import { ReasonBody } from './reason.ts';

const TOTP_PATH = '/operator/v1/accounts/{id}/totp';
const ALLOWLIST_PATH = '/operator/v1/accounts/{id}/allowlist';

const totp = oneOf('totp', z.object({ enabled: z.boolean().openapi({ example: true }) }), (enabled: boolean) => ({
  enabled,
}));
const entry = oneOf('entry', AllowlistEntry);
const invitation = oneOf('invitation', Invitation);
const recovery = oneOf('recovery', z.object({ allowedUntil: Timestamp }), (until_ms: number) => ({
  allowedUntil: new Date(until_ms).toISOString(),
}));

const Secret = z.string().openapi({ description: 'In base32', example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' });

const OtpauthUri = z.string().openapi({
  description: 'What authenticator apps read, as a QR code',
  example: 'otpauth://totp/Bureau:demo?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Bureau',
});

/** The operator's routes for an account's second factor, its approved addresses, its holder, and their way back in. */
export const securityRoutes = createOperatorArea('Security');

securityRoutes.add({
  operationId: 'drawTotp',
  method: 'post',
  path: TOTP_PATH,
  duty: 'set_second_factor',
  summary: 'Make a secret for two-factor authentication; it is shown once and confirmed by a first code',
  description: 'Until it is confirmed it protects nothing, and another request replaces it.',
  of: anAccount,
  answer: { 201: 'The secret, in base32, and the URI that authenticator apps read' },
  body: { secret: Secret, otpauthUri: OtpauthUri },
  refusals: ['invalid_state'],
  handle: (c, { account: { id, label }, database }) => drawTotp(database, id, label, config.TOTP_SECRETS, actorOf(c)),
});

securityRoutes.add({
  operationId: 'confirmTotp',
  method: 'post',
  path: `${TOTP_PATH}/confirm`,
  duty: 'set_second_factor',
  summary: 'Switch two-factor authentication on, with a first code',
  description: 'From now on every withdrawal of the account needs a code. The code given here counts as used.',
  of: anAccount,
  request: { body: jsonBody(z.strictObject({ totpCode: TotpCode })) },
  ...totp.documented,
  answer: 'It is on',
  refusals: ['totp_invalid', 'invalid_state'],
  handle: async (c, { account, database }) => {
    const { totpCode } = c.req.valid('json');
    const confirmed = await confirmTotp(database, account.id, totpCode, config.TOTP_SECRETS, actorOf(c));
    return confirmed.ok ? totp.answer(accept(true)) : confirmed;
  },
});

securityRoutes.add({
  operationId: 'removeTotp',
  method: 'delete',
  path: TOTP_PATH,
  duty: 'set_second_factor',
  needsTwo: true,
  summary: 'Switch two-factor authentication off',
  description: 'Repeating it is no error. Used codes stay used. For an account that has a holder it needs two people.',
  of: anAccount,
  ...totp.documented,
  answer: 'It is off',
  handle: async (c, { account, database }) => {
    const removed = await removeTotp(database, account.id, actorOf(c));
    return removed.ok ? totp.answer(accept(false)) : removed;
  },
});

securityRoutes.add({
  operationId: 'approveAddress',
  method: 'post',
  path: ALLOWLIST_PATH,
  duty: 'approve_addresses',
  needsTwo: true,
  summary: 'Approve an address to withdraw to',
  description:
    'The address can be used when the cooling period is over. An address that is already approved keeps its entry and its time. An account has at most 100. For an account that has a holder it needs two people.',
  of: anAccount,
  request: { body: jsonBody(ApproveAddress) },
  ...entry.documented,
  answer: { 201: 'The entry' },
  refusals: ['approval_required', 'network_not_supported', 'invalid_address', 'invalid_state', 'account_recovered'],
  handle: (c, { account: { id }, database }) =>
    entry.answer(approveWanted(database, id, c.req.valid('json'), config.ALLOWLIST_COOLING_HOURS, actorOf(c))),
});

securityRoutes.add({
  operationId: 'listAllowlist',
  path: ALLOWLIST_PATH,
  duty: 'read',
  summary: 'The approved addresses of an account',
  description: 'In their canonical form, newest first, a page at a time.',
  of: anAccount,
  request: { query: ListQuery },
  ...onePage('entries', AllowlistEntry),
  handle: async (c, { account: { id }, database }) => {
    const { path, secret } = cursorsOf(c);
    const page = await readPage(c.req.valid('query'), { route: path, accountId: id }, secret, (before, count) =>
      listAllowlist(database, id, before, count),
    );
    return showPage(page, 'entries', showEntry);
  },
});

securityRoutes.add({
  operationId: 'removeApproval',
  method: 'delete',
  path: `${ALLOWLIST_PATH}/{entryId}`,
  duty: 'remove_approvals',
  summary: 'Remove an approval at once',
  description: 'In the strict mode, withdrawals to the address are refused from now on.',
  request: { params: RecordPath.extend({ entryId: Id }) },
  ...entry.documented,
  answer: 'The removed entry',
  refusals: ['not_found'],
  handle: async (c) => {
    const { id, entryId } = c.req.valid('param');
    const database = findLedger(c.env, id);
    const removed = database && (await removeApproval(database, id, entryId, actorOf(c)));
    return removed ? accept({ entry: removed }) : refuse('not_found', 'The account has no such entry.');
  },
});

securityRoutes.add({
  operationId: 'inviteHolder',
  method: 'post',
  path: '/operator/v1/accounts/{id}/invitation',
  duty: 'open_accounts',
  needsTwo: true,
  summary: 'Invite somebody to become the holder of an account',
  description:
    'For an account that has no holder: who signs in to the console by a link to this e-mail address within 72 hours is its holder, for good. It takes the place of an earlier invitation; the same one sent again is answered as it is. Two people must agree, also before there are two admins, if the account ever had an API key, a balance, a deposit or a second factor; an invitation by one person ends when it gets one of these. Sent through the console, which the desk does, the link is mailed.',
  of: anAccount,
  request: { body: jsonBody(InviteHolder) },
  ...invitation.documented,
  answer: { 201: 'The invitation' },
  refusals: ['invalid_state'],
  handle: (c, { account: { id }, database }) =>
    invitation.answer(inviteHolder(database, id, c.req.valid('json').email, actorOf(c))),
});

securityRoutes.add({
  operationId: 'allowRecovery',
  method: 'post',
  path: '/operator/v1/accounts/{id}/recovery',
  duty: 'recover_accounts',
  needsTwo: true,
  summary: 'Let a holder recover an account without a code',
  description:
    'For a holder who has lost the passkeys, the second factor and the recovery codes, once you know who they are. Two people must agree, also before there are two admins. Within 72 hours the holder signs in by a link and enrols a new passkey; for 24 hours after that the account has no withdrawals, new API keys or new approved addresses. The holder is mailed each step, and a freeze ends what was allowed.',
  of: anAccount,
  request: { body: ReasonBody },
  ...recovery.documented,
  answer: 'Until when the holder can use it',
  refusals: ['invalid_state'],
  handle: (c, { account: { id }, database }) =>
    recovery.answer(allowRecovery(database, id, c.req.valid('json').reason, actorOf(c))),
});

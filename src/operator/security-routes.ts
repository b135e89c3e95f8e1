import { z } from '@hono/zod-openapi';
import { createArea } from '../http/area.ts';
import { operationsOf } from './operations.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import { findAccount } from './find-records.ts';
import { TotpCode, confirmTotp, drawTotp, removeTotp } from '../accounts/totp.ts';
import { config } from '../env.ts';
import { actorOf } from './authenticate-operator.ts';
import { jsonBody } from '../http/request.ts';
import { accept, refuse } from '../http/answer.ts';
import { ApproveAddress, approveWanted } from '../addresses/approve-wanted.ts';
import { AllowlistEntry, listAllowlist, removeApproval, showEntry } from '../accounts/allowlist.ts';
import { ListQuery, onePage, readPage, showPage } from '../http/list.ts';
import { findLedger } from '../db/database.ts';

const TOTP_PATH = '/operator/v1/accounts/{id}/totp';
const ALLOWLIST_PATH = '/operator/v1/accounts/{id}/allowlist';

const TotpAnswer = { totp: z.object({ enabled: z.boolean().openapi({ example: true }) }) };

const Secret = z.string().openapi({ description: 'In base32', example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' });

const OtpauthUri = z.string().openapi({
  description: 'What authenticator apps read, as a QR code',
  example: 'otpauth://totp/Bureau:demo?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Bureau',
});

/** The operator's routes for an account's security settings: second factor and approved addresses. */
export const securityRoutes = createArea();

const add = operationsOf(securityRoutes, 'Security');

add({
  operationId: 'drawTotp',
  method: 'post',
  path: TOTP_PATH,
  duty: 'set_second_factor',
  summary: 'Make a secret for two-factor authentication; it is shown once and confirmed by a first code',
  description: 'Until it is confirmed it protects nothing, and another request replaces it.',
  request: { params: RecordPath },
  find: findAccount,
  answer: { 201: 'The secret, in base32, and the URI that authenticator apps read' },
  body: { secret: Secret, otpauthUri: OtpauthUri },
  refusals: ['invalid_state', 'not_found'],
  handle: (c, { account, database }) => {
    const { id, label } = account;
    return drawTotp(database, id, label, config.TOTP_SECRETS, actorOf(c));
  },
});

add({
  operationId: 'confirmTotp',
  method: 'post',
  path: `${TOTP_PATH}/confirm`,
  duty: 'set_second_factor',
  summary: 'Switch two-factor authentication on, with a first code',
  description: 'From now on every withdrawal of the account needs a code. The code given here counts as used.',
  request: { params: RecordPath, body: jsonBody(z.strictObject({ totpCode: TotpCode })) },
  find: findAccount,
  answer: 'It is on',
  body: TotpAnswer,
  refusals: ['totp_invalid', 'invalid_state', 'not_found'],
  handle: async (c, { account, database }) => {
    const { totpCode } = c.req.valid('json');
    const confirmed = await confirmTotp(database, account.id, totpCode, config.TOTP_SECRETS, actorOf(c));
    return confirmed.ok ? accept({ totp: { enabled: true } }) : confirmed;
  },
});

add({
  operationId: 'removeTotp',
  method: 'delete',
  path: TOTP_PATH,
  duty: 'set_second_factor',
  needsTwo: true,
  summary: 'Switch two-factor authentication off',
  description: 'Repeating it is no error. Used codes stay used. For an account that has a holder it needs two people.',
  request: { params: RecordPath },
  find: findAccount,
  answer: 'It is off',
  body: TotpAnswer,
  refusals: ['approval_required', 'not_found'],
  handle: async (c, { account, database }) => {
    const removed = await removeTotp(database, account.id, actorOf(c));
    return removed.ok ? accept({ totp: { enabled: false } }) : removed;
  },
});

add({
  operationId: 'approveAddress',
  method: 'post',
  path: ALLOWLIST_PATH,
  duty: 'approve_addresses',
  needsTwo: true,
  summary: 'Approve an address to withdraw to',
  description:
    'The address can be used when the cooling period is over. An address that is already approved keeps its entry and its time. An account has at most 100. For an account that has a holder it needs two people.',
  request: { params: RecordPath, body: jsonBody(ApproveAddress) },
  find: findAccount,
  answer: { 201: 'The entry' },
  body: { entry: AllowlistEntry },
  refusals: [
    'approval_required',
    'network_not_supported',
    'invalid_address',
    'invalid_state',
    'account_recovered',
    'not_found',
  ],
  handle: async (c, { account, database }) => {
    const wanted = c.req.valid('json');
    const entry = await approveWanted(database, account.id, wanted, config.ALLOWLIST_COOLING_HOURS, actorOf(c));
    return entry.ok ? accept({ entry: entry.value }) : entry;
  },
});

add({
  operationId: 'listAllowlist',
  path: ALLOWLIST_PATH,
  duty: 'read',
  summary: 'The approved addresses of an account',
  description: 'In their canonical form, newest first, a page at a time.',
  request: { params: RecordPath, query: ListQuery },
  find: findAccount,
  ...onePage('entries', AllowlistEntry),
  refusals: ['not_found'],
  handle: async (c, { account, database }) => {
    const scope = { route: ALLOWLIST_PATH, accountId: account.id };
    const page = await readPage(c.req.valid('query'), scope, config.CURSOR_SECRET, (before, count) =>
      listAllowlist(database, account.id, before, count),
    );
    return showPage(page, 'entries', showEntry);
  },
});

add({
  operationId: 'removeApproval',
  method: 'delete',
  path: `${ALLOWLIST_PATH}/{entryId}`,
  duty: 'remove_approvals',
  summary: 'Remove an approval at once',
  description: 'In the strict mode, withdrawals to the address are refused from now on.',
  request: { params: RecordPath.extend({ entryId: Id }) },
  answer: 'The removed entry',
  body: { entry: AllowlistEntry },
  refusals: ['not_found'],
  handle: async (c) => {
    const { id, entryId } = c.req.valid('param');
    const database = findLedger(c.env, id);
    const entry = database && (await removeApproval(database, id, entryId, actorOf(c)));
    return entry ? accept({ entry }) : refuse('not_found', 'The account has no such entry.');
  },
});

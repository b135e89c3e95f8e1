import { createRoute, z } from '@hono/zod-openapi';
import { AllowlistEntry, listAllowlist, removeApproval, showEntry } from '../accounts/allowlist.ts';
import { TotpCode, confirmTotp, drawTotp, removeTotp } from '../accounts/totp.ts';
import { config } from '../env.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { ListQuery, NextCursor, readPage } from '../http/list.ts';
import { refuse } from '../http/refusal.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import { findLedger } from '../db/ledgers.ts';
import { ApproveAddress, approveWanted } from '../addresses/approve-wanted.ts';
import {
  actorOf,
  authenticateOperator,
  authenticateOperatorChange,
  authenticateOperatorJson,
  operatorRefusals,
  proposedResponse,
} from './authenticate-operator.ts';
import { takeAccount } from './take-account.ts';

const TOTP_PATH = '/operator/v1/accounts/{id}/totp';
const ALLOWLIST_PATH = '/operator/v1/accounts/{id}/allowlist';

const TotpAnswer = z.object({ totp: z.object({ enabled: z.boolean().openapi({ example: true }) }) });

const Secret = z.string().openapi({ description: 'In base32', example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' });

const OtpauthUri = z.string().openapi({
  description: 'What authenticator apps read, as a QR code',
  example: 'otpauth://totp/Bureau:demo?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Bureau',
});

const common = { tags: ['Security'], security: [{ operatorToken: [] }] };

const generalRefusals = ['not_found', ...operatorRefusals] as const;

/** The operator's routes for an account's security settings: second factor and approved addresses. */
export const securityRoutes = createArea();

securityRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'drawTotp',
    method: 'post',
    path: TOTP_PATH,
    summary: 'Make a secret for two-factor authentication; it is shown once and confirmed by a first code',
    description: 'Until it is confirmed it protects nothing, and another request replaces it.',
    middleware: authenticateOperator('set_second_factor'),
    request: { params: RecordPath },
    responses: {
      201: {
        description: 'The secret, in base32, and the URI that authenticator apps read',
        content: jsonContent(z.object({ secret: Secret, otpauthUri: OtpauthUri })),
      },
      ...problemResponses('invalid_state', ...generalRefusals),
    },
  }),
  async (c) => {
    const taken = await takeAccount(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const { account, database } = taken.value;
    const { id, label } = account;
    const drawn = await drawTotp(database, id, label, config.TOTP_SECRETS, actorOf(c));
    return drawn.ok ? c.json(drawn.value, 201) : sendProblem(c, drawn);
  },
);

securityRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'confirmTotp',
    method: 'post',
    path: `${TOTP_PATH}/confirm`,
    summary: 'Switch two-factor authentication on, with a first code',
    description: 'From now on every withdrawal of the account needs a code. The code given here counts as used.',
    middleware: authenticateOperatorJson('set_second_factor'),
    request: {
      params: RecordPath,
      body: jsonBody(z.strictObject({ totpCode: TotpCode })),
    },
    responses: {
      200: { description: 'It is on', content: jsonContent(TotpAnswer) },
      ...problemResponses(...bodyRefusals, 'totp_invalid', 'invalid_state', ...generalRefusals),
    },
  }),
  async (c) => {
    const taken = await takeAccount(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const { account, database } = taken.value;
    const { totpCode } = c.req.valid('json');
    const confirmed = await confirmTotp(database, account.id, totpCode, config.TOTP_SECRETS, actorOf(c));
    return confirmed.ok ? c.json({ totp: { enabled: true } }, 200) : sendProblem(c, confirmed);
  },
);

securityRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'removeTotp',
    method: 'delete',
    path: TOTP_PATH,
    summary: 'Switch two-factor authentication off',
    description:
      'Repeating it is no error. Used codes stay used. For an account that has a holder it needs two people.',
    middleware: authenticateOperatorChange('set_second_factor'),
    request: { params: RecordPath },
    responses: {
      200: { description: 'It is off', content: jsonContent(TotpAnswer) },
      ...proposedResponse,
      ...problemResponses('approval_required', ...generalRefusals),
    },
  }),
  async (c) => {
    const taken = await takeAccount(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const { account, database } = taken.value;
    const removed = await removeTotp(database, account.id, actorOf(c));
    return removed.ok ? c.json({ totp: { enabled: false } }, 200) : sendProblem(c, removed);
  },
);

securityRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'approveAddress',
    method: 'post',
    path: ALLOWLIST_PATH,
    summary: 'Approve an address to withdraw to',
    description:
      'The address can be used when the cooling period is over. An address that is already approved keeps its entry and its time. An account has at most 100. For an account that has a holder it needs two people.',
    middleware: authenticateOperatorJson('approve_addresses'),
    request: {
      params: RecordPath,
      body: jsonBody(ApproveAddress),
    },
    responses: {
      201: { description: 'The entry', content: jsonContent(z.object({ entry: AllowlistEntry })) },
      ...proposedResponse,
      ...problemResponses(
        ...bodyRefusals,
        'approval_required',
        'network_not_supported',
        'invalid_address',
        'invalid_state',
        'account_recovered',
        ...generalRefusals,
      ),
    },
  }),
  async (c) => {
    const wanted = c.req.valid('json');
    const taken = await takeAccount(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const { account, database } = taken.value;
    const entry = await approveWanted(database, account.id, wanted, config.ALLOWLIST_COOLING_HOURS, actorOf(c));
    return entry.ok ? c.json({ entry: entry.value }, 201) : sendProblem(c, entry);
  },
);

securityRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'listAllowlist',
    method: 'get',
    path: ALLOWLIST_PATH,
    summary: 'The approved addresses of an account',
    description: 'In their canonical form, newest first, a page at a time.',
    middleware: authenticateOperator('read'),
    request: { params: RecordPath, query: ListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ entries: z.array(AllowlistEntry), nextCursor: NextCursor })),
      },
      ...problemResponses('invalid_request', 'invalid_cursor', ...generalRefusals),
    },
  }),
  async (c) => {
    const taken = await takeAccount(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const { account, database } = taken.value;
    const accountId = account.id;
    const scope = { route: ALLOWLIST_PATH, accountId };
    const page = await readPage(c.req.valid('query'), scope, config.CURSOR_SECRET, (before, count) =>
      listAllowlist(database, accountId, before, count),
    );
    if (!page.ok) return sendProblem(c, page);
    const { rows, nextCursor } = page.value;
    return c.json({ entries: rows.map(showEntry), nextCursor }, 200);
  },
);

securityRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'removeApproval',
    method: 'delete',
    path: `${ALLOWLIST_PATH}/{entryId}`,
    summary: 'Remove an approval at once',
    description: 'In the strict mode, withdrawals to the address are refused from now on.',
    middleware: authenticateOperator('remove_approvals'),
    request: { params: RecordPath.extend({ entryId: Id }) },
    responses: {
      200: { description: 'The removed entry', content: jsonContent(z.object({ entry: AllowlistEntry })) },
      ...problemResponses(...generalRefusals),
    },
  }),
  async (c) => {
    const { id, entryId } = c.req.valid('param');
    const database = findLedger(c.env, id);
    const entry = database && (await removeApproval(database, id, entryId, actorOf(c)));
    if (!entry) return sendProblem(c, refuse('not_found', 'The account has no such entry.'));
    return c.json({ entry }, 200);
  },
);

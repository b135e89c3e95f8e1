import { createRoute, z } from '@hono/zod-openapi';
import { Account, ChangeAccount, changeAccount, openAccount, readAccount } from '../accounts/account.ts';
import { createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { refuse } from '../http/refusal.ts';
import { laneUnreachable } from '../keys/admit.ts';
import { ApiKey, CreateApiKey, createApiKey, listApiKeys, revokeApiKey } from '../keys/api-key.ts';
import { tokenSettings } from '../keys/authenticate.ts';
import { openDatabase } from '../ledger/database.ts';
import { CreateCredit, Credit, creditAccount } from '../wallet/deposits/credit.ts';
import { actorOf, authenticateOperator, authenticateOperatorJson } from './authenticate-operator.ts';
import { tellLane, tellLanes } from './tell-lanes.ts';
import { valueInUsdt } from './value-in-usdt.ts';

const ACCOUNTS_PATH = '/operator/v1/accounts';
const MAX_LABEL_LENGTH = 100;

const AccountParams = z.object({ id: z.string() });

const { refusal: noAccount } = refuse('not_found', 'There is no account of that id.');

/** The operator's doors to accounts, their keys and their credits. */
export const accountRoutes = createArea();

accountRoutes.openapi(
  createRoute({
    operationId: 'openAccount',
    method: 'post',
    path: ACCOUNTS_PATH,
    tags: ['Operator'],
    summary: 'Open an account',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('change'),
    request: {
      body: {
        required: true,
        content: jsonContent(z.object({ label: z.string().min(1).max(MAX_LABEL_LENGTH) })),
      },
    },
    responses: {
      201: { description: 'The account', content: jsonContent(z.object({ account: Account })) },
      ...problemResponses('invalid_request', 'invalid_operator_token', 'insufficient_role'),
    },
  }),
  async (c) => {
    const account = await openAccount(openDatabase(c.env.DB), c.req.valid('json').label, actorOf(c));
    return c.json({ account }, 201, { Location: `${ACCOUNTS_PATH}/${account.id}` });
  },
);

accountRoutes.openapi(
  createRoute({
    operationId: 'getAccount',
    method: 'get',
    path: `${ACCOUNTS_PATH}/{id}`,
    tags: ['Operator'],
    summary: 'One account and its API keys',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator('read'),
    request: { params: AccountParams },
    responses: {
      200: {
        description: 'The account',
        content: jsonContent(z.object({ account: Account.extend({ apiKeys: z.array(ApiKey) }) })),
      },
      ...problemResponses('not_found', 'invalid_operator_token', 'insufficient_role'),
    },
  }),
  async (c) => {
    const { id } = c.req.valid('param');
    const database = openDatabase(c.env.DB);
    const [account, apiKeys] = await Promise.all([readAccount(database, id), listApiKeys(database, id)]);
    if (!account) return sendProblem(c, noAccount);
    return c.json({ account: { ...account, apiKeys } }, 200);
  },
);

accountRoutes.openapi(
  createRoute({
    operationId: 'changeAccount',
    method: 'patch',
    path: `${ACCOUNTS_PATH}/{id}`,
    tags: ['Operator'],
    summary: 'Freeze or thaw an account, or set its daily withdrawal limit',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('change'),
    request: { params: AccountParams, body: { required: true, content: jsonContent(ChangeAccount) } },
    responses: {
      200: { description: 'The account', content: jsonContent(z.object({ account: Account })) },
      ...problemResponses(
        'invalid_request',
        'not_found',
        'precision_exceeded',
        'amount_above_maximum',
        'invalid_operator_token',
        'insufficient_role',
      ),
    },
  }),
  async (c) => {
    const change = c.req.valid('json');
    const database = openDatabase(c.env.DB);
    const standing = await readAccount(database, c.req.valid('param').id);
    if (!standing) return sendProblem(c, noAccount);
    const changed = await changeAccount(database, standing.id, change, actorOf(c));
    if (!changed.ok) return sendProblem(c, changed.refusal);
    if (change.status !== undefined && !(await tellLanes(c, standing.id))) {
      return sendProblem(c, laneUnreachable.refusal);
    }
    return c.json({ account: changed.value }, 200);
  },
);

accountRoutes.openapi(
  createRoute({
    operationId: 'createApiKey',
    method: 'post',
    path: `${ACCOUNTS_PATH}/{id}/api-keys`,
    tags: ['Operator'],
    summary: 'Make an API key; its token is shown once',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('change'),
    request: { params: AccountParams, body: { required: true, content: jsonContent(CreateApiKey) } },
    responses: {
      201: { description: 'The key', content: jsonContent(z.object({ apiKey: ApiKey, token: z.string() })) },
      ...problemResponses('invalid_request', 'not_found', 'invalid_operator_token', 'insufficient_role'),
    },
  }),
  async (c) => {
    const wanted = c.req.valid('json');
    if (wanted.expiresAt && Date.parse(wanted.expiresAt) <= Date.now()) {
      const errors = [{ pointer: '/expiresAt', code: 'too_small', detail: 'is in the past' }];
      return sendProblem(c, refuse('invalid_request', 'The request is not valid.', { errors }).refusal);
    }
    const database = openDatabase(c.env.DB);
    const account = await readAccount(database, c.req.valid('param').id);
    if (!account) return sendProblem(c, noAccount);
    const made = await createApiKey(database, account.id, wanted, tokenSettings, actorOf(c));
    return c.json(made, 201);
  },
);

accountRoutes.openapi(
  createRoute({
    operationId: 'revokeApiKey',
    method: 'delete',
    path: `${ACCOUNTS_PATH}/{id}/api-keys/{keyId}`,
    tags: ['Operator'],
    summary: 'Revoke an API key for good, from its next request on',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator('change'),
    request: { params: AccountParams.extend({ keyId: z.string() }) },
    responses: {
      200: { description: 'The key, revoked', content: jsonContent(z.object({ apiKey: ApiKey })) },
      ...problemResponses('not_found', 'invalid_operator_token', 'insufficient_role'),
    },
  }),
  async (c) => {
    const { id, keyId } = c.req.valid('param');
    const apiKey = await revokeApiKey(openDatabase(c.env.DB), id, keyId, actorOf(c));
    if (!apiKey) return sendProblem(c, refuse('not_found', 'The account has no API key of that id.').refusal);
    // Until its lane has heard of it the key still works, so the operator must hear when the lane has not.
    if (!(await tellLane(c, keyId))) return sendProblem(c, laneUnreachable.refusal);
    return c.json({ apiKey }, 200);
  },
);

accountRoutes.openapi(
  createRoute({
    operationId: 'creditAccount',
    method: 'post',
    path: `${ACCOUNTS_PATH}/{id}/credits`,
    tags: ['Operator'],
    summary: 'Credit an account by hand, once per reference',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('change'),
    request: { params: AccountParams, body: { required: true, content: jsonContent(CreateCredit) } },
    responses: {
      201: { description: 'The credit', content: jsonContent(z.object({ credit: Credit })) },
      ...problemResponses(
        'invalid_request',
        'not_found',
        'precision_exceeded',
        'amount_below_minimum',
        'supply_cap_exceeded',
        'invalid_state',
        'invalid_operator_token',
        'insufficient_role',
      ),
    },
  }),
  async (c) => {
    const database = openDatabase(c.env.DB);
    const account = await readAccount(database, c.req.valid('param').id);
    if (!account) return sendProblem(c, noAccount);
    const credited = await creditAccount(
      database,
      account.id,
      c.req.valid('json'),
      (asset, amount) => valueInUsdt(c.env.PRICE_HUB, asset, amount),
      actorOf(c),
    );
    if (!credited.ok) return sendProblem(c, credited.refusal);
    if (credited.value.repeated) c.header('X-Idempotency-Replay', 'true');
    return c.json({ credit: credited.value.credit }, 201);
  },
);

import { createRoute, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { every } from 'hono/combine';
import { Account, openAccount, readAccount } from '../accounts/account.ts';
import { createArea, jsonContent, problemResponses, sendProblem, takeJsonUpTo } from '../http/area.ts';
import type { AppEnvironment } from '../http/context.ts';
import { refuse } from '../http/refusal.ts';
import { laneOf, laneUnreachable } from '../keys/admit.ts';
import { ApiKey, CreateApiKey, createApiKey, listApiKeys, revokeApiKey } from '../keys/api-key.ts';
import { tokenSettings } from '../keys/authenticate.ts';
import { openDatabase } from '../ledger/database.ts';
import { CreateCredit, Credit, creditAccount } from '../wallet/deposits/credit.ts';
import { authenticateOperator, authenticateOperatorJson } from './authenticate-operator.ts';
import { MAX_UPLOAD_BYTES, SolanaPool, SolanaUpload, fillSolanaPool } from './fill-solana-pool.ts';
import { valueInUsdt } from './value-in-usdt.ts';

const ACCOUNTS_PATH = '/operator/v1/accounts';
const MAX_LABEL_LENGTH = 100;

const AccountParams = z.object({ id: z.string() });

const authenticateUpload: MiddlewareHandler<AppEnvironment> = every(
  authenticateOperator,
  takeJsonUpTo(MAX_UPLOAD_BYTES),
);

const { refusal: noAccount } = refuse('not_found', 'There is no account of that id.');

export const operator = createArea();

operator.openapi(
  createRoute({
    operationId: 'openAccount',
    method: 'post',
    path: ACCOUNTS_PATH,
    tags: ['Operator'],
    summary: 'Open an account',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson,
    request: {
      body: {
        required: true,
        content: jsonContent(z.object({ label: z.string().min(1).max(MAX_LABEL_LENGTH) })),
      },
    },
    responses: {
      201: { description: 'The account', content: jsonContent(z.object({ account: Account })) },
      ...problemResponses('invalid_request', 'invalid_operator_token'),
    },
  }),
  async (c) => {
    const account = await openAccount(openDatabase(c.env.DB), c.req.valid('json').label, Date.now());
    return c.json({ account }, 201, { Location: `${ACCOUNTS_PATH}/${account.id}` });
  },
);

operator.openapi(
  createRoute({
    operationId: 'getAccount',
    method: 'get',
    path: `${ACCOUNTS_PATH}/{id}`,
    tags: ['Operator'],
    summary: 'One account and its API keys',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator,
    request: { params: AccountParams },
    responses: {
      200: {
        description: 'The account',
        content: jsonContent(z.object({ account: Account.extend({ apiKeys: z.array(ApiKey) }) })),
      },
      ...problemResponses('not_found', 'invalid_operator_token'),
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

operator.openapi(
  createRoute({
    operationId: 'createApiKey',
    method: 'post',
    path: `${ACCOUNTS_PATH}/{id}/api-keys`,
    tags: ['Operator'],
    summary: 'Make an API key; its token is shown once',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson,
    request: { params: AccountParams, body: { required: true, content: jsonContent(CreateApiKey) } },
    responses: {
      201: { description: 'The key', content: jsonContent(z.object({ apiKey: ApiKey, token: z.string() })) },
      ...problemResponses('invalid_request', 'not_found', 'invalid_operator_token'),
    },
  }),
  async (c) => {
    const wanted = c.req.valid('json');
    const now_ms = Date.now();
    if (wanted.expiresAt && Date.parse(wanted.expiresAt) <= now_ms) {
      const errors = [{ pointer: '/expiresAt', code: 'too_small', detail: 'is in the past' }];
      return sendProblem(c, refuse('invalid_request', 'The request is not valid.', { errors }).refusal);
    }
    const database = openDatabase(c.env.DB);
    const account = await readAccount(database, c.req.valid('param').id);
    if (!account) return sendProblem(c, noAccount);
    const made = await createApiKey(database, account.id, wanted, tokenSettings, now_ms);
    return c.json(made, 201);
  },
);

operator.openapi(
  createRoute({
    operationId: 'revokeApiKey',
    method: 'delete',
    path: `${ACCOUNTS_PATH}/{id}/api-keys/{keyId}`,
    tags: ['Operator'],
    summary: 'Revoke an API key for good, from its next request on',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator,
    request: { params: AccountParams.extend({ keyId: z.string() }) },
    responses: {
      200: { description: 'The key, revoked', content: jsonContent(z.object({ apiKey: ApiKey })) },
      ...problemResponses('not_found', 'invalid_operator_token'),
    },
  }),
  async (c) => {
    const { id, keyId } = c.req.valid('param');
    const apiKey = await revokeApiKey(openDatabase(c.env.DB), id, keyId, Date.now());
    if (!apiKey) return sendProblem(c, refuse('not_found', 'The account has no API key of that id.').refusal);
    // Until its lane has heard of it the key still works, so the operator must hear when the lane has not.
    try {
      await laneOf(c, keyId).reloadRecord(keyId);
    } catch {
      return sendProblem(c, laneUnreachable.refusal);
    }
    return c.json({ apiKey }, 200);
  },
);

operator.openapi(
  createRoute({
    operationId: 'creditAccount',
    method: 'post',
    path: `${ACCOUNTS_PATH}/{id}/credits`,
    tags: ['Operator'],
    summary: 'Credit an account by hand, once per reference',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson,
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
      Date.now(),
    );
    if (!credited.ok) return sendProblem(c, credited.refusal);
    if (credited.value.repeated) c.header('X-Idempotency-Replay', 'true');
    return c.json({ credit: credited.value.credit }, 201);
  },
);

operator.openapi(
  createRoute({
    operationId: 'fillSolanaPool',
    method: 'post',
    path: '/operator/v1/solana-addresses',
    tags: ['Operator'],
    summary: 'Add Solana addresses that were made offline, each for the account of its index',
    security: [{ operatorToken: [] }],
    middleware: authenticateUpload,
    request: { body: { required: true, content: jsonContent(SolanaUpload) } },
    responses: {
      200: { description: 'The pool after the upload', content: jsonContent(z.object({ solanaPool: SolanaPool })) },
      ...problemResponses('invalid_request', 'invalid_state', 'payload_too_large', 'invalid_operator_token'),
    },
  }),
  async (c) => {
    const filled = await fillSolanaPool(openDatabase(c.env.DB), c.req.valid('json'));
    if (!filled.ok) return sendProblem(c, filled.refusal);
    return c.json({ solanaPool: filled.value }, 200);
  },
);

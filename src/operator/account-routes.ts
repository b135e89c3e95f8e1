import { createRoute, z } from '@hono/zod-openapi';
import { Account, ChangeAccount, changeAccount, OpenAccount } from '../accounts/account.ts';
import { openAccountOnce } from '../accounts/open-account-once.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { headersOf } from '../http/document/headers.ts';
import { accept, refuse } from '../http/refusal.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import { laneUnreachable } from '../access/admit.ts';
import {
  ApiKey,
  CreateApiKey,
  prepareApiKey,
  readApiKey,
  revokeApiKey,
  showApiKey,
  tooManyKeys,
} from '../keys/api-key.ts';
import { tokenSettings } from '../access/authenticate.ts';
import { revokeInLane, tellLanes } from '../lane/tell-lanes.ts';
import { findLedger } from '../db/ledgers.ts';
import { makeOnce } from '../db/make-once.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { CreateCredit, Credit, creditAccount } from '../deposits/credit.ts';
import {
  actorOf,
  authenticateOperator,
  authenticateOperatorJson,
  operatorRefusals,
  proposedResponse,
  twoPeopleRefusals,
  refuseDuty,
} from './authenticate-operator.ts';
import { onceParameter, onceRefusals, readOnceRequest } from './once-request.ts';
import { takeAccount } from './take-account.ts';
import { valueInUsdt } from '../markets/value-in-usdt.ts';

const ACCOUNTS_PATH = '/operator/v1/accounts';

const Token = z.string().nullable().openapi({
  description: 'The whole key; only a hash of it is stored. null in a repetition',
  example: 'bk_test_1_01a1fcca-895a-7000-b43c-11f474a4f8d5_rt_…',
});

const noKey = refuse('not_found', 'The account has no API key of that id.');

/** The operator's routes that change accounts, their keys and their credits. */
export const accountRoutes = createArea();

accountRoutes.openapi(
  createRoute({
    operationId: 'openAccount',
    method: 'post',
    path: ACCOUNTS_PATH,
    tags: ['Accounts'],
    summary: 'Open an account',
    description:
      'An account with a balance of zero in every asset, and the next index of deposit addresses, in a ledger that is drawn by the setting `openingWeights`. With an `Idempotency-Key` the same request opens it once.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('open_accounts'),
    parameters: [onceParameter],
    request: { body: jsonBody(OpenAccount) },
    responses: {
      201: {
        description: 'The account',
        headers: headersOf('Location', 'X-Idempotency-Replay'),
        content: jsonContent(z.object({ account: Account })),
      },
      ...problemResponses(...bodyRefusals, ...onceRefusals, 'invalid_state', ...operatorRefusals),
    },
  }),
  async (c) => {
    const [wanted, actor] = [c.req.valid('json'), actorOf(c)];
    const request = await readOnceRequest(c, wanted);
    if (!request.ok) return sendProblem(c, request);
    const opened = await openAccountOnce(c.env, wanted, request.value, actor, Math.random());
    if (!opened.ok) return sendProblem(c, opened);
    c.set('changedLedger', ledgerNumberOf(opened.value.id));
    const taken = await takeAccount(c.env, opened.value.id);
    if (!taken.ok) return sendProblem(c, taken);
    const { account } = taken.value;
    if (opened.value.isRepeated) c.header('X-Idempotency-Replay', 'true');
    return c.json({ account }, 201, { Location: `${ACCOUNTS_PATH}/${account.id}` });
  },
);

accountRoutes.openapi(
  createRoute({
    operationId: 'changeAccount',
    method: 'patch',
    path: `${ACCOUNTS_PATH}/{id}`,
    tags: ['Accounts'],
    summary: 'Freeze or unfreeze an account, or set its daily withdrawal limit',
    description:
      'A frozen account can be read; its orders and withdrawals are refused from the next request on. Support may freeze, compliance may also unfreeze, and the limit is set by an admin.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('freeze_accounts'),
    request: { params: RecordPath, body: jsonBody(ChangeAccount) },
    responses: {
      200: { description: 'The account', content: jsonContent(z.object({ account: Account })) },
      ...proposedResponse,
      ...problemResponses(
        ...bodyRefusals,
        'not_found',
        'precision_exceeded',
        'amount_above_maximum',
        ...twoPeopleRefusals,
      ),
    },
  }),
  async (c) => {
    const change = c.req.valid('json');
    const refused =
      (change.status === 'active' ? refuseDuty(c, 'thaw_accounts') : undefined) ??
      (change.dailyWithdrawalLimit === undefined ? undefined : refuseDuty(c, 'set_limits'));
    if (refused) return sendProblem(c, refused);
    const taken = await takeAccount(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const { account, database } = taken.value;
    const changed = await changeAccount(database, account.id, change, actorOf(c));
    if (!changed.ok) return sendProblem(c, changed);
    if (change.status !== undefined && !(await tellLanes(c.env, account.id, Date.now()))) {
      return sendProblem(c, laneUnreachable);
    }
    return c.json({ account: changed.value }, 200);
  },
);

accountRoutes.openapi(
  createRoute({
    operationId: 'createApiKey',
    method: 'post',
    path: `${ACCOUNTS_PATH}/{id}/api-keys`,
    tags: ['Accounts'],
    summary: 'Make an API key; its token is shown once',
    description:
      'A key with exactly these scopes. Without `rateLimits` it has the default ones. With an `Idempotency-Key` the same request makes it once; a repetition gets the key with `token` null, since the token is stored nowhere: revoke the key and make another. An account has at most 50 keys that are not revoked. For an account that has a holder a key needs two people; who approves it is shown the token.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('make_keys'),
    parameters: [onceParameter],
    request: { params: RecordPath, body: jsonBody(CreateApiKey) },
    responses: {
      201: {
        description: 'The key',
        headers: headersOf('X-Idempotency-Replay'),
        content: jsonContent(z.object({ apiKey: ApiKey, token: Token })),
      },
      ...proposedResponse,
      ...problemResponses(
        ...bodyRefusals,
        ...onceRefusals,
        'not_found',
        'invalid_state',
        'account_recovered',
        ...twoPeopleRefusals,
      ),
    },
  }),
  async (c) => {
    const wanted = c.req.valid('json');
    if (wanted.expiresAt && Date.parse(wanted.expiresAt) <= Date.now()) {
      const errors = [{ pointer: '/expiresAt', code: 'below_minimum', detail: 'is in the past' }] as const;
      return sendProblem(c, refuse('invalid_request', 'The request is not valid.', { errors }));
    }
    const taken = await takeAccount(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const { account, database } = taken.value;
    const actor = actorOf(c);
    let token: string | null = null;
    const request = await readOnceRequest(c, wanted);
    if (!request.ok) return sendProblem(c, request);
    const made = await makeOnce(
      c.env,
      ledgerNumberOf(account.id),
      request.value,
      actor,
      async (id) => {
        const key = await prepareApiKey(database, id, account.id, wanted, tokenSettings, actor);
        ({ token } = key);
        return accept(key.statements);
      },
      () => {
        throw new Error('an id of an API key was drawn twice');
      },
      tooManyKeys,
    );
    if (!made.ok) return sendProblem(c, made);
    const apiKey = await readApiKey(database, made.value.id);
    if (!apiKey) return sendProblem(c, noKey);
    if (made.value.isRepeated) c.header('X-Idempotency-Replay', 'true');
    return c.json({ apiKey, token: made.value.isRepeated ? null : token }, 201);
  },
);

accountRoutes.openapi(
  createRoute({
    operationId: 'revokeApiKey',
    method: 'delete',
    path: `${ACCOUNTS_PATH}/{id}/api-keys/{keyId}`,
    tags: ['Accounts'],
    summary: 'Revoke an API key for good, from its next request on',
    description:
      'Repeating it is no error. After 503 the key is revoked in the database but may still work, so repeat the request. A key without a record, because the database was restored to a time before the key was made, is revoked as well: the answer is 200 if it was ever used, and 404 if nothing is known about it.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator('revoke_keys'),
    request: { params: RecordPath.extend({ keyId: Id }) },
    responses: {
      200: { description: 'The key, revoked', content: jsonContent(z.object({ apiKey: ApiKey })) },
      ...problemResponses('not_found', ...operatorRefusals),
    },
  }),
  async (c) => {
    const { id, keyId } = c.req.valid('param');
    const actor = actorOf(c);
    const database = findLedger(c.env, id);
    if (!database) return sendProblem(c, noKey);
    const revocation = await revokeApiKey(database, id, keyId, actor);
    if (revocation.kind === 'not_of_account') return sendProblem(c, noKey);
    // The key works until its lane knows, so the operator must be told when the lane could not be reached.
    const told = await revokeInLane(c.env, id, keyId, actor.now_ms);
    if (!told) return sendProblem(c, laneUnreachable);
    if (revocation.kind === 'revoked') return c.json({ apiKey: revocation.apiKey }, 200);
    return told.record ? c.json({ apiKey: showApiKey(told.record) }, 200) : sendProblem(c, noKey);
  },
);

accountRoutes.openapi(
  createRoute({
    operationId: 'creditAccount',
    method: 'post',
    path: `${ACCOUNTS_PATH}/{id}/credits`,
    tags: ['Accounts'],
    summary: 'Credit an account by hand, once per reference',
    description:
      'Moves the amount from custody to the account, up to the supply cap. The same reference with the same asset and amount gets the same answer and credits nothing again.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('credit'),
    request: { params: RecordPath, body: jsonBody(CreateCredit) },
    responses: {
      201: {
        description: 'The credit',
        headers: headersOf('X-Idempotency-Replay'),
        content: jsonContent(z.object({ credit: Credit })),
      },
      ...proposedResponse,
      ...problemResponses(
        ...bodyRefusals,
        'not_found',
        'precision_exceeded',
        'amount_below_minimum',
        'supply_cap_exceeded',
        'invalid_state',
        ...twoPeopleRefusals,
      ),
    },
  }),
  async (c) => {
    const taken = await takeAccount(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const credited = await creditAccount(
      c.env,
      taken.value.account.id,
      c.req.valid('json'),
      (asset, amount) => valueInUsdt(c.env, asset, amount),
      actorOf(c),
    );
    if (!credited.ok) return sendProblem(c, credited);
    c.set('changedLedger', ledgerNumberOf(taken.value.account.id));
    if (credited.value.repeated) c.header('X-Idempotency-Replay', 'true');
    return c.json({ credit: credited.value.credit }, 201);
  },
);

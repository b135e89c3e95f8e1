import type { Context } from 'hono';
import { z } from '@hono/zod-openapi';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { fingerprint, idempotencyKeyParameter, readIdempotencyKey, createArea } from '../http/area.ts';
import type { ProblemCode } from '../http/problems.ts';
import { type OperatorEnvironment, actorOf, refuseDuty } from './authenticate-operator.ts';
import { type OnceRequest, makeOnce } from '../db/make-once.ts';
import { nameActor } from '../db/audit.ts';
import { operationsOf } from './operations.ts';
import { jsonBody } from '../http/request.ts';
import { Account, ChangeAccount, OpenAccount, changeAccount } from '../accounts/account.ts';
import { openAccountOnce } from '../accounts/open-account-once.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { findAccount } from './find-records.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import { revokeInLane, tellLanes } from '../lane/tell-lanes.ts';
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
import { findLedger } from '../db/database.ts';
import { CreateCredit, Credit, creditAccount } from '../deposits/credit.ts';
import { valueInUsdt } from '../markets/value-in-usdt.ts';

const ACCOUNTS_PATH = '/operator/v1/accounts';

const Token = z.string().nullable().openapi({
  description: 'The whole key; only a hash of it is stored. null in a repetition',
  example: 'bk_test_1_01a1fcca-895a-7000-b43c-11f474a4f8d5_rt_…',
});

const noKey = refuse('not_found', 'The account has no API key of that id.');

/** How the header is documented for the operator's routes. */
const onceParameter = {
  ...idempotencyKeyParameter,
  description:
    'Makes the request take effect at most once, however often and however late it is sent: 1 to 255 visible ASCII characters, of your choice, new for every new request. It is valid for one person or token.',
} as const;

/** The refusals of a route that takes the header. */
const onceRefusals = ['invalid_idempotency_key', 'idempotency_key_reused'] as const satisfies readonly ProblemCode[];

/**
 * The request with its Idempotency-Key, or `null` without one. `body` is what was read of its body. Refuses with
 * `invalid_idempotency_key`.
 */
async function readOnceRequest(
  c: Pick<Context<OperatorEnvironment>, 'req' | 'var'>,
  body: unknown,
): Promise<Outcome<OnceRequest | null>> {
  const key = readIdempotencyKey(c.req.header('Idempotency-Key'));
  if (!key.ok) return key;
  if (key.value === null) return accept(null);
  return accept({
    caller: nameActor(c.var),
    idempotencyKey: key.value,
    fingerprint: await fingerprint(c.req.method, c.req.path, { body: JSON.stringify(body) }),
  });
}

/** The operator's routes that change accounts, their keys and their credits. */
export const accountRoutes = createArea();

const add = operationsOf(accountRoutes, 'Accounts');

add({
  operationId: 'openAccount',
  method: 'post',
  path: ACCOUNTS_PATH,
  duty: 'open_accounts',
  summary: 'Open an account',
  description:
    'An account with a balance of zero in every asset, and the next index of deposit addresses, in a ledger that is drawn by the setting `openingWeights`. With an `Idempotency-Key` the same request opens it once.',
  parameters: [onceParameter],
  request: { body: jsonBody(OpenAccount) },
  answer: { 201: 'The account' },
  headers: ['Location', 'X-Idempotency-Replay'],
  body: { account: Account },
  refusals: [...onceRefusals, 'invalid_state'],
  handle: async (c) => {
    const [wanted, actor] = [c.req.valid('json'), actorOf(c)];
    const request = await readOnceRequest(c, wanted);
    if (!request.ok) return request;
    const opened = await openAccountOnce(c.env, wanted, request.value, actor, Math.random());
    if (!opened.ok) return opened;
    c.set('changedLedger', ledgerNumberOf(opened.value.id));
    const found = await findAccount(c.env, opened.value);
    if (!found.ok) return found;
    const { account } = found.value;
    if (opened.value.isRepeated) c.header('X-Idempotency-Replay', 'true');
    c.header('Location', `${ACCOUNTS_PATH}/${account.id}`);
    return accept({ account });
  },
});

add({
  operationId: 'changeAccount',
  method: 'patch',
  path: `${ACCOUNTS_PATH}/{id}`,
  duty: 'freeze_accounts',
  needsTwo: true,
  summary: 'Freeze or unfreeze an account, or set its daily withdrawal limit',
  description:
    'A frozen account can be read; its orders and withdrawals are refused from the next request on. Support may freeze, compliance may also unfreeze, and the limit is set by an admin.',
  request: { params: RecordPath, body: jsonBody(ChangeAccount) },
  answer: 'The account',
  body: { account: Account },
  refusals: ['not_found', 'precision_exceeded', 'amount_above_maximum'],
  handle: async (c) => {
    const change = c.req.valid('json');
    const refused =
      (change.status === 'active' ? refuseDuty(c, 'thaw_accounts') : undefined) ??
      (change.dailyWithdrawalLimit === undefined ? undefined : refuseDuty(c, 'set_limits'));
    if (refused) return refused;
    const found = await findAccount(c.env, c.req.valid('param'));
    if (!found.ok) return found;
    const { account, database } = found.value;
    const changed = await changeAccount(database, account.id, change, actorOf(c));
    if (!changed.ok) return changed;
    if (change.status !== undefined && !(await tellLanes(c.env, account.id, Date.now()))) {
      return laneUnreachable;
    }
    return accept({ account: changed.value });
  },
});

add({
  operationId: 'createApiKey',
  method: 'post',
  path: `${ACCOUNTS_PATH}/{id}/api-keys`,
  duty: 'make_keys',
  needsTwo: true,
  summary: 'Make an API key; its token is shown once',
  description:
    'A key with exactly these scopes. Without `rateLimits` it has the default ones. With an `Idempotency-Key` the same request makes it once; a repetition gets the key with `token` null, since the token is stored nowhere: revoke the key and make another. An account has at most 50 keys that are not revoked. For an account that has a holder a key needs two people; who approves it is shown the token.',
  parameters: [onceParameter],
  request: { params: RecordPath, body: jsonBody(CreateApiKey) },
  answer: { 201: 'The key' },
  headers: ['X-Idempotency-Replay'],
  body: { apiKey: ApiKey, token: Token },
  refusals: [...onceRefusals, 'not_found', 'invalid_state', 'account_recovered'],
  handle: async (c) => {
    const wanted = c.req.valid('json');
    if (wanted.expiresAt && Date.parse(wanted.expiresAt) <= Date.now()) {
      const errors = [{ pointer: '/expiresAt', code: 'below_minimum', detail: 'is in the past' }] as const;
      return refuse('invalid_request', 'The request is not valid.', { errors });
    }
    const found = await findAccount(c.env, c.req.valid('param'));
    if (!found.ok) return found;
    const { account, database } = found.value;
    const actor = actorOf(c);
    let token: string | null = null;
    const request = await readOnceRequest(c, wanted);
    if (!request.ok) return request;
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
    if (!made.ok) return made;
    const apiKey = await readApiKey(database, made.value.id);
    if (!apiKey) return noKey;
    if (made.value.isRepeated) c.header('X-Idempotency-Replay', 'true');
    return accept({ apiKey, token: made.value.isRepeated ? null : token });
  },
});

add({
  operationId: 'revokeApiKey',
  method: 'delete',
  path: `${ACCOUNTS_PATH}/{id}/api-keys/{keyId}`,
  duty: 'revoke_keys',
  summary: 'Revoke an API key for good, from its next request on',
  description:
    'Repeating it is no error. After 503 the key is revoked in the database but may still work, so repeat the request. A key without a record, because the database was restored to a time before the key was made, is revoked as well: the answer is 200 if it was ever used, and 404 if nothing is known about it.',
  request: { params: RecordPath.extend({ keyId: Id }) },
  answer: 'The key, revoked',
  body: { apiKey: ApiKey },
  refusals: ['not_found'],
  handle: async (c) => {
    const { id, keyId } = c.req.valid('param');
    const actor = actorOf(c);
    const database = findLedger(c.env, id);
    if (!database) return noKey;
    const revocation = await revokeApiKey(database, id, keyId, actor);
    if (revocation.kind === 'not_of_account') return noKey;
    // The key works until its lane knows, so the operator must be told when the lane could not be reached.
    const told = await revokeInLane(c.env, id, keyId, actor.now_ms);
    if (!told) return laneUnreachable;
    if (revocation.kind === 'revoked') return accept({ apiKey: revocation.apiKey });
    return told.record ? accept({ apiKey: showApiKey(told.record) }) : noKey;
  },
});

add({
  operationId: 'creditAccount',
  method: 'post',
  path: `${ACCOUNTS_PATH}/{id}/credits`,
  duty: 'credit',
  needsTwo: true,
  summary: 'Credit an account by hand, once per reference',
  description:
    'Moves the amount from custody to the account, up to the supply cap. The same reference with the same asset and amount gets the same answer and credits nothing again.',
  request: { params: RecordPath, body: jsonBody(CreateCredit) },
  find: findAccount,
  answer: { 201: 'The credit' },
  headers: ['X-Idempotency-Replay'],
  body: { credit: Credit },
  refusals: ['not_found', 'precision_exceeded', 'amount_below_minimum', 'supply_cap_exceeded', 'invalid_state'],
  handle: async (c, { account }) => {
    const credited = await creditAccount(
      c.env,
      account.id,
      c.req.valid('json'),
      (asset, amount) => valueInUsdt(c.env, asset, amount),
      actorOf(c),
    );
    if (!credited.ok) return credited;
    c.set('changedLedger', ledgerNumberOf(account.id));
    if (credited.value.repeated) c.header('X-Idempotency-Replay', 'true');
    return accept({ credit: credited.value.credit });
  },
});

import type { Context } from 'hono';
import { z } from '@hono/zod-openapi';
import { cursorsOf } from '../access/answer-read.ts';
import { type RecordFilter, type RecordList, readRecordPage } from '../db/record-list.ts';
import { type Outcome, accept, refuse } from '../http/answer.ts';
import { fingerprint, idempotencyKeyParameter, readIdempotencyKey } from '../http/area.ts';
import { type ListQuery, oneOf, onePage, showPage } from '../http/list.ts';
import type { ProblemCode } from '../http/problems.ts';
import { type OperatorEnvironment, actorOf, refuseDuty } from './authenticate-operator.ts';
import { AccountDetail, readAccountDetail } from './account-detail.ts';
import { ListedAccount, describeAccounts } from './describe-accounts.ts';
import { AccountListQuery, findAccounts } from './find-accounts.ts';
import { AuditEntry, readNewestEntry, showAuditEntry } from '../db/list-audit.ts';
import { insertAudit, nameActor } from '../db/audit.ts';
import { commitOrRefuse } from '../db/explain.ts';
import { type OnceRequest, makeOnce } from '../db/make-once.ts';
import { createOperatorArea } from './operations.ts';
import { jsonBody } from '../http/request.ts';
import { Account, ChangeAccount, OpenAccount, accountNotFound, changeAccount } from '../accounts/account.ts';
import { openAccountOnce } from '../accounts/open-account-once.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { type FoundAccount, anAccount, findAccount } from './find-records.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import { config } from '../env.ts';
import { chooseLeastPooled } from '../addresses/fill-solana-pool.ts';
import { revokeInLane, tellLanes } from '../lane/tell-lanes.ts';
import { laneUnreachable } from '../access/admit.ts';
import {
  ApiKey,
  CreateApiKey,
  prepareApiKey,
  readApiKey,
  refusePastExpiry,
  revokeApiKey,
  showApiKey,
  tooManyKeys,
} from '../keys/api-key.ts';
import { readKeyRecord } from '../keys/record.ts';
import { tokenSettings } from '../access/authenticate.ts';
import { findLedger } from '../db/database.ts';
import { CreateCredit, Credit, creditAccount } from '../deposits/credit.ts';
import { readValuation, valueIn } from '../markets/value-in-usdt.ts';
import { TransactionListQuery, transactionList } from '../activity/list-transactions.ts';
import { Transaction } from '../activity/transactions.ts';
import { OrderListQuery, orderList, Order } from '../orders/order.ts';
import { WithdrawalListQuery, withdrawalList } from '../withdrawals/withdrawal.ts';
import { OperatorWithdrawal, showToOperator } from '../withdrawals/operator-withdrawal.ts';
import { DepositListQuery, depositList, listDeposits } from '../deposits/account-deposit.ts';
import { OperatorDeposit, showDepositToOperator } from '../deposits/operator-deposit.ts';

const ACCOUNTS_PATH = '/operator/v1/accounts';
const ACCOUNT_PATH = `${ACCOUNTS_PATH}/{id}`;

const leastPooled = chooseLeastPooled(config.SOLANA_ADDRESSES);

const account = oneOf('account', Account);

const Note = z
  .strictObject({
    text: z
      .string()
      .trim()
      .min(1)
      .max(2_000)
      .openapi({ example: 'Called about the withdrawal of Monday; identified.' }),
  })
  .openapi('Note');
const oneKey = oneOf('apiKey', ApiKey);

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

/** A page of an account's records as the operator sees them. */
async function readRecords<
  const Name extends string,
  Row extends { readonly id: string },
  Shown,
  Filter extends RecordFilter,
>(
  c: Context<OperatorEnvironment>,
  { account: { id }, database }: FoundAccount,
  query: ListQuery & Filter,
  list: RecordList<Name, Row, Shown, Filter>,
) {
  return showPage(await readRecordPage(database, id, query, list, cursorsOf(c)), list.name, (row) => list.show(row));
}

const OperatorDepositQuery = DepositListQuery.extend({
  status: OperatorDeposit.shape.status
    .optional()
    .openapi({ description: 'Deposits in this state', example: 'QUARANTINED' }),
});

/** The operator's routes for accounts, what belongs to them, their keys and their credits. */
export const accountRoutes = createOperatorArea('Accounts');

accountRoutes.add({
  operationId: 'openAccount',
  method: 'post',
  path: ACCOUNTS_PATH,
  duty: 'open_accounts',
  summary: 'Open an account',
  description:
    'An account with a balance of zero in every asset, and the next index of deposit addresses, in a ledger that is drawn by the setting `openingWeights`. With an `Idempotency-Key` the same request opens it once.',
  parameters: [onceParameter],
  request: { body: jsonBody(OpenAccount) },
  ...account.documented,
  answer: { 201: 'The account' },
  headers: ['Location', 'X-Idempotency-Replay'],
  refusals: [...onceRefusals, 'invalid_state'],
  handle: async (c) => {
    const [wanted, actor] = [c.req.valid('json'), actorOf(c)];
    const request = await readOnceRequest(c, wanted);
    if (!request.ok) return request;
    const opened = await openAccountOnce(c.env, wanted, request.value, actor, Math.random(), leastPooled.operator);
    if (!opened.ok) return opened;
    c.set('changedLedger', ledgerNumberOf(opened.value.id));
    const found = await findAccount(c.env, opened.value);
    if (!found.ok) return found;
    if (opened.value.isRepeated) c.header('X-Idempotency-Replay', 'true');
    c.header('Location', `${ACCOUNTS_PATH}/${opened.value.id}`);
    return accept({ account: found.value.account });
  },
});

accountRoutes.add({
  operationId: 'changeAccount',
  method: 'patch',
  path: ACCOUNT_PATH,
  duty: 'freeze_accounts',
  needsTwo: true,
  summary: 'Freeze or unfreeze an account, or set its daily withdrawal limit',
  description:
    'A frozen account can be read; its orders and withdrawals are refused from the next request on. Support may freeze, compliance may also unfreeze, and the limit is set by an admin.',
  of: anAccount,
  request: { body: jsonBody(ChangeAccount) },
  ...account.documented,
  refusals: ['precision_exceeded', 'amount_above_maximum'],
  handle: async (c, { account: { id }, database }) => {
    const change = c.req.valid('json');
    const refused =
      (change.status === 'active' ? refuseDuty(c, 'thaw_accounts') : undefined) ??
      (change.dailyWithdrawalLimit === undefined ? undefined : refuseDuty(c, 'set_limits'));
    if (refused) return refused;
    const changed = await changeAccount(database, id, change, actorOf(c));
    const isUntold = changed.ok && change.status !== undefined && !(await tellLanes(c.env, id, Date.now()));
    return isUntold ? laneUnreachable : account.answer(changed);
  },
});

accountRoutes.add({
  operationId: 'noteAccount',
  method: 'post',
  path: `${ACCOUNT_PATH}/notes`,
  duty: 'note_accounts',
  summary: 'Write a note on an account, for the staff',
  description:
    'A note is a row of the audit, with who wrote it and when, so it is never changed: write another. `GET /operator/v1/audit?target=<id>&action=note_account` lists them. Holders see none.',
  of: anAccount,
  request: { body: jsonBody(Note) },
  answer: { 201: 'The row of the audit' },
  body: { entry: AuditEntry },
  handle: async (c, { account: { id }, database }) => {
    const note = insertAudit(database, actorOf(c), 'note_account', id, c.req.valid('json'));
    const refused = await commitOrRefuse(database, [note]);
    if (refused) return refused;
    const entry = await readNewestEntry(database, id, 'note_account');
    return accept({ entry: showAuditEntry({ ...entry, ledger: ledgerNumberOf(id) }) });
  },
});

accountRoutes.add({
  operationId: 'createApiKey',
  method: 'post',
  path: `${ACCOUNT_PATH}/api-keys`,
  duty: 'make_keys',
  needsTwo: true,
  summary: 'Make an API key; its token is shown once',
  description:
    'A key with exactly these scopes. Without `rateLimits` it has the default ones. With an `Idempotency-Key` the same request makes it once; a repetition gets the key with `token` null, since the token is stored nowhere: revoke the key and make another. An account has at most 50 keys that are not revoked. For an account that has a holder a key needs two people; who approves it is shown the token.',
  parameters: [onceParameter],
  of: anAccount,
  request: { body: jsonBody(CreateApiKey) },
  answer: { 201: 'The key' },
  headers: ['X-Idempotency-Replay'],
  body: { apiKey: ApiKey, token: Token },
  refusals: [...onceRefusals, 'invalid_state', 'account_recovered'],
  handle: async (c, { account: { id: accountId }, database }) => {
    const [wanted, actor] = [c.req.valid('json'), actorOf(c)];
    const past = refusePastExpiry(wanted, actor.now_ms);
    if (past) return past;
    let token: string | null = null;
    const request = await readOnceRequest(c, wanted);
    if (!request.ok) return request;
    const made = await makeOnce(
      c.env,
      ledgerNumberOf(accountId),
      request.value,
      actor,
      async (id) => {
        const key = await prepareApiKey(database, id, accountId, wanted, tokenSettings, actor);
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

accountRoutes.add({
  operationId: 'revokeApiKey',
  method: 'delete',
  path: `${ACCOUNT_PATH}/api-keys/{keyId}`,
  duty: 'revoke_keys',
  summary: 'Revoke an API key for good, from its next request on',
  description:
    'Repeating it is no error. After 503 the key is revoked in the database but may still work, so repeat the request. A key without a record, because the database was restored to a time before the key was made, is revoked as well: the answer is 200 if it was ever used, and 404 if nothing is known about it.',
  request: { params: RecordPath.extend({ keyId: Id }) },
  ...oneKey.documented,
  answer: 'The key, revoked',
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

accountRoutes.add({
  operationId: 'creditAccount',
  method: 'post',
  path: `${ACCOUNT_PATH}/credits`,
  duty: 'credit',
  needsTwo: true,
  summary: 'Credit an account by hand, once per reference',
  description:
    'Moves the amount from custody to the account, up to the supply cap. The same reference with the same asset and amount gets the same answer and credits nothing again.',
  of: anAccount,
  request: { body: jsonBody(CreateCredit) },
  answer: { 201: 'The credit' },
  headers: ['X-Idempotency-Replay'],
  body: { credit: Credit },
  refusals: ['precision_exceeded', 'amount_below_minimum', 'supply_cap_exceeded', 'invalid_state'],
  handle: async (c, { account: { id } }) => {
    const credited = await creditAccount(c.env, id, c.req.valid('json'), valueIn(c.env), actorOf(c));
    if (!credited.ok) return credited;
    c.set('changedLedger', ledgerNumberOf(id));
    if (credited.value.repeated) c.header('X-Idempotency-Replay', 'true');
    return accept({ credit: credited.value.credit });
  },
});

accountRoutes.add({
  operationId: 'listAccounts',
  path: ACCOUNTS_PATH,
  duty: 'read',
  summary: 'Accounts, newest first, or those that a text names',
  description:
    'With `query`: the account that it names exactly, by its id, a key or a deposit address; else those of whose label any word begins with it, in the order of these words. With `status`, or with `query` and times, a page may be short and still have a next one.',
  request: { query: AccountListQuery },
  ...onePage('accounts', ListedAccount),
  handle: async (c) => {
    const [page, valueOf] = await Promise.all([
      findAccounts(c.env, c.req.valid('query'), cursorsOf(c)),
      readValuation(c.env),
    ]);
    if (!page.ok) return page;
    const rows = await describeAccounts(c.env, page.value.rows, valueOf, Date.now());
    return showPage(accept({ ...page.value, rows }), 'accounts', (row) => row);
  },
});

accountRoutes.add({
  operationId: 'getAccount',
  path: ACCOUNT_PATH,
  duty: 'read',
  summary: 'One account: balances and their value, limits, second factor, keys, approved addresses',
  description: 'Of its keys, revoked ones included, and of its approved addresses the newest 200.',
  of: anAccount,
  answer: 'The account',
  body: { account: AccountDetail },
  handle: async (c, { account: { id }, database }) => {
    const detail = await readAccountDetail(c.env, database, id, () => readValuation(c.env), Date.now());
    return detail ? accept({ account: detail }) : accountNotFound;
  },
});

accountRoutes.add({
  operationId: 'listTransactionsOfAccount',
  path: `${ACCOUNT_PATH}/transactions`,
  duty: 'read',
  summary: 'The activity of an account, newest first, as its holder sees it',
  description: 'With filters a page may be short and still have a next one.',
  of: anAccount,
  request: { query: TransactionListQuery },
  ...onePage('transactions', Transaction),
  handle: (c, found) => readRecords(c, found, c.req.valid('query'), transactionList),
});

accountRoutes.add({
  operationId: 'listOrdersOfAccount',
  path: `${ACCOUNT_PATH}/orders`,
  duty: 'read',
  summary: 'The orders of an account, newest first',
  description: 'With filters a page may be short and still have a next one.',
  of: anAccount,
  request: { query: OrderListQuery },
  ...onePage('orders', Order),
  handle: (c, found) => readRecords(c, found, c.req.valid('query'), orderList),
});

accountRoutes.add({
  operationId: 'listWithdrawalsOfAccount',
  path: `${ACCOUNT_PATH}/withdrawals`,
  duty: 'read',
  summary: 'The withdrawals of an account, newest first',
  description:
    'Settled ones too, with the custodian’s own reason. With filters a page may be short and still have a next one.',
  of: anAccount,
  request: { query: WithdrawalListQuery },
  ...onePage('withdrawals', OperatorWithdrawal),
  handle: (c, found) => readRecords(c, found, c.req.valid('query'), { ...withdrawalList, show: showToOperator }),
});

accountRoutes.add({
  operationId: 'listDepositsOfAccount',
  path: `${ACCOUNT_PATH}/deposits`,
  duty: 'read',
  summary: 'The deposits of an account, newest first, quarantined ones too',
  description: 'With filters a page may be short and still have a next one.',
  of: anAccount,
  request: { query: OperatorDepositQuery },
  ...onePage('deposits', OperatorDeposit),
  handle: (c, found) =>
    readRecords(c, found, c.req.valid('query'), {
      ...depositList,
      listRows: listDeposits,
      show: showDepositToOperator,
    }),
});

accountRoutes.add({
  operationId: 'getApiKeyOfAnyAccount',
  path: '/operator/v1/keys/{keyId}',
  duty: 'read',
  summary: 'One API key, of whichever account',
  description: 'Everything but the token, of which only a hash is stored.',
  request: { params: z.object({ keyId: Id }) },
  ...oneKey.documented,
  answer: 'The key',
  refusals: ['not_found'],
  handle: async (c) => {
    const record = await readKeyRecord(c.env, c.req.valid('param').keyId);
    return record ? accept({ apiKey: showApiKey(record) }) : refuse('not_found', 'There is no API key of that id.');
  },
});

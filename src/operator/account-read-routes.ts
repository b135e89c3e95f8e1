import { type RouteConfig, createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { Account, accountNotFound, showAccount } from '../accounts/account.ts';
import { showPage } from '../access/answer-read.ts';
import { config } from '../env.ts';
import { createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { type ListQuery, NextCursor } from '../http/list.ts';
import { refuse } from '../http/refusal.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import { ApiKey, showApiKey } from '../keys/api-key.ts';
import { readKeyRecord } from '../keys/record.ts';
import { type RecordFilter, type RecordList, readRecordPage } from '../db/record-list.ts';
import { deposits } from '../db/schema.ts';
import { readValuation } from '../markets/value-in-usdt.ts';
import { OrderListQuery, orderList } from '../orders/list-orders.ts';
import { Order } from '../orders/order.ts';
import { DepositListQuery, listDeposits } from '../deposits/account-deposit.ts';
import { TransactionListQuery, transactionList } from '../activity/list-transactions.ts';
import { Transaction } from '../activity/transactions.ts';
import { WithdrawalListQuery, withdrawalList } from '../withdrawals/list-withdrawals.ts';
import { AccountDetail, readAccountDetail } from './account-detail.ts';
import { type OperatorEnvironment, authenticateOperator, operatorRefusals } from './authenticate-operator.ts';
import { AccountListQuery, findAccounts } from './find-accounts.ts';
import { OperatorDeposit, showDepositToOperator } from '../deposits/operator-deposit.ts';
import { OperatorWithdrawal, showToOperator } from '../withdrawals/operator-withdrawal.ts';
import { takeAccount } from './take-account.ts';

const ACCOUNTS_PATH = '/operator/v1/accounts';
const ACCOUNT_PATH = `${ACCOUNTS_PATH}/{id}`;

const common = {
  method: 'get',
  tags: ['Accounts'],
  security: [{ operatorToken: [] }],
  middleware: authenticateOperator('read'),
} as const satisfies Partial<RouteConfig>;

const pageRefusals = problemResponses('invalid_request', 'invalid_cursor', ...operatorRefusals);
const recordRefusals = problemResponses('invalid_request', 'invalid_cursor', 'not_found', ...operatorRefusals);

/** Answers a page of an account's records as the operator sees them. */
async function answerRecords<
  const Name extends string,
  Row extends { readonly id: string },
  Shown,
  Filter extends RecordFilter,
>(
  c: Context<OperatorEnvironment>,
  path: string,
  accountId: string,
  query: ListQuery & Filter,
  list: RecordList<Name, Row, Shown, Filter>,
) {
  const taken = await takeAccount(c.env, accountId);
  if (!taken.ok) return sendProblem(c, taken);
  const page = await readRecordPage(taken.value.database, accountId, query, list, {
    path,
    secret: config.CURSOR_SECRET,
  });
  return page.ok ? c.json(showPage(page.value, list), 200) : sendProblem(c, page);
}

/** The operator's routes that read accounts, what belongs to them, and their keys. */
export const accountReadRoutes = createArea();

accountReadRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'listAccounts',
    path: ACCOUNTS_PATH,
    summary: 'Accounts, newest first, or those that a text names',
    description:
      'With `query`: the account that it names exactly, by its id, a key or a deposit address; else those whose label begins with it, in the order of their labels. With `status` a page may be short and still have a next one.',
    request: { query: AccountListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ accounts: z.array(Account), nextCursor: NextCursor })),
      },
      ...pageRefusals,
    },
  }),
  async (c) => {
    const cursors = { path: ACCOUNTS_PATH, secret: config.CURSOR_SECRET };
    const page = await findAccounts(c.env, c.req.valid('query'), cursors);
    if (!page.ok) return sendProblem(c, page);
    const { rows, nextCursor } = page.value;
    return c.json({ accounts: rows.map(showAccount), nextCursor }, 200);
  },
);

accountReadRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'getAccount',
    path: ACCOUNT_PATH,
    summary: 'One account: balances and their value, limits, second factor, keys, approved addresses',
    description: 'Of its keys, revoked ones included, and of its approved addresses the newest 200.',
    request: { params: RecordPath },
    responses: {
      200: { description: 'The account', content: jsonContent(z.object({ account: AccountDetail })) },
      ...problemResponses('not_found', ...operatorRefusals),
    },
  }),
  async (c) => {
    const { id } = c.req.valid('param');
    const taken = await takeAccount(c.env, id);
    if (!taken.ok) return sendProblem(c, taken);
    const account = await readAccountDetail(taken.value.database, id, () => readValuation(c.env), Date.now());
    return account ? c.json({ account }, 200) : sendProblem(c, accountNotFound);
  },
);

const TRANSACTIONS_PATH = `${ACCOUNT_PATH}/transactions`;

accountReadRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'listTransactionsOfAccount',
    path: TRANSACTIONS_PATH,
    summary: 'The activity of an account, newest first, as its holder sees it',
    description: 'With filters a page may be short and still have a next one.',
    request: { params: RecordPath, query: TransactionListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ transactions: z.array(Transaction), nextCursor: NextCursor })),
      },
      ...recordRefusals,
    },
  }),
  (c) => answerRecords(c, TRANSACTIONS_PATH, c.req.valid('param').id, c.req.valid('query'), transactionList),
);

const ORDERS_PATH = `${ACCOUNT_PATH}/orders`;

accountReadRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'listOrdersOfAccount',
    path: ORDERS_PATH,
    summary: 'The orders of an account, newest first',
    description: 'With filters a page may be short and still have a next one.',
    request: { params: RecordPath, query: OrderListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ orders: z.array(Order), nextCursor: NextCursor })),
      },
      ...recordRefusals,
    },
  }),
  (c) => answerRecords(c, ORDERS_PATH, c.req.valid('param').id, c.req.valid('query'), orderList),
);

const WITHDRAWALS_PATH = `${ACCOUNT_PATH}/withdrawals`;

accountReadRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'listWithdrawalsOfAccount',
    path: WITHDRAWALS_PATH,
    summary: 'The withdrawals of an account, newest first',
    description:
      'Settled ones too, with the custodian’s own reason. With filters a page may be short and still have a next one.',
    request: { params: RecordPath, query: WithdrawalListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ withdrawals: z.array(OperatorWithdrawal), nextCursor: NextCursor })),
      },
      ...recordRefusals,
    },
  }),
  (c) =>
    answerRecords(c, WITHDRAWALS_PATH, c.req.valid('param').id, c.req.valid('query'), {
      ...withdrawalList,
      show: showToOperator,
    }),
);

const DEPOSITS_PATH = `${ACCOUNT_PATH}/deposits`;

accountReadRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'listDepositsOfAccount',
    path: DEPOSITS_PATH,
    summary: 'The deposits of an account, newest first, quarantined ones too',
    description: 'With filters a page may be short and still have a next one.',
    request: {
      params: RecordPath,
      query: DepositListQuery.extend({
        status: OperatorDeposit.shape.status
          .optional()
          .openapi({ description: 'Deposits in this state', example: 'QUARANTINED' }),
      }),
    },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ deposits: z.array(OperatorDeposit), nextCursor: NextCursor })),
      },
      ...recordRefusals,
    },
  }),
  (c) =>
    answerRecords(c, DEPOSITS_PATH, c.req.valid('param').id, c.req.valid('query'), {
      name: 'deposits',
      tablesOf: () => [deposits],
      listRows: listDeposits,
      show: showDepositToOperator,
    }),
);

accountReadRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'getApiKeyOfAnyAccount',
    path: '/operator/v1/keys/{keyId}',
    summary: 'One API key, of whichever account',
    description: 'Everything but the token, of which only a hash is stored.',
    request: { params: z.object({ keyId: Id }) },
    responses: {
      200: { description: 'The key', content: jsonContent(z.object({ apiKey: ApiKey })) },
      ...problemResponses('not_found', ...operatorRefusals),
    },
  }),
  async (c) => {
    const { keyId } = c.req.valid('param');
    const record = await readKeyRecord(c.env, keyId);
    const apiKey = record && showApiKey(record);
    return apiKey ? c.json({ apiKey }, 200) : sendProblem(c, refuse('not_found', 'There is no API key of that id.'));
  },
);

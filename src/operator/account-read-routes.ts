import { type RecordFilter, type RecordList, readRecordPage } from '../db/record-list.ts';
import { type FoundAccount, findAccount } from './find-records.ts';
import { type ListQuery, onePage, showPage } from '../http/list.ts';
import { config } from '../env.ts';
import { createArea } from '../http/area.ts';
import { operationsOf } from './operations.ts';
import { AccountListQuery, findAccounts } from './find-accounts.ts';
import { Account, accountNotFound, showAccount } from '../accounts/account.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import { AccountDetail, readAccountDetail } from './account-detail.ts';
import { readValuation } from '../markets/value-in-usdt.ts';
import { accept, refuse } from '../http/answer.ts';
import { TransactionListQuery, transactionList } from '../activity/list-transactions.ts';
import { Transaction } from '../activity/transactions.ts';
import { OrderListQuery, orderList, Order } from '../orders/order.ts';
import { WithdrawalListQuery, withdrawalList } from '../withdrawals/list-withdrawals.ts';
import { OperatorWithdrawal, showToOperator } from '../withdrawals/operator-withdrawal.ts';
import { DepositListQuery, listDeposits } from '../deposits/account-deposit.ts';
import { OperatorDeposit, showDepositToOperator } from '../deposits/operator-deposit.ts';
import { deposits } from '../db/schema/records.ts';
import { z } from '@hono/zod-openapi';
import { ApiKey, showApiKey } from '../keys/api-key.ts';
import { readKeyRecord } from '../keys/record.ts';

const ACCOUNTS_PATH = '/operator/v1/accounts';
const ACCOUNT_PATH = `${ACCOUNTS_PATH}/{id}`;

/** A page of an account's records as the operator sees them. */
async function readRecords<
  const Name extends string,
  Row extends { readonly id: string },
  Shown,
  Filter extends RecordFilter,
>(
  { account, database }: FoundAccount,
  path: string,
  query: ListQuery & Filter,
  list: RecordList<Name, Row, Shown, Filter>,
) {
  const cursors = { path, secret: config.CURSOR_SECRET };
  return showPage(await readRecordPage(database, account.id, query, list, cursors), list.name, (row) => list.show(row));
}

/** The operator's routes that read accounts, what belongs to them, and their keys. */
export const accountReadRoutes = createArea();

const add = operationsOf(accountReadRoutes, 'Accounts');

add({
  operationId: 'listAccounts',
  path: ACCOUNTS_PATH,
  duty: 'read',
  summary: 'Accounts, newest first, or those that a text names',
  description:
    'With `query`: the account that it names exactly, by its id, a key or a deposit address; else those whose label begins with it, in the order of their labels. With `status` a page may be short and still have a next one.',
  request: { query: AccountListQuery },
  ...onePage('accounts', Account),
  handle: async (c) => {
    const cursors = { path: ACCOUNTS_PATH, secret: config.CURSOR_SECRET };
    const page = await findAccounts(c.env, c.req.valid('query'), cursors);
    return showPage(page, 'accounts', showAccount);
  },
});

add({
  operationId: 'getAccount',
  path: ACCOUNT_PATH,
  duty: 'read',
  summary: 'One account: balances and their value, limits, second factor, keys, approved addresses',
  description: 'Of its keys, revoked ones included, and of its approved addresses the newest 200.',
  request: { params: RecordPath },
  answer: 'The account',
  body: { account: AccountDetail },
  refusals: ['not_found'],
  find: findAccount,
  handle: async (c, { account: { id }, database }) => {
    const account = await readAccountDetail(database, id, () => readValuation(c.env), Date.now());
    return account ? accept({ account }) : accountNotFound;
  },
});

const TRANSACTIONS_PATH = `${ACCOUNT_PATH}/transactions`;

add({
  operationId: 'listTransactionsOfAccount',
  path: TRANSACTIONS_PATH,
  duty: 'read',
  summary: 'The activity of an account, newest first, as its holder sees it',
  description: 'With filters a page may be short and still have a next one.',
  request: { params: RecordPath, query: TransactionListQuery },
  find: findAccount,
  ...onePage('transactions', Transaction),
  refusals: ['not_found'],
  handle: (c, found) => readRecords(found, TRANSACTIONS_PATH, c.req.valid('query'), transactionList),
});

const ORDERS_PATH = `${ACCOUNT_PATH}/orders`;

add({
  operationId: 'listOrdersOfAccount',
  path: ORDERS_PATH,
  duty: 'read',
  summary: 'The orders of an account, newest first',
  description: 'With filters a page may be short and still have a next one.',
  request: { params: RecordPath, query: OrderListQuery },
  find: findAccount,
  ...onePage('orders', Order),
  refusals: ['not_found'],
  handle: (c, found) => readRecords(found, ORDERS_PATH, c.req.valid('query'), orderList),
});

const WITHDRAWALS_PATH = `${ACCOUNT_PATH}/withdrawals`;

add({
  operationId: 'listWithdrawalsOfAccount',
  path: WITHDRAWALS_PATH,
  duty: 'read',
  summary: 'The withdrawals of an account, newest first',
  description:
    'Settled ones too, with the custodian’s own reason. With filters a page may be short and still have a next one.',
  request: { params: RecordPath, query: WithdrawalListQuery },
  find: findAccount,
  ...onePage('withdrawals', OperatorWithdrawal),
  refusals: ['not_found'],
  handle: (c, found) =>
    readRecords(found, WITHDRAWALS_PATH, c.req.valid('query'), {
      ...withdrawalList,
      show: showToOperator,
    }),
});

const DEPOSITS_PATH = `${ACCOUNT_PATH}/deposits`;

add({
  operationId: 'listDepositsOfAccount',
  path: DEPOSITS_PATH,
  duty: 'read',
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
  find: findAccount,
  ...onePage('deposits', OperatorDeposit),
  refusals: ['not_found'],
  handle: (c, found) =>
    readRecords(found, DEPOSITS_PATH, c.req.valid('query'), {
      name: 'deposits',
      tablesOf: () => [deposits],
      listRows: listDeposits,
      show: showDepositToOperator,
    }),
});

add({
  operationId: 'getApiKeyOfAnyAccount',
  path: '/operator/v1/keys/{keyId}',
  duty: 'read',
  summary: 'One API key, of whichever account',
  description: 'Everything but the token, of which only a hash is stored.',
  request: { params: z.object({ keyId: Id }) },
  answer: 'The key',
  body: { apiKey: ApiKey },
  refusals: ['not_found'],
  handle: async (c) => {
    const { keyId } = c.req.valid('param');
    const record = await readKeyRecord(c.env, keyId);
    const apiKey = record && showApiKey(record);
    return apiKey ? accept({ apiKey }) : refuse('not_found', 'There is no API key of that id.');
  },
});

import { createRoute, z } from '@hono/zod-openapi';
import { config } from '../env.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { headersOf } from '../http/document/headers.ts';
import { idempotencyKeyParameter } from '../http/idempotency.ts';
import { jsonBody } from '../http/json-body.ts';
import { NextCursor } from '../http/list.ts';
import { RecordPath, Timestamp } from '../http/wire-types.ts';
import { admitRead } from '../access/admit-read.ts';
import { readRefusals } from '../access/admit.ts';
import { answerList, answerRecord } from '../access/answer-read.ts';
import { authenticate, authenticateJson } from '../access/authenticate.ts';
import { executeInLane } from '../access/execute-in-lane.ts';
import { ledgerOf } from '../db/ledgers.ts';
import { chooseAddressSources } from '../providers.ts';
import { DepositAddress, completeAddresses, findAddresses } from '../addresses/list-addresses.ts';
import { Balance, readBalances } from '../activity/balances.ts';
import { AccountDeposit, DepositListQuery, depositList, depositRecord } from '../deposits/account-deposit.ts';
import { TransactionListQuery, transactionList } from '../activity/list-transactions.ts';
import { Transaction } from '../activity/transactions.ts';
import { CreateWithdrawal } from '../withdrawals/create-withdrawal.ts';
import { WithdrawalListQuery, withdrawalList } from '../withdrawals/list-withdrawals.ts';
import { Withdrawal, readWithdrawal, showWithdrawal } from '../withdrawals/withdrawal.ts';

const TRANSACTIONS_PATH = '/api/v1/wallet/transactions';
const DEPOSITS_PATH = '/api/v1/wallet/deposits';
const WITHDRAWALS_PATH = '/api/v1/wallet/withdrawals';

const addressSources = chooseAddressSources(config);

export const wallet = createArea();

wallet.openapi(
  createRoute({
    operationId: 'listBalances',
    method: 'get',
    path: '/api/v1/wallet/balances',
    tags: ['Wallet'],
    summary: 'Balances of every asset',
    description: 'The balance of each asset, all of which may be spent.',
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    responses: {
      200: {
        description: 'Every supported asset; those without holdings with "0"',
        content: jsonContent(z.object({ balances: z.array(Balance), ts: Timestamp })),
      },
      ...problemResponses(...readRefusals),
    },
  }),
  async (c) => {
    const admitted = await admitRead(c, 'read', (accountId) => readBalances(ledgerOf(c.env, accountId), accountId));
    if (!admitted.ok) return sendProblem(c, admitted);
    return c.json({ balances: admitted.value.value, ts: new Date().toISOString() }, 200);
  },
);

wallet.openapi(
  createRoute({
    operationId: 'listAddresses',
    method: 'get',
    path: '/api/v1/wallet/addresses',
    tags: ['Wallet'],
    summary: 'The deposit address of each network',
    description:
      'Exactly one address per network, made at the first request and never changed. It receives every asset of that network; `primaryAsset` is the one most often deposited. A deposit below the `minDeposit` of its asset and network (GET /api/v1/assets) is not credited.',
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    responses: {
      200: {
        description: 'One address per network, always the same, for every asset of that network',
        content: jsonContent(z.object({ addresses: z.array(DepositAddress) })),
      },
      ...problemResponses(...readRefusals),
    },
  }),
  async (c) => {
    const admitted = await admitRead(c, 'read', (accountId) => findAddresses(c.env, accountId));
    if (!admitted.ok) return sendProblem(c, admitted);
    const { accountId, value: kept } = admitted.value;
    const listed = await completeAddresses(c.env, addressSources, accountId, kept);
    if (!listed.ok) return sendProblem(c, listed);
    return c.json({ addresses: listed.value }, 200);
  },
);

wallet.openapi(
  createRoute({
    operationId: 'listTransactions',
    method: 'get',
    path: TRANSACTIONS_PATH,
    tags: ['Wallet'],
    summary: 'The activity of the account, newest first',
    description:
      'Trades, deposits and withdrawals in one feed, a page at a time. A client that reads all pages gets each row that existed at the first page exactly once. Amounts are positive; the type gives the direction. A deposit that is too small to be credited is not listed. With filters a page may be short and still have a next one.',
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    request: { query: TransactionListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ transactions: z.array(Transaction), nextCursor: NextCursor })),
      },
      ...problemResponses('invalid_request', 'invalid_cursor', ...readRefusals),
    },
  }),
  (c) => answerList(c, c.req.valid('query'), TRANSACTIONS_PATH, transactionList),
);

wallet.openapi(
  createRoute({
    operationId: 'createWithdrawal',
    method: 'post',
    path: WITHDRAWALS_PATH,
    tags: ['Wallet'],
    summary: 'Withdraw to an address',
    description:
      'Debits the amount and the fee, and pays the amount once. `PENDING` means that it waits for a review, `PROCESSING` that the custodian has not confirmed it yet. The money is held meanwhile. It ends as `COMPLETED`, or as `FAILED` with the money returned. With two-factor authentication every withdrawal needs a new `totpCode`; a repetition with the same `Idempotency-Key` needs none. A withdrawal to another account of this exchange is paid inside it, without a fee.',
    security: [{ apiKey: ['withdraw'] }],
    middleware: authenticateJson('withdraw'),
    parameters: [idempotencyKeyParameter],
    request: { body: jsonBody(CreateWithdrawal) },
    responses: {
      201: {
        description: 'The withdrawal',
        headers: headersOf('Location', 'X-Idempotency-Replay'),
        content: jsonContent(z.object({ withdrawal: Withdrawal })),
      },
      ...problemResponses(
        ...bodyRefusals,
        'invalid_idempotency_key',
        ...readRefusals,
        'account_frozen',
        'idempotency_key_reused',
        'network_not_supported',
        'invalid_address',
        'precision_exceeded',
        'amount_above_maximum',
        'amount_below_minimum',
        'withdrawals_suspended',
        'withdrawals_locked',
        'totp_required',
        'totp_invalid',
        'account_recovered',
        'address_not_allowlisted',
        'price_unavailable',
        'daily_limit_exceeded',
        'insufficient_balance',
        'outcome_unknown',
      ),
    },
  }),
  (c) => {
    const withdrawal = c.req.valid('json');
    // Without the code: a retry with a new code is the same request.
    const { totpCode: _totpCode, ...body } = withdrawal;
    const post = { operation: 'createWithdrawal', scope: 'withdraw', path: WITHDRAWALS_PATH, body } as const;
    return executeInLane(c, post, (lane, keyed) => lane.withdraw({ ...keyed, withdrawal }));
  },
);

wallet.openapi(
  createRoute({
    operationId: 'listWithdrawals',
    method: 'get',
    path: WITHDRAWALS_PATH,
    tags: ['Wallet'],
    summary: 'Withdrawals, newest first',
    description:
      'The withdrawals of the account, of all its keys, a page at a time. With filters a page may be short and still have a next one.',
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    request: { query: WithdrawalListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ withdrawals: z.array(Withdrawal), nextCursor: NextCursor })),
      },
      ...problemResponses('invalid_request', 'invalid_cursor', ...readRefusals),
    },
  }),
  (c) => answerList(c, c.req.valid('query'), WITHDRAWALS_PATH, withdrawalList),
);

wallet.openapi(
  createRoute({
    operationId: 'getWithdrawal',
    method: 'get',
    path: `${WITHDRAWALS_PATH}/{id}`,
    tags: ['Wallet'],
    summary: 'One withdrawal',
    description: 'A withdrawal of the account by its id; another account’s is not found.',
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    request: { params: RecordPath },
    responses: {
      200: { description: 'The withdrawal', content: jsonContent(z.object({ withdrawal: Withdrawal })) },
      ...problemResponses('not_found', ...readRefusals),
    },
  }),
  (c) =>
    answerRecord(c, c.req.valid('param').id, { name: 'withdrawal', readRow: readWithdrawal, show: showWithdrawal }),
);

wallet.openapi(
  createRoute({
    operationId: 'listDeposits',
    method: 'get',
    path: DEPOSITS_PATH,
    tags: ['Wallet'],
    summary: 'Deposits, newest first',
    description:
      'The deposits of the account, a page at a time. One that is too small to be credited is not listed. With filters a page may be short and still have a next one.',
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    request: { query: DepositListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ deposits: z.array(AccountDeposit), nextCursor: NextCursor })),
      },
      ...problemResponses('invalid_request', 'invalid_cursor', ...readRefusals),
    },
  }),
  (c) => answerList(c, c.req.valid('query'), DEPOSITS_PATH, depositList),
);

wallet.openapi(
  createRoute({
    operationId: 'getDeposit',
    method: 'get',
    path: `${DEPOSITS_PATH}/{id}`,
    tags: ['Wallet'],
    summary: 'One deposit',
    description: 'A deposit of the account by its id; another account’s is not found.',
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    request: { params: RecordPath },
    responses: {
      200: { description: 'The deposit', content: jsonContent(z.object({ deposit: AccountDeposit })) },
      ...problemResponses('not_found', ...readRefusals),
    },
  }),
  (c) => answerRecord(c, c.req.valid('param').id, depositRecord),
);

import { z } from '@hono/zod-openapi';
import { config } from '../env.ts';
import { idempotencyKeyParameter } from '../http/area.ts';
import { jsonBody } from '../http/request.ts';
import { RecordPath, Timestamp } from '../http/wire-types.ts';
import { admitRead } from '../access/admit-read.ts';
import { answerList, answerRecord } from '../access/answer-read.ts';
import { executeInLane } from '../access/admit.ts';
import { ledgerOf } from '../db/database.ts';
import { chooseAddressSources } from '../providers.ts';
import { ListedAddresses, completeAddresses, findAddresses } from '../addresses/list-addresses.ts';
import { Balance, readBalances } from '../activity/balances.ts';
import { AccountDeposit, DepositListQuery, depositList, depositRecord } from '../deposits/account-deposit.ts';
import { TransactionListQuery, transactionList } from '../activity/list-transactions.ts';
import { Transaction } from '../activity/transactions.ts';
import { CreateWithdrawal } from '../withdrawals/create-withdrawal.ts';
import {
  Withdrawal,
  WithdrawalListQuery,
  readWithdrawal,
  showWithdrawal,
  withdrawalList,
} from '../withdrawals/withdrawal.ts';
import { createKeyArea } from '../access/operations.ts';
import { accept } from '../http/answer.ts';
import { onePage } from '../http/list.ts';

const DEPOSITS_PATH = '/api/v1/wallet/deposits';
const WITHDRAWALS_PATH = '/api/v1/wallet/withdrawals';

const addressSources = chooseAddressSources(config);

export const wallet = createKeyArea('Wallet');

wallet.add({
  operationId: 'listBalances',
  path: '/api/v1/wallet/balances',
  scope: 'read',
  summary: 'Balances of every asset',
  description: 'The balance of each asset, all of which may be spent.',
  answer: 'Every supported asset; those without holdings with "0"',
  body: { balances: z.array(Balance), ts: Timestamp },
  handle: async (c) => {
    const admitted = await admitRead(c, 'read', (accountId) => readBalances(ledgerOf(c.env, accountId), accountId));
    if (!admitted.ok) return admitted;
    return accept({ balances: admitted.value.value, ts: new Date().toISOString() });
  },
});

wallet.add({
  operationId: 'listAddresses',
  path: '/api/v1/wallet/addresses',
  scope: 'read',
  summary: 'The deposit address of each network',
  description:
    'Exactly one address per network, made at the first request and never changed; `pending` names a network where it is still to come. It receives every asset of that network; `primaryAsset` is the one most often deposited. A deposit below the `minDeposit` of its asset and network (GET /api/v1/assets) is not credited.',
  answer: 'One address per network, always the same, for every asset of that network',
  body: ListedAddresses,
  handle: async (c) => {
    const admitted = await admitRead(c, 'read', (accountId) => findAddresses(c.env, accountId));
    if (!admitted.ok) return admitted;
    const { accountId, value: kept } = admitted.value;
    return completeAddresses(c.env, addressSources, accountId, kept);
  },
});

wallet.add({
  operationId: 'listTransactions',
  path: '/api/v1/wallet/transactions',
  scope: 'read',
  summary: 'The activity of the account, newest first',
  description:
    'Trades, deposits and withdrawals in one feed, a page at a time. A client that reads all pages gets each row that existed at the first page exactly once. Amounts are positive; the type gives the direction. A deposit that is too small to be credited is not listed. With filters a page may be short and still have a next one.',
  request: { query: TransactionListQuery },
  ...onePage('transactions', Transaction),
  handle: (c) => answerList(c, c.req.valid('query'), transactionList),
});

wallet.add({
  operationId: 'createWithdrawal',
  method: 'post',
  path: WITHDRAWALS_PATH,
  scope: 'withdraw',
  summary: 'Withdraw to an address',
  description:
    'Debits the amount and the fee, and pays the amount once. `PENDING` means that it waits for a review, `PROCESSING` that the custodian has not confirmed it yet. The money is held meanwhile. It ends as `COMPLETED`, or as `FAILED` with the money returned. With two-factor authentication every withdrawal needs a new `totpCode`; a repetition with the same `Idempotency-Key` needs none. A withdrawal to another account of this exchange is paid inside it, without a fee.',
  parameters: [idempotencyKeyParameter],
  request: { body: jsonBody(CreateWithdrawal) },
  answer: { 201: 'The withdrawal' },
  headers: ['Location', 'X-Idempotency-Replay'],
  body: { withdrawal: Withdrawal },
  refusals: [
    'invalid_idempotency_key',
    'account_frozen',
    'idempotency_key_reused',
    'client_order_id_reused',
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
  ],
  handle: (c) => {
    const withdrawal = c.req.valid('json');
    // Without the code: a retry with a new code is the same request.
    const { totpCode: _totpCode, ...covered } = withdrawal;
    const post = { operation: 'createWithdrawal', scope: 'withdraw', path: WITHDRAWALS_PATH } as const;
    return executeInLane(c, { ...post, body: withdrawal, covered });
  },
});

wallet.add({
  operationId: 'listWithdrawals',
  path: WITHDRAWALS_PATH,
  scope: 'read',
  summary: 'Withdrawals, newest first',
  description:
    'The withdrawals of the account, of all its keys, a page at a time. With filters a page may be short and still have a next one.',
  request: { query: WithdrawalListQuery },
  ...onePage('withdrawals', Withdrawal),
  handle: (c) => answerList(c, c.req.valid('query'), withdrawalList),
});

wallet.add({
  operationId: 'getWithdrawal',
  path: `${WITHDRAWALS_PATH}/{id}`,
  scope: 'read',
  summary: 'One withdrawal',
  description: 'Another account’s is not found.',
  request: { params: RecordPath },
  answer: 'The withdrawal',
  body: { withdrawal: Withdrawal },
  refusals: ['not_found'],
  handle: (c) =>
    answerRecord(c, c.req.valid('param').id, { name: 'withdrawal', readRow: readWithdrawal, show: showWithdrawal }),
});

wallet.add({
  operationId: 'listDeposits',
  path: DEPOSITS_PATH,
  scope: 'read',
  summary: 'Deposits, newest first',
  description:
    'The deposits of the account, a page at a time. One that is too small to be credited is not listed. With filters a page may be short and still have a next one.',
  request: { query: DepositListQuery },
  ...onePage('deposits', AccountDeposit),
  handle: (c) => answerList(c, c.req.valid('query'), depositList),
});

wallet.add({
  operationId: 'getDeposit',
  path: `${DEPOSITS_PATH}/{id}`,
  scope: 'read',
  summary: 'One deposit',
  description: 'Another account’s is not found.',
  request: { params: RecordPath },
  answer: 'The deposit',
  body: { deposit: AccountDeposit },
  refusals: ['not_found'],
  handle: (c) => answerRecord(c, c.req.valid('param').id, depositRecord),
});

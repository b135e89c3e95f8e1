import { createRoute, z } from '@hono/zod-openapi';
import { config } from '../env.ts';
import { createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { IdempotencyHeaders, readIdempotencyKey } from '../http/idempotency.ts';
import { ListQuery, readPage } from '../http/list.ts';
import { refuse } from '../http/refusal.ts';
import { admit, readRefusals } from '../keys/admit.ts';
import { authenticate, authenticateJson } from '../keys/authenticate.ts';
import { openDatabase } from '../ledger/database.ts';
import { chooseAddressSources } from '../providers.ts';
import { DepositAddress, listAddresses } from './addresses/list-addresses.ts';
import { Balance, readBalances } from './balances.ts';
import { Transaction, listTransactions, showTransaction } from './transactions.ts';
import { CreateWithdrawal } from './withdrawals/create-withdrawal.ts';

const TRANSACTIONS_PATH = '/api/v1/wallet/transactions';

const addressSources = chooseAddressSources(config);

export const wallet = createArea();

wallet.openapi(
  createRoute({
    operationId: 'listBalances',
    method: 'get',
    path: '/api/v1/wallet/balances',
    tags: ['Wallet'],
    summary: 'Balances of every asset',
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    responses: {
      200: {
        description: 'Every supported asset; those without holdings with "0"',
        content: jsonContent(z.object({ balances: z.array(Balance), ts: z.iso.datetime({ precision: 3 }) })),
      },
      ...problemResponses(...readRefusals),
    },
  }),
  async (c) => {
    const admitted = await admit(c, 'read', 'read');
    if (!admitted.ok) return sendProblem(c, admitted.refusal);
    const balances = await readBalances(openDatabase(c.env.DB), admitted.value.accountId);
    return c.json({ balances, ts: new Date().toISOString() }, 200);
  },
);

wallet.openapi(
  createRoute({
    operationId: 'listAddresses',
    method: 'get',
    path: '/api/v1/wallet/addresses',
    tags: ['Wallet'],
    summary: 'Where the account receives, on every network',
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    responses: {
      200: {
        description: 'One address per network, always the same; every asset that a network carries arrives at it',
        content: jsonContent(z.object({ addresses: z.array(DepositAddress) })),
      },
      ...problemResponses(...readRefusals),
    },
  }),
  async (c) => {
    const admitted = await admit(c, 'read', 'read');
    if (!admitted.ok) return sendProblem(c, admitted.refusal);
    const listed = await listAddresses(openDatabase(c.env.DB), addressSources, admitted.value.accountId);
    if (!listed.ok) return sendProblem(c, listed.refusal);
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
    security: [{ apiKey: ['read'] }],
    middleware: authenticate('read'),
    request: { query: ListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ transactions: z.array(Transaction), nextCursor: z.string().nullable() })),
      },
      ...problemResponses('invalid_request', 'invalid_cursor', ...readRefusals),
    },
  }),
  async (c) => {
    const admitted = await admit(c, 'read', 'read');
    if (!admitted.ok) return sendProblem(c, admitted.refusal);
    const { accountId } = admitted.value;
    const database = openDatabase(c.env.DB);
    const page = await readPage(
      c.req.valid('query'),
      { route: TRANSACTIONS_PATH, accountId },
      config.CURSOR_SECRET,
      (before, count) => listTransactions(database, accountId, before, count),
    );
    if (!page.ok) return sendProblem(c, page.refusal);
    return c.json({ transactions: page.value.rows.map(showTransaction), nextCursor: page.value.nextCursor }, 200);
  },
);

wallet.openapi(
  createRoute({
    operationId: 'createWithdrawal',
    method: 'post',
    path: '/api/v1/wallet/withdrawals',
    tags: ['Wallet'],
    summary: 'Withdraw to an address',
    security: [{ apiKey: ['withdraw'] }],
    middleware: authenticateJson('withdraw'),
    request: { headers: IdempotencyHeaders, body: { required: true, content: jsonContent(CreateWithdrawal) } },
    responses: {
      ...problemResponses(
        'invalid_request',
        'invalid_idempotency_key',
        'payload_too_large',
        'unsupported_media_type',
        'account_frozen',
        'withdrawals_suspended',
        ...readRefusals,
      ),
    },
  }),
  async (c) => {
    const idempotencyKey = readIdempotencyKey(c.req.header('Idempotency-Key'));
    if (!idempotencyKey.ok) return sendProblem(c, idempotencyKey.refusal);
    const admitted = await admit(c, 'withdraw', 'withdraw');
    if (!admitted.ok) return sendProblem(c, admitted.refusal);
    return sendProblem(
      c,
      refuse('withdrawals_suspended', 'Withdrawals are not open yet.', { retryAfterSeconds: 3_600 }).refusal,
    );
  },
);

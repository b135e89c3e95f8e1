import { createRoute, z } from '@hono/zod-openapi';
import { config } from '../env.ts';
import { createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { type Outcome, accept, refuse } from '../http/refusal.ts';
import { type Database, openDatabase } from '../ledger/database.ts';
import { QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { formatAmount } from '../money/amounts.ts';
import { chooseCustody } from '../providers.ts';
import { readTransactionHash } from '../wallet/transaction-hash.ts';
import { approveWithdrawal, settleByHand } from '../wallet/withdrawals/review-withdrawal.ts';
import {
  Withdrawal,
  type WithdrawalRow,
  listOpenWithdrawals,
  readWithdrawal,
  showWithdrawal,
} from '../wallet/withdrawals/withdrawal.ts';
import { actorOf, authenticateOperator, authenticateOperatorJson } from './authenticate-operator.ts';

const WITHDRAWALS_PATH = '/operator/v1/withdrawals';
const WITHDRAWAL_PATH = '/operator/v1/accounts/{id}/withdrawals/{withdrawalId}';
const MAX_LISTED = 200;
const MAX_REASON_LENGTH = 500;
const MINUTE_MS = 60_000;

/** A withdrawal as the operator sees it. */
const OperatorWithdrawal = Withdrawal.extend({
  accountId: z.string(),
  type: z.enum(['ONCHAIN_WITHDRAWAL', 'INTERNAL_WITHDRAWAL']),
  usdValue: z.string(),
  committedAt: z.iso.datetime({ precision: 3 }),
  reason: z.string().nullable(),
}).openapi('OperatorWithdrawal');

type OperatorWithdrawal = z.output<typeof OperatorWithdrawal>;

function showToOperator(row: WithdrawalRow): OperatorWithdrawal {
  return {
    ...showWithdrawal(row),
    accountId: row.accountId,
    type: row.type,
    usdValue: formatAmount(row.usdValue, scaleOf(QUOTE_ASSET)),
    committedAt: new Date(row.committedAt).toISOString(),
    reason: row.reason,
  };
}

const Params = z.object({ id: z.string(), withdrawalId: z.string() });
const Reason = z.string().min(1).max(MAX_REASON_LENGTH);
const ReasonBody = { required: true, content: jsonContent(z.object({ reason: Reason })) };

const OneWithdrawal = {
  200: { description: 'The withdrawal', content: jsonContent(z.object({ withdrawal: OperatorWithdrawal })) },
};

const common = { tags: ['Operator'], security: [{ operatorToken: [] }] };
const generalRefusals = ['invalid_operator_token', 'insufficient_role'] as const;
const changeRefusals = ['invalid_request', 'not_found', 'invalid_state', ...generalRefusals] as const;

const custody = chooseCustody(config);

async function takeWithdrawal(database: Database, params: z.output<typeof Params>): Promise<Outcome<WithdrawalRow>> {
  const row = await readWithdrawal(database, params.id, params.withdrawalId);
  return row ? accept(row) : refuse('not_found', 'The account has no withdrawal of that id.');
}

/** The operator's doors to withdrawals: review, and what is stuck. */
export const withdrawalRoutes = createArea();

withdrawalRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'listOpenWithdrawals',
    method: 'get',
    path: WITHDRAWALS_PATH,
    summary: 'Withdrawals that wait for a review (PENDING) or for the custodian (PROCESSING), oldest first',
    middleware: authenticateOperator('read'),
    request: {
      query: z.object({
        status: z.enum(['PENDING', 'PROCESSING']),
        olderThanMinutes: z
          .string()
          .regex(/^\d{1,5}$/, 'is not a whole number')
          .transform(Number)
          .optional(),
      }),
    },
    responses: {
      200: {
        description: `At most ${MAX_LISTED}`,
        content: jsonContent(z.object({ withdrawals: z.array(OperatorWithdrawal) })),
      },
      ...problemResponses('invalid_request', ...generalRefusals),
    },
  }),
  async (c) => {
    const { status, olderThanMinutes = 0 } = c.req.valid('query');
    const before_ms = Date.now() + 1 - olderThanMinutes * MINUTE_MS;
    const rows = await listOpenWithdrawals(openDatabase(c.env.DB), status, before_ms, MAX_LISTED);
    return c.json({ withdrawals: rows.map(showToOperator) }, 200);
  },
);

withdrawalRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'getWithdrawalOfAccount',
    method: 'get',
    path: WITHDRAWAL_PATH,
    summary: 'One withdrawal',
    middleware: authenticateOperator('read'),
    request: { params: Params },
    responses: { ...OneWithdrawal, ...problemResponses('not_found', ...generalRefusals) },
  }),
  async (c) => {
    const row = await takeWithdrawal(openDatabase(c.env.DB), c.req.valid('param'));
    return row.ok ? c.json({ withdrawal: showToOperator(row.value) }, 200) : sendProblem(c, row.refusal);
  },
);

withdrawalRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'approveWithdrawal',
    method: 'post',
    path: `${WITHDRAWAL_PATH}/approve`,
    summary: 'Let a withdrawal that waits for its review be paid',
    middleware: authenticateOperatorJson('change'),
    request: { params: Params, body: ReasonBody },
    responses: { ...OneWithdrawal, ...problemResponses(...changeRefusals) },
  }),
  async (c) => {
    const database = openDatabase(c.env.DB);
    const row = await takeWithdrawal(database, c.req.valid('param'));
    if (!row.ok) return sendProblem(c, row.refusal);
    const approved = await approveWithdrawal(database, custody, row.value, c.req.valid('json').reason, actorOf(c));
    return approved.ok ? c.json({ withdrawal: showToOperator(approved.value) }, 200) : sendProblem(c, approved.refusal);
  },
);

withdrawalRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'rejectWithdrawal',
    method: 'post',
    path: `${WITHDRAWAL_PATH}/reject`,
    summary: 'Reject a withdrawal that waits for its review; the money goes back',
    middleware: authenticateOperatorJson('change'),
    request: { params: Params, body: ReasonBody },
    responses: { ...OneWithdrawal, ...problemResponses(...changeRefusals) },
  }),
  async (c) => {
    const database = openDatabase(c.env.DB);
    const { reason } = c.req.valid('json');
    const row = await takeWithdrawal(database, c.req.valid('param'));
    if (!row.ok) return sendProblem(c, row.refusal);
    const settlement = { kind: 'failed', reason: 'rejected' } as const;
    const rejected = await settleByHand(database, row.value, 'PENDING', settlement, reason, actorOf(c));
    return rejected.ok ? c.json({ withdrawal: showToOperator(rejected.value) }, 200) : sendProblem(c, rejected.refusal);
  },
);

withdrawalRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'settleWithdrawal',
    method: 'post',
    path: `${WITHDRAWAL_PATH}/settle`,
    summary: 'Settle a withdrawal that is stuck with the custodian, either way',
    middleware: authenticateOperatorJson('change'),
    request: {
      params: Params,
      body: {
        required: true,
        content: jsonContent(
          z.discriminatedUnion('outcome', [
            z.object({ outcome: z.literal('paid'), txHash: z.string(), reason: Reason }),
            z.object({ outcome: z.literal('failed'), reason: Reason }),
          ]),
        ),
      },
    },
    responses: { ...OneWithdrawal, ...problemResponses(...changeRefusals) },
  }),
  async (c) => {
    const database = openDatabase(c.env.DB);
    const wanted = c.req.valid('json');
    const row = await takeWithdrawal(database, c.req.valid('param'));
    if (!row.ok) return sendProblem(c, row.refusal);
    const txHash = wanted.outcome === 'paid' ? readTransactionHash(row.value.network, wanted.txHash) : '';
    if (txHash === undefined) {
      const errors = [{ pointer: '/txHash', code: 'custom', detail: `is no transaction hash of ${row.value.network}` }];
      return sendProblem(c, refuse('invalid_request', 'The request is not valid.', { errors }).refusal);
    }
    const settlement =
      wanted.outcome === 'paid'
        ? ({ kind: 'paid', txHash } as const)
        : ({ kind: 'failed', reason: 'settled' } as const);
    const settled = await settleByHand(database, row.value, 'PROCESSING', settlement, wanted.reason, actorOf(c));
    return settled.ok ? c.json({ withdrawal: showToOperator(settled.value) }, 200) : sendProblem(c, settled.refusal);
  },
);

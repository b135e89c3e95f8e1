import { nameActor } from '../db/audit.ts';
import { createRoute, z } from '@hono/zod-openapi';
import { config } from '../env.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { OPERATOR_SCOPE } from '../http/cursor.ts';
import { ListQuery, NextCursor } from '../http/list.ts';
import { refuse } from '../http/refusal.ts';
import type { Database } from '../db/database.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { oldestFirst, readMergedPage } from '../db/merge-pages.ts';
import { chooseCustody } from '../providers.ts';
import { claimedByAnother, readClaim } from '../withdrawals/claim-payout.ts';
import { readTransactionHash } from '../custody/transaction-hash.ts';
import { type ReviewContext, approveWithdrawal, settleByHand } from '../withdrawals/review-withdrawal.ts';
import { selectOpenWithdrawals } from '../withdrawals/withdrawal.ts';
import { OperatorWithdrawal, showToOperator } from '../withdrawals/operator-withdrawal.ts';
import { Reason, ReasonBody } from './reason.ts';
import { WithdrawalPath, takeWithdrawal } from './take-withdrawal.ts';
import {
  actorOf,
  authenticateOperator,
  authenticateOperatorJson,
  operatorRefusals,
  proposedResponse,
} from './authenticate-operator.ts';

const WITHDRAWALS_PATH = '/operator/v1/withdrawals';
const WITHDRAWAL_PATH = '/operator/v1/accounts/{id}/withdrawals/{withdrawalId}';
const MINUTE_MS = 60_000;

const TxHash = z.string().openapi({ example: '7c2b9a0de1c94d6c0f6f0a3ac4f4c9ad0e6b7d3d5c1e8f90a1b2c3d4e5f60718' });

const OneWithdrawal = {
  200: { description: 'The withdrawal', content: jsonContent(z.object({ withdrawal: OperatorWithdrawal })) },
};

const common = { tags: ['Withdrawals'], security: [{ operatorToken: [] }] };
const changeRefusals = [...bodyRefusals, 'not_found', 'invalid_state', ...operatorRefusals] as const;

const custody = chooseCustody(config);

const notClaimed = refuse('invalid_state', 'Claim the withdrawal first: then nobody else pays it.');

/** What an approval needs, with the database of the request. */
function openReviewDesk(ledgers: LedgerBindings, database: Database): ReviewContext {
  return { database, ledgers, custody, allowlistMode: config.ALLOWLIST_MODE, now: () => Date.now() };
}

/** The operator's routes for withdrawals: reviews, and stuck ones. */
export const withdrawalRoutes = createArea();

withdrawalRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'listOpenWithdrawals',
    method: 'get',
    path: WITHDRAWALS_PATH,
    summary: 'Withdrawals that wait for a review (PENDING) or for the custodian (PROCESSING), oldest first',
    description: 'A page at a time. A withdrawal that is PROCESSING for an hour needs the operator.',
    middleware: authenticateOperator('read'),
    request: {
      query: ListQuery.extend({
        status: z
          .enum(['PENDING', 'PROCESSING'])
          .openapi({ description: 'Waiting for a review, or for the custodian', example: 'PENDING' }),
        olderThanMinutes: z
          .string()
          .regex(/^\d{1,5}$/, 'is not a whole number')
          .transform(Number)
          .optional()
          .openapi({
            type: 'integer',
            minimum: 0,
            maximum: 99_999,
            description: 'Requested at least this long ago',
            example: 60,
          }),
      }),
    },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ withdrawals: z.array(OperatorWithdrawal), nextCursor: NextCursor })),
      },
      ...problemResponses('invalid_request', 'invalid_cursor', ...operatorRefusals),
    },
  }),
  async (c) => {
    const { status, olderThanMinutes, ...query } = c.req.valid('query');
    const before_ms = olderThanMinutes === undefined ? null : Date.now() + 1 - olderThanMinutes * MINUTE_MS;
    const scope = { route: `${WITHDRAWALS_PATH}?status=${status}`, accountId: OPERATOR_SCOPE };
    const cursors = { scope, secret: config.CURSOR_SECRET };
    const page = await readMergedPage(c.env, oldestFirst, query, cursors, (database, after, count) =>
      selectOpenWithdrawals(database, status, before_ms, after, count),
    );
    if (!page.ok) return sendProblem(c, page);
    const { rows, nextCursor } = page.value;
    return c.json({ withdrawals: rows.map(showToOperator), nextCursor }, 200);
  },
);

withdrawalRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'getWithdrawalOfAccount',
    method: 'get',
    path: WITHDRAWAL_PATH,
    summary: 'One withdrawal',
    description: 'A withdrawal of the account, as the operator sees it.',
    middleware: authenticateOperator('read'),
    request: { params: WithdrawalPath },
    responses: { ...OneWithdrawal, ...problemResponses('not_found', ...operatorRefusals) },
  }),
  async (c) => {
    const taken = await takeWithdrawal(c.env, c.req.valid('param'));
    return taken.ok ? c.json({ withdrawal: showToOperator(taken.value.row) }, 200) : sendProblem(c, taken);
  },
);

withdrawalRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'approveWithdrawal',
    method: 'post',
    path: `${WITHDRAWAL_PATH}/approve`,
    summary: 'Approve a withdrawal that waits for its review',
    description:
      'From PENDING to PROCESSING; the custodian is asked at once. Freeze, halts, a paused network, a strict allowlist and the revocation of the key are checked again; if one of them refuses, the withdrawal stays PENDING.',
    middleware: authenticateOperatorJson('review_withdrawals'),
    request: { params: WithdrawalPath, body: ReasonBody },
    responses: {
      ...OneWithdrawal,
      ...problemResponses(
        ...changeRefusals,
        'account_frozen',
        'account_recovered',
        'withdrawals_suspended',
        'address_not_allowlisted',
      ),
    },
  }),
  async (c) => {
    const taken = await takeWithdrawal(c.env, c.req.valid('param'));
    if (!taken.ok) return sendProblem(c, taken);
    const { row, database } = taken.value;
    const { reason } = c.req.valid('json');
    const approved = await approveWithdrawal(openReviewDesk(c.env, database), row, reason, actorOf(c));
    return approved.ok ? c.json({ withdrawal: showToOperator(approved.value) }, 200) : sendProblem(c, approved);
  },
);

withdrawalRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'rejectWithdrawal',
    method: 'post',
    path: `${WITHDRAWAL_PATH}/reject`,
    summary: 'Reject a withdrawal that waits for its review, and return the money',
    description: 'From PENDING to FAILED; amount and fee return to the account.',
    middleware: authenticateOperatorJson('review_withdrawals'),
    request: { params: WithdrawalPath, body: ReasonBody },
    responses: { ...OneWithdrawal, ...problemResponses(...changeRefusals) },
  }),
  async (c) => {
    const { reason } = c.req.valid('json');
    const taken = await takeWithdrawal(c.env, c.req.valid('param'));
    if (!taken.ok) return sendProblem(c, taken);
    const { row, database } = taken.value;
    const settlement = { kind: 'failed', reason: 'rejected' } as const;
    const rejected = await settleByHand(database, row, 'PENDING', settlement, reason, actorOf(c));
    return rejected.ok ? c.json({ withdrawal: showToOperator(rejected.value) }, 200) : sendProblem(c, rejected);
  },
);

withdrawalRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'settleWithdrawal',
    method: 'post',
    path: `${WITHDRAWAL_PATH}/settle`,
    summary: 'Settle a withdrawal that is stuck with the custodian, as paid or as failed',
    description:
      'From PROCESSING to COMPLETED with the given transaction, or to FAILED with the money returned. Check the chain first: a settlement cannot be undone.',
    middleware: authenticateOperatorJson('settle_withdrawals'),
    request: {
      params: WithdrawalPath,
      body: jsonBody(
        z.discriminatedUnion('outcome', [
          z.strictObject({ outcome: z.literal('paid'), txHash: TxHash, reason: Reason }),
          z.strictObject({ outcome: z.literal('failed'), reason: Reason }),
        ]),
      ),
    },
    responses: { ...OneWithdrawal, ...proposedResponse, ...problemResponses(...changeRefusals, 'approval_required') },
  }),
  async (c) => {
    const wanted = c.req.valid('json');
    const taken = await takeWithdrawal(c.env, c.req.valid('param'));
    if (!taken.ok) return sendProblem(c, taken);
    const { row, database } = taken.value;
    const txHash = wanted.outcome === 'paid' ? readTransactionHash(row.network, wanted.txHash) : '';
    if (txHash === undefined) {
      const errors = [
        { pointer: '/txHash', code: 'wrong_format', detail: `is no transaction hash of ${row.network}` },
      ] as const;
      return sendProblem(c, refuse('invalid_request', 'The request is not valid.', { errors }));
    }
    if (custody.name === 'manual') {
      const claim = await readClaim(database, row);
      // An approval is another person's; who proposed it had the claim.
      const isOwn = c.var.proposal !== undefined || claim?.claimedBy === nameActor(c.var);
      if (!claim || !isOwn) return sendProblem(c, claim ? claimedByAnother(claim) : notClaimed);
    }
    const settlement =
      wanted.outcome === 'paid'
        ? ({ kind: 'paid', txHash } as const)
        : ({ kind: 'failed', reason: 'settled' } as const);
    const settled = await settleByHand(database, row, 'PROCESSING', settlement, wanted.reason, actorOf(c));
    return settled.ok ? c.json({ withdrawal: showToOperator(settled.value) }, 200) : sendProblem(c, settled);
  },
);

import { accept, refuse } from '../http/answer.ts';
import { z } from '@hono/zod-openapi';
import { chooseCustody } from '../providers.ts';
import { config } from '../env.ts';
import { OperatorWithdrawal, showToOperator } from '../withdrawals/operator-withdrawal.ts';
import {
  PayoutClaim,
  claimPayout,
  claimedByAnother,
  listClaims,
  readClaim,
  releaseClaim,
  showClaim,
} from '../withdrawals/claim-payout.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import type { Database } from '../db/database.ts';
import { type ReviewContext, approveWithdrawal, settleByHand } from '../withdrawals/review-withdrawal.ts';
import { createArea } from '../http/area.ts';
import { operationsOf } from './operations.ts';
import { ListQuery, onePage } from '../http/list.ts';
import { oldestFirst } from '../db/merge-pages.ts';
import { readMerged } from './read-merged.ts';
import { selectOpenWithdrawals } from '../withdrawals/withdrawal.ts';
import { WithdrawalPath, findWithdrawal } from './find-records.ts';
import { Reason, ReasonBody } from './reason.ts';
import { actorOf } from './authenticate-operator.ts';
import { jsonBody } from '../http/request.ts';
import { readTransactionHash } from '../custody/transaction-hash.ts';
import { nameActor } from '../db/audit.ts';

const CLAIMS_PATH = '/operator/v1/payout-claims';
const CLAIM_PATH = '/operator/v1/accounts/{id}/withdrawals/{withdrawalId}/claim';

const notByHand = refuse('invalid_state', 'A custodian pays here. Only where people pay by hand is there a claim.');

const WITHDRAWALS_PATH = '/operator/v1/withdrawals';
const WITHDRAWAL_PATH = '/operator/v1/accounts/{id}/withdrawals/{withdrawalId}';
const MINUTE_MS = 60_000;

const TxHash = z.string().openapi({ example: '7c2b9a0de1c94d6c0f6f0a3ac4f4c9ad0e6b7d3d5c1e8f90a1b2c3d4e5f60718' });

const custody = chooseCustody(config);
const isManual = custody.name === 'manual';

const oneWithdrawal = { answer: 'The withdrawal', body: { withdrawal: OperatorWithdrawal } };
const oneClaim = { answer: 'The claim', body: { claim: PayoutClaim } };

const notClaimed = refuse('invalid_state', 'Claim the withdrawal first: then nobody else pays it.');

/** What an approval needs, with the database of the request. */
function openReviewDesk(ledgers: LedgerBindings, database: Database): ReviewContext {
  return { database, ledgers, custody, allowlistMode: config.ALLOWLIST_MODE, now: () => Date.now() };
}

/** The operator's routes for withdrawals: reviews, and stuck ones. */
export const withdrawalRoutes = createArea();

const add = operationsOf(withdrawalRoutes, 'Withdrawals');

add({
  operationId: 'listOpenWithdrawals',
  path: WITHDRAWALS_PATH,
  duty: 'read',
  summary: 'Withdrawals that wait for a review (PENDING) or for the custodian (PROCESSING), oldest first',
  description: 'A page at a time. A withdrawal that is PROCESSING for an hour needs the operator.',
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
  ...onePage('withdrawals', OperatorWithdrawal),
  handle: async (c) => {
    const { status, olderThanMinutes, ...query } = c.req.valid('query');
    const before_ms = olderThanMinutes === undefined ? null : Date.now() + 1 - olderThanMinutes * MINUTE_MS;
    const list = { path: WITHDRAWALS_PATH, filter: { status }, order: oldestFirst } as const;
    return readMerged(c.env, { ...list, name: 'withdrawals', show: showToOperator }, query, (database, after, count) =>
      selectOpenWithdrawals(database, status, before_ms, after, count),
    );
  },
});

add({
  operationId: 'getWithdrawalOfAccount',
  path: WITHDRAWAL_PATH,
  duty: 'read',
  summary: 'One withdrawal',
  description: 'A withdrawal of the account, as the operator sees it.',
  request: { params: WithdrawalPath },
  ...oneWithdrawal,
  find: findWithdrawal,
  refusals: ['not_found'],
  handle: (_c, { row }) => accept({ withdrawal: showToOperator(row) }),
});

add({
  operationId: 'approveWithdrawal',
  method: 'post',
  path: `${WITHDRAWAL_PATH}/approve`,
  duty: 'review_withdrawals',
  summary: 'Approve a withdrawal that waits for its review',
  description:
    'From PENDING to PROCESSING; the custodian is asked at once. Freeze, halts, a paused network, a strict allowlist and the revocation of the key are checked again; if one of them refuses, the withdrawal stays PENDING.',
  request: { params: WithdrawalPath, body: ReasonBody },
  find: findWithdrawal,
  ...oneWithdrawal,
  refusals: [
    'not_found',
    'invalid_state',
    'account_frozen',
    'account_recovered',
    'withdrawals_suspended',
    'address_not_allowlisted',
  ],
  handle: async (c, { row, database }) => {
    const { reason } = c.req.valid('json');
    const approved = await approveWithdrawal(openReviewDesk(c.env, database), row, reason, actorOf(c));
    return approved.ok ? accept({ withdrawal: showToOperator(approved.value) }) : approved;
  },
});

add({
  operationId: 'rejectWithdrawal',
  method: 'post',
  path: `${WITHDRAWAL_PATH}/reject`,
  duty: 'review_withdrawals',
  summary: 'Reject a withdrawal that waits for its review, and return the money',
  description: 'From PENDING to FAILED; amount and fee return to the account.',
  request: { params: WithdrawalPath, body: ReasonBody },
  find: findWithdrawal,
  ...oneWithdrawal,
  refusals: ['not_found', 'invalid_state'],
  handle: async (c, { row, database }) => {
    const { reason } = c.req.valid('json');
    const settlement = { kind: 'failed', reason: 'rejected' } as const;
    const rejected = await settleByHand(database, row, 'PENDING', settlement, reason, actorOf(c));
    return rejected.ok ? accept({ withdrawal: showToOperator(rejected.value) }) : rejected;
  },
});

add({
  operationId: 'settleWithdrawal',
  method: 'post',
  path: `${WITHDRAWAL_PATH}/settle`,
  duty: 'settle_withdrawals',
  needsTwo: true,
  summary: 'Settle a withdrawal that is stuck with the custodian, as paid or as failed',
  description:
    'From PROCESSING to COMPLETED with the given transaction, or to FAILED with the money returned. Check the chain first: a settlement cannot be undone.',
  request: {
    params: WithdrawalPath,
    body: jsonBody(
      z.discriminatedUnion('outcome', [
        z.strictObject({ outcome: z.literal('paid'), txHash: TxHash, reason: Reason }),
        z.strictObject({ outcome: z.literal('failed'), reason: Reason }),
      ]),
    ),
  },
  find: findWithdrawal,
  ...oneWithdrawal,
  refusals: ['not_found', 'invalid_state', 'approval_required'],
  handle: async (c, { row, database }) => {
    const wanted = c.req.valid('json');
    const txHash = wanted.outcome === 'paid' ? readTransactionHash(row.network, wanted.txHash) : '';
    if (txHash === undefined) {
      const errors = [
        { pointer: '/txHash', code: 'wrong_format', detail: `is no transaction hash of ${row.network}` },
      ] as const;
      return refuse('invalid_request', 'The request is not valid.', { errors });
    }
    if (isManual) {
      const claim = await readClaim(database, row);
      // An approval is another person's; who proposed it had the claim.
      const isOwn = c.var.proposal !== undefined || claim?.claimedBy === nameActor(c.var);
      if (!claim || !isOwn) return claim ? claimedByAnother(claim) : notClaimed;
    }
    const settlement =
      wanted.outcome === 'paid'
        ? ({ kind: 'paid', txHash } as const)
        : ({ kind: 'failed', reason: 'settled' } as const);
    const settled = await settleByHand(database, row, 'PROCESSING', settlement, wanted.reason, actorOf(c));
    return settled.ok ? accept({ withdrawal: showToOperator(settled.value) }) : settled;
  },
});

add({
  operationId: 'listPayoutClaims',
  path: CLAIMS_PATH,
  duty: 'read',
  summary: 'Who pays which withdrawal by hand, oldest withdrawal first',
  description: 'Those that are PROCESSING and claimed, a page at a time. The others that are PROCESSING wait.',
  request: { query: ListQuery },
  ...onePage('claims', PayoutClaim),
  handle: (c) => {
    const list = { path: CLAIMS_PATH, order: oldestFirst, name: 'claims', show: showClaim } as const;
    return readMerged(c.env, list, c.req.valid('query'), listClaims);
  },
});

add({
  operationId: 'claimPayout',
  method: 'post',
  path: CLAIM_PATH,
  duty: 'settle_withdrawals',
  summary: 'Claim a withdrawal to pay it by hand, so that nobody else does',
  description:
    'For CUSTODY_PROVIDER = "manual". Pay it after that, and settle it with the hash. It is refused while withdrawals are halted, the network is paused or the account is frozen. Claiming one’s own again is no error.',
  request: { params: WithdrawalPath },
  find: findWithdrawal,
  ...oneClaim,
  refusals: ['not_found', 'invalid_state', 'account_frozen', 'withdrawals_suspended'],
  handle: async (c, { row, database }) => {
    if (!isManual) return notByHand;
    const claimed = await claimPayout(database, row, actorOf(c));
    return claimed.ok ? accept({ claim: showClaim(claimed.value) }) : claimed;
  },
});

add({
  operationId: 'releasePayout',
  method: 'delete',
  path: CLAIM_PATH,
  duty: 'settle_withdrawals',
  summary: 'Give a claim back, so that another can take it',
  description: 'By the one who has it, or an admin. Be sure that nothing was paid.',
  request: { params: WithdrawalPath },
  find: findWithdrawal,
  ...oneClaim,
  refusals: ['not_found', 'invalid_state'],
  handle: async (c, { row, database }) => {
    const released = await releaseClaim(database, row, actorOf(c));
    return released.ok ? accept({ claim: showClaim(released.value) }) : released;
  },
});

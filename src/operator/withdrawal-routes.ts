import { accept, refuse, refuseField } from '../http/answer.ts';
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
import { approveWithdrawal, settleByHand } from '../withdrawals/review-withdrawal.ts';
import type { WithdrawalEnd } from '../withdrawals/settle-withdrawal.ts';
import { createOperatorArea } from './operations.ts';
import { ListQuery, oneOf, onePage } from '../http/list.ts';
import { oldestFirst } from '../db/merge-pages.ts';
import { readMerged } from './read-merged.ts';
import { selectOpenWithdrawals } from '../withdrawals/withdrawal.ts';
import { aWithdrawal } from './find-records.ts';
import { holderText } from './holder-text.ts';
import { ReasonBody } from './reason.ts';
import { Reason, wholeNumber } from '../http/wire-types.ts';
import { actorOf } from './authenticate-operator.ts';
import { jsonBody } from '../http/request.ts';
import { readTransactionHash } from '../custody/transaction-hash.ts';
import { nameActor } from '../db/audit.ts';

const WITHDRAWAL_PATH = '/operator/v1/accounts/{id}/withdrawals/{withdrawalId}';
const MINUTE_MS = 60_000;
const MAX_NOTE_LENGTH = 200;

const TxHash = z.string().openapi({ example: '7c2b9a0de1c94d6c0f6f0a3ac4f4c9ad0e6b7d3d5c1e8f90a1b2c3d4e5f60718' });

const custody = chooseCustody(config);
const isManual = custody.name === 'manual';

const withdrawal = oneOf('withdrawal', OperatorWithdrawal, showToOperator);
const claim = oneOf('claim', PayoutClaim, showClaim);

const notByHand = refuse('invalid_state', 'A custodian pays here. Only where people pay by hand is there a claim.');

const notClaimed = refuse('invalid_state', 'Claim the withdrawal first: then nobody else pays it.');

/** The operator's routes for withdrawals: reviews, and stuck ones. */
export const withdrawalRoutes = createOperatorArea('Withdrawals');

withdrawalRoutes.add({
  operationId: 'listOpenWithdrawals',
  path: '/operator/v1/withdrawals',
  duty: 'read',
  summary: 'Withdrawals that wait for a review (PENDING) or for the custodian (PROCESSING), oldest first',
  description: 'A page at a time. A withdrawal that is PROCESSING for an hour needs the operator.',
  request: {
    query: ListQuery.extend({
      status: z
        .enum(['PENDING', 'PROCESSING'])
        .openapi({ description: 'Waiting for a review, or for the custodian', example: 'PENDING' }),
      olderThanMinutes: wholeNumber(5, 'is not a whole number').optional().openapi({
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
    const list = { name: 'withdrawals', show: showToOperator, filter: { status }, order: oldestFirst } as const;
    return readMerged(c, list, query, (database, after, count) =>
      selectOpenWithdrawals(database, status, before_ms, after, count),
    );
  },
});

withdrawalRoutes.add({
  operationId: 'getWithdrawalOfAccount',
  path: WITHDRAWAL_PATH,
  duty: 'read',
  summary: 'One withdrawal',
  description: 'A withdrawal of the account, as the operator sees it.',
  of: aWithdrawal,
  ...withdrawal.documented,
  handle: (_c, { row }) => withdrawal.answer(accept(row)),
});

withdrawalRoutes.add({
  operationId: 'approveWithdrawal',
  method: 'post',
  path: `${WITHDRAWAL_PATH}/approve`,
  duty: 'review_withdrawals',
  summary: 'Approve a withdrawal that waits for its review',
  description:
    'From PENDING to PROCESSING; the custodian is asked at once. Freeze, halts, a paused network, a strict allowlist and the revocation of the key are checked again; if one of them refuses, the withdrawal stays PENDING.',
  of: aWithdrawal,
  request: { body: ReasonBody },
  ...withdrawal.documented,
  refusals: [
    'invalid_state',
    'account_frozen',
    'account_recovered',
    'withdrawals_suspended',
    'address_not_allowlisted',
  ],
  handle: (c, { row, database }) => {
    const desk = { database, ledgers: c.env, custody, allowlistMode: config.ALLOWLIST_MODE, now: () => Date.now() };
    return withdrawal.answer(approveWithdrawal(desk, row, c.req.valid('json').reason, actorOf(c)));
  },
});

withdrawalRoutes.add({
  operationId: 'rejectWithdrawal',
  method: 'post',
  path: `${WITHDRAWAL_PATH}/reject`,
  duty: 'review_withdrawals',
  summary: 'Reject a withdrawal that waits for its review, and return the money',
  description:
    'From PENDING to FAILED; amount and fee return to the account. The holder sees the note, and never the reason.',
  of: aWithdrawal,
  request: {
    body: jsonBody(
      z.strictObject({
        reason: Reason,
        note: holderText(MAX_NOTE_LENGTH).optional().openapi({
          description: 'What the holder is told: plain text without a link',
          example: 'The address belongs to a service that we may not pay.',
        }),
      }),
    ),
  },
  ...withdrawal.documented,
  refusals: ['invalid_state'],
  handle: (c, { row, database }) => {
    const { reason, note } = c.req.valid('json');
    const end = { kind: 'failed', reason: 'rejected', note } as const;
    return withdrawal.answer(settleByHand(database, row, 'PENDING', end, reason, actorOf(c)));
  },
});

withdrawalRoutes.add({
  operationId: 'settleWithdrawal',
  method: 'post',
  path: `${WITHDRAWAL_PATH}/settle`,
  duty: 'settle_withdrawals',
  needsTwo: true,
  summary: 'Settle a withdrawal that is stuck with the custodian, as paid or as failed',
  description:
    'From PROCESSING to COMPLETED with the given transaction, or to FAILED with the money returned. Check the chain first: a settlement cannot be undone.',
  request: {
    body: jsonBody(
      z.discriminatedUnion('outcome', [
        z.strictObject({ outcome: z.literal('paid'), txHash: TxHash, reason: Reason }),
        z.strictObject({ outcome: z.literal('failed'), reason: Reason }),
      ]),
    ),
  },
  of: aWithdrawal,
  ...withdrawal.documented,
  refusals: ['invalid_state'],
  handle: async (c, { row, database }) => {
    const wanted = c.req.valid('json');
    const txHash = wanted.outcome === 'paid' ? readTransactionHash(row.network, wanted.txHash) : '';
    if (txHash === undefined) return refuseField('/txHash', 'wrong_format', `is no transaction hash of ${row.network}`);
    if (isManual) {
      const claimed = await readClaim(database, row);
      if (!claimed) return notClaimed;
      // An approval is another person's; who proposed it had the claim.
      if (c.var.proposal === undefined && claimed.claimedBy !== nameActor(c.var)) return claimedByAnother(claimed);
    }
    const end: WithdrawalEnd =
      wanted.outcome === 'paid' ? { kind: 'paid', txHash } : { kind: 'failed', reason: 'settled' };
    return withdrawal.answer(settleByHand(database, row, 'PROCESSING', end, wanted.reason, actorOf(c)));
  },
});

withdrawalRoutes.add({
  operationId: 'listPayoutClaims',
  path: '/operator/v1/payout-claims',
  duty: 'read',
  summary: 'Who pays which withdrawal by hand, oldest withdrawal first',
  description: 'Those that are PROCESSING and claimed, a page at a time. The others that are PROCESSING wait.',
  request: { query: ListQuery },
  ...onePage('claims', PayoutClaim),
  handle: (c) =>
    readMerged(c, { name: 'claims', show: showClaim, order: oldestFirst }, c.req.valid('query'), listClaims),
});

withdrawalRoutes.add({
  operationId: 'claimPayout',
  method: 'post',
  path: `${WITHDRAWAL_PATH}/claim`,
  duty: 'settle_withdrawals',
  summary: 'Claim a withdrawal to pay it by hand, so that nobody else does',
  description:
    'For CUSTODY_PROVIDER = "manual". Pay it after that, and settle it with the hash. It is refused while withdrawals are halted, the network is paused or the account is frozen. Claiming one’s own again is no error.',
  of: aWithdrawal,
  ...claim.documented,
  refusals: ['invalid_state', 'account_frozen', 'withdrawals_suspended'],
  handle: (c, { row, database }) => claim.answer(isManual ? claimPayout(database, row, actorOf(c)) : notByHand),
});

withdrawalRoutes.add({
  operationId: 'releasePayout',
  method: 'delete',
  path: `${WITHDRAWAL_PATH}/claim`,
  duty: 'settle_withdrawals',
  summary: 'Give a claim back, so that another can take it',
  description: 'By the one who has it, or an admin. Be sure that nothing was paid.',
  of: aWithdrawal,
  ...claim.documented,
  refusals: ['invalid_state'],
  handle: (c, { row, database }) => claim.answer(releaseClaim(database, row, actorOf(c))),
});

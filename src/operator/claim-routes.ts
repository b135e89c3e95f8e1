import { createRoute, z } from '@hono/zod-openapi';
import { config } from '../env.ts';
import { createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { OPERATOR_SCOPE } from '../http/cursor.ts';
import { ListQuery, NextCursor } from '../http/list.ts';
import { refuse } from '../http/refusal.ts';
import { oldestFirst, readMergedPage } from '../db/merge-pages.ts';
import { chooseCustody } from '../providers.ts';
import { PayoutClaim, claimPayout, listClaims, releaseClaim, showClaim } from '../withdrawals/claim-payout.ts';
import { actorOf, authenticateOperator, operatorRefusals } from './authenticate-operator.ts';
import { WithdrawalPath, takeWithdrawal } from './take-withdrawal.ts';

const CLAIMS_PATH = '/operator/v1/payout-claims';
const CLAIM_PATH = '/operator/v1/accounts/{id}/withdrawals/{withdrawalId}/claim';

const isManual = chooseCustody(config).name === 'manual';
const notByHand = refuse('invalid_state', 'A custodian pays here. Only where people pay by hand is there a claim.');

const common = { tags: ['Withdrawals'], security: [{ operatorToken: [] }] };
const OneClaim = { 200: { description: 'The claim', content: jsonContent(z.object({ claim: PayoutClaim })) } };

/** The operator's routes for withdrawals that people pay by hand. */
export const claimRoutes = createArea();

claimRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'listPayoutClaims',
    method: 'get',
    path: CLAIMS_PATH,
    summary: 'Who pays which withdrawal by hand, oldest withdrawal first',
    description: 'Those that are PROCESSING and claimed, a page at a time. The others that are PROCESSING wait.',
    middleware: authenticateOperator('read'),
    request: { query: ListQuery },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ claims: z.array(PayoutClaim), nextCursor: NextCursor })),
      },
      ...problemResponses('invalid_request', 'invalid_cursor', ...operatorRefusals),
    },
  }),
  async (c) => {
    const scope = { route: CLAIMS_PATH, accountId: OPERATOR_SCOPE };
    const cursors = { scope, secret: config.CURSOR_SECRET };
    const page = await readMergedPage(c.env, oldestFirst, c.req.valid('query'), cursors, (database, behind, count) =>
      listClaims(database, behind, count),
    );
    if (!page.ok) return sendProblem(c, page);
    const { rows, nextCursor } = page.value;
    return c.json({ claims: rows.map(showClaim), nextCursor }, 200);
  },
);

claimRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'claimPayout',
    method: 'post',
    path: CLAIM_PATH,
    summary: 'Claim a withdrawal to pay it by hand, so that nobody else does',
    description:
      'For CUSTODY_PROVIDER = "manual". Pay it after that, and settle it with the hash. It is refused while withdrawals are halted, the network is paused or the account is frozen. Claiming one’s own again is no error.',
    middleware: authenticateOperator('settle_withdrawals'),
    request: { params: WithdrawalPath },
    responses: {
      ...OneClaim,
      ...problemResponses('not_found', 'invalid_state', 'account_frozen', 'withdrawals_suspended', ...operatorRefusals),
    },
  }),
  async (c) => {
    const taken = await takeWithdrawal(c.env, c.req.valid('param'));
    if (!taken.ok) return sendProblem(c, taken);
    if (!isManual) return sendProblem(c, notByHand);
    const claimed = await claimPayout(taken.value.database, taken.value.row, actorOf(c));
    return claimed.ok ? c.json({ claim: showClaim(claimed.value) }, 200) : sendProblem(c, claimed);
  },
);

claimRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'releasePayout',
    method: 'delete',
    path: CLAIM_PATH,
    summary: 'Give a claim back, so that another can take it',
    description: 'By the one who has it, or an admin. Be sure that nothing was paid.',
    middleware: authenticateOperator('settle_withdrawals'),
    request: { params: WithdrawalPath },
    responses: { ...OneClaim, ...problemResponses('not_found', 'invalid_state', ...operatorRefusals) },
  }),
  async (c) => {
    const taken = await takeWithdrawal(c.env, c.req.valid('param'));
    if (!taken.ok) return sendProblem(c, taken);
    const released = await releaseClaim(taken.value.database, taken.value.row, actorOf(c));
    return released.ok ? c.json({ claim: showClaim(released.value) }, 200) : sendProblem(c, released);
  },
);

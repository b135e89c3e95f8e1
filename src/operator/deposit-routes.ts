import { createRoute, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { every } from 'hono/combine';
import { config } from '../env.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem, takeJsonUpTo } from '../http/area.ts';
import { OPERATOR_SCOPE } from '../http/cursor.ts';
import { jsonBody } from '../http/json-body.ts';
import { ListQuery, NextCursor, nameFilteredList } from '../http/list.ts';
import { directoryOf } from '../db/ledgers.ts';
import { oldestFirst, readMergedPage } from '../db/merge-pages.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { refuse } from '../http/refusal.ts';
import { Deposit, quarantineDecisions, showDeposit } from '../deposits/deposit.ts';
import { DustSum, listDust } from '../deposits/list-dust.ts';
import { ReportDeposit, findReportLedger, reportDeposit } from '../deposits/report-deposit.ts';
import {
  type OperatorEnvironment,
  actorOf,
  authenticateOperator,
  authenticateOperatorJson,
  operatorRefusals,
  proposedResponse,
  twoPeopleRefusals,
} from './authenticate-operator.ts';
import {
  OperatorDeposit,
  selectDecidedDeposits,
  selectOpenDeposits,
  showDepositToOperator,
} from '../deposits/operator-deposit.ts';
import { MAX_UPLOAD_BYTES, SolanaPool, SolanaUpload, fillSolanaPool } from '../addresses/fill-solana-pool.ts';
import { valueInUsdt } from '../markets/value-in-usdt.ts';

const DEPOSITS_PATH = '/operator/v1/deposits';

const authenticateUpload: MiddlewareHandler<OperatorEnvironment> = every(
  authenticateOperator('fill_address_pool'),
  takeJsonUpTo(MAX_UPLOAD_BYTES),
);

const decidedIsQuarantined = refuse('invalid_request', 'The request is not valid.', {
  errors: [{ pointer: 'decision', code: 'not_valid', detail: 'goes with status=QUARANTINED' }],
});

/** The routes for deposits: the custodian's reports, and the addresses that it watches. */
export const depositRoutes = createArea();

depositRoutes.openapi(
  createRoute({
    operationId: 'reportDeposit',
    method: 'post',
    path: DEPOSITS_PATH,
    tags: ['Deposits'],
    summary: 'Report a deposit, and again whenever more is known about it',
    description:
      'There is one deposit per network, transaction and output; a report may be repeated. A deposit is PENDING until it has the network’s confirmations, then credited; FAILED if it reverts before. It is QUARANTINED and credited to nobody if it belongs to nobody, is no asset of its network, is below the smallest deposit, was paid by a contract within a transaction, or would exceed the supply cap. A report that changes no status writes nothing.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperatorJson('report_deposits', async (c) =>
      findReportLedger(c.env, ReportDeposit.parse(await c.req.json())),
    ),
    request: { body: jsonBody(ReportDeposit) },
    responses: {
      200: { description: 'The deposit, known before', content: jsonContent(z.object({ deposit: Deposit })) },
      201: { description: 'The deposit, new', content: jsonContent(z.object({ deposit: Deposit })) },
      ...proposedResponse,
      ...problemResponses(
        ...bodyRefusals,
        'network_not_supported',
        'invalid_address',
        'invalid_state',
        ...twoPeopleRefusals,
      ),
    },
  }),
  async (c) => {
    const reported = await reportDeposit(
      c.env,
      c.req.valid('json'),
      (asset, amount) => valueInUsdt(c.env, asset, amount),
      actorOf(c),
      config.DEPOSITS_AGREED_FROM,
    );
    if (!reported.ok) return sendProblem(c, reported);
    c.set('changedLedger', ledgerNumberOf(reported.value.deposit.id));
    return c.json({ deposit: showDeposit(reported.value.deposit) }, reported.value.isNew ? 201 : 200);
  },
);

depositRoutes.openapi(
  createRoute({
    operationId: 'listOpenDeposits',
    method: 'get',
    path: DEPOSITS_PATH,
    tags: ['Deposits'],
    summary: 'Deposits that wait for confirmations (PENDING) or for the operator (QUARANTINED), oldest first',
    description:
      'A page at a time. Each quarantined one says what can be done with it; with `decision`, those that are decided. Those below the minimum are not listed: `GET /operator/v1/deposits/dust` has their sums.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator('read'),
    request: {
      query: ListQuery.extend({
        status: z
          .enum(['PENDING', 'QUARANTINED'])
          .openapi({ description: 'Waiting for confirmations, or for the operator', example: 'QUARANTINED' }),
        decision: z.enum(quarantineDecisions).optional().openapi({
          description: 'With QUARANTINED: those that were kept or credited, and no longer wait',
          example: 'KEPT',
        }),
      }),
    },
    responses: {
      200: {
        description: 'One page',
        content: jsonContent(z.object({ deposits: z.array(OperatorDeposit), nextCursor: NextCursor })),
      },
      ...problemResponses('invalid_request', 'invalid_cursor', ...operatorRefusals),
    },
  }),
  async (c) => {
    const { status, decision, ...query } = c.req.valid('query');
    if (decision !== undefined && status !== 'QUARANTINED') return sendProblem(c, decidedIsQuarantined);
    const scope = { route: nameFilteredList(DEPOSITS_PATH, { status, decision }), accountId: OPERATOR_SCOPE };
    const cursors = { scope, secret: config.CURSOR_SECRET };
    const page = await readMergedPage(c.env, oldestFirst, query, cursors, (database, after, count) =>
      decision === undefined
        ? selectOpenDeposits(database, status, after, count)
        : selectDecidedDeposits(database, decision, after, count),
    );
    if (!page.ok) return sendProblem(c, page);
    const { rows, nextCursor } = page.value;
    return c.json({ deposits: rows.map(showDepositToOperator), nextCursor }, 200);
  },
);

depositRoutes.openapi(
  createRoute({
    operationId: 'listDust',
    method: 'get',
    path: `${DEPOSITS_PATH}/dust`,
    tags: ['Deposits'],
    summary: 'The sums of deposits below the minimum, by asset and network',
    description:
      'Deposits that were too small to be credited when they were first reported (QUARANTINED, `below_minimum`), without those that reverted. The coins are in custody and are owed to nobody.',
    security: [{ operatorToken: [] }],
    middleware: authenticateOperator('read'),
    responses: {
      200: { description: 'One sum each', content: jsonContent(z.object({ dust: z.array(DustSum) })) },
      ...problemResponses(...operatorRefusals),
    },
  }),
  async (c) => c.json({ dust: await listDust(c.env) }, 200),
);

depositRoutes.openapi(
  createRoute({
    operationId: 'fillSolanaPool',
    method: 'post',
    path: '/operator/v1/solana-addresses',
    tags: ['Deposits'],
    summary: 'Add Solana addresses that were made offline, each for the account of its index',
    description: 'At most 1,000 addresses, all or none. Entries that the pool has already are no error.',
    security: [{ operatorToken: [] }],
    middleware: authenticateUpload,
    request: { body: jsonBody(SolanaUpload) },
    responses: {
      200: { description: 'The pool after the upload', content: jsonContent(z.object({ solanaPool: SolanaPool })) },
      ...problemResponses(...bodyRefusals, 'invalid_state', ...operatorRefusals),
    },
  }),
  async (c) => {
    const filled = await fillSolanaPool(directoryOf(c.env), c.req.valid('json'), actorOf(c));
    if (!filled.ok) return sendProblem(c, filled);
    return c.json({ solanaPool: filled.value }, 200);
  },
);

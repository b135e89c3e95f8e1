import { accept, refuse } from '../http/answer.ts';
import { createArea } from '../http/area.ts';
import { operationsOf } from './operations.ts';
import { ReportDeposit, findReportLedger, reportDeposit } from '../deposits/report-deposit.ts';
import { jsonBody } from '../http/request.ts';
import { Deposit, quarantineDecisions, showDeposit } from '../deposits/deposit.ts';
import { valueInUsdt } from '../markets/value-in-usdt.ts';
import { actorOf } from './authenticate-operator.ts';
import { config } from '../env.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { ListQuery, onePage } from '../http/list.ts';
import { z } from '@hono/zod-openapi';
import {
  OperatorDeposit,
  selectDecidedDeposits,
  selectOpenDeposits,
  showDepositToOperator,
} from '../deposits/operator-deposit.ts';
import { oldestFirst } from '../db/merge-pages.ts';
import { readMerged } from './read-merged.ts';
import { DustSum, listDust } from '../deposits/list-dust.ts';
import { MAX_UPLOAD_BYTES, SolanaPool, SolanaUpload, fillSolanaPool } from '../addresses/fill-solana-pool.ts';
import { directoryOf } from '../db/database.ts';

const DEPOSITS_PATH = '/operator/v1/deposits';

const decidedIsQuarantined = refuse('invalid_request', 'The request is not valid.', {
  errors: [{ pointer: 'decision', code: 'not_valid', detail: 'goes with status=QUARANTINED' }],
});

/** The routes for deposits: the custodian's reports, and the addresses that it watches. */
export const depositRoutes = createArea();

const add = operationsOf(depositRoutes, 'Deposits');

add({
  operationId: 'reportDeposit',
  method: 'post',
  path: DEPOSITS_PATH,
  duty: 'report_deposits',
  ledgerOfChange: async (c) => findReportLedger(c.env, ReportDeposit.parse(await c.req.json())),
  needsTwo: true,
  summary: 'Report a deposit, and again whenever more is known about it',
  description:
    'There is one deposit per network, transaction and output; a report may be repeated. A deposit is PENDING until it has the network’s confirmations, then credited; FAILED if it reverts before. It is QUARANTINED and credited to nobody if it belongs to nobody, is no asset of its network, is below the smallest deposit, was paid by a contract within a transaction, or would exceed the supply cap. A report that changes no status writes nothing.',
  request: { body: jsonBody(ReportDeposit) },
  answer: { 200: 'The deposit, known before', 201: 'The deposit, new' },
  body: { deposit: Deposit },
  refusals: ['network_not_supported', 'invalid_address', 'invalid_state'],
  handle: async (c) => {
    const reported = await reportDeposit(
      c.env,
      c.req.valid('json'),
      (asset, amount) => valueInUsdt(c.env, asset, amount),
      actorOf(c),
      config.DEPOSITS_AGREED_FROM,
    );
    if (!reported.ok) return reported;
    c.set('changedLedger', ledgerNumberOf(reported.value.deposit.id));
    c.status(reported.value.isNew ? 201 : 200);
    return accept({ deposit: showDeposit(reported.value.deposit) });
  },
});

add({
  operationId: 'listOpenDeposits',
  path: DEPOSITS_PATH,
  duty: 'read',
  summary: 'Deposits that wait for confirmations (PENDING) or for the operator (QUARANTINED), oldest first',
  description:
    'A page at a time. Each quarantined one says what can be done with it; with `decision`, those that are decided. Those below the minimum are not listed: `GET /operator/v1/deposits/dust` has their sums.',
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
  ...onePage('deposits', OperatorDeposit),
  handle: async (c) => {
    const { status, decision, ...query } = c.req.valid('query');
    if (decision !== undefined && status !== 'QUARANTINED') return decidedIsQuarantined;
    const list = { path: DEPOSITS_PATH, filter: { status, decision }, order: oldestFirst } as const;
    return readMerged(
      c.env,
      { ...list, name: 'deposits', show: showDepositToOperator },
      query,
      (database, after, count) =>
        decision === undefined
          ? selectOpenDeposits(database, status, after, count)
          : selectDecidedDeposits(database, decision, after, count),
    );
  },
});

add({
  operationId: 'listDust',
  path: `${DEPOSITS_PATH}/dust`,
  duty: 'read',
  summary: 'The sums of deposits below the minimum, by asset and network',
  description:
    'Deposits that were too small to be credited when they were first reported (QUARANTINED, `below_minimum`), without those that reverted. The coins are in custody and are owed to nobody.',
  answer: 'One sum each',
  body: { dust: z.array(DustSum) },
  handle: async (c) => accept({ dust: await listDust(c.env) }),
});

add({
  operationId: 'fillSolanaPool',
  method: 'post',
  path: '/operator/v1/solana-addresses',
  duty: 'fill_address_pool',
  maxBytes: MAX_UPLOAD_BYTES,
  summary: 'Add Solana addresses that were made offline, each for the account of its index',
  description: 'At most 1,000 addresses, all or none. Entries that the pool has already are no error.',
  request: { body: jsonBody(SolanaUpload) },
  answer: 'The pool after the upload',
  body: { solanaPool: SolanaPool },
  refusals: ['invalid_state'],
  handle: async (c) => {
    const filled = await fillSolanaPool(directoryOf(c.env), c.req.valid('json'), actorOf(c));
    return filled.ok ? accept({ solanaPool: filled.value }) : filled;
  },
});

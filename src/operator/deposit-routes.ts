import { accept, refuse, refuseField } from '../http/answer.ts';
import { createOperatorArea } from './operations.ts';
import { ReportDeposit, findReportLedger, reportDeposit } from '../deposits/report-deposit.ts';
import { jsonBody } from '../http/request.ts';
import { Deposit, quarantineDecisions, showDeposit } from '../deposits/deposit.ts';
import { valueIn } from '../markets/value-in-usdt.ts';
import { actorOf } from './authenticate-operator.ts';
import { config } from '../env.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { ListQuery, oneOf, onePage } from '../http/list.ts';
import { Id, Reason, wholeNumber } from '../http/wire-types.ts';
import { z } from '@hono/zod-openapi';
import {
  OperatorDeposit,
  selectDecidedDeposits,
  selectOpenDeposits,
  showDepositToOperator,
} from '../deposits/operator-deposit.ts';
import { readReportedDeposit } from '../deposits/account-deposit.ts';
import { creditQuarantined, keepQuarantined } from '../deposits/decide-quarantine.ts';
import { oldestFirst } from '../db/merge-pages.ts';
import { readMerged } from './read-merged.ts';
import { DustSum, listDust } from '../deposits/list-dust.ts';
import {
  MAX_UPLOAD_BYTES,
  SolanaPool,
  SolanaPoolPage,
  SolanaUpload,
  fillSolanaPool,
  readPoolPage,
} from '../addresses/fill-solana-pool.ts';
import { directoryOf } from '../db/database.ts';
import { countAddressIndexes } from '../db/directory.ts';
import { chooseCustody, choosePoolSigner } from '../providers.ts';
import { payOut } from '../withdrawals/pay-out.ts';
import { findProcessingWithdrawal } from '../withdrawals/withdrawal.ts';
import { aRow, findAccount } from './find-records.ts';
import { ReasonBody } from './reason.ts';

const DEPOSITS_PATH = '/operator/v1/deposits';
const DEPOSIT_PATH = `${DEPOSITS_PATH}/{id}`;

const custody = chooseCustody(config);

/** Where a page of the pool begins. */
const PoolIndex = wholeNumber(10, 'is no index')
  .optional()
  .openapi({ type: 'integer', minimum: 0, default: 0, description: 'The first index of the page', example: 0 });

const poolSigner = choosePoolSigner(config);

const deposit = oneOf('deposit', OperatorDeposit, showDepositToOperator);
const pool = oneOf('solanaPool', SolanaPool);

const ofQuarantined = refuseField('decision', 'not_valid', 'goes with status=QUARANTINED');

const ofAnotherLedger = refuse(
  'invalid_state',
  'The account is in another ledger than the deposit. Keep the deposit, and credit the account by hand.',
);

/** A path that names a deposit from a chain. */
const aDeposit = aRow(readReportedDeposit, 'The custodian reported no deposit of that id.');

/** A path that names a withdrawal that is with the custodian. */
const aPayout = aRow(findProcessingWithdrawal, 'No withdrawal of this id is with the custodian.');

/** The routes for deposits: the custodian's reports and questions, what is quarantined, and the addresses it watches. */
export const depositRoutes = createOperatorArea('Deposits');

depositRoutes.add({
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
    const report = c.req.valid('json');
    const reported = await reportDeposit(c.env, report, valueIn(c.env), actorOf(c), config.DEPOSITS_AGREED_FROM);
    if (!reported.ok) return reported;
    c.set('changedLedger', ledgerNumberOf(reported.value.deposit.id));
    c.status(reported.value.isNew ? 201 : 200);
    return accept({ deposit: showDeposit(reported.value.deposit) });
  },
});

depositRoutes.add({
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
    if (decision !== undefined && status !== 'QUARANTINED') return ofQuarantined;
    const filter = { status, decision };
    const list = { name: 'deposits', show: showDepositToOperator, filter, order: oldestFirst } as const;
    return readMerged(c, list, query, (database, after, count) =>
      decision === undefined
        ? selectOpenDeposits(database, status, after, count)
        : selectDecidedDeposits(database, decision, after, count),
    );
  },
});

depositRoutes.add({
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

depositRoutes.add({
  operationId: 'listSolanaPool',
  path: '/operator/v1/solana-addresses',
  duty: 'fill_address_pool',
  summary: 'The pool of Solana addresses, a thousand at a time',
  description: 'The custodian compares them with its signer’s when it starts.',
  request: { query: z.strictObject({ from: PoolIndex }) },
  answer: 'The addresses with an index from `from` on, in order',
  body: SolanaPoolPage,
  handle: async (c) => accept(await readPoolPage(directoryOf(c.env), c.req.valid('query').from ?? 0)),
});

depositRoutes.add({
  operationId: 'fillSolanaPool',
  method: 'post',
  path: '/operator/v1/solana-addresses',
  duty: 'fill_address_pool',
  maxBytes: MAX_UPLOAD_BYTES,
  summary: 'Add Solana addresses, each for the account of its index',
  description:
    'At most 500 addresses, all or none, each with the signature of the signer whose public key is `CUSTODY_SIGNER_KEY`. Entries that the pool has already are no error. The custodian does this by itself.',
  request: { body: jsonBody(SolanaUpload) },
  ...pool.documented,
  answer: 'The pool after the upload',
  refusals: ['invalid_state'],
  handle: (c) => pool.answer(fillSolanaPool(directoryOf(c.env), c.req.valid('json'), poolSigner, actorOf(c))),
});

depositRoutes.add({
  operationId: 'getReportedDeposit',
  path: DEPOSIT_PATH,
  duty: 'read',
  summary: 'One deposit that the custodian reported',
  description:
    'In whichever state. Of a quarantined one: what can be done with it, and what became of it. Who decided is in the audit, whose `target` is its id.',
  of: aDeposit,
  ...deposit.documented,
  handle: (_c, { row }) => deposit.answer(accept(row)),
});

depositRoutes.add({
  operationId: 'creditDeposit',
  method: 'post',
  path: `${DEPOSIT_PATH}/credit`,
  duty: 'decide_quarantine',
  needsTwo: true,
  summary: 'Credit a quarantined deposit to an account, once',
  description:
    'The account receives an internal deposit of the same amount, up to the supply cap. It cannot be undone. One that was kept can still be credited. The same decision again is no error. An account of another ledger is refused: keep the deposit, and credit the account by hand.',
  of: aDeposit,
  request: { body: jsonBody(z.strictObject({ accountId: Id, reason: Reason })) },
  ...deposit.documented,
  refusals: ['invalid_state', 'supply_cap_exceeded'],
  handle: async (c, { row }) => {
    const { accountId, reason } = c.req.valid('json');
    const account = await findAccount(c.env, { id: accountId });
    if (!account.ok) return account;
    // Money never moves between ledgers here.
    if (ledgerNumberOf(accountId) !== ledgerNumberOf(row.id)) return ofAnotherLedger;
    return deposit.answer(creditQuarantined(c.env, row, accountId, reason, valueIn(c.env), actorOf(c)));
  },
});

depositRoutes.add({
  operationId: 'keepDeposit',
  method: 'post',
  path: `${DEPOSIT_PATH}/keep`,
  duty: 'decide_quarantine',
  summary: 'Keep a quarantined deposit in custody, owed to nobody',
  description:
    'It no longer waits for the operator, and no later report credits it. If its owner is found, it can still be credited.',
  of: aDeposit,
  request: { body: ReasonBody },
  ...deposit.documented,
  refusals: ['invalid_state'],
  handle: (c, { row, database }) =>
    deposit.answer(keepQuarantined(database, row, c.req.valid('json').reason, actorOf(c))),
});

depositRoutes.add({
  operationId: 'lookAtWithdrawal',
  method: 'post',
  path: '/operator/v1/withdrawals/{id}/look',
  duty: 'ask_custodian',
  summary: 'Have Bureau ask the custodian about a withdrawal at once',
  description:
    'Bureau looks the payout up at once, as it does by itself after longer and longer pauses, and settles it if it can. Nothing else is taken from this request. 404 when no withdrawal of this id is PROCESSING.',
  of: aPayout,
  answer: 'The withdrawal’s status after the look-up',
  body: { id: Id, status: z.enum(['PROCESSING', 'COMPLETED', 'FAILED']) },
  handle: async (c, { row, database }) => {
    const { id, status } = await payOut({ database, ledgers: c.env, custody, now: () => Date.now() }, row, false);
    return accept({ id, status: status === 'PENDING' ? 'PROCESSING' : status });
  },
});

depositRoutes.add({
  operationId: 'getAddressRange',
  path: '/operator/v1/address-range',
  duty: 'ask_custodian',
  summary: 'How many deposit addresses each network may have',
  description:
    'Every account has one index, from 0 on. Watch the addresses of all indexes below the count and of some more, since accounts are opened meanwhile.',
  answer: 'The number of indexes in use',
  body: { count: z.number().int().openapi({ example: 42 }) },
  handle: async (c) => accept({ count: await countAddressIndexes(directoryOf(c.env)) }),
});

import { createRoute, z } from '@hono/zod-openapi';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { type Outcome, accept, refuse } from '../http/refusal.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import type { Database } from '../db/database.ts';
import { findLedger } from '../db/ledgers.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { valueInUsdt } from '../markets/value-in-usdt.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { type DepositRow, readReportedDeposit } from '../deposits/account-deposit.ts';
import { creditQuarantined, keepQuarantined } from '../deposits/decide-quarantine.ts';
import {
  actorOf,
  authenticateOperator,
  authenticateOperatorJson,
  operatorRefusals,
  proposedResponse,
  twoPeopleRefusals,
} from './authenticate-operator.ts';
import { OperatorDeposit, showDepositToOperator } from '../deposits/operator-deposit.ts';
import { Reason, ReasonBody } from './reason.ts';
import { takeAccount } from './take-account.ts';

const DEPOSIT_PATH = '/operator/v1/deposits/{id}';

const common = { tags: ['Deposits'], security: [{ operatorToken: [] }] };
const OneDeposit = {
  200: { description: 'The deposit', content: jsonContent(z.object({ deposit: OperatorDeposit })) },
};
const ofAnotherLedger = refuse(
  'invalid_state',
  'The account is in another ledger than the deposit. Keep the deposit, and credit the account by hand.',
);
const noDeposit = refuse('not_found', 'The custodian reported no deposit of that id.');

interface TakenDeposit {
  readonly row: DepositRow;
  readonly database: Database;
}

async function takeDeposit(bindings: LedgerBindings, id: string): Promise<Outcome<TakenDeposit>> {
  const database = findLedger(bindings, id);
  const row = database && (await readReportedDeposit(database, id));
  return row ? accept({ row, database }) : noDeposit;
}

/** The operator's routes for one deposit from a chain, and for the decision about one that is quarantined. */
export const quarantineRoutes = createArea();

quarantineRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'getReportedDeposit',
    method: 'get',
    path: DEPOSIT_PATH,
    summary: 'One deposit that the custodian reported',
    description:
      'In whichever state. Of a quarantined one: what can be done with it, and what became of it. Who decided is in the audit, whose `target` is its id.',
    middleware: authenticateOperator('read'),
    request: { params: RecordPath },
    responses: { ...OneDeposit, ...problemResponses('not_found', ...operatorRefusals) },
  }),
  async (c) => {
    const taken = await takeDeposit(c.env, c.req.valid('param').id);
    return taken.ok ? c.json({ deposit: showDepositToOperator(taken.value.row) }, 200) : sendProblem(c, taken);
  },
);

quarantineRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'creditDeposit',
    method: 'post',
    path: `${DEPOSIT_PATH}/credit`,
    summary: 'Credit a quarantined deposit to an account, once',
    description:
      'The account receives an internal deposit of the same amount, up to the supply cap. It cannot be undone. One that was kept can still be credited. The same decision again is no error. An account of another ledger is refused: keep the deposit, and credit the account by hand.',
    middleware: authenticateOperatorJson('decide_quarantine'),
    request: {
      params: RecordPath,
      body: jsonBody(z.strictObject({ accountId: Id, reason: Reason })),
    },
    responses: {
      ...OneDeposit,
      ...proposedResponse,
      ...problemResponses(...bodyRefusals, 'not_found', 'invalid_state', 'supply_cap_exceeded', ...twoPeopleRefusals),
    },
  }),
  async (c) => {
    const { accountId, reason } = c.req.valid('json');
    const taken = await takeDeposit(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const { row } = taken.value;
    const account = await takeAccount(c.env, accountId);
    if (!account.ok) return sendProblem(c, account);
    // Money never moves between ledgers here.
    if (ledgerNumberOf(accountId) !== ledgerNumberOf(row.id)) return sendProblem(c, ofAnotherLedger);
    const decided = await creditQuarantined(
      c.env,
      row,
      accountId,
      reason,
      (asset, amount) => valueInUsdt(c.env, asset, amount),
      actorOf(c),
    );
    return decided.ok ? c.json({ deposit: showDepositToOperator(decided.value) }, 200) : sendProblem(c, decided);
  },
);

quarantineRoutes.openapi(
  createRoute({
    ...common,
    operationId: 'keepDeposit',
    method: 'post',
    path: `${DEPOSIT_PATH}/keep`,
    summary: 'Keep a quarantined deposit in custody, owed to nobody',
    description:
      'It no longer waits for the operator, and no later report credits it. If its owner is found, it can still be credited.',
    middleware: authenticateOperatorJson('decide_quarantine'),
    request: { params: RecordPath, body: ReasonBody },
    responses: {
      ...OneDeposit,
      ...problemResponses(...bodyRefusals, 'not_found', 'invalid_state', ...operatorRefusals),
    },
  }),
  async (c) => {
    const taken = await takeDeposit(c.env, c.req.valid('param').id);
    if (!taken.ok) return sendProblem(c, taken);
    const { row, database } = taken.value;
    const decided = await keepQuarantined(database, row, c.req.valid('json').reason, actorOf(c));
    return decided.ok ? c.json({ deposit: showDepositToOperator(decided.value) }, 200) : sendProblem(c, decided);
  },
);

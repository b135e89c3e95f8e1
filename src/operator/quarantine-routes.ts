import { accept, refuse } from '../http/answer.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { findLedger } from '../db/database.ts';
import { readReportedDeposit } from '../deposits/account-deposit.ts';
import { createArea } from '../http/area.ts';
import { operationsOf } from './operations.ts';
import { Id, RecordPath } from '../http/wire-types.ts';
import { OperatorDeposit, showDepositToOperator } from '../deposits/operator-deposit.ts';
import { jsonBody } from '../http/request.ts';
import { z } from '@hono/zod-openapi';
import { Reason, ReasonBody } from './reason.ts';
import { findAccount } from './find-records.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { creditQuarantined, keepQuarantined } from '../deposits/decide-quarantine.ts';
import { valueInUsdt } from '../markets/value-in-usdt.ts';
import { actorOf } from './authenticate-operator.ts';

const DEPOSIT_PATH = '/operator/v1/deposits/{id}';

const ofAnotherLedger = refuse(
  'invalid_state',
  'The account is in another ledger than the deposit. Keep the deposit, and credit the account by hand.',
);
const noDeposit = refuse('not_found', 'The custodian reported no deposit of that id.');

async function findDeposit(bindings: LedgerBindings, { id }: { readonly id: string }) {
  const database = findLedger(bindings, id);
  const row = database && (await readReportedDeposit(database, id));
  return row ? accept({ row, database }) : noDeposit;
}

/** The operator's routes for one deposit from a chain, and for the decision about one that is quarantined. */
export const quarantineRoutes = createArea();

const add = operationsOf(quarantineRoutes, 'Deposits');

add({
  operationId: 'getReportedDeposit',
  path: DEPOSIT_PATH,
  duty: 'read',
  summary: 'One deposit that the custodian reported',
  description:
    'In whichever state. Of a quarantined one: what can be done with it, and what became of it. Who decided is in the audit, whose `target` is its id.',
  request: { params: RecordPath },
  answer: 'The deposit',
  body: { deposit: OperatorDeposit },
  refusals: ['not_found'],
  find: findDeposit,
  handle: (_c, { row }) => accept({ deposit: showDepositToOperator(row) }),
});

add({
  operationId: 'creditDeposit',
  method: 'post',
  path: `${DEPOSIT_PATH}/credit`,
  duty: 'decide_quarantine',
  needsTwo: true,
  summary: 'Credit a quarantined deposit to an account, once',
  description:
    'The account receives an internal deposit of the same amount, up to the supply cap. It cannot be undone. One that was kept can still be credited. The same decision again is no error. An account of another ledger is refused: keep the deposit, and credit the account by hand.',
  request: {
    params: RecordPath,
    body: jsonBody(z.strictObject({ accountId: Id, reason: Reason })),
  },
  find: findDeposit,
  answer: 'The deposit',
  body: { deposit: OperatorDeposit },
  refusals: ['not_found', 'invalid_state', 'supply_cap_exceeded'],
  handle: async (c, { row }) => {
    const { accountId, reason } = c.req.valid('json');
    const account = await findAccount(c.env, { id: accountId });
    if (!account.ok) return account;
    // Money never moves between ledgers here.
    if (ledgerNumberOf(accountId) !== ledgerNumberOf(row.id)) return ofAnotherLedger;
    const decided = await creditQuarantined(
      c.env,
      row,
      accountId,
      reason,
      (asset, amount) => valueInUsdt(c.env, asset, amount),
      actorOf(c),
    );
    return decided.ok ? accept({ deposit: showDepositToOperator(decided.value) }) : decided;
  },
});

add({
  operationId: 'keepDeposit',
  method: 'post',
  path: `${DEPOSIT_PATH}/keep`,
  duty: 'decide_quarantine',
  summary: 'Keep a quarantined deposit in custody, owed to nobody',
  description:
    'It no longer waits for the operator, and no later report credits it. If its owner is found, it can still be credited.',
  request: { params: RecordPath, body: ReasonBody },
  find: findDeposit,
  answer: 'The deposit',
  body: { deposit: OperatorDeposit },
  refusals: ['not_found', 'invalid_state'],
  handle: async (c, { row, database }) => {
    const decided = await keepQuarantined(database, row, c.req.valid('json').reason, actorOf(c));
    return decided.ok ? accept({ deposit: showDepositToOperator(decided.value) }) : decided;
  },
});

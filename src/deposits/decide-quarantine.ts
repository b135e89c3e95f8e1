import { type Outcome, accept, refuse, refuseUnconfirmed } from '../http/answer.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { commit } from '../db/commit.ts';
import { type Database, openLedger } from '../db/database.ts';
import { ledgerNumberOf, newRecordId } from '../db/record-id.ts';
import { deposits } from '../db/schema.ts';
import { type GuardRefusals, approvalRefusals, explain } from '../db/explain.ts';
import type { Asset } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { type DepositRow, creditFromCustody, findDeposit, isAsset, isDeposit, refuseSupply } from './deposit.ts';

const notOpen = refuse('invalid_state', 'Only a quarantined deposit can be kept, and only once.');

/** For the decision about a quarantined deposit, which may have been made meanwhile. */
const decisionRefusals: GuardRefusals = { ...approvalRefusals, quarantine_decided: notOpen };

const notCreditable = refuse(
  'invalid_state',
  'This deposit cannot be credited: it is below the minimum, or no asset of its network here. It is kept.',
);

const unconfirmed = refuseUnconfirmed('The decision was not confirmed. Send it again.');

/** Whether the operator can credit a deposit to an account: it is quarantined, and the ledger can count its amount. */
export function isCreditable({ status, reason, asset, amount, decision }: DepositRow): boolean {
  return (
    status === 'QUARANTINED' && reason !== 'below_minimum' && decision !== 'CREDITED' && isAsset(asset) && amount > 0n
  );
}

/** Whether the operator can record that a deposit is kept in custody, owed to nobody. */
export function isKeepable({ status, reason, decision }: DepositRow): boolean {
  return status === 'QUARANTINED' && reason !== 'below_minimum' && decision === null;
}

/**
 * Credits a quarantined deposit to an account of the same ledger, which receives it as an internal deposit of the same
 * amount, once. One that was kept can still be credited. The same decision again is no error. Refuses with
 * `invalid_state` when it is not quarantined, cannot be credited, or was credited to another account; with
 * `supply_cap_exceeded`; with `approval_required` when two people are needed; and with `service_unavailable` when the
 * outcome is unknown. Throws when D1 cannot be read.
 */
export async function creditQuarantined(
  bindings: LedgerBindings,
  row: DepositRow,
  accountId: string,
  reason: string,
  valueOf: (asset: Asset, amount: Atoms) => Promise<Atoms>,
  actor: Actor,
): Promise<Outcome<DepositRow>> {
  if (row.decision === 'CREDITED') return repeatCredit(row, accountId);
  if (row.status !== 'QUARANTINED') return refuse('invalid_state', `The deposit is ${row.status}, not quarantined.`);
  const { asset, amount } = row;
  if (!isCreditable(row) || !isAsset(asset)) return notCreditable;
  const ledger = ledgerNumberOf(row.id);
  const database = openLedger(bindings, ledger);
  const creditId = newRecordId(actor.now_ms, ledger);
  const creditUsdValue = await valueOf(asset, amount);
  const decision = { decision: 'CREDITED', creditAccount: accountId, creditId, creditUsdValue } as const;
  const changes = [
    insertAudit(database, actor, 'credit_deposit', row.id, { accountId, creditId, because: reason }),
    database.update(deposits).set(decision).where(isDeposit(row)),
  ] as const;
  const outcome = await commit(database, changes, [creditFromCustody(accountId, creditId, asset, amount)]);
  if (outcome.kind === 'committed') return accept({ ...row, ...decision });
  if (outcome.kind === 'floor') return refuseSupply(asset);
  const decided = await findDeposit(database, isDeposit(row));
  return decided?.decision === 'CREDITED'
    ? repeatCredit(decided, accountId)
    : (explain(outcome, decisionRefusals) ?? unconfirmed);
}

/**
 * Records that a quarantined deposit is kept in custody and owed to nobody, so that it waits for the operator no
 * longer. Refuses with `invalid_state` when it is not quarantined or decided already, and with `service_unavailable`
 * when the outcome is unknown. Throws when D1 cannot be read.
 */
export async function keepQuarantined(
  database: Database,
  row: DepositRow,
  reason: string,
  actor: Actor,
): Promise<Outcome<DepositRow>> {
  if (row.decision === 'KEPT') return accept(row);
  if (!isKeepable(row)) return notOpen;
  const outcome = await commit(database, [
    insertAudit(database, actor, 'keep_deposit', row.id, { because: reason }),
    database.update(deposits).set({ decision: 'KEPT' }).where(isDeposit(row)),
  ]);
  if (outcome.kind === 'committed') return accept({ ...row, decision: 'KEPT' });
  const decided = await findDeposit(database, isDeposit(row));
  return decided?.decision === 'KEPT' ? accept(decided) : (explain(outcome, decisionRefusals) ?? unconfirmed);
}

function repeatCredit(row: DepositRow, accountId: string): Outcome<DepositRow> {
  return row.creditAccount === accountId
    ? accept(row)
    : refuse('invalid_state', 'The deposit was credited to another account already.');
}

import type { LedgerBindings } from '../../platform/bindings.ts';
import { commit } from '../../ledger/commit.ts';
import type { Database } from '../../ledger/database.ts';
import { ledgerOf } from '../../ledger/ledgers.ts';
import { type Movement, transferOfHalf } from '../../ledger/movements/movement.ts';
import { readArrival, refuseMovement } from '../../ledger/movements/refuse-movement.ts';
import { ledgerNumberOf } from '../../ledger/record-id.ts';
import { deposits } from '../../ledger/schema.ts';
import { nextTransfer } from '../../ledger/transfers.ts';
import type { CustodyState, NeverSeen } from '../custody/custody.ts';
import type { WithdrawalRow } from './withdrawal.ts';

/** A withdrawal to an account of another ledger. That ledger stands in for the custodian. */
export interface WithdrawalAcross extends WithdrawalRow {
  readonly peerRecipient: string;
  readonly movement: string;
}

/** Whether a withdrawal is paid to an account of another ledger. */
export function isAcross(row: WithdrawalRow): row is WithdrawalAcross {
  return row.peerRecipient !== null && row.movement !== null;
}

/** The movement that pays it. */
export function movementOf({ id, movement, asset, amount }: WithdrawalAcross): Movement {
  return { id: movement, asset, amount, from: ledgerNumberOf(id), to: ledgerNumberOf(movement) };
}

/** Whether the other ledger has paid it or refused it for good. Throws when D1 fails. */
export async function lookUpAcross(bindings: LedgerBindings, row: WithdrawalAcross): Promise<CustodyState | NeverSeen> {
  const arrival = await readArrival(ledgerOf(bindings, row.movement), row.movement);
  return arrival === 'absent' ? { kind: 'never_seen' } : describe(row, arrival);
}

/**
 * Pays it: one statement in the other ledger writes the receipt, and its trigger the in half. From then on it is paid,
 * whatever happens to the account that sent it. The other ledger refuses it for good while withdrawals are halted there.
 * Throws when D1 fails.
 */
export async function payAcross(bindings: LedgerBindings, row: WithdrawalAcross): Promise<CustodyState> {
  const database = ledgerOf(bindings, row.movement);
  const outcome = await commit(
    database,
    [insertReceipt(database, row)],
    [transferOfHalf(movementOf(row), 'IN', row.peerRecipient)],
  );
  switch (outcome.kind) {
    case 'committed':
    case 'exists':
      return describe(row, 'arrived');
    case 'overloaded':
    case 'unknown':
      return { kind: 'unknown' };
    case 'floor':
    case 'guarded': {
      const arrival = await refuseMovement(database, row.movement);
      return arrival === 'absent' ? { kind: 'unknown' } : describe(row, arrival);
    }
  }
}

function describe({ movement }: WithdrawalAcross, arrival: 'arrived' | 'refused'): CustodyState {
  return arrival === 'arrived' ? { kind: 'sent', txHash: movement } : { kind: 'refused', reason: 'refused' };
}

function insertReceipt(database: Database, row: WithdrawalAcross) {
  return database.insert(deposits).values({
    accountId: row.peerRecipient,
    id: row.movement,
    type: 'INTERNAL_DEPOSIT',
    asset: row.asset,
    amount: row.amount,
    usdValue: row.usdValue,
    status: 'COMPLETED',
    withdrawalId: row.id,
    transfer: nextTransfer(),
  });
}

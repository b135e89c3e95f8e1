import { and, eq } from 'drizzle-orm';
import type { LedgerBindings } from '../platform/bindings.ts';
import { commit } from '../db/commit.ts';
import { type Database, bindPrepared, ledgerOf } from '../db/database.ts';
import { selectHolder } from '../db/directory.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import { claims, deposits } from '../db/schema.ts';
import { house, nextTransfer } from '../db/transfers.ts';
import type { CustodyState, NeverSeen } from '../custody/custody.ts';
import type { WithdrawalRow } from './withdrawal.ts';

/** A withdrawal to an account of another ledger. That ledger stands in for the custodian. */
export interface WithdrawalAcross extends WithdrawalRow {
  readonly recipient: string;
  readonly receiptId: string;
}

export function isAcross(row: WithdrawalRow): row is WithdrawalAcross {
  return row.recipient !== null && row.receiptId !== null && ledgerNumberOf(row.recipient) !== ledgerNumberOf(row.id);
}

/** Whether the other ledger has paid it or refused it for good. Throws when D1 fails. */
export async function lookUpAcross(bindings: LedgerBindings, row: WithdrawalAcross): Promise<CustodyState | NeverSeen> {
  return (await readEnd(ledgerOf(bindings, row.receiptId), row)) ?? { kind: 'never_seen' };
}

/**
 * Pays it: one statement in the other ledger writes the receipt, whose trigger moves the amount out of `house:transit`.
 * From then on it is paid, whatever happens to the account that sent it. The other ledger refuses it for good while
 * withdrawals are halted there. Throws when D1 fails.
 */
export async function payAcross(bindings: LedgerBindings, row: WithdrawalAcross): Promise<CustodyState> {
  const database = ledgerOf(bindings, row.receiptId);
  const { asset, amount, recipient, receiptId } = row;
  const credit = {
    debit: house.transit,
    credit: recipient,
    asset,
    amount,
    kind: 'deposit',
    reference: receiptId,
  } as const;
  const receipt = database.insert(deposits).values({
    accountId: recipient,
    id: receiptId,
    type: 'INTERNAL_DEPOSIT',
    asset,
    amount,
    usdValue: row.usdValue,
    status: 'COMPLETED',
    withdrawalId: row.id,
    transfer: nextTransfer(),
  });
  const outcome = await commit(database, [receipt], [credit]);
  switch (outcome.kind) {
    case 'committed':
    case 'exists':
      return paid(row);
    case 'overloaded':
    case 'unknown':
      return { kind: 'unknown' };
    case 'floor':
    case 'guarded':
      return refuseReceipt(database, row);
  }
}

/**
 * Has a ledger refuse a receipt for good, unless it has written it: a statement that is still on its way will find it
 * refused. Only then may the money go back. Throws when D1 fails after the write.
 */
export async function refuseReceipt(database: Database, row: WithdrawalAcross): Promise<CustodyState> {
  const refusal = { ...nameRefusal(row), holder: row.recipient };
  const outcome = await commit(database, [database.insert(claims).values(refusal)]);
  return outcome.kind === 'committed' ? refused : ((await readEnd(database, row)) ?? { kind: 'unknown' });
}

const nameRefusal = ({ receiptId }: WithdrawalAcross) => ({ kind: 'refused_receipt', name: receiptId }) as const;

const refused = { kind: 'refused', reason: 'refused' } as const;

function paid({ receiptId }: WithdrawalAcross): CustodyState {
  return { kind: 'sent', txHash: receiptId };
}

async function readEnd(database: Database, row: WithdrawalAcross): Promise<CustodyState | undefined> {
  const isReceipt = and(eq(deposits.accountId, row.recipient), eq(deposits.id, row.receiptId));
  const [receipts, refusals] = await database.batch([
    database.select({ id: deposits.id }).from(deposits).where(isReceipt),
    bindPrepared(selectHolder(database), nameRefusal(row)),
  ]);
  if (receipts.length > 0) return paid(row);
  return refusals.length > 0 ? refused : undefined;
}

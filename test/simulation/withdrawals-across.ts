import { areApart, houseOfAccount, isTransit } from './house-of.ts';
import { type ModelWithdrawal, type Movement, must } from './model.ts';

/** Whether a withdrawal is paid to an account of another ledger. */
export function isAcross({ accountId, recipient }: Pick<ModelWithdrawal, 'accountId' | 'recipient'>): boolean {
  return recipient !== null && areApart(accountId, recipient);
}

/**
 * Holds a half of a withdrawal’s movement against the withdrawal: the other ledger pays the account first, once, and not
 * while the withdrawal must not be paid; then its own ledger completes it.
 */
export function advanceWithdrawal(withdrawal: ModelWithdrawal, row: Movement, isStopped: boolean): void {
  const { id, accountId, recipient, asset, amount, status } = withdrawal;
  const isOf = recipient !== null && isAcross(withdrawal) && row.asset === asset && row.amount === amount;
  must(isOf, 'moved for a withdrawal', id, row, withdrawal);
  must(status === 'PROCESSING', 'moved for a withdrawal that is', status, id, row);
  if (isTransit(row.debit)) {
    must(row.credit === recipient && row.debit === houseOfAccount(recipient).transit, 'paid to', row, withdrawal);
    must(!isStopped, 'paid while it was stopped', id);
    withdrawal.isDelivered = true;
    return;
  }
  const own = houseOfAccount(accountId);
  must(row.debit === own.payouts && row.credit === own.transit, 'paid from', row, withdrawal);
  must(withdrawal.isDelivered === true, 'completed without being paid', id);
  withdrawal.status = 'COMPLETED';
}

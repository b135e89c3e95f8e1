import { assetSymbols } from '../../src/money/assets.ts';
import { ledgersUnderTest } from '../support/db/open-in-ledger.ts';
import { areApart, houseOf, houseOfAccount, isTransit } from './house-of.ts';
import type { Model, ModelWithdrawal } from './model.ts';
import type { Movement } from './movement.ts';
import { must } from './must.ts';

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

/** Notes one side of a payment between ledgers: each comes once, and both are of the same amount. */
export function noteHalf(model: Model, id: string, row: Movement): void {
  const { asset, amount } = row;
  const known = model.movements.get(id) ?? { asset, amount, isOut: false, isIn: false };
  must(known.asset === asset && known.amount === amount, 'the other half is of', id, row, known);
  const half = isTransit(row.credit) ? 'isOut' : 'isIn';
  must(!known[half], 'moved twice', id, row);
  known[half] = true;
  model.movements.set(id, known);
}

/** What is in transit over all ledgers is what has one half. */
export function checkTransit(model: Model): void {
  const expected = new Map<string, bigint>();
  const add = (asset: string, amount: bigint) => expected.set(asset, (expected.get(asset) ?? 0n) + amount);
  for (const { asset, amount, isOut, isIn } of model.movements.values()) {
    if (isOut !== isIn) add(asset, isOut ? amount : -amount);
  }
  for (const asset of assetSymbols) {
    const held = ledgersUnderTest.map((ledger) => model.balance(houseOf(ledger).transit, asset));
    const sum = held.reduce((total, amount) => total + amount, 0n);
    must(sum === (expected.get(asset) ?? 0n), 'in transit is', asset, sum, expected);
  }
}

/** After the keepers had time, no movement has one half only. */
export function checkWhole(model: Model): void {
  for (const [id, { isOut, isIn }] of model.movements) must(isOut && isIn, 'a movement was not finished', id);
}

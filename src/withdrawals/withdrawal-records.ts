import type { RecordKind } from '../reconciliation/record-kind.ts';

/** Whether it is paid to an account of its own ledger. */
const isHere = '(substr(r.recipient, 16, 3) = substr(r.id, 16, 3))';

/**
 * Withdrawals. One transfer takes amount and fee. Once the withdrawal is paid, one pays the amount and another, if
 * there is a fee, the fee. Once it has failed, one returns everything. A withdrawal to another account of this exchange
 * also has a receipt, a row of `deposits`. One to
 * another ledger is paid into `house:transit`; whether that ledger has the receipt is checked by `check-payments.ts`.
 */
export const withdrawalRecords: RecordKind = {
  name: 'withdrawals',
  title: 'withdrawal',
  kind: 'withdrawal',
  type: 'r.type',
  isSlow: true,
  legs: [
    {
      number: 'r.taken_transfer',
      debit: 'r.account_id',
      credit: `'house:payouts'`,
      asset: 'r.asset',
      amount: 'r.amount + r.fee',
      sign: '-1',
    },
    {
      number: 'r.paid_transfer',
      debit: `'house:payouts'`,
      credit: `iif(r.recipient IS NULL, 'house:custody', iif(${isHere}, r.recipient, 'house:transit'))`,
      asset: 'r.asset',
      amount: 'r.amount',
    },
    {
      number: 'iif(r.fee > 0, r.paid_transfer + 1, NULL)',
      debit: `'house:payouts'`,
      credit: `'house:fees'`,
      asset: 'r.asset',
      amount: 'r.fee',
    },
    {
      number: 'r.returned_transfer',
      debit: `'house:payouts'`,
      credit: 'r.account_id',
      asset: 'r.asset',
      amount: 'r.amount + r.fee',
      sign: '1',
      suffix: '_RETURNED',
    },
  ],
  odd: `(r.status = 'COMPLETED') IS NOT (r.paid_transfer IS NOT NULL)
    OR (r.status = 'FAILED') IS NOT (r.returned_transfer IS NOT NULL)
    OR (r.type = 'INTERNAL_WITHDRAWAL') IS NOT (r.recipient IS NOT NULL)
    OR (r.status = 'COMPLETED' AND ${isHere} AND NOT EXISTS (
      SELECT 1 FROM deposits WHERE account_id = r.recipient AND id = r.receipt_id AND withdrawal_id = r.id))`,
  found: 'r.id = t.reference',
  weight: 2,
  shown: ['status'],
  claim: {
    invariant: 'withdrawals_paid_once',
    about: '1',
    broken: 'r.paid_transfer IS NOT NULL AND r.returned_transfer IS NOT NULL',
  },
};

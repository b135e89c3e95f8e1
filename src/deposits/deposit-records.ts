import type { RecordKind } from '../reconciliation/record-kind.ts';

/** Whether a receipt is of a withdrawal in another ledger. */
const isFromAfar =
  '(substr(r.withdrawal_id, 16, 3) IS NOT NULL AND substr(r.withdrawal_id, 16, 3) <> substr(r.id, 16, 3))';

/**
 * Deposits. A completed deposit has one transfer, from `house:custody`; any other has none. The receipt of a withdrawal
 * between two accounts has no transfer of its own: it names the one that paid the withdrawal. That of a withdrawal in
 * another ledger has one, from `house:transit`. A quarantined deposit that was credited to an account and the deposit by
 * which it was received name each other.
 */
export const depositRecords: RecordKind = {
  name: 'deposits',
  title: 'deposit',
  kind: 'deposit',
  type: 'r.type',
  isSlow: true,
  legs: [
    {
      number: 'r.transfer',
      debit: `iif(r.withdrawal_id IS NULL, 'house:custody', iif(${isFromAfar}, 'house:transit', 'house:payouts'))`,
      credit: 'r.account_id',
      asset: 'r.asset',
      amount: 'r.amount',
      kind: `iif(r.withdrawal_id IS NULL, 'deposit', iif(${isFromAfar}, 'deposit', 'withdrawal'))`,
      reference: `iif(${isFromAfar}, r.id, coalesce(r.withdrawal_id, r.id))`,
      sign: '1',
    },
  ],
  odd: `(r.status = 'COMPLETED') IS NOT (r.transfer IS NOT NULL)
    OR (r.withdrawal_id IS NOT NULL AND NOT ${isFromAfar} AND NOT EXISTS (
      SELECT 1 FROM withdrawals
      WHERE id = r.withdrawal_id AND recipient = r.account_id AND receipt_id = r.id AND paid_transfer = r.transfer))
    OR (r.decision IS 'CREDITED' AND NOT EXISTS (
      SELECT 1 FROM deposits
      WHERE account_id = r.credit_account AND id = r.credit_id AND reference = 'quarantine ' || r.id
        AND asset = r.asset AND amount = r.amount AND status = 'COMPLETED'))
    OR (r.reference GLOB 'quarantine *' AND NOT EXISTS (
      SELECT 1 FROM deposits
      WHERE credit_account = r.account_id AND credit_id = r.id AND 'quarantine ' || id = r.reference))`,
  counted: `(r.withdrawal_id IS NULL OR ${isFromAfar})`,
  found: `r.account_id = t.credit AND r.id = t.reference AND (r.withdrawal_id IS NULL OR ${isFromAfar})`,
  weight: 2,
  shown: ['status'],
};

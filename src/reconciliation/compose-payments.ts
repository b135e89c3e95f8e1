import type { Statement } from './statement.ts';

/** Money that came in or left, at its value when it was recorded, in atoms of USDT as text. */
export interface CountedPayment {
  readonly kind: 'deposit' | 'withdrawal';
  /** The number of the transfer by which it was credited or paid. */
  readonly transfer: number;
  readonly time_ms: number;
  readonly usdValue: string;
}

/**
 * Reads what was credited and paid of the transfers after number ?1, up to number ?1 + ?2; but what only went from one
 * account of this exchange to another.
 */
export function composePayments(after: number, count: number): Statement<CountedPayment> {
  return {
    text: `
      SELECT 'deposit' AS kind, t.id AS transfer, t.ts AS time_ms, CAST(r.usd_value AS TEXT) AS usdValue
      FROM transfers AS t CROSS JOIN deposits AS r ON r.account_id = t.credit AND r.id = t.reference
      WHERE t.id > ?1 AND t.id <= ?1 + ?2 AND t.kind = 'deposit' AND r.transfer IS t.id AND r.withdrawal_id IS NULL
      UNION ALL
      SELECT 'withdrawal', t.id, t.ts, CAST(r.usd_value AS TEXT)
      FROM transfers AS t CROSS JOIN withdrawals AS r ON r.id = t.reference
      WHERE t.id > ?1 AND t.id <= ?1 + ?2 AND t.kind = 'withdrawal' AND r.paid_transfer IS t.id AND r.recipient IS NULL`,
    values: [after, count],
  };
}

import type { RecordKind } from '../reconciliation/record-kind.ts';

/** Orders. A filled order has two transfers with the house, one of the coin and one of USDT; a failed one has none. */
export const orderRecords: RecordKind = {
  name: 'orders',
  title: 'order',
  kind: 'order',
  type: `'SPOT_' || r.side`,
  isSlow: false,
  legs: [
    {
      number: 'r.first_transfer',
      debit: 'r.account_id',
      credit: `'house:liquidity'`,
      asset: `iif(r.side = 'BUY', 'USDT', r.coin)`,
      amount: `iif(r.side = 'BUY', r.usdt_amount, r.coin_amount)`,
      sign: '-1',
    },
    {
      number: 'r.first_transfer + 1',
      debit: `'house:liquidity'`,
      credit: 'r.account_id',
      asset: `iif(r.side = 'BUY', r.coin, 'USDT')`,
      amount: `iif(r.side = 'BUY', r.coin_amount, r.usdt_amount)`,
      sign: '1',
    },
  ],
  odd: `(r.status = 'COMPLETED') IS NOT (r.first_transfer IS NOT NULL)`,
  found: `r.account_id = iif(t.debit = 'house:liquidity', t.credit, t.debit) AND r.id = t.reference`,
  weight: 1,
  shown: ['status'],
  claim: {
    invariant: 'rounding_favours_house',
    about: `r.status = 'COMPLETED'`,
    // In floating point, to within an atom of each side and a billionth. `judgeRounding` checks each new order
    // exactly.
    broken: `NOT EXISTS (
      SELECT 1 FROM assets
      WHERE asset = r.coin
        AND abs(r.usdt_amount - 1.0 * r.coin_amount * r.executed_price / (100.0 * unit))
          <= 1.0 + r.executed_price / (100.0 * unit) + r.usdt_amount * 1e-9)`,
  },
};

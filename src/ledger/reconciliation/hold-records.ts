import type { RecordKind } from './record-kind.ts';

/**
 * What buyers paid for trades with accounts of other ledgers. One transfer takes the USDT; if the trade is refused, another
 * returns it. If the trade is made, its settlement and its movements take it further.
 */
export const holdRecords: RecordKind = {
  name: 'settlement_holds',
  title: 'hold',
  kind: 'hold',
  legs: [
    {
      number: 'r.taken_transfer',
      debit: 'r.account_id',
      credit: `'house:payouts'`,
      asset: `'USDT'`,
      amount: 'r.usdt_amount',
      sign: '-1',
    },
    {
      number: 'r.returned_transfer',
      debit: `'house:payouts'`,
      credit: 'r.account_id',
      asset: `'USDT'`,
      amount: 'r.usdt_amount',
      sign: '1',
    },
  ],
  odd: `(r.status = 'RETURNED') IS NOT (r.returned_transfer IS NOT NULL)
    OR (r.status = 'PAID') IS NOT EXISTS (
      SELECT 1 FROM settlements
      WHERE account_id = r.account_id AND id = r.id AND usdt_movement = r.usdt_movement
        AND coin_movement = r.coin_movement AND usdt_amount = r.usdt_amount)`,
  found: 'r.id = t.reference',
  weight: 2,
  shown: ['status'],
};

import type { RecordKind } from '../reconciliation/record-kind.ts';

const isBuy = `r.type IN ('P2P_BUY', 'QUICK_BUY')`;
const [buyer, seller] = [`iif(${isBuy}, r.account_id, r.counterparty)`, `iif(${isBuy}, r.counterparty, r.account_id)`];

/**
 * Settlements. Each has two transfers: USDT from buyer to seller under the number in the row, and the coin from seller
 * to buyer under the next number. A trade between two accounts has two rows, which name the same two transfers.
 */
export const settlementRecords: RecordKind = {
  name: 'settlements',
  title: 'settlement',
  kind: 'settlement',
  type: 'r.type',
  isSlow: false,
  legs: [
    {
      number: 'r.first_transfer',
      debit: buyer,
      credit: seller,
      asset: `'USDT'`,
      amount: 'r.usdt_amount',
      sign: `iif(${isBuy}, -1, 1)`,
    },
    {
      number: 'r.first_transfer + 1',
      debit: seller,
      credit: buyer,
      asset: 'r.coin',
      amount: 'r.coin_amount',
      sign: `iif(${isBuy}, 1, -1)`,
    },
  ],
  odd: `r.type IN ('P2P_BUY', 'P2P_SELL') AND NOT EXISTS (
    SELECT 1 FROM settlements AS o
    WHERE o.account_id = r.counterparty AND o.id = r.id AND o.counterparty = r.account_id AND o.type <> r.type)`,
  counted: `r.type <> 'P2P_SELL'`,
  found: `r.id = t.reference AND r.account_id = iif(t.debit = 'house:liquidity', t.credit, t.debit)`,
  weight: 2,
  shown: ['type'],
};

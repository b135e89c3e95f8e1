import type { RecordKind } from './record-kind.ts';

const isBuy = `r.type IN ('P2P_BUY', 'QUICK_BUY')`;
const [buyer, seller] = [`iif(${isBuy}, r.account_id, r.counterparty)`, `iif(${isBuy}, r.counterparty, r.account_id)`];

/** A trade with an account of another ledger. Its transfers are those of its movements, which count them. */
const isAcross = '(r.usdt_movement IS NOT NULL)';
const kind = `iif(${isAcross}, 'movement', 'settlement')`;

/**
 * Settlements. Each has two transfers: USDT from buyer to seller under the number in the row, and the coin from seller
 * to buyer under the next number. A trade between two accounts of one ledger has two rows, which name the same two
 * transfers. One between two ledgers has a row in each, which names the transfers of its two movements there; the
 * buyer's USDT was taken by the hold.
 */
export const settlementRecords: RecordKind = {
  name: 'settlements',
  title: 'settlement',
  kind: 'settlement',
  legs: [
    {
      number: `iif(${isAcross} AND ${isBuy}, NULL, r.first_transfer)`,
      debit: `iif(${isAcross}, 'house:transit', ${buyer})`,
      credit: seller,
      asset: `'USDT'`,
      amount: 'r.usdt_amount',
      kind,
      reference: 'coalesce(r.usdt_movement, r.id)',
      sign: `iif(${isBuy}, -1, 1)`,
    },
    {
      number: 'r.first_transfer + 1',
      debit: `iif(${isAcross} AND ${isBuy}, 'house:transit', ${seller})`,
      credit: `iif(${isAcross} AND NOT ${isBuy}, 'house:transit', ${buyer})`,
      asset: 'r.coin',
      amount: 'r.coin_amount',
      kind,
      reference: 'coalesce(r.coin_movement, r.id)',
      sign: `iif(${isBuy}, 1, -1)`,
    },
  ],
  odd: `(r.type IN ('P2P_BUY', 'P2P_SELL') AND NOT ${isAcross} AND NOT EXISTS (
      SELECT 1 FROM settlements AS o
      WHERE o.account_id = r.counterparty AND o.id = r.id AND o.counterparty = r.account_id AND o.type <> r.type))
    OR (${isAcross}) IS NOT (r.coin_movement IS NOT NULL)
    OR (${isAcross} AND 2 <> (
      SELECT count(*) FROM movements
      WHERE id IN (r.usdt_movement, r.coin_movement) AND record_id = r.id AND (
        (id = r.usdt_movement AND transfer = r.first_transfer AND amount = r.usdt_amount) OR
        (id = r.coin_movement AND transfer = r.first_transfer + 1 AND amount = r.coin_amount))))
    OR (${isAcross} AND ${isBuy} AND NOT EXISTS (
      SELECT 1 FROM settlement_holds WHERE account_id = r.account_id AND id = r.id AND status = 'PAID'))`,
  counted: `r.type <> 'P2P_SELL' AND NOT ${isAcross}`,
  found: `r.id = t.reference AND r.account_id = iif(t.debit = 'house:liquidity', t.credit, t.debit)`,
  weight: 2,
  shown: ['type'],
};

import type { Statement } from './statement.ts';

/** What a record that is no order changed of what the house has, in atoms as text. */
export interface HouseMove {
  /** A `plan` only sets money aside. The coin of a `funding` may be USDT, and its change is capital. */
  readonly kind: 'plan' | 'hedge' | 'settlement' | 'funding';
  /** The number of its first transfer of these. */
  readonly transfer: number;
  readonly id: string;
  /** When a hedge ended; the others have the time of their id. */
  readonly ended_ms: number | null;
  readonly coin: string;
  readonly coinChange: string;
  readonly usdtChange: string;
  /** The market's middle price; `null` where none is known. */
  readonly middle: string | null;
  readonly feeAsset: string | null;
  readonly fee: string;
  readonly asideAsset: string | null;
  readonly asideChange: string;
}

const isPlan = 't.id = h.taken_transfer';
/** A purchase of the house, or a sale. */
const signOfHedge = `iif(h.side = 'BUY', 1, -1)`;
const signOfSettlement = `iif(s.type = 'QUICK_SELL', 1, -1)`;

/**
 * Reads what hedges, settlements with the house and fundings changed of what the house has, of the transfers after number
 * ?1, up to number ?1 + ?2. Each is found by its first transfer of a moment.
 */
export function composeMoves(after: number, count: number): Statement<HouseMove> {
  return {
    text: `
      SELECT iif(${isPlan}, 'plan', t.kind) AS kind, t.id AS transfer, coalesce(h.id, s.id, f.id) AS id,
        h.ended_at AS ended_ms, coalesce(h.coin, s.coin, f.asset) AS coin,
        CAST(CASE t.kind WHEN 'hedge' THEN iif(${isPlan}, 0, ${signOfHedge} * h.dealt_coin)
          WHEN 'settlement' THEN ${signOfSettlement} * s.coin_amount
          ELSE iif(f.source = 'house:liquidity', 1, -1) * f.amount END AS TEXT) AS coinChange,
        CAST(CASE t.kind WHEN 'hedge' THEN iif(${isPlan}, 0, -${signOfHedge} * h.dealt_usdt)
          WHEN 'settlement' THEN -${signOfSettlement} * s.usdt_amount ELSE 0 END AS TEXT) AS usdtChange,
        CAST(h.middle_price AS TEXT) AS middle, h.fee_asset AS feeAsset, CAST(coalesce(h.fee, 0) AS TEXT) AS fee,
        iif(h.side = 'BUY', 'USDT', h.coin) AS asideAsset,
        CAST(iif(${isPlan}, 1, -1) * coalesce(h.set_aside, 0) AS TEXT) AS asideChange
      FROM transfers AS t
      LEFT JOIN hedges AS h ON t.kind = 'hedge' AND h.id = t.reference AND t.id IN (h.taken_transfer, h.ended_transfer)
      LEFT JOIN settlements AS s ON t.kind = 'settlement'
        AND s.account_id = iif(t.debit = 'house:liquidity', t.credit, t.debit) AND s.id = t.reference
        AND s.first_transfer = t.id AND s.counterparty = 'house:liquidity'
      LEFT JOIN fundings AS f ON t.kind = 'funding' AND f.account_id = t.debit AND f.id = t.reference
        AND f.transfer = t.id AND 'house:liquidity' IN (f.source, f.account_id)
      WHERE t.id > ?1 AND t.id <= ?1 + ?2 AND t.kind IN ('hedge', 'settlement', 'funding')
        AND coalesce(h.id, s.id, f.id) IS NOT NULL`,
    values: [after, count],
  };
}

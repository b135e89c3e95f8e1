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

/**
 * Reads what hedges, settlements with the house and fundings changed of what the house has, of the transfers after number
 * ?1, up to number ?1 + ?2. Each is found by its first transfer of a moment.
 */
export function composeMoves(after: number, count: number): Statement<HouseMove> {
  return {
    text: `
      SELECT iif(isPlan, 'plan', 'hedge') AS kind, number AS transfer, id, ended_at AS ended_ms, coin,
        CAST(iif(isPlan, 0, iif(side = 'BUY', 1, -1) * dealt_coin) AS TEXT) AS coinChange,
        CAST(iif(isPlan, 0, iif(side = 'BUY', -1, 1) * dealt_usdt) AS TEXT) AS usdtChange,
        CAST(middle_price AS TEXT) AS middle, fee_asset AS feeAsset, CAST(fee AS TEXT) AS fee, gives AS asideAsset,
        CAST(iif(isPlan, 1, -1) * set_aside AS TEXT) AS asideChange
      FROM (
        SELECT t.id AS number, r.id, t.id IS r.taken_transfer AS isPlan, r.ended_at, r.coin, r.side, r.dealt_coin, r.dealt_usdt,
          r.middle_price, r.fee_asset, r.fee, r.gives, r.set_aside
        FROM transfers AS t CROSS JOIN hedge_moves AS r ON r.id = t.reference
        WHERE t.id > ?1 AND t.id <= ?1 + ?2 AND t.kind = 'hedge' AND t.id IN (r.taken_transfer, r.ended_transfer))
      UNION ALL
      SELECT 'settlement', t.id, r.id, NULL, r.coin,
        CAST(iif(r.type = 'QUICK_BUY', -1, 1) * r.coin_amount AS TEXT),
        CAST(iif(r.type = 'QUICK_BUY', 1, -1) * r.usdt_amount AS TEXT), NULL, NULL, '0', NULL, '0'
      FROM transfers AS t
      CROSS JOIN settlements AS r
        ON r.account_id = iif(t.debit = 'house:liquidity', t.credit, t.debit) AND r.id = t.reference
        AND r.first_transfer = t.id AND r.counterparty = 'house:liquidity'
      WHERE t.id > ?1 AND t.id <= ?1 + ?2 AND t.kind = 'settlement'
      UNION ALL
      SELECT 'funding', t.id, r.id, NULL, r.asset,
        CAST(iif(r.source = 'house:liquidity', 1, -1) * r.amount AS TEXT), '0', NULL, NULL, '0', NULL, '0'
      FROM transfers AS t
      CROSS JOIN fundings AS r ON r.account_id = t.debit AND r.id = t.reference AND r.transfer = t.id
      WHERE t.id > ?1 AND t.id <= ?1 + ?2 AND t.kind = 'funding' AND 'house:liquidity' IN (r.source, r.account_id)`,
    values: [after, count],
  };
}

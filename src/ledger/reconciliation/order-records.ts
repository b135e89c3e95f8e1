import { sql } from 'drizzle-orm';
import { QUOTE_ASSET, findCoin, scaleOf } from '../../money/assets.ts';
import { PRICE_SCALE } from '../../money/prices.ts';
import { house } from '../transfers.ts';
import { cursorAfter } from './check.ts';
import type { Finding } from './invariants.ts';
import {
  type Leg,
  type RecordKind,
  areLegs,
  listNumbers,
  readTransfersOf,
  selectTransfersOf,
} from './record-transfers.ts';

interface OrderRow {
  readonly accountId: string;
  readonly id: string;
  readonly coin: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly coinAmount: string;
  readonly usdtAmount: string;
  readonly status: 'COMPLETED' | 'FAILED';
  readonly transfers: string;
}

/** Orders: two transfers each, coin against USDT with the house, at the order's price; one that failed has none. */
export const orderRecords: RecordKind<OrderRow> = {
  name: 'orders',
  kind: 'order',
  explains: sql`EXISTS (SELECT 1 FROM orders WHERE account_id IN (t.debit, t.credit) AND id = t.reference)`,

  query: ({ after: [accountId, id], rows }) => sql`
    SELECT account_id AS accountId, id, coin, side, CAST(executed_price AS TEXT) AS price,
      CAST(coin_amount AS TEXT) AS coinAmount, CAST(usdt_amount AS TEXT) AS usdtAmount, status,
      ${selectTransfersOf(sql`o.id`)} AS transfers
    FROM orders AS o WHERE (account_id, id) > (${accountId}, ${id}) ORDER BY account_id, id LIMIT ${rows}`,

  judge: (rows, slice, tail) => {
    const findings: Finding[] = [];
    for (const row of rows) {
      const transfers = readTransfersOf(row.transfers, tail, row.id);
      const { accountId, id: order } = row;
      if (!areLegs(transfers, legsOf(row))) {
        const example = { order, accountId, status: row.status, transfers: listNumbers(transfers) };
        findings.push({ invariant: 'records_match_transfers', example });
      }
      if (row.status === 'COMPLETED' && !isRoundedForHouse(row)) {
        const { coin, side, price, coinAmount, usdtAmount } = row;
        const example = { order, accountId, coin, side, price, coinAmount, usdtAmount };
        findings.push({ invariant: 'rounding_favours_house', example });
      }
    }
    return {
      next: cursorAfter(rows, slice, ({ accountId, id }) => [accountId, id]),
      checked: {
        records_match_transfers: rows.length,
        rounding_favours_house: rows.filter(({ status }) => status === 'COMPLETED').length,
      },
      findings,
    };
  },
};

function legsOf({ accountId, side, coin, coinAmount, usdtAmount, status }: OrderRow): Leg[] {
  if (status === 'FAILED') return [];
  const isBuy = side === 'BUY';
  const [giver, taker] = isBuy ? [accountId, house.liquidity] : [house.liquidity, accountId];
  return [
    { kind: 'order', debit: giver, credit: taker, asset: QUOTE_ASSET, amount: BigInt(usdtAmount) },
    { kind: 'order', debit: taker, credit: giver, asset: coin, amount: BigInt(coinAmount) },
  ];
}

/**
 * Whether the price was kept to within an atom of the side that was rounded, and against the client. Which side that
 * was is not recorded, so either will do. In whole numbers: usdt * 10^(scale of the coin + 8) against
 * coin * price * 10^(scale of USDT).
 */
function isRoundedForHouse({ coin: symbol, side, price, coinAmount, usdtAmount }: OrderRow): boolean {
  const coin = findCoin(symbol);
  if (!coin) return false;
  const usdtAtom = 10n ** BigInt(scaleOf(coin) + PRICE_SCALE);
  const coinAtom = BigInt(price) * 10n ** BigInt(scaleOf(QUOTE_ASSET));
  const excess = BigInt(usdtAmount) * usdtAtom - BigInt(coinAmount) * coinAtom;
  const gain = side === 'BUY' ? excess : -excess;
  return gain >= 0n && (gain < usdtAtom || gain < coinAtom);
}

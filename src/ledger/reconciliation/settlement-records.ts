import { sql } from 'drizzle-orm';
import { QUOTE_ASSET } from '../../money/assets.ts';
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

interface SettlementRow {
  readonly accountId: string;
  readonly id: string;
  readonly type: 'P2P_BUY' | 'P2P_SELL' | 'QUICK_BUY' | 'QUICK_SELL';
  readonly counterparty: string;
  readonly coin: string;
  readonly coinAmount: string;
  readonly usdtAmount: string;
  readonly firstTransfer: number;
  readonly transfers: string;
  /** Whether the other account of a trade between two has its row. */
  readonly hasOther: 0 | 1;
}

/**
 * Settlements: two transfers, USDT from buyer to seller under the number that the row names and the coin back under
 * the next. A trade between two accounts is two rows, which call for the same two.
 */
export const settlementRecords: RecordKind<SettlementRow> = {
  name: 'settlements',
  kind: 'settlement',
  explains: sql`EXISTS (SELECT 1 FROM settlements WHERE account_id IN (t.debit, t.credit) AND id = t.reference)`,

  query: ({ after: [accountId, id], rows }) => sql`
    SELECT account_id AS accountId, id, type, counterparty, coin, CAST(coin_amount AS TEXT) AS coinAmount,
      CAST(usdt_amount AS TEXT) AS usdtAmount, first_transfer AS firstTransfer,
      ${selectTransfersOf(sql`s.id`)} AS transfers,
      EXISTS (SELECT 1 FROM settlements WHERE account_id = s.counterparty AND id = s.id) AS hasOther
    FROM settlements AS s WHERE (account_id, id) > (${accountId}, ${id}) ORDER BY account_id, id LIMIT ${rows}`,

  judge: (rows, slice, tail) => ({
    next: cursorAfter(rows, slice, ({ accountId, id }) => [accountId, id]),
    checked: { records_match_transfers: rows.length },
    findings: rows.flatMap((row): Finding[] => {
      const transfers = readTransfersOf(row.transfers, tail, row.id).toSorted((one, other) => one.id - other.id);
      const [first] = transfers;
      const isWhole = row.hasOther === 1 || row.type.startsWith('QUICK');
      if (isWhole && areLegs(transfers, legsOf(row)) && first?.id === row.firstTransfer) return [];
      const { id: settlement, accountId, type } = row;
      const example = { settlement, accountId, type, transfers: listNumbers(transfers) };
      return [{ invariant: 'records_match_transfers', example }];
    }),
  }),
};

function legsOf({ accountId, counterparty, type, coin, coinAmount, usdtAmount }: SettlementRow): Leg[] {
  const [buyer, seller] = type.endsWith('BUY') ? [accountId, counterparty] : [counterparty, accountId];
  return [
    { kind: 'settlement', debit: buyer, credit: seller, asset: QUOTE_ASSET, amount: BigInt(usdtAmount) },
    { kind: 'settlement', debit: seller, credit: buyer, asset: coin, amount: BigInt(coinAmount) },
  ];
}

import { z } from '@hono/zod-openapi';
import { and, eq, sql } from 'drizzle-orm';
import { Decimal, Id, Timestamp } from '../http/wire-types.ts';
import type { Database } from '../db/database.ts';
import { timestampOfRecord } from '../db/record-id.ts';
import { columnsOf, settlements } from '../db/schema.ts';
import { house } from '../db/transfers.ts';
import { type Coin, QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';

const common = {
  id: Id,
  ts: Timestamp,
  reference: z.string().openapi({ example: 'p2p-7' }),
  coin: z.string().openapi({ example: 'BTC' }),
  coinAmount: Decimal.openapi({ example: '0.002' }),
  usdtAmount: Decimal.openapi({ example: '130' }),
  status: z.enum(['COMPLETED']),
};

/** A settlement as the operator sees it: between two accounts (P2P), or between an account and the house (QUICK). */
export const Settlement = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('P2P'), buyerAccountId: Id, sellerAccountId: Id, ...common }),
    z.object({ kind: z.literal('QUICK'), accountId: Id, side: z.enum(['BUY', 'SELL']), ...common }),
  ])
  .openapi('Settlement');

export type Settlement = z.output<typeof Settlement>;

/** A trade that two parties agreed on. The house, as `house.liquidity`, may be one of them. */
export interface Trade {
  /** The operator's unique reference. */
  readonly reference: string;
  readonly buyer: string;
  readonly seller: string;
  readonly coin: Coin;
  readonly coinAmount: Atoms;
  readonly usdtAmount: Atoms;
}

export interface SettledTrade extends Trade {
  readonly id: string;
}

export interface Settled {
  readonly settlement: SettledTrade;
  readonly isNew: boolean;
}

/** The accounts that take part in a trade: both parties, or the one that trades with the house. */
export function accountsOf({ buyer, seller }: Trade): string[] {
  return [buyer, seller].filter((party) => party !== house.liquidity);
}

/** Shows a settlement. The time is that of its id. */
export function showSettlement(settled: SettledTrade): Settlement {
  const { id, reference, buyer, seller, coin } = settled;
  const terms = {
    id,
    ts: timestampOfRecord(id),
    reference,
    coin,
    coinAmount: formatAmount(settled.coinAmount, scaleOf(coin)),
    usdtAmount: formatAmount(settled.usdtAmount, scaleOf(QUOTE_ASSET)),
    status: 'COMPLETED',
  } as const;
  if (seller === house.liquidity) return { kind: 'QUICK', accountId: buyer, side: 'BUY', ...terms };
  if (buyer === house.liquidity) return { kind: 'QUICK', accountId: seller, side: 'SELL', ...terms };
  return { kind: 'P2P', buyerAccountId: buyer, sellerAccountId: seller, ...terms };
}

/** The query of the settlement of a reference, for a batch; `parseSettlement` reads its result. */
export function selectSettlement(database: Database, reference: string) {
  // Written out as in the index of references: SQLite would not use that index for a bound parameter.
  const isNamed = and(eq(settlements.reference, reference), sql`${settlements.type} <> 'P2P_SELL'`);
  return database.select(columnsOf(settlements)).from(settlements).where(isNamed);
}

export function parseSettlement([row]: Awaited<ReturnType<typeof selectSettlement>>): SettledTrade | undefined {
  if (!row) return undefined;
  const { accountId, counterparty, type, ...terms } = row;
  return type === 'QUICK_SELL'
    ? { ...terms, buyer: counterparty, seller: accountId }
    : { ...terms, buyer: accountId, seller: counterparty };
}

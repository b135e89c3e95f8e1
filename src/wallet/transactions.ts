import { z } from '@hono/zod-openapi';
import { and, desc, eq, lt, ne, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { Decimal, Id, Timestamp } from '../http/wire-types.ts';
import type { Database } from '../ledger/database.ts';
import { timestampOfRecord } from '../ledger/record-id.ts';
import { deposits, exactly, orders, settlements, withdrawals } from '../ledger/schema.ts';
import { type Asset, QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';
import { FailureReason, KeyId, tellReason } from './withdrawals/withdrawal.ts';

/** One line of the activity feed (spec, "Transaction"). */
export const Transaction = z
  .object({
    id: Id.openapi({ description: 'The id of the order, deposit or withdrawal' }),
    ts: Timestamp,
    category: z.enum(['TRADE', 'DEPOSIT', 'WITHDRAWAL', 'P2P', 'QUICK_TRADE']),
    type: z.enum([
      'SPOT_BUY',
      'SPOT_SELL',
      'ONCHAIN_DEPOSIT',
      'INTERNAL_DEPOSIT',
      'ONCHAIN_WITHDRAWAL',
      'INTERNAL_WITHDRAWAL',
      'P2P_BUY',
      'P2P_SELL',
      'QUICK_BUY',
      'QUICK_SELL',
    ]),
    asset: z.string().openapi({ description: 'Asset symbol; for a trade the coin', example: 'BTC' }),
    amount: Decimal.openapi({ description: 'Without any fee', example: '0.002' }),
    usdValue: Decimal.openapi({ description: 'At the time of the activity', example: '130' }),
    status: z.enum(['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED']),
    keyId: KeyId.openapi({ description: 'The API key that placed the order or requested the withdrawal; else null' }),
    reason: FailureReason.openapi({ description: 'Why a withdrawal FAILED; else null' }),
  })
  .openapi('Transaction');

export type Transaction = z.output<typeof Transaction>;

/** A row of the feed's query. */
export interface TransactionRow {
  readonly id: string;
  readonly category: Transaction['category'];
  readonly type: Transaction['type'];
  readonly asset: Asset;
  readonly amount: Atoms;
  readonly usdValue: Atoms;
  readonly status: Transaction['status'];
  readonly keyId: string | null;
  readonly reason: string | null;
}

/** Shows one line of the feed. Amounts are positive; the type gives the direction. */
export function showTransaction(row: TransactionRow): Transaction {
  return {
    id: row.id,
    ts: timestampOfRecord(row.id),
    category: row.category,
    type: row.type,
    asset: row.asset,
    amount: formatAmount(row.amount, scaleOf(row.asset)),
    usdValue: formatAmount(row.usdValue, scaleOf(QUOTE_ASSET)),
    status: row.status,
    keyId: row.keyId,
    reason: tellReason(row.reason),
  };
}

/** The key and the reason of a record that has neither. */
const nothing = {
  keyId: sql<string | null>`NULL`.as('key_id'),
  reason: sql<string | null>`NULL`.as('reason'),
};

/**
 * At most `count` lines of an account's feed, newest first, older than the id `before`. The feed is a query over the
 * records: each part scans its own primary key, and the merge needs no sort.
 */
export function listTransactions(
  database: Database,
  accountId: string,
  before: string | null,
  count: number,
): Promise<TransactionRow[]> {
  const trades = database
    .select({
      id: orders.id,
      category: sql<Transaction['category']>`'TRADE'`.as('category'),
      type: sql<Transaction['type']>`'SPOT_' || ${orders.side}`.as('type'),
      asset: sql<Asset>`${orders.coin}`.as('asset'),
      amount: exactly(orders.coinAmount).as('amount'),
      usdValue: exactly(orders.usdtAmount).as('usd_value'),
      status: sql<Transaction['status']>`${orders.status}`.as('status'),
      keyId: sql<string | null>`${orders.keyId}`.as('key_id'),
      reason: nothing.reason,
    })
    .from(orders)
    .where(and(eq(orders.accountId, accountId), before === null ? undefined : lt(orders.id, before)));
  const received = database
    .select({
      id: deposits.id,
      category: sql<Transaction['category']>`'DEPOSIT'`.as('category'),
      type: sql<Transaction['type']>`${deposits.type}`.as('type'),
      asset: sql<Asset>`${deposits.asset}`.as('asset'),
      amount: exactly(deposits.amount).as('amount'),
      usdValue: exactly(deposits.usdValue).as('usd_value'),
      status: sql<Transaction['status']>`${deposits.status}`.as('status'),
      ...nothing,
    })
    .from(deposits)
    .where(
      and(
        eq(deposits.accountId, accountId),
        // Quarantined deposits are credited to nobody, so they are left out.
        ne(deposits.status, 'QUARANTINED'),
        before === null ? undefined : lt(deposits.id, before),
      ),
    );
  const sent = database
    .select({
      id: withdrawals.id,
      category: sql<Transaction['category']>`'WITHDRAWAL'`.as('category'),
      type: sql<Transaction['type']>`${withdrawals.type}`.as('type'),
      asset: sql<Asset>`${withdrawals.asset}`.as('asset'),
      amount: exactly(withdrawals.amount).as('amount'),
      usdValue: exactly(withdrawals.usdValue).as('usd_value'),
      status: sql<Transaction['status']>`${withdrawals.status}`.as('status'),
      keyId: sql<string | null>`${withdrawals.keyId}`.as('key_id'),
      reason: sql<string | null>`${withdrawals.reason}`.as('reason'),
    })
    .from(withdrawals)
    .where(and(eq(withdrawals.accountId, accountId), before === null ? undefined : lt(withdrawals.id, before)));
  const settled = database
    .select({
      id: settlements.id,
      category: sql<
        Transaction['category']
      >`iif(${settlements.type} IN ('P2P_BUY', 'P2P_SELL'), 'P2P', 'QUICK_TRADE')`.as('category'),
      type: sql<Transaction['type']>`${settlements.type}`.as('type'),
      asset: sql<Asset>`${settlements.coin}`.as('asset'),
      amount: exactly(settlements.coinAmount).as('amount'),
      usdValue: exactly(settlements.usdtAmount).as('usd_value'),
      status: sql<Transaction['status']>`'COMPLETED'`.as('status'),
      ...nothing,
    })
    .from(settlements)
    .where(and(eq(settlements.accountId, accountId), before === null ? undefined : lt(settlements.id, before)));
  return unionAll(trades, received, sent, settled)
    .orderBy(desc(sql`id`))
    .limit(count);
}

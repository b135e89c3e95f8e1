import type { z } from '@hono/zod-openapi';
import { type SQL, and, desc, eq, ne, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { ListQuery } from '../http/list.ts';
import type { Database } from '../db/database.ts';
import { AssetFilter, type IdRange, type RecordList, type RecordTable, TimeSpan, isWithin } from '../db/record-list.ts';
import { deposits, exactly, orders, settlements, withdrawals } from '../db/schema.ts';
import type { Asset } from '../money/assets.ts';
import { Transaction, type TransactionRow, showTransaction } from './transactions.ts';

/** The query of the activity feed. */
export const TransactionListQuery = ListQuery.extend({
  ...TimeSpan,
  asset: AssetFilter,
  type: Transaction.shape.type.optional().openapi({ description: 'Rows of this type', example: 'SPOT_BUY' }),
  status: Transaction.shape.status.optional().openapi({ description: 'Rows in this state', example: 'COMPLETED' }),
});

type TransactionFilter = Omit<z.output<typeof TransactionListQuery>, keyof ListQuery>;

/** The types that the rows of each table are shown under. */
const typesOf = new Map<RecordTable, readonly Transaction['type'][]>([
  [orders, ['SPOT_BUY', 'SPOT_SELL']],
  [deposits, ['ONCHAIN_DEPOSIT', 'INTERNAL_DEPOSIT']],
  [withdrawals, ['ONCHAIN_WITHDRAWAL', 'INTERNAL_WITHDRAWAL']],
  [settlements, ['P2P_BUY', 'P2P_SELL', 'QUICK_BUY', 'QUICK_SELL']],
]);

/** The states that a row of the table can be in, where these are not all. */
const statusesOf = new Map<RecordTable, readonly Transaction['status'][]>([
  [orders, ['COMPLETED', 'FAILED']],
  [deposits, ['PENDING', 'COMPLETED', 'FAILED']],
  [settlements, ['COMPLETED']],
]);

function canHold(table: RecordTable, { type, status }: TransactionFilter): boolean {
  if (type !== undefined && typesOf.get(table)?.includes(type) !== true) return false;
  return status === undefined || statusesOf.get(table)?.includes(status) !== false;
}

/** The condition of one part of the feed. SQLite reads nothing of a table that can hold no row that fits. */
function isListed(
  table: RecordTable,
  accountId: string,
  filter: TransactionFilter,
  range: IdRange,
  ...own: (SQL | undefined)[]
): SQL | undefined {
  return and(
    canHold(table, filter) ? undefined : sql`0`,
    eq(table.accountId, accountId),
    isWithin(table.id, range),
    ...own,
  );
}

/** The fee, the key and the reason of a record that has none of them. */
const nothing = {
  keyId: sql<string | null>`NULL`.as('key_id'),
  reason: sql<string | null>`NULL`.as('reason'),
  fee: sql`'0'`.mapWith((text: string) => BigInt(text)).as('fee'),
};

const trades = {
  id: orders.id,
  category: sql<Transaction['category']>`'TRADE'`.as('category'),
  type: sql<Transaction['type']>`'SPOT_' || ${orders.side}`.as('type'),
  asset: sql<Asset>`${orders.coin}`.as('asset'),
  amount: exactly(orders.coinAmount).as('amount'),
  usdValue: exactly(orders.usdtAmount).as('usd_value'),
  status: sql<Transaction['status']>`${orders.status}`.as('status'),
  keyId: sql<string | null>`${orders.keyId}`.as('key_id'),
  reason: nothing.reason,
  fee: nothing.fee,
};

const received = {
  id: deposits.id,
  category: sql<Transaction['category']>`'DEPOSIT'`.as('category'),
  type: sql<Transaction['type']>`${deposits.type}`.as('type'),
  asset: sql<Asset>`${deposits.asset}`.as('asset'),
  amount: exactly(deposits.amount).as('amount'),
  usdValue: exactly(deposits.usdValue).as('usd_value'),
  status: sql<Transaction['status']>`${deposits.status}`.as('status'),
  ...nothing,
};

const sent = {
  id: withdrawals.id,
  category: sql<Transaction['category']>`'WITHDRAWAL'`.as('category'),
  type: sql<Transaction['type']>`${withdrawals.type}`.as('type'),
  asset: sql<Asset>`${withdrawals.asset}`.as('asset'),
  amount: exactly(withdrawals.amount).as('amount'),
  usdValue: exactly(withdrawals.usdValue).as('usd_value'),
  status: sql<Transaction['status']>`${withdrawals.status}`.as('status'),
  keyId: sql<string | null>`${withdrawals.keyId}`.as('key_id'),
  reason: sql<string | null>`${withdrawals.reason}`.as('reason'),
  fee: exactly(withdrawals.fee).as('fee'),
};

/** The columns of a settlement's row, as the feed has it. */
export const settlementColumns = {
  id: settlements.id,
  category: sql<Transaction['category']>`iif(${settlements.type} IN ('P2P_BUY', 'P2P_SELL'), 'P2P', 'QUICK_TRADE')`.as(
    'category',
  ),
  type: sql<Transaction['type']>`${settlements.type}`.as('type'),
  asset: sql<Asset>`${settlements.coin}`.as('asset'),
  amount: exactly(settlements.coinAmount).as('amount'),
  usdValue: exactly(settlements.usdtAmount).as('usd_value'),
  status: sql<Transaction['status']>`'COMPLETED'`.as('status'),
  ...nothing,
};

/**
 * At most `count` lines of an account's feed that fit, newest first. The feed is a query over the records: each part
 * scans its own primary key, and the merge needs no sort. Throws when D1 fails.
 */
function listTransactions(
  database: Database,
  accountId: string,
  filter: TransactionFilter,
  range: IdRange,
  count: number,
): Promise<TransactionRow[]> {
  const { asset, type, status } = filter;
  const own = (table: RecordTable, ...conditions: (SQL | undefined)[]) =>
    isListed(table, accountId, filter, range, ...conditions);
  const side = type === 'SPOT_BUY' ? 'BUY' : 'SELL';
  const parts = [
    database
      .select(trades)
      .from(orders)
      .where(
        own(
          orders,
          asset && eq(orders.coin, asset as typeof orders.$inferSelect.coin),
          type && eq(orders.side, side),
          status && eq(orders.status, status as typeof orders.$inferSelect.status),
        ),
      ),
    database
      .select(received)
      .from(deposits)
      .where(
        own(
          deposits,
          // Quarantined deposits are credited to nobody, so they are left out.
          ne(deposits.status, 'QUARANTINED'),
          asset && eq(deposits.asset, asset),
          type && eq(deposits.type, type as typeof deposits.$inferSelect.type),
          status && eq(deposits.status, status as typeof deposits.$inferSelect.status),
        ),
      ),
    database
      .select(sent)
      .from(withdrawals)
      .where(
        own(
          withdrawals,
          asset && eq(withdrawals.asset, asset),
          type && eq(withdrawals.type, type as typeof withdrawals.$inferSelect.type),
          status && eq(withdrawals.status, status),
        ),
      ),
    database
      .select(settlementColumns)
      .from(settlements)
      .where(
        own(
          settlements,
          asset && eq(settlements.coin, asset as typeof settlements.$inferSelect.coin),
          type && eq(settlements.type, type as typeof settlements.$inferSelect.type),
        ),
      ),
  ] as const;
  return unionAll(...parts)
    .orderBy(desc(sql`id`))
    .limit(count);
}

/** An account's activity feed. */
export const transactionList: RecordList<'transactions', TransactionRow, Transaction, TransactionFilter> = {
  name: 'transactions',
  tablesOf: (filter) => [...typesOf.keys()].filter((table) => canHold(table, filter)),
  listRows: listTransactions,
  show: showTransaction,
};

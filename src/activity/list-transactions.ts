import type { z } from '@hono/zod-openapi';
import { type SQL, and, desc, eq, ne, sql } from 'drizzle-orm';
import { type AnySQLiteColumn, type SQLiteColumn, unionAll } from 'drizzle-orm/sqlite-core';
import { ListQuery } from '../http/list.ts';
import type { Database } from '../db/database.ts';
import { AssetFilter, type IdRange, type RecordList, type RecordTable, TimeSpan, isWithin } from '../db/record-list.ts';
import { deposits, exactly, orders, settlements, withdrawals } from '../db/schema.ts';
import type { Asset } from '../money/assets.ts';
import { Transaction, type TransactionRow, showTransaction } from './transactions.ts';

export const TransactionListQuery = ListQuery.extend({
  ...TimeSpan,
  asset: AssetFilter,
  type: Transaction.shape.type.optional().openapi({ description: 'Rows of this type', example: 'SPOT_BUY' }),
  status: Transaction.shape.status.optional().openapi({ description: 'Rows in this state', example: 'COMPLETED' }),
});

type TransactionFilter = Omit<z.output<typeof TransactionListQuery>, keyof ListQuery>;

/** The rows of the feed that are in one table, and how they are shown. */
interface Part {
  readonly table: RecordTable;
  /** The types and the states that a row can have. */
  readonly types: readonly Transaction['type'][];
  readonly statuses: readonly Transaction['status'][];
  readonly category: SQL;
  readonly type: SQL;
  readonly asset: SQLiteColumn;
  readonly amount: SQLiteColumn;
  readonly usdValue: SQLiteColumn;
  readonly status: SQL;
  /** NULL, and no fee, where a record has none of them. */
  readonly keyId?: SQLiteColumn;
  readonly reason?: SQLiteColumn;
  readonly fee?: SQLiteColumn;
  readonly isShown?: SQL;
}

const settled: Part = {
  table: settlements,
  types: ['P2P_BUY', 'P2P_SELL', 'QUICK_BUY', 'QUICK_SELL'],
  statuses: ['COMPLETED'],
  category: sql`iif(${settlements.type} IN ('P2P_BUY', 'P2P_SELL'), 'P2P', 'QUICK_TRADE')`,
  type: sql`${settlements.type}`,
  asset: settlements.coin,
  amount: settlements.coinAmount,
  usdValue: settlements.usdtAmount,
  status: sql`'COMPLETED'`,
};

const parts: readonly Part[] = [
  {
    table: orders,
    types: ['SPOT_BUY', 'SPOT_SELL'],
    statuses: ['COMPLETED', 'FAILED'],
    category: sql`'TRADE'`,
    type: sql`'SPOT_' || ${orders.side}`,
    asset: orders.coin,
    amount: orders.coinAmount,
    usdValue: orders.usdtAmount,
    status: sql`${orders.status}`,
    keyId: orders.keyId,
  },
  {
    table: deposits,
    types: ['ONCHAIN_DEPOSIT', 'INTERNAL_DEPOSIT'],
    statuses: ['PENDING', 'COMPLETED', 'FAILED'],
    category: sql`'DEPOSIT'`,
    type: sql`${deposits.type}`,
    asset: deposits.asset,
    amount: deposits.amount,
    usdValue: deposits.usdValue,
    status: sql`${deposits.status}`,
    // Quarantined deposits are credited to nobody, so they are left out.
    isShown: ne(deposits.status, 'QUARANTINED'),
  },
  {
    table: withdrawals,
    types: ['ONCHAIN_WITHDRAWAL', 'INTERNAL_WITHDRAWAL'],
    statuses: ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'],
    category: sql`'WITHDRAWAL'`,
    type: sql`${withdrawals.type}`,
    asset: withdrawals.asset,
    amount: withdrawals.amount,
    usdValue: withdrawals.usdValue,
    status: sql`${withdrawals.status}`,
    keyId: withdrawals.keyId,
    reason: withdrawals.reason,
    fee: withdrawals.fee,
  },
  settled,
];

const NONE = sql`NULL`;
const noFee = sql`'0'`.mapWith((text: string) => BigInt(text));

function showColumns({ table, category, type, asset, amount, usdValue, status, keyId, reason, fee }: Part) {
  return {
    id: sql<string>`${table.id}`.as('id'),
    category: sql<Transaction['category']>`${category}`.as('category'),
    type: sql<Transaction['type']>`${type}`.as('type'),
    asset: sql<Asset>`${asset}`.as('asset'),
    amount: exactly(amount as AtomsColumn).as('amount'),
    usdValue: exactly(usdValue as AtomsColumn).as('usd_value'),
    status: sql<Transaction['status']>`${status}`.as('status'),
    keyId: sql<string | null>`${keyId ?? NONE}`.as('key_id'),
    reason: sql<string | null>`${reason ?? NONE}`.as('reason'),
    fee: (fee ? exactly(fee as AtomsColumn) : noFee).as('fee'),
  };
}

type AtomsColumn = AnySQLiteColumn<{ notNull: true }>;

/** The columns of a settlement's row, as the feed has it. */
export const settlementColumns = showColumns(settled);

function canHold({ types, statuses }: Part, { type, status }: TransactionFilter): boolean {
  return (type === undefined || types.includes(type)) && (status === undefined || statuses.includes(status));
}

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
  const [first, second, ...others] = parts.map((part) => {
    const isListed = and(
      // SQLite reads nothing of a table that can hold no row that fits.
      canHold(part, filter) ? undefined : sql`0`,
      eq(part.table.accountId, accountId),
      isWithin(part.table.id, range),
      part.isShown,
      filter.asset && eq(part.asset, filter.asset),
      filter.type && sql`${part.type} = ${filter.type}`,
      filter.status && sql`${part.status} = ${filter.status}`,
    );
    return database.select(showColumns(part)).from(part.table).where(isListed);
  });
  if (!first || !second) throw new Error('the feed has several parts');
  return unionAll(first, second, ...others)
    .orderBy(desc(sql`id`))
    .limit(count);
}

export const transactionList: RecordList<'transactions', TransactionRow, Transaction, TransactionFilter> = {
  name: 'transactions',
  tablesOf: (filter) => parts.filter((part) => canHold(part, filter)).map(({ table }) => table),
  listRows: listTransactions,
  show: showTransaction,
};

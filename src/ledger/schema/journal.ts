import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Asset } from '../../money/assets.ts';
import { atoms } from './columns.ts';

/* Balances and the transfers between them. */

export const assetList = sqliteTable('assets', {
  asset: text().$type<Asset>().primaryKey(),
  unit: atoms().notNull(),
});

export const balances = sqliteTable(
  'balances',
  {
    account: text().notNull(),
    asset: text()
      .$type<Asset>()
      .notNull()
      .references(() => assetList.asset),
    amount: atoms().notNull().default(0n),
    floor: atoms().notNull().default(0n),
    lastTransfer: integer('last_transfer').notNull().default(0),
    priceRound: integer('price_round').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.account, table.asset] })],
);

/** What moved between the quotas of ledger 0 and another ledger. */
export const quotaGrants = sqliteTable(
  'quota_grants',
  {
    id: text().primaryKey(),
    giver: integer().notNull(),
    receiver: integer().notNull(),
    account: text({ enum: ['house:liquidity', 'house:custody'] }).notNull(),
    asset: text().$type<Asset>().notNull(),
    amount: atoms().notNull(),
    floor: atoms().notNull(),
    given: atoms(),
    received: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    index('quota_grants_open')
      .on(table.id)
      .where(sql`received = 0`),
  ],
);

/** In ledger 0: what each other ledger has been given and has not given back. */
export const quotas = sqliteTable(
  'quotas',
  {
    ledger: integer().notNull(),
    account: text({ enum: ['house:liquidity', 'house:custody'] }).notNull(),
    asset: text().$type<Asset>().notNull(),
    amount: atoms().notNull().default(0n),
  },
  (table) => [primaryKey({ columns: [table.account, table.asset, table.ledger] })],
);

export const transfers = sqliteTable('transfers', {
  id: integer().primaryKey(),
  debit: text().notNull(),
  credit: text().notNull(),
  asset: text().$type<Asset>().notNull(),
  amount: atoms().notNull(),
  kind: text({ enum: ['order', 'deposit', 'withdrawal', 'settlement', 'movement', 'hold'] }).notNull(),
  reference: text().notNull(),
  ts: integer()
    .notNull()
    .default(sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`),
});

export const violations = sqliteTable('reconciliation_violations', {
  id: text().primaryKey(),
  invariant: text().notNull(),
  pass: integer().notNull(),
  foundAt: integer('found_at').notNull(),
  examples: text().notNull(),
  clearedAt: integer('cleared_at'),
  reason: text(),
});

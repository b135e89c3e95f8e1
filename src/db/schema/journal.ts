import { sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Asset } from '../../money/assets.ts';
import { atoms } from './columns.ts';

/* Balances and the transfers between them. */

export const assetList = sqliteTable('assets', {
  asset: text().$type<Asset>().primaryKey(),
  unit: atoms().notNull(),
});

export const balances = sqliteTable('balances', {
  account: text().notNull(),
  asset: text().$type<Asset>().notNull(),
  amount: atoms().notNull().default(0n),
  floor: atoms().notNull().default(0n),
  lastTransfer: integer('last_transfer').notNull().default(0),
  priceRound: integer('price_round').notNull().default(0),
  capital: atoms().notNull().default(0n),
});

export const transfers = sqliteTable('transfers', {
  id: integer().primaryKey(),
  debit: text().notNull(),
  credit: text().notNull(),
  asset: text().$type<Asset>().notNull(),
  amount: atoms().notNull(),
  kind: text({ enum: ['order', 'deposit', 'withdrawal', 'settlement', 'funding', 'hedge'] }).notNull(),
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

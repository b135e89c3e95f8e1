import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Network } from '../../money/networks.ts';

/* Deposit addresses, and the directory of what is unique in the whole exchange, which is in ledger 0 alone: see 0008_addresses.sql. */

export const addresses = sqliteTable('addresses', {
  accountId: text('account_id').notNull(),
  network: text().$type<Network>().notNull(),
  address: text().notNull(),
});

export const addressIndexes = sqliteTable('address_indexes', {
  addressIndex: integer('address_index').primaryKey(),
  accountId: text('account_id').notNull(),
});

export const claims = sqliteTable('claims', {
  kind: text({ enum: ['address', 'output', 'settlement', 'refused_receipt'] }).notNull(),
  name: text().notNull(),
  holder: text().notNull(),
});

export const solanaPool = sqliteTable('solana_pool', {
  addressIndex: integer('address_index').primaryKey(),
  address: text().notNull(),
});

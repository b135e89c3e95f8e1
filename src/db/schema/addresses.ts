import { integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { Network } from '../../money/networks.ts';
import { accounts } from './accounts.ts';

/* Deposit addresses, and the directory of what is unique in the whole exchange, which is in ledger 0 alone: see 0008_addresses.sql. */

export const addresses = sqliteTable(
  'addresses',
  {
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    network: text().$type<Network>().notNull(),
    address: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.network] }),
    uniqueIndex('addresses_have_one_owner').on(table.network, table.address),
  ],
);

export const addressIndexes = sqliteTable('address_indexes', {
  addressIndex: integer('address_index').primaryKey(),
  accountId: text('account_id').notNull().unique(),
});

export const claims = sqliteTable(
  'claims',
  {
    kind: text({ enum: ['address', 'output', 'settlement'] }).notNull(),
    name: text().notNull(),
    holder: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.name] })],
);

export const solanaPool = sqliteTable('solana_pool', {
  addressIndex: integer('address_index').primaryKey(),
  address: text().notNull().unique(),
});

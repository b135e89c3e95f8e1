import { sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/* What happened to accounts, and to whom it is told. */

export const listeners = sqliteTable('listeners', {
  accountId: text('account_id').primaryKey(),
});

/** Accounts of which a stream may be open. */
export const accountStreams = sqliteTable('account_streams', {
  accountId: text('account_id').primaryKey(),
});

export const events = sqliteTable('events', {
  accountId: text('account_id').notNull(),
  sequence: integer().notNull(),
  type: text().notNull(),
  subject: text().notNull(),
  detail: text(),
  ts: integer()
    .notNull()
    .default(sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`),
});

export const webhookEndpoints = sqliteTable('webhook_endpoints', {
  accountId: text('account_id').notNull(),
  id: text().notNull(),
  url: text().notNull(),
  description: text().notNull(),
  types: text().notNull(),
  status: text({ enum: ['enabled', 'disabled'] })
    .notNull()
    .default('enabled'),
  reason: text({ enum: ['gone', 'failing', 'key_revoked'] }),
  keyId: text('key_id'),
  sealedSecret: text('sealed_secret').notNull(),
  previousSecrets: text('previous_secrets').notNull().default('[]'),
  delivered: integer().notNull(),
  dueAt: integer('due_at').notNull().default(0),
});

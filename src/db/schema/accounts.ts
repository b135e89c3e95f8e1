import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Network } from '../../money/networks.ts';
import { atoms } from './columns.ts';

/* Accounts, their API keys, and what their holders set. */

export const accounts = sqliteTable('accounts', {
  id: text().primaryKey(),
  addressIndex: integer('address_index').notNull(),
  label: text().notNull(),
  status: text({ enum: ['active', 'frozen'] })
    .notNull()
    .default('active'),
  dailyWithdrawalLimit: atoms('daily_withdrawal_limit').notNull().default(5_000_000_000n),
  createdAt: integer('created_at').notNull(),
  recordNumber: integer('record_number').notNull().default(0),
  externalId: text('external_id'),
  holder: text(),
  heldUntil: integer('held_until').notNull().default(0),
});

export const accountWords = sqliteTable('account_words', {
  accountId: text('account_id').notNull(),
  words: text().notNull(),
});

export const apiKeys = sqliteTable('api_keys', {
  id: text().primaryKey(),
  accountId: text('account_id').notNull(),
  label: text().notNull(),
  scopes: text().notNull(),
  tokenHash: text('token_hash').notNull(),
  ipAllowlist: text('ip_allowlist'),
  rateLimits: text('rate_limits').notNull().default('{}'),
  createdAt: integer('created_at').notNull(),
  expiresAt: integer('expires_at'),
  revokedAt: integer('revoked_at'),
  kind: text({ enum: ['standing', 'session'] })
    .notNull()
    .default('standing'),
});

export const totp = sqliteTable('totp', {
  accountId: text('account_id').primaryKey(),
  sealedSecret: text('sealed_secret'),
  confirmedAt: integer('confirmed_at'),
  usedStep: integer('used_step').notNull().default(0),
  attempts: integer().notNull().default(0),
  lockedUntil: integer('locked_until').notNull().default(0),
});

export const allowlist = sqliteTable('allowlist', {
  accountId: text('account_id').notNull(),
  id: text().notNull(),
  network: text().$type<Network>().notNull(),
  address: text().notNull(),
  label: text().notNull(),
  usableAt: integer('usable_at').notNull(),
});

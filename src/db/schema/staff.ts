import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { atoms } from './columns.ts';

/* Settings, the staff, and what they do. */

export const settings = sqliteTable('settings', {
  id: integer().primaryKey(),
  tradingHalted: integer('trading_halted', { mode: 'boolean' }).notNull().default(false),
  withdrawalsHalted: integer('withdrawals_halted', { mode: 'boolean' }).notNull().default(false),
  allowlistMode: text('allowlist_mode', { enum: ['off', 'strict'] }),
  pausedNetworks: text('paused_networks').notNull().default('[]'),
  pausedDeposits: text('paused_deposits').notNull().default('{"networks":[],"assets":[]}'),
  reviewThreshold: atoms('review_threshold'),
  fees: text().notNull().default('{}'),
  minimums: text().notNull().default('{}'),
  spreadBps: integer('spread_bps'),
  fallbackPrices: text('fallback_prices').notNull().default('{}'),
  depositMinimums: text('deposit_minimums').notNull().default('{}'),
  approvalAbove: text('approval_above').notNull().default('{}'),
  revision: integer().notNull().default(0),
  ledger: integer().notNull().default(0),
  shares: text().notNull(),
  openingWeights: text('opening_weights').notNull().default('{"0":1}'),
  haltedCoins: text('halted_coins').notNull().default('[]'),
  coinTerms: text('coin_terms').notNull().default('{}'),
  hedgingHalted: integer('hedging_halted', { mode: 'boolean' }).notNull().default(false),
  dailyHedgeVolume: atoms('daily_hedge_volume'),
  dailyLoss: atoms('daily_loss'),
  maxAtVenues: atoms('max_at_venues'),
  notice: text().notNull().default('null'),
  hasTwoAdmins: integer('has_two_admins', { mode: 'boolean' }).notNull().default(false),
});

/** Recoveries that two of the exchange's people have agreed to. */
export const allowedRecoveries = sqliteTable('allowed_recoveries', {
  accountId: text('account_id').primaryKey(),
  expiresAt: integer('expires_at').notNull(),
});

/** Who may become the holder of an account that has none. */
export const invitations = sqliteTable('invitations', {
  accountId: text('account_id').primaryKey(),
  address: text().notNull(),
  expiresAt: integer('expires_at').notNull(),
  byTwo: integer('by_two').notNull(),
});

export const audit = sqliteTable('audit', {
  id: integer().primaryKey(),
  ts: integer().notNull(),
  role: text().notNull(),
  action: text().notNull(),
  target: text().notNull(),
  detail: text().notNull(),
  actor: text(),
  proposal: text(),
  request: text(),
});

export const staff = sqliteTable('staff', {
  email: text().primaryKey(),
  roles: text().notNull(),
  changedAt: integer('changed_at').notNull(),
});

export const proposals = sqliteTable('proposals', {
  id: text().primaryKey(),
  method: text().notNull(),
  path: text().notNull(),
  body: text().notNull(),
  digest: text().notNull(),
  duty: text().notNull(),
  proposedBy: text('proposed_by').notNull(),
  proposedAt: integer('proposed_at').notNull(),
  expiresAt: integer('expires_at').notNull(),
  status: text({ enum: ['OPEN', 'APPROVED', 'DECLINED', 'EXPIRED'] }).notNull(),
  decidedBy: text('decided_by'),
  decidedAt: integer('decided_at'),
  reason: text(),
});

/** The credits and deposits that one person has entered by hand alone, for a day. */
export const handCredits = sqliteTable('hand_credits', {
  person: text().notNull(),
  asset: text().notNull(),
  enteredAt: integer('entered_at').notNull(),
  amount: atoms().notNull(),
});

export const operatorRequests = sqliteTable('operator_requests', {
  caller: text().notNull(),
  idempotencyKey: text('idempotency_key').notNull(),
  fingerprint: text().notNull(),
  recordId: text('record_id').notNull(),
});

import { type SQL, sql } from 'drizzle-orm';
import {
  type AnySQLiteColumn,
  customType,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { Asset, Coin } from '../money/assets.ts';
import type { Network } from '../money/networks.ts';

/**
 * The tables for Drizzle. The migrations define the database: they also have what Drizzle cannot express (STRICT,
 * WITHOUT ROWID, triggers, checks). A test compares the two.
 */

/**
 * A 64-bit amount. It is written as text, which a STRICT INTEGER column stores exactly. It must be read through
 * `exactly`, because D1 returns an integer column as a JavaScript number, which is not exact above 2^53.
 */
const atoms = customType<{ data: bigint; driverData: string }>({
  dataType: () => 'integer',
  toDriver: (value) => value.toString(),
  fromDriver: () => {
    throw new TypeError('a column of atoms is selected through exactly()');
  },
});

/** Selects a column of atoms without loss; NULL stays null. */
export function exactly(column: AnySQLiteColumn<{ notNull: true }>): SQL<bigint>;
export function exactly(column: AnySQLiteColumn): SQL<bigint | null>;
export function exactly(column: AnySQLiteColumn): SQL<bigint | null> {
  return sql`CAST(${column} AS TEXT)`.mapWith((value: string) => BigInt(value));
}

export const accounts = sqliteTable(
  'accounts',
  {
    id: text().primaryKey(),
    addressIndex: integer('address_index').notNull().unique(),
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
  },
  (table) => [
    index('accounts_by_label').on(table.label),
    uniqueIndex('accounts_by_external_id')
      .on(table.externalId)
      .where(sql`external_id IS NOT NULL`),
  ],
);

export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text().primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
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
  },
  (table) => [index('api_keys_of_account').on(table.accountId, table.kind, table.id)],
);

export const settings = sqliteTable('settings', {
  id: integer().primaryKey(),
  tradingHalted: integer('trading_halted', { mode: 'boolean' }).notNull().default(false),
  withdrawalsHalted: integer('withdrawals_halted', { mode: 'boolean' }).notNull().default(false),
  allowlistMode: text('allowlist_mode', { enum: ['off', 'strict'] }),
  pausedNetworks: text('paused_networks').notNull().default('[]'),
  reviewThreshold: atoms('review_threshold'),
  fees: text().notNull().default('{}'),
  minimums: text().notNull().default('{}'),
  spreadBps: integer('spread_bps'),
  fallbackPrices: text('fallback_prices').notNull().default('{}'),
  depositMinimums: text('deposit_minimums').notNull().default('{}'),
  approvalAbove: text('approval_above').notNull().default('{}'),
});

/** Recoveries that two of the exchange's people have agreed to. */
export const allowedRecoveries = sqliteTable('allowed_recoveries', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id),
  expiresAt: integer('expires_at').notNull(),
});

export const audit = sqliteTable(
  'audit',
  {
    id: integer().primaryKey(),
    ts: integer().notNull(),
    role: text().notNull(),
    action: text().notNull(),
    target: text().notNull(),
    detail: text().notNull(),
    actor: text(),
    proposal: text(),
    request: text(),
  },
  (table) => [index('audit_of_target').on(table.target)],
);

export const staff = sqliteTable('staff', {
  email: text().primaryKey(),
  roles: text().notNull(),
  changedAt: integer('changed_at').notNull(),
});

export const proposals = sqliteTable(
  'proposals',
  {
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
  },
  (table) => [
    index('proposals_by_status').on(table.status, table.id),
    uniqueIndex('proposals_once')
      .on(table.digest)
      .where(sql`status = 'OPEN'`),
  ],
);

export const operatorRequests = sqliteTable(
  'operator_requests',
  {
    caller: text().notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    fingerprint: text().notNull(),
    recordId: text('record_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.caller, table.idempotencyKey] })],
);

export const statements = sqliteTable('statements', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id),
  madeAt: integer('made_at').notNull(),
});

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

export const transfers = sqliteTable('transfers', {
  id: integer().primaryKey(),
  debit: text().notNull(),
  credit: text().notNull(),
  asset: text().$type<Asset>().notNull(),
  amount: atoms().notNull(),
  kind: text({ enum: ['order', 'deposit', 'withdrawal', 'settlement'] }).notNull(),
  reference: text().notNull(),
  ts: integer()
    .notNull()
    .default(sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`),
});

export const orders = sqliteTable(
  'orders',
  {
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    id: text().notNull(),
    coin: text().$type<Coin>().notNull(),
    side: text({ enum: ['BUY', 'SELL'] }).notNull(),
    executedPrice: atoms('executed_price').notNull(),
    coinAmount: atoms('coin_amount').notNull(),
    usdtAmount: atoms('usdt_amount').notNull(),
    status: text({ enum: ['COMPLETED', 'FAILED'] }).notNull(),
    priceRound: integer('price_round').notNull(),
    keyId: text('key_id').notNull(),
    firstTransfer: integer('first_transfer'),
    middlePrice: atoms('middle_price'),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.id] })],
);

export const deposits = sqliteTable(
  'deposits',
  {
    accountId: text('account_id').notNull(),
    id: text().notNull(),
    type: text({ enum: ['ONCHAIN_DEPOSIT', 'INTERNAL_DEPOSIT'] }).notNull(),
    asset: text().notNull(),
    amount: atoms().notNull(),
    usdValue: atoms('usd_value').notNull(),
    status: text({ enum: ['PENDING', 'COMPLETED', 'FAILED', 'QUARANTINED'] }).notNull(),
    reason: text({ enum: ['unknown_address', 'unsupported_asset', 'below_minimum', 'inner_payment', 'supply_cap'] }),
    reference: text(),
    withdrawalId: text('withdrawal_id'),
    network: text().$type<Network>(),
    txHash: text('tx_hash'),
    outputIndex: integer('output_index'),
    address: text(),
    exactAmount: text('exact_amount'),
    confirmations: integer(),
    transfer: integer(),
    decision: text({ enum: ['KEPT', 'CREDITED'] }),
    creditAccount: text('credit_account'),
    creditId: text('credit_id'),
    creditUsdValue: atoms('credit_usd_value'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.id] }),
    uniqueIndex('deposits_once_per_reference')
      .on(table.accountId, table.reference)
      .where(sql`reference IS NOT NULL`),
    uniqueIndex('deposits_once_per_output')
      .on(table.network, table.txHash, table.outputIndex)
      .where(sql`network IS NOT NULL`),
    index('deposits_open')
      .on(table.status, table.id)
      .where(sql`status IN ('PENDING', 'QUARANTINED') AND reason IS NOT 'below_minimum' AND decision IS NULL`),
    index('deposits_decided')
      .on(table.decision, table.id)
      .where(sql`decision IS NOT NULL`),
    index('deposits_credited')
      .on(table.creditAccount, table.creditId)
      .where(sql`credit_id IS NOT NULL`),
  ],
);

/**
 * Count and sum of the deposits below the minimum. The sum is in three parts: whole units, 10^-9 and 10^-18 of a unit.
 */
export const dust = sqliteTable(
  'dust',
  {
    asset: text().$type<Asset>().notNull(),
    network: text().$type<Network>().notNull(),
    deposits: integer().notNull().default(0),
    units: atoms().notNull().default(0n),
    billionths: atoms().notNull().default(0n),
    quintillionths: atoms().notNull().default(0n),
  },
  (table) => [primaryKey({ columns: [table.asset, table.network] })],
);

export const totp = sqliteTable('totp', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id),
  sealedSecret: text('sealed_secret'),
  confirmedAt: integer('confirmed_at'),
  usedStep: integer('used_step').notNull().default(0),
  attempts: integer().notNull().default(0),
  lockedUntil: integer('locked_until').notNull().default(0),
});

export const allowlist = sqliteTable(
  'allowlist',
  {
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    id: text().notNull(),
    network: text().$type<Network>().notNull(),
    address: text().notNull(),
    label: text().notNull(),
    usableAt: integer('usable_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.id] }),
    uniqueIndex('allowlist_once_per_address').on(table.accountId, table.network, table.address),
  ],
);

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

/** The directory, of ledger 0 alone: see 0011_directory.sql. */
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

export const withdrawals = sqliteTable(
  'withdrawals',
  {
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    id: text().notNull(),
    type: text({ enum: ['ONCHAIN_WITHDRAWAL', 'INTERNAL_WITHDRAWAL'] }).notNull(),
    asset: text().$type<Asset>().notNull(),
    network: text().$type<Network>().notNull(),
    address: text().notNull(),
    amount: atoms().notNull(),
    fee: atoms().notNull(),
    usdValue: atoms('usd_value').notNull(),
    status: text({ enum: ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'] }).notNull(),
    committedAt: integer('committed_at').notNull(),
    totpStep: integer('totp_step'),
    allowlistRequired: integer('allowlist_required', { mode: 'boolean' }).notNull(),
    txHash: text('tx_hash'),
    reason: text(),
    dailyLimit: atoms('daily_limit').notNull(),
    keyId: text('key_id').notNull(),
    releasedAt: integer('released_at'),
    asks: integer().notNull().default(0),
    nextAskAt: integer('next_ask_at'),
    recipient: text().references(() => accounts.id),
    receiptId: text('receipt_id'),
    takenTransfer: integer('taken_transfer').notNull(),
    paidTransfer: integer('paid_transfer'),
    returnedTransfer: integer('returned_transfer'),
    heldReason: text('held_reason'),
    heldSince: integer('held_since'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.id] }),
    index('withdrawals_open')
      .on(table.status, table.id)
      .where(sql`status IN ('PENDING', 'PROCESSING')`),
    index('withdrawals_to_ask')
      .on(table.nextAskAt)
      .where(sql`status = 'PROCESSING'`),
    uniqueIndex('withdrawals_by_id').on(table.id),
  ],
);

export const settlements = sqliteTable(
  'settlements',
  {
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    id: text().notNull(),
    type: text({ enum: ['P2P_BUY', 'P2P_SELL', 'QUICK_BUY', 'QUICK_SELL'] }).notNull(),
    counterparty: text().notNull(),
    coin: text().$type<Coin>().notNull(),
    coinAmount: atoms('coin_amount').notNull(),
    usdtAmount: atoms('usdt_amount').notNull(),
    reference: text().notNull(),
    firstTransfer: integer('first_transfer').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.id] }),
    uniqueIndex('settlements_once_per_reference')
      .on(table.reference)
      .where(sql`type <> 'P2P_SELL'`),
  ],
);

export const violations = sqliteTable('reconciliation_violations', {
  id: text().primaryKey(),
  invariant: text().notNull(),
  pass: integer().notNull(),
  foundAt: integer('found_at').notNull(),
  examples: text().notNull(),
  clearedAt: integer('cleared_at'),
  reason: text(),
});

export const payoutClaims = sqliteTable(
  'payout_claims',
  {
    accountId: text('account_id').notNull(),
    withdrawalId: text('withdrawal_id').notNull(),
    claimedBy: text('claimed_by').notNull(),
    claimedAt: integer('claimed_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.withdrawalId] }),
    foreignKey({
      columns: [table.accountId, table.withdrawalId],
      foreignColumns: [withdrawals.accountId, withdrawals.id],
    }),
  ],
);

export const listeners = sqliteTable('listeners', {
  accountId: text('account_id').primaryKey(),
  since: integer().notNull().default(0),
});

export const events = sqliteTable(
  'events',
  {
    accountId: text('account_id').notNull(),
    sequence: integer().notNull(),
    type: text().notNull(),
    subject: text().notNull(),
    detail: text(),
    ts: integer()
      .notNull()
      .default(sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.sequence] })],
);

export const webhookEndpoints = sqliteTable(
  'webhook_endpoints',
  {
    accountId: text('account_id').notNull(),
    id: text().notNull(),
    url: text().notNull(),
    description: text().notNull(),
    types: text().notNull(),
    status: text({ enum: ['enabled', 'disabled'] })
      .notNull()
      .default('enabled'),
    reason: text({ enum: ['gone', 'failing'] }),
    sealedSecret: text('sealed_secret').notNull(),
    previousSecrets: text('previous_secrets').notNull().default('[]'),
    delivered: integer().notNull(),
    dueAt: integer('due_at').notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.id] }),
    uniqueIndex('webhook_endpoints_once_per_url').on(table.accountId, table.url),
    index('webhook_endpoints_due')
      .on(table.dueAt)
      .where(sql`status = 'enabled'`),
  ],
);

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Asset, Coin } from '../../money/assets.ts';
import type { Network } from '../../money/networks.ts';
import { atoms } from './columns.ts';

/* The records that move money. */

export const statements = sqliteTable('statements', {
  accountId: text('account_id').primaryKey(),
  madeAt: integer('made_at').notNull(),
});

export const orders = sqliteTable('orders', {
  accountId: text('account_id').notNull(),
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
  admittedAt: integer('admitted_at').notNull(),
  priceAsOf: integer('price_as_of').notNull(),
  /** The client's own name for it. */
  clientOrderId: text('client_order_id'),
});

/** Only within the batch of orders that writes it; see `commitOrders`. */
export const refusedOrders = sqliteTable('refused_orders', {
  id: text().primaryKey(),
  reason: text().notNull(),
  figure: integer(),
  firstId: text('first_id'),
});

export const witnessedDeposits = sqliteTable('witnessed_deposits', {
  network: text().$type<Network>().notNull(),
  txHash: text('tx_hash').notNull(),
  outputIndex: integer('output_index').notNull(),
  address: text().notNull(),
  asset: text().notNull(),
  exactAmount: text('exact_amount').notNull(),
  confirmations: integer().notNull(),
});

export const deposits = sqliteTable('deposits', {
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
  agreedBy: integer('agreed_by').$type<1 | 2>(),
  creditedAt: integer('credited_at'),
  singleBound: atoms('single_bound'),
});

/**
 * Count and sum of the deposits below the minimum. The sum is in three parts: whole units, 10^-9 and 10^-18 of a unit.
 */
export const dust = sqliteTable('dust', {
  asset: text().$type<Asset>().notNull(),
  network: text().$type<Network>().notNull(),
  deposits: integer().notNull().default(0),
  units: atoms().notNull().default(0n),
  billionths: atoms().notNull().default(0n),
  quintillionths: atoms().notNull().default(0n),
});

export const withdrawals = sqliteTable('withdrawals', {
  accountId: text('account_id').notNull(),
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
  /** What the exchange told the holder about a rejection. */
  note: text(),
  dailyLimit: atoms('daily_limit').notNull(),
  keyId: text('key_id').notNull(),
  /** When the database last released it for payment. */
  releasedAt: integer('released_at'),
  asks: integer().notNull().default(0),
  nextAskAt: integer('next_ask_at'),
  /** The account of this exchange that it is paid to, and the id of its receipt, once that is drawn. */
  recipient: text(),
  receiptId: text('receipt_id'),
  takenTransfer: integer('taken_transfer').notNull(),
  paidTransfer: integer('paid_transfer'),
  returnedTransfer: integer('returned_transfer'),
  /** Why the custodian waits before it pays, and since when Bureau knows it. */
  heldReason: text('held_reason'),
  heldSince: integer('held_since'),
  /** Who pays it by hand. */
  claimedBy: text('claimed_by'),
  claimedAt: integer('claimed_at'),
  clientOrderId: text('client_order_id'),
});

export const settlements = sqliteTable('settlements', {
  accountId: text('account_id').notNull(),
  id: text().notNull(),
  type: text({ enum: ['P2P_BUY', 'P2P_SELL', 'QUICK_BUY', 'QUICK_SELL'] }).notNull(),
  counterparty: text().notNull(),
  coin: text().$type<Coin>().notNull(),
  coinAmount: atoms('coin_amount').notNull(),
  usdtAmount: atoms('usdt_amount').notNull(),
  reference: text().notNull(),
  firstTransfer: integer('first_transfer').notNull(),
});

import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Asset, Coin } from '../../money/assets.ts';
import { atoms } from './columns.ts';

/* What the house does with its own money. */

export const fundings = sqliteTable('fundings', {
  accountId: text('account_id').notNull(),
  id: text().notNull(),
  source: text().notNull(),
  asset: text().$type<Asset>().notNull(),
  amount: atoms().notNull(),
  reference: text().notNull(),
  transfer: integer().notNull(),
});

export const hedges = sqliteTable('hedges', {
  accountId: text('account_id').notNull(),
  id: text().notNull(),
  coin: text().$type<Coin>().notNull(),
  side: text({ enum: ['BUY', 'SELL'] }).notNull(),
  coinAmount: atoms('coin_amount').notNull(),
  limitPrice: atoms('limit_price').notNull(),
  middlePrice: atoms('middle_price').notNull(),
  setAside: atoms('set_aside').notNull(),
  sendBy: integer('send_by').notNull(),
  status: text({ enum: ['OPEN', 'DEALT', 'NEVER'] }).notNull(),
  dealtCoin: atoms('dealt_coin').notNull().default(0n),
  dealtUsdt: atoms('dealt_usdt').notNull().default(0n),
  feeAsset: text('fee_asset').$type<Asset>(),
  fee: atoms().notNull().default(0n),
  venueReference: text('venue_reference'),
  reason: text(),
  endedAt: integer('ended_at'),
  takenTransfer: integer('taken_transfer').notNull(),
  endedTransfer: integer('ended_transfer'),
});

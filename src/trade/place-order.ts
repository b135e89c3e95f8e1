import { z } from '@hono/zod-openapi';
import { sql } from 'drizzle-orm';
import { type Answer, answerJson } from '../http/answer.ts';
import { type Outcome, type Refusal, accept, refuse } from '../http/refusal.ts';
import { accountFrozen } from '../keys/admission.ts';
import { type CommitOutcome, commit } from '../ledger/commit.ts';
import type { Database } from '../ledger/database.ts';
import { bindPrepared, prepareOnce } from '../ledger/prepare-once.ts';
import { timeOfRecord } from '../ledger/record-id.ts';
import { orders } from '../ledger/schema.ts';
import type { Settings } from '../ledger/settings.ts';
import { house } from '../ledger/transfers.ts';
import { firmPrice } from '../markets/firm-price.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import { type Asset, type Coin, QUOTE_ASSET, findCoin, scaleOf, upperSymbol } from '../money/assets.ts';
import { AMOUNT_SYNTAX, type Atoms, parseAmount } from '../money/amounts.ts';
import type { Price } from '../money/prices.ts';
import { type Fill, type Mode, type Side, fill } from './fill.ts';
import type { LiquidityProvider } from './liquidity/liquidity-provider.ts';
import { type OrderBounds, checkBounds } from './order-bounds.ts';
import { type OrderRow, showOrder } from './order.ts';

/** The longest symbol that is looked up. */
const MAX_SYMBOL_LENGTH = 32;

/** The body of POST /api/v1/orders. */
export const PlaceOrder = z
  .strictObject({
    coin: z
      .string()
      .min(1)
      .max(MAX_SYMBOL_LENGTH)
      .transform(upperSymbol)
      .openapi({ description: 'Base symbol, in any case; the order is against USDT', example: 'BTC' }),
    side: z.enum(['BUY', 'SELL']),
    mode: z
      .enum(['COIN_QTY', 'USDT_AMOUNT'])
      .openapi({ description: 'What `value` is: a quantity of the coin, or USDT' }),
    value: z
      .string()
      .regex(AMOUNT_SYNTAX, 'is not a plain decimal string such as "0.015"')
      .openapi({ description: 'Never a JSON number; no more decimals than the asset has', example: '0.002' }),
  })
  .openapi('PlaceOrder');

export type PlaceOrder = z.output<typeof PlaceOrder>;

/** What an order is decided on: the prices and the settings of the moment. */
export interface TradingConditions {
  /** `undefined` when the price hub could not be reached. */
  readonly snapshot: MarketSnapshot | undefined;
  readonly settings: Settings;
}

/** What deciding an order needs from around it. */
export interface TradingDesk {
  readonly liquidity: LiquidityProvider;
  /** The spread where the operator's settings name none, in hundredths of a percent. */
  readonly spread_bps: number;
  boundsOf(coin: Coin): OrderBounds;
  /** Reads prices and settings, at most seconds old; refuses with `service_unavailable`. */
  readConditions(coin: Coin): Promise<Outcome<TradingConditions>>;
  now(): number;
}

/** An order that may be committed: everything that the batch will write. */
export interface OrderPlan extends Fill {
  readonly coin: Coin;
  readonly side: Side;
  readonly executedPrice: Price;
}

/**
 * Decides an order without any effect: rules, quote, fill. Refuses, in this order, with `symbol_not_supported`,
 * `precision_exceeded`, `amount_below_minimum`, `amount_above_maximum`, `service_unavailable`, `trading_halted`,
 * `price_unavailable`.
 */
export async function planOrder(order: PlaceOrder, desk: TradingDesk): Promise<Outcome<OrderPlan>> {
  const coin = findCoin(order.coin);
  if (!coin) {
    return refuse('symbol_not_supported', `There is no market ${order.coin}-${QUOTE_ASSET}.`);
  }
  const value = readValue(order, coin);
  if (!value.ok) return value;
  const bounds = desk.boundsOf(coin);
  if (order.mode === 'USDT_AMOUNT') {
    const bounded = checkBounds(value.value, bounds);
    if (!bounded.ok) return bounded;
  }

  const conditions = await desk.readConditions(coin);
  if (!conditions.ok) return conditions;
  const { snapshot, settings } = conditions.value;
  if (settings.tradingHalted) return { ok: false, refusal: tradingHalted };
  const firm = snapshot && firmPrice(snapshot, coin, desk.now());
  if (!firm) return noFirmPrice(coin);
  const executedPrice = desk.liquidity.quote(order.side, firm, settings.spreadBps ?? desk.spread_bps);
  if (executedPrice <= 0n) return noFirmPrice(coin);

  const amounts = fill(coin, order.side, order.mode, value.value, executedPrice);
  const bounded = checkBounds(amounts.usdtAmount, bounds);
  if (!bounded.ok) return bounded;
  if (amounts.coinAmount === 0n) {
    return refuse('amount_below_minimum', `The order is worth less than the smallest amount of ${coin}.`);
  }
  return accept({ coin, side: order.side, executedPrice, ...amounts });
}

function noFirmPrice(coin: Coin) {
  const detail = `There is no firm price of ${coin} at the moment; no order is filled without one.`;
  return refuse('price_unavailable', detail, { retryAfterSeconds: 1 });
}

function readValue(order: PlaceOrder, coin: Coin): Outcome<Atoms> {
  const asset: Asset = fixedAsset(order.mode, coin);
  const value = parseAmount(order.value, scaleOf(asset));
  if (value !== undefined) return accept(value);
  return refuse('precision_exceeded', `An amount of ${asset} has at most ${scaleOf(asset)} decimals.`);
}

function fixedAsset(mode: Mode, coin: Coin): Asset {
  return mode === 'COIN_QTY' ? coin : QUOTE_ASSET;
}

/** Writes the order and its two transfers in one batch. The record's id is the order's, its time the order's time. */
export function commitOrder(
  database: Database,
  accountId: string,
  orderId: string,
  plan: OrderPlan,
): Promise<CommitOutcome> {
  const [coinFrom, coinTo] = plan.side === 'BUY' ? [house.liquidity, accountId] : [accountId, house.liquidity];
  const common = { kind: 'order', reference: orderId, ts_ms: timeOfRecord(orderId) } as const;
  const pays = { ...common, debit: coinTo, credit: coinFrom, asset: QUOTE_ASSET, amount: plan.usdtAmount } as const;
  const delivers = { ...common, debit: coinFrom, credit: coinTo, asset: plan.coin, amount: plan.coinAmount } as const;
  // What the client gives comes first, so that a balance too small is told before an inventory that is.
  const [first, second] = plan.side === 'BUY' ? [pays, delivers] : [delivers, pays];
  return commit(
    database,
    [bindPrepared(insertOrder(database), { accountId, ...toRow(orderId, plan) })],
    [first, second],
  );
}

const insertOrder = prepareOnce((database) =>
  database
    .insert(orders)
    .values({
      accountId: sql.placeholder('accountId'),
      id: sql.placeholder('id'),
      coin: sql.placeholder('coin'),
      side: sql.placeholder('side'),
      executedPrice: sql.placeholder('executedPrice'),
      coinAmount: sql.placeholder('coinAmount'),
      usdtAmount: sql.placeholder('usdtAmount'),
      status: sql.placeholder('status'),
    })
    .prepare(),
);

function toRow(orderId: string, plan: OrderPlan): OrderRow {
  return { id: orderId, ...plan, status: 'COMPLETED' };
}

/** The answer to a placed order: 201, where it can be read, and the order. */
export function answerOrder(row: OrderRow): Answer {
  return answerJson(201, { order: showOrder(row) }, { Location: `/api/v1/orders/${row.id}` });
}

/** The answer to an order that was just committed; the same as the one from its row. */
export function answerPlan(orderId: string, plan: OrderPlan): Answer {
  return answerOrder(toRow(orderId, plan));
}

/** The refusal of whatever trades while the operator has trading halted. */
export const { refusal: tradingHalted } = refuse('trading_halted', 'Trading is halted by the operator.', {
  retryAfterSeconds: 60,
});

/** The refusal of what would take the house's inventory below its floor. */
export const { refusal: houseIsFull } = refuse(
  'order_rejected',
  'The house takes no more of this position at the moment.',
);

/** What the database's refusal of an order means for the client. */
export function explainOrderRefusal(
  refusal: Extract<CommitOutcome, { kind: 'floor' | 'guarded' }>,
  accountId: string,
): Refusal {
  if (refusal.kind === 'floor') {
    return refusal.account === accountId
      ? refuse('insufficient_balance', `The balance of ${refusal.asset} is too small for this order.`).refusal
      : houseIsFull;
  }
  if (refusal.guard === 'account_frozen') return accountFrozen.refusal;
  if (refusal.guard === 'trading_halted') return tradingHalted;
  throw new Error(`an order met the guard ${refusal.guard}`);
}

/** What a client is told when the outcome of an order stays open for now. */
export function describeUnknownOrder(orderId: string): Refusal {
  return refuse(
    'outcome_unknown',
    'It is not known yet whether the order was placed. Repeat the request with the same Idempotency-Key, or read the order by its id.',
    { retryAfterSeconds: 1, members: { orderId } },
  ).refusal;
}

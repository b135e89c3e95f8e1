import { MANY_VOTES, type OrderPrice } from '../markets/ripe-price.ts';
import {
  type Price,
  divideDown,
  divideUp,
  type Atoms,
  parseAmount,
  PRICE_SCALE,
  formatPrice,
} from '../money/amounts.ts';
import { type Side, type Fill, type Mode, fill, type BoundsOf, checkBounds, type PlaceOrder } from './terms.ts';
import { type Outcome, accept, refuse, refusePrecision } from '../http/answer.ts';
import type { Settings } from '../db/settings.ts';
import { type TradingContext, boundsInForce, spreadInForce } from './in-force.ts';
import { type Asset, type Coin, QUOTE_ASSET, findCoin, scaleOf } from '../money/assets.ts';

const BASIS = 10_000n;

/**
 * The price at which the house fills an order of this side from its own inventory, 8 decimals; 0 or less when it fills
 * none: the market's price, with the spread (in hundredths of a percent) and half of the dispersion on the client's side of
 * it, rounded against the client. The dispersion is included because the market's price is known no more exactly. Pure.
 */
export function quotePrice(side: Side, market: OrderPrice, spread_bps: number): Price {
  const spread = BigInt(spread_bps);
  const half = divideUp(market.dispersion, 2n);
  return side === 'BUY'
    ? divideUp(market.price * (BASIS + spread), BASIS) + half
    : divideDown(market.price * (BASIS - spread), BASIS) - half;
}

/**
 * What an order costs beside the middle price, which it may lack: the distance in hundredths of a percent, rounded to two
 * decimals. Pure.
 */
export function showCost(
  side: Side,
  executed: Price,
  middle: Price | null,
): { midPrice: string; spreadBps: number } | undefined {
  if (middle === null) return undefined;
  const difference = side === 'BUY' ? executed - middle : middle - executed;
  const hundredths = divideDown(difference * 1_000_000n + middle / 2n, middle);
  return { midPrice: formatPrice(middle), spreadBps: Number(hundredths) / 100 };
}

/** The parts of an order that need no price. */
export interface OrderTerms {
  readonly coin: Coin;
  readonly side: Side;
  readonly mode: Mode;
  /** In atoms of the coin or of USDT, depending on `mode`. */
  readonly value: Atoms;
  readonly limitPrice: Price | null;
  /** The client's own name for the order. */
  readonly clientOrderId: string | null;
}

/** An order that may be committed: everything that the batch writes, except who placed it. */
export interface OrderPlan extends Fill {
  readonly coin: Coin;
  readonly side: Side;
  readonly executedPrice: Price;
  /** The market's price, without spread. */
  readonly middlePrice: Price;
  /** The number of the round of prices that it was planned at. */
  readonly priceRound: number;
  /** As of when the price is, by the gate's clock. */
  readonly priceAsOf_ms: number;
  readonly clientOrderId: string | null;
}

/**
 * Reads the parts of an order that need no price. Refuses, in this order, with `symbol_not_supported`,
 * `precision_exceeded`, `amount_below_minimum`, `amount_above_maximum`. Pure.
 */
export function readTerms(order: PlaceOrder, boundsOf: BoundsOf): Outcome<OrderTerms> {
  const coin = findCoin(order.coin);
  if (!coin) {
    return refuse('symbol_not_supported', `There is no market ${order.coin}-${QUOTE_ASSET}.`);
  }
  const asset: Asset = order.mode === 'COIN_QTY' ? coin : QUOTE_ASSET;
  const value = parseAmount(order.value, scaleOf(asset));
  if (value === undefined) return refusePrecision(asset);
  const limitPrice = order.limitPrice === undefined ? null : parseAmount(order.limitPrice, PRICE_SCALE);
  if (limitPrice === undefined) {
    return refuse('precision_exceeded', `A price has at most ${PRICE_SCALE} decimals.`);
  }
  if (order.mode === 'USDT_AMOUNT') {
    const bounded = checkBounds(value, boundsOf(coin));
    if (!bounded.ok) return bounded;
  }
  const { side, mode, clientOrderId = null } = order;
  return accept({ coin, side, mode, value, limitPrice, clientOrderId });
}

/** A price of fewer votes is easier to bend, and an order at it is at most this part of the largest. */
const FEW_VOTES_DIVISOR = 10n;

/**
 * Plans an order at a price and settings, without any effect: halt, price, quote, limit, fill. Without a price there is
 * none that the order may fill at. Refuses, in this order, with `trading_halted`, `price_unavailable`,
 * `price_limit_exceeded`, `amount_below_minimum`, `amount_above_maximum`. Pure.
 */
export function planOrder(
  terms: OrderTerms,
  market: OrderPrice | undefined,
  settings: Settings,
  context: TradingContext,
): Outcome<OrderPlan> {
  const { coin, side, mode, value, limitPrice, clientOrderId } = terms;
  if (settings.tradingHalted || settings.haltedCoins.includes(coin)) return tradingHalted;
  if (!market) return noFirmPrice(coin);
  const executedPrice = quotePrice(side, market, spreadInForce(coin, settings, context));
  if (executedPrice <= 0n) return noFirmPrice(coin);
  if (limitPrice !== null && (side === 'BUY' ? executedPrice > limitPrice : executedPrice < limitPrice)) {
    const limit = formatPrice(limitPrice);
    return refuse('price_limit_exceeded', `The order would fill at a price worse than its limit of ${limit} USDT.`);
  }

  const amounts = fill(coin, side, mode, value, executedPrice);
  const { min, max } = boundsInForce(coin, settings, context.boundsOf);
  const bounds = { min, max: market.votes < MANY_VOTES ? max / FEW_VOTES_DIVISOR : max };
  const bounded = checkBounds(amounts.usdtAmount, bounds);
  if (!bounded.ok) return bounded;
  if (amounts.coinAmount === 0n) {
    return refuse('amount_below_minimum', `The order is worth less than the smallest amount of ${coin}.`);
  }
  const { price: middlePrice, round: priceRound, asOf_ms: priceAsOf_ms } = market;
  return accept({ coin, side, executedPrice, middlePrice, ...amounts, priceRound, priceAsOf_ms, clientOrderId });
}

export const tradingHalted = refuse('trading_halted', 'Trading, or that of this coin, is halted by the operator.', {
  retryAfterSeconds: 60,
});

/** The refusal of an order whose name another order of the account has. */
export function refuseReused(orderId: string) {
  const members = { orderId };
  return refuse('client_order_id_reused', 'Another order of this account has this clientOrderId.', { members });
}

export function noFirmPrice(coin: Coin) {
  const detail = `There is no firm price of ${coin} at the moment; no order is filled without one.`;
  return refuse('price_unavailable', detail, { retryAfterSeconds: 1 });
}

import { type Coin, findCoin, scaleOf } from '../../src/money/assets.ts';
import { HEDGED_SPREAD, hedgedCoins } from './follow-hedges.ts';
import { houseOfAccount } from './house-of.ts';
import { readDecimal } from './read-decimal.ts';
import type { ModelAccount, Post } from './model.ts';
import type { Movement } from './movement.ts';
import type { World } from './world.ts';

/** An allowed answer to a request, and the movements that go with it. */
export interface Prediction {
  readonly status: number;
  readonly code: string | null;
  readonly movements: readonly Omit<Movement, 'reference'>[];
  readonly filled?: { readonly coin: Coin; readonly round: number; readonly middle: bigint };
}

export function refusal(status: number, code: string): Prediction {
  return { status, code, movements: [] };
}

const MIN = 1_000_000n;
const MAX = 50_000_000_000n;

function ceil(dividend: bigint, divisor: bigint): bigint {
  return dividend / divisor + (dividend % divisor === 0n ? 0n : 1n);
}

/** The allowed answers to an order now: one prediction for each price that it may be filled at. */
export function predictOrder(world: World, account: ModelAccount, request: Post): Prediction[] {
  const { body } = request;
  const coin = findCoin(body['coin'] ?? '');
  if (!coin) return [refusal(422, 'symbol_not_supported')];
  const byCoin = body['mode'] === 'COIN_QTY';
  const value = readDecimal(body['value'] ?? '', byCoin ? scaleOf(coin) : 6);
  if (value === undefined) return [refusal(422, 'precision_exceeded')];
  if (!byCoin && value < MIN) return [refusal(422, 'amount_below_minimum')];
  if (!byCoin && value > MAX) return [refusal(422, 'amount_above_maximum')];
  const halted = refusal(503, 'trading_halted');
  const isBuy = body['side'] === 'BUY';
  const isHedged = hedgedCoins.some((hedged) => hedged === coin);
  const spreads = isHedged ? [HEDGED_SPREAD] : world.settled.map(({ spreadBps }) => BigInt(spreadBps));
  const prices = world.market.fillPrices(coin).flatMap(({ round, price, dispersion, isOfMany }) =>
    spreads.map((spread) => {
      const half = ceil(dispersion, 2n);
      const quote = isBuy
        ? ceil(price * (10_000n + spread), 10_000n) + half
        : (price * (10_000n - spread)) / 10_000n - half;
      return { round, quote, middle: price, max: isOfMany ? MAX : MAX / 10n };
    }),
  );
  // A halt that was lifted seconds ago may still be in effect.
  const stale = world.settled.some(({ tradingHalted }) => tradingHalted) ? [halted] : [];
  const isNamed = world.model.isNamed(account.id, request);
  const fills = prices.map(({ round, quote, middle, max }) => ({
    ...predictFill(world, account, { coin, isBuy, byCoin, value, price: quote, max }),
    filled: { coin, round, middle },
  }));
  const ends = isNamed ? [refusal(422, 'client_order_id_reused')] : fills;
  if (!world.model.settings.tradingHalted) return [...ends, ...stale, ...withoutPrice(world)];
  // A gate that does not know of the halt yet still checks the amount first; the database refuses the order in any
  // case.
  const early = fills.filter(({ code }) => code?.startsWith('amount_'));
  return [halted, ...(isNamed && early.length > 0 ? ends : early), ...withoutPrice(world)];
}

function withoutPrice({ market }: World): Prediction[] {
  return market.mayBeWithoutFill() ? [refusal(503, 'price_unavailable')] : [];
}

interface OrderRequest {
  readonly coin: Coin;
  readonly isBuy: boolean;
  readonly byCoin: boolean;
  readonly value: bigint;
  readonly price: bigint;
  readonly max: bigint;
}

/** The rounded side is off by less than an atom, in the house's favour (I8). */
function predictFill(
  { model }: World,
  { id }: ModelAccount,
  { coin, isBuy, byCoin, value, price, max }: OrderRequest,
): Prediction {
  const unit = 10n ** BigInt(scaleOf(coin) + 8 - 6);
  const divide = (dividend: bigint, divisor: bigint, up: boolean) =>
    up ? ceil(dividend, divisor) : dividend / divisor;
  const coinAmount = byCoin ? value : divide(value * unit, price, !isBuy);
  const usdtAmount = byCoin ? divide(value * price, unit, isBuy) : value;
  if (usdtAmount < MIN) return refusal(422, 'amount_below_minimum');
  if (usdtAmount > max) return refusal(422, 'amount_above_maximum');
  if (coinAmount === 0n) return refusal(422, 'amount_below_minimum');
  const house = houseOfAccount(id);
  const pays = { debit: id, credit: house.liquidity, kind: 'order' } as const;
  const gets = { debit: house.liquidity, credit: id, kind: 'order' } as const;
  const [usdt, base] = [{ asset: 'USDT', amount: usdtAmount } as const, { asset: coin, amount: coinAmount } as const];
  const [given, taken] = isBuy ? [usdt, base] : [base, usdt];
  const movements = [
    { ...pays, ...given },
    { ...gets, ...taken },
  ] as const;
  const [first, second] = movements;
  if (!model.affords(id, first.asset, first.amount)) return refusal(422, 'insufficient_balance');
  if (!model.affords(house.liquidity, second.asset, second.amount)) return refusal(422, 'order_rejected');
  if (!isBuy && !model.accepts(house, coin, coinAmount)) return refusal(422, 'order_rejected');
  return { status: 201, code: null, movements };
}

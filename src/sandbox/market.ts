import { z } from '@hono/zod-openapi';
import { Amount } from '../http/wire-types.ts';
import { type Coin, coinSymbols } from '../money/assets.ts';
import { type Price, formatPrice, parsePrice } from '../money/amounts.ts';

/**
 * What the sources of the sandbox do: `up` answer, `down` do not answer at all, `disputed` answer with prices of which no
 * two agree.
 */
const SourcesState = z.enum(['up', 'down', 'disputed']);

const MovedPrice = Amount.refine((text) => parsePrice(text) !== undefined, 'is no price that a market could have');

export const MoveMarket = z
  .strictObject({
    prices: z
      .partialRecord(z.enum(coinSymbols), MovedPrice.nullable())
      .optional()
      .openapi({
        description: 'In USDT, by coin; null gives a coin back to the market',
        example: { BTC: '70000', ETH: null },
      }),
    sources: SourcesState.optional().openapi({
      description: '`down`: no source answers; `disputed`: no two sources agree on a price; `up`: all is well',
      example: 'up',
    }),
  })
  .openapi('MoveMarket');

export type MoveMarket = z.output<typeof MoveMarket>;

export const MovedMarket = z
  .object({
    prices: z
      .partialRecord(z.enum(coinSymbols), z.string())
      .openapi({ description: 'The prices in USDT that the operator has set', example: { BTC: '70000' } }),
    sources: SourcesState.openapi({ example: 'up' }),
  })
  .openapi('MovedMarket');

export type MovedMarket = z.output<typeof MovedMarket>;

/** From when on a coin has a price of the operator's, or again the market's own (`null`). */
const Move = z.object({ at_ms: z.number(), price: z.bigint().positive().nullable() }).readonly();

export type Move = z.output<typeof Move>;

/** What the operator has done to the market. The moves of a coin are in the order of their times. */
export const MarketState = z
  .object({
    sources: SourcesState,
    moves: z.partialRecord(z.enum(coinSymbols), z.array(Move).readonly()).readonly(),
  })
  .readonly();

export type MarketState = z.output<typeof MarketState>;

export const untouchedMarket: MarketState = { sources: 'up', moves: {} };

/** How many moves of a coin are remembered, for its candles. */
const MOST_MOVES = 100;

export function moveMarket(market: MarketState, change: MoveMarket, now_ms: number): MarketState {
  const moved = Object.entries(change.prices ?? {}).map(([coin, text]) => {
    const move: Move = { at_ms: now_ms, price: text === null ? null : (parsePrice(text) ?? null) };
    return [coin, [...listMoves(market, coin as Coin), move].slice(-MOST_MOVES)] as const;
  });
  return { sources: change.sources ?? market.sources, moves: { ...market.moves, ...Object.fromEntries(moved) } };
}

export function listMoves(market: MarketState, coin: Coin): readonly Move[] {
  return market.moves[coin] ?? [];
}

/** The operator's price at an instant; `null` while the market has its own. */
export function findPrice(moves: readonly Move[], time_ms: number): Price | null {
  return moves.findLast(({ at_ms }) => at_ms <= time_ms)?.price ?? null;
}

export function showMarket(market: MarketState): MovedMarket {
  const prices = coinSymbols.flatMap((coin) => {
    const price = listMoves(market, coin).at(-1)?.price ?? null;
    return price === null ? [] : [[coin, formatPrice(price)] as const];
  });
  return { prices: Object.fromEntries(prices), sources: market.sources };
}

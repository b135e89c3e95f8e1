import { z } from '@hono/zod-openapi';
import { coinSymbols } from '../money/assets.ts';
import { Decimal, Timestamp, countUpTo } from '../http/wire-types.ts';
import { MAX_CANDLES } from './candles/candle-source.ts';
import { intervals } from './candles/interval.ts';

const DEFAULT_CANDLES = 500;

const CoinSymbol = z.enum(coinSymbols).openapi({ example: 'BTC' });
const Pair = z.string().openapi({ example: 'BTC-USDT' });
const MarketPrice = Decimal.openapi({ description: 'In USDT', example: '65000.12' });

export const Ticker = z
  .object({
    symbol: CoinSymbol,
    pair: Pair,
    name: z.string().openapi({ example: 'Bitcoin' }),
    price: MarketPrice,
    change24h: z.number().openapi({ description: 'A fraction: 0.0234 is +2.34 %', example: 0.0234 }),
    volume24h: Decimal.openapi({ description: 'In the base asset', example: '33278.39129' }),
    ts: Timestamp.openapi({ description: 'Time of the data' }),
    sources: z.array(z.string()).openapi({
      description: 'The venues that the price is made of; none for a fallback',
      example: ['binance', 'okx', 'kraken'],
    }),
    degraded: z
      .literal(true)
      .optional()
      .openapi({ description: 'Present only when no source answers and the price is the last one or a fallback' }),
  })
  .openapi('Ticker');

export type Ticker = z.output<typeof Ticker>;

const degraded = z.boolean().openapi({ description: 'Whether any ticker in the answer is degraded' });

export const TickerList = z.object({ tickers: z.array(Ticker), ts: Timestamp, degraded }).openapi('TickerList');

export type TickerList = z.output<typeof TickerList>;

export const TickerAnswer = z.object({ ticker: Ticker, degraded }).openapi('TickerAnswer');

export type TickerAnswer = z.output<typeof TickerAnswer>;

/** One candle; the last one of a list may still be running. */
const Candle = z
  .object({
    ts: Timestamp.openapi({ description: 'Start of the candle' }),
    open: MarketPrice,
    high: MarketPrice.openapi({ example: '65120' }),
    low: MarketPrice.openapi({ example: '64950.5' }),
    close: MarketPrice.openapi({ example: '65100' }),
    volume: Decimal.openapi({ description: 'In the base asset', example: '45.2031' }),
  })
  .openapi('Candle');

/** The answer of GET /api/v1/markets/{symbol}/candles, in ascending order. */
export const CandleList = z
  .object({ symbol: CoinSymbol, pair: Pair, interval: z.enum(intervals), candles: z.array(Candle) })
  .openapi('CandleList');

export type CandleList = z.output<typeof CandleList>;

/** The path of one market. Unknown symbols are 404; the handler decides. */
export const MarketPath = z.object({
  symbol: z.string().openapi({ description: 'Base symbol, in any case', example: 'BTC' }),
});

const Instant = z.iso.datetime().transform((text) => Date.parse(text));

/** The query of candles. */
export const CandleQuery = z
  .object({
    interval: z.enum(intervals).default('1h').openapi({ description: '`1m` is a minute, `1M` a month' }),
    limit: countUpTo(MAX_CANDLES, DEFAULT_CANDLES, 'How many candles').default(DEFAULT_CANDLES),
    startTime: Instant.optional().openapi({
      type: 'string',
      format: 'date-time',
      example: '2026-11-01T00:00:00Z',
      description: 'Only candles that start at this time or later, and of those the oldest',
    }),
    endTime: Instant.optional().openapi({
      type: 'string',
      format: 'date-time',
      example: '2026-11-21T12:00:00Z',
      description: 'Only candles that start at this time or earlier',
    }),
  })
  .refine(({ startTime, endTime }) => startTime === undefined || endTime === undefined || startTime <= endTime, {
    path: ['endTime'],
    message: 'is before startTime',
  });

export type CandleQuery = z.output<typeof CandleQuery>;

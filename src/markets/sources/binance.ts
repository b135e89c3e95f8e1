import { z } from 'zod';
import { type Coin, assets, coinSymbols } from '../../money/assets.ts';
import { parsePrice, parseVolume } from '../../money/prices.ts';
import type { CandleQuestion, CandleSource } from '../candles/candle-source.ts';
import { type RawCandle, normaliseCandles } from '../candles/normalise-candles.ts';
import { fetchJson } from './fetch-json.ts';
import { NumericText } from './numeric-text.ts';
import type { PriceSource, SourceTicker } from './price-source.ts';
import { SourceError } from './source-error.ts';

/** A row of `GET /api/v3/ticker/24hr` with `type=MINI`; `openPrice` is that of 24 hours ago, `volume` is in the base. */
const TickerRow = z.object({
  symbol: z.string(),
  lastPrice: NumericText,
  openPrice: NumericText.catch(''),
  volume: NumericText.catch(''),
  closeTime: z.int().positive(),
});

/** A row of `GET /api/v3/klines`: start, open, high, low, close, base volume, and more that Bureau does not use. */
const KlineRow = z.tuple([z.int(), NumericText, NumericText, NumericText, NumericText, NumericText], z.unknown());

const coinsBySymbol = new Map<string, Coin>(
  coinSymbols.flatMap((coin) => {
    const symbol = assets[coin].venueSymbols.binance;
    return symbol === null ? [] : [[symbol, coin] as const];
  }),
);

/** Prices from Binance's public market data at `baseUrl`: one request of weight 2 for all coins. */
export function createBinancePriceSource(baseUrl: string): PriceSource {
  const symbols = encodeURIComponent(JSON.stringify([...coinsBySymbol.keys()]));
  const url = `${baseUrl}/api/v3/ticker/24hr?symbols=${symbols}&type=MINI`;
  return {
    name: 'binance',
    fetchTickers: async (signal) => parseBinanceTickers(await fetchJson(url, signal)),
  };
}

/** Candles from Binance's public market data at `baseUrl`, which knows all 13 intervals by the same names. */
export function createBinanceCandleSource(baseUrl: string): CandleSource {
  return {
    name: 'binance',
    fetchCandles: async (question, signal, now_ms) => {
      const symbol = assets[question.coin].venueSymbols.binance;
      if (symbol === null) throw new SourceError('does not list the coin');
      const answer = await fetchJson(`${baseUrl}/api/v3/klines?${klineQuery(symbol, question)}`, signal);
      return normaliseCandles(parseBinanceKlines(answer), question, now_ms);
    },
  };
}

function klineQuery(symbol: string, { interval, limit, startTime_ms, endTime_ms }: CandleQuestion): string {
  const query = new URLSearchParams({ symbol, interval, limit: String(limit) });
  // Binance refuses times before 1970.
  if (startTime_ms !== undefined) query.set('startTime', String(Math.max(0, startTime_ms)));
  if (endTime_ms !== undefined) query.set('endTime', String(Math.max(0, endTime_ms)));
  return query.toString();
}

/** The tickers in Binance's answer. Throws a `SourceError` when it is not a list, as its errors `{code, msg}` are not. */
export function parseBinanceTickers(answer: unknown): SourceTicker[] {
  if (!Array.isArray(answer)) throw new SourceError('answered with something other than a list of tickers');
  const tickers = new Map<Coin, SourceTicker>();
  for (const entry of answer) {
    const row = TickerRow.safeParse(entry);
    const coin = row.success ? coinsBySymbol.get(row.data.symbol) : undefined;
    const price = row.success ? parsePrice(row.data.lastPrice) : undefined;
    if (!row.success || !coin || !price) continue;
    tickers.set(coin, {
      coin,
      price,
      open24h: parsePrice(row.data.openPrice) ?? null,
      volume24h: parseVolume(row.data.volume) ?? null,
      venueTime_ms: row.data.closeTime,
    });
  }
  return [...tickers.values()];
}

/** The candles in Binance's answer, as it wrote them. Throws a `SourceError` when any row has another shape. */
export function parseBinanceKlines(answer: unknown): RawCandle[] {
  const rows = z.array(KlineRow).safeParse(answer);
  if (!rows.success) throw new SourceError('answered with something other than a list of candles');
  return rows.data.map(([start_ms, open, high, low, close, volume]) => ({ start_ms, open, high, low, close, volume }));
}

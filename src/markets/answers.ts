import type { CacheableBody } from '../http/edge-cache.ts';
import { type Coin, QUOTE_ASSET, assets, coinSymbols } from '../money/assets.ts';
import { formatPrice } from '../money/prices.ts';
import type { CandleSeries } from './candles/candle-desk.ts';
import { type Interval, freshTimeOfCandles } from './candles/interval.ts';
import { fallbackPrice } from './fallback-price.ts';
import type { CandleList, Ticker, TickerAnswer, TickerList } from './schemas.ts';
import type { MarketSnapshot } from './snapshot.ts';

/** How old a ticker may get before a client sees a newer one (spec, "Limits"). */
const TICKER_LIFETIME_MS = 30_000;

/** Longer would hide from clients that the venues are back. */
const DEGRADED_LIFETIME_MS = 5_000;

/** All tickers; without a snapshot, or where it shows nothing, static fallbacks. */
export function answerTickers(snapshot: MarketSnapshot | undefined, now_ms: number): CacheableBody {
  const tickers = coinSymbols.map((coin) => showTicker(coin, snapshot, now_ms));
  const degraded = tickers.some((ticker) => ticker.degraded);
  const body: TickerList = { tickers, ts: formatTime(now_ms), degraded };
  return { body, lifetime_ms: tickerLifetime(snapshot, degraded, now_ms) };
}

/** One ticker, by the same rules. */
export function answerTicker(coin: Coin, snapshot: MarketSnapshot | undefined, now_ms: number): CacheableBody {
  const ticker = showTicker(coin, snapshot, now_ms);
  const degraded = ticker.degraded ?? false;
  const body: TickerAnswer = { ticker, degraded };
  return { body, lifetime_ms: tickerLifetime(snapshot, degraded, now_ms) };
}

/** Candles of one market. */
export function answerCandles(coin: Coin, interval: Interval, series: CandleSeries, now_ms: number): CacheableBody {
  const candles = series.candles.map(({ start_ms, ...candle }) => ({ ts: formatTime(start_ms), ...candle }));
  const body: CandleList = { symbol: coin, pair: pairOf(coin), interval, candles };
  return { body, lifetime_ms: series.taken_ms + freshTimeOfCandles(interval) - now_ms };
}

function showTicker(coin: Coin, snapshot: MarketSnapshot | undefined, now_ms: number): Ticker {
  const shown = snapshot?.markets[coin].shown;
  const market = { symbol: coin, pair: pairOf(coin), name: assets[coin].name };
  if (!shown) {
    const price = formatPrice(fallbackPrice(coin));
    return { ...market, price, change24h: 0, volume24h: '0', ts: formatTime(now_ms), degraded: true };
  }
  const { price, change24h, volume24h, dataTime_ms } = shown;
  return { ...market, price: formatPrice(price), change24h, volume24h, ts: formatTime(dataTime_ms) };
}

function tickerLifetime(snapshot: MarketSnapshot | undefined, degraded: boolean, now_ms: number): number {
  if (!snapshot || degraded) return DEGRADED_LIFETIME_MS;
  return snapshot.taken_ms + TICKER_LIFETIME_MS - now_ms;
}

function pairOf(coin: Coin): string {
  return `${coin}-${QUOTE_ASSET}`;
}

function formatTime(time_ms: number): string {
  return new Date(time_ms).toISOString();
}

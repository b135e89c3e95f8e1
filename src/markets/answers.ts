import type { CacheableBody } from '../http/edge-cache.ts';
import { type Coin, assets, coinSymbols, pairOf } from '../money/assets.ts';
import { formatPrice } from '../money/prices.ts';
import { type CandleSeries, freshTimeOfSeries } from './candles/candle-series.ts';
import type { CandleQuestion } from './candles/candle-source.ts';
import { fallbackPrice } from './fallback-price.ts';
import type { CandleList, Ticker, TickerAnswer, TickerList } from './schemas.ts';
import type { MarketSnapshot } from './snapshot.ts';

/** How old a ticker may get before a client sees a newer one (spec, "Limits"). */
const TICKER_LIFETIME_MS = 30_000;

/** How long a degraded ticker is cached: short, so that clients soon see that the venues are back. */
const DEGRADED_LIFETIME_MS = 5_000;

/** A price older than this is overdue: the hub was asked and had nothing newer. */
const CURRENT_MS = 12_000;

/** All tickers; without a snapshot, or where it shows nothing, static fallbacks. */
export function answerTickers(snapshot: MarketSnapshot | undefined, now_ms: number): CacheableBody<TickerList> {
  const tickers = coinSymbols.map((coin) => showTicker(coin, snapshot, now_ms));
  const degraded = tickers.some((ticker) => ticker.degraded);
  const body: TickerList = { tickers, ts: formatTime(now_ms), degraded };
  return { body, lifetime_ms: lifetimeOf(coinSymbols, snapshot, now_ms) };
}

/** One ticker, under the same rules. */
export function answerTicker(
  coin: Coin,
  snapshot: MarketSnapshot | undefined,
  now_ms: number,
): CacheableBody<TickerAnswer> {
  const ticker = showTicker(coin, snapshot, now_ms);
  const degraded = ticker.degraded ?? false;
  const body: TickerAnswer = { ticker, degraded };
  return { body, lifetime_ms: lifetimeOf([coin], snapshot, now_ms) };
}

/** Candles of one market. */
export function answerCandles(
  question: CandleQuestion,
  series: CandleSeries,
  now_ms: number,
): CacheableBody<CandleList> {
  const { coin, interval } = question;
  const candles = series.candles.map(({ start_ms, ...candle }) => ({ ts: formatTime(start_ms), ...candle }));
  const body: CandleList = { symbol: coin, pair: pairOf(coin), interval, candles };
  return { body, lifetime_ms: series.taken_ms + freshTimeOfSeries(question, series) - now_ms };
}

function showTicker(coin: Coin, snapshot: MarketSnapshot | undefined, now_ms: number): Ticker {
  const shown = snapshot?.markets[coin].shown;
  const market = { symbol: coin, pair: pairOf(coin), name: assets[coin].name };
  if (!shown) {
    const price = formatPrice(snapshot?.fallbacks[coin] ?? fallbackPrice(coin));
    return { ...market, price, change24h: 0, volume24h: '0', ts: formatTime(now_ms), sources: [], degraded: true };
  }
  const { price, change24h, volume24h, dataTime_ms } = shown;
  const ticker = { ...market, price: formatPrice(price), change24h, volume24h, ts: formatTime(dataTime_ms) };
  return { ...ticker, sources: [...shown.sources], ...(shown.isHeld && { degraded: true }) };
}

/** The rest of 30 s since the oldest price was received; at most 5 s when a price is static, held or overdue. */
function lifetimeOf(coins: readonly Coin[], snapshot: MarketSnapshot | undefined, now_ms: number): number {
  const shown = coins.map((coin) => snapshot?.markets[coin].shown);
  const age_ms = now_ms - Math.min(...shown.map((market) => market?.received_ms ?? -Infinity));
  if (age_ms === Infinity) return DEGRADED_LIFETIME_MS;
  const left_ms = TICKER_LIFETIME_MS - age_ms;
  const isCurrent = age_ms <= CURRENT_MS && !shown.some((market) => market?.isHeld);
  return isCurrent ? left_ms : Math.min(left_ms, DEGRADED_LIFETIME_MS);
}

function formatTime(time_ms: number): string {
  return new Date(time_ms).toISOString();
}

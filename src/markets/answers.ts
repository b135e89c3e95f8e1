import type { CacheableBody } from '../http/edge-cache.ts';
import { showTime } from '../http/wire-types.ts';
import { type Coin, assets, coinSymbols, pairOf } from '../money/assets.ts';
import { formatPrice } from '../money/amounts.ts';
import { type CandleQuestion, type CandleSeries, freshTimeOfSeries } from './candles/candle-source.ts';
import { fallbackPrice } from './fallback-price.ts';
import type { CandleList, Ticker, TickerAnswer, TickerList } from './schemas.ts';
import type { MarketSnapshot, ShownMarket } from './snapshot.ts';

/** How long the list may be cached, from the receipt of its oldest price (spec, "Limits"). */
const LIST_LIFETIME_MS = 30_000;

/** How long a single ticker may be cached: the specification grants the 30 s to the list alone. */
const SINGLE_LIFETIME_MS = 2_000;

/** How long an answer with a static price is cached: short, so that clients soon see that the venues are back. */
const STATIC_LIFETIME_MS = 5_000;

/** How old the last price may be when no source answers any more; the static price follows. */
const MAX_HELD_MS = 5_000;

/** All tickers; without a snapshot, or where it shows nothing, static fallbacks. */
export function answerTickers(snapshot: MarketSnapshot | undefined, now_ms: number): CacheableBody<TickerList> {
  const tickers = coinSymbols.map((coin) => showTicker(coin, snapshot, now_ms));
  const degraded = tickers.some((ticker) => ticker.degraded);
  const lifetime_ms = lifetimeOf(coinSymbols, snapshot, now_ms);
  return { body: { tickers, ts: showTime(now_ms), degraded }, lifetime_ms };
}

/** One ticker, under the same rules, but cached for 2 s at most. */
export function answerTicker(
  coin: Coin,
  snapshot: MarketSnapshot | undefined,
  now_ms: number,
): CacheableBody<TickerAnswer> {
  const ticker = showTicker(coin, snapshot, now_ms);
  const lifetime_ms = Math.min(SINGLE_LIFETIME_MS, lifetimeOf([coin], snapshot, now_ms));
  return { body: { ticker, degraded: ticker.degraded ?? false }, lifetime_ms };
}

export function answerCandles(
  question: CandleQuestion,
  series: CandleSeries,
  now_ms: number,
): CacheableBody<CandleList> {
  const { coin, interval } = question;
  const candles = series.candles.map(({ start_ms, ...candle }) => ({ ts: showTime(start_ms), ...candle }));
  const body: CandleList = { symbol: coin, pair: pairOf(coin), interval, candles };
  return { body, lifetime_ms: series.taken_ms + freshTimeOfSeries(question, series) - now_ms };
}

function showTicker(coin: Coin, snapshot: MarketSnapshot | undefined, now_ms: number): Ticker {
  const shown = findShown(coin, snapshot, now_ms);
  const market = { symbol: coin, pair: pairOf(coin), name: assets[coin].name };
  if (!shown) {
    const price = formatPrice(snapshot?.fallbacks[coin] ?? fallbackPrice(coin));
    return { ...market, price, change24h: 0, volume24h: '0', ts: showTime(now_ms), sources: [], degraded: true };
  }
  const { price, change24h, volume24h, dataTime_ms } = shown;
  const ticker = { ...market, price: formatPrice(price), change24h, volume24h, ts: showTime(dataTime_ms) };
  return { ...ticker, sources: [...shown.sources], ...(shown.isHeld && { degraded: true }) };
}

/** The market's price, unless no source answers any more and the last one is too old to be held. */
function findShown(coin: Coin, snapshot: MarketSnapshot | undefined, now_ms: number): ShownMarket | undefined {
  const shown = snapshot?.markets[coin].shown;
  return shown && !(shown.isHeld && now_ms - shown.received_ms > MAX_HELD_MS) ? shown : undefined;
}

/** How long all of these prices may be cached: a held one not beyond the time at which a static one replaces it. */
function lifetimeOf(coins: readonly Coin[], snapshot: MarketSnapshot | undefined, now_ms: number): number {
  const lifetimes = coins.map((coin) => {
    const shown = findShown(coin, snapshot, now_ms);
    if (!shown) return STATIC_LIFETIME_MS;
    return shown.received_ms + (shown.isHeld ? MAX_HELD_MS : LIST_LIFETIME_MS) - now_ms;
  });
  return Math.min(...lifetimes);
}

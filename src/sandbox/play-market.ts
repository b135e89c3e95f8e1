import type { CandleSource, MarketCandle } from '../markets/candles/candle-source.ts';
import { shiftInterval } from '../markets/candles/interval.ts';
import type { PriceSource, SourceTicker } from '../markets/sources/price-source.ts';
import { SourceError } from '../markets/sources/source-error.ts';
import { type Price, formatPrice, parsePrice } from '../money/amounts.ts';
import type { Coin } from '../money/assets.ts';
import { type MarketState, type Move, findPrice, listMoves } from './market.ts';

const BASIS = 10_000n;
const DAY_MS = 86_400_000;

/** How far two neighbouring sources are apart at a price of the operator's, in hundredths of a percent. */
const STEP_BPS = 2n;

/** The same while they dispute: no two are within the 1 % in which two sources agree. */
const DISPUTED_STEP_BPS = 300n;

/** The sources as the sandbox's hub reads them: their own tickers, but for what the operator has done to the market. */
export function playPriceSources(sources: readonly PriceSource[], readMarket: () => MarketState): PriceSource[] {
  return sources.map((source, place) => {
    // In hundredths of a percent; those of all sources have their middle at nought.
    const offset = 2n * BigInt(place) - BigInt(sources.length - 1);
    const { readTicker } = source;
    return {
      name: source.name,
      leastInterval_ms: source.leastInterval_ms,
      ...(readTicker && {
        readTicker(coin: Coin, now_ms: number) {
          const market = readMarket();
          const ticker = market.sources === 'down' ? undefined : readTicker(coin, now_ms);
          return ticker && playTicker(ticker, market, offset, now_ms);
        },
      }),
      async fetchTickers(signal, now_ms) {
        refuseWhenDown(readMarket());
        const tickers = await source.fetchTickers(signal, now_ms);
        const market = readMarket();
        return tickers.map((ticker) => playTicker(ticker, market, offset, now_ms));
      },
    };
  });
}

function playTicker(ticker: SourceTicker, market: MarketState, offset: bigint, now_ms: number): SourceTicker {
  const moves = listMoves(market, ticker.coin);
  const moved = moves.at(-1)?.price ?? null;
  const isDisputed = market.sources === 'disputed';
  if (moved === null && !isDisputed) return ticker;
  const step = isDisputed ? DISPUTED_STEP_BPS : STEP_BPS;
  const price = ((moved ?? ticker.price) * (2n * BASIS + offset * step)) / (2n * BASIS);
  const half = price / BASIS;
  return {
    ...ticker,
    price,
    book: { bid: price - half, ask: price + half },
    open24h: findPrice(moves, now_ms - DAY_MS) ?? ticker.open24h,
  };
}

/** The same for candles. `readMarket` asks the hub of prices, which keeps the market; its failure is the source's. */
export function playCandleSources(
  sources: readonly CandleSource[],
  readMarket: () => Promise<MarketState>,
): CandleSource[] {
  return sources.map((source) => ({
    name: source.name,
    requestsPerMinute: source.requestsPerMinute,
    countRequests: (question) => source.countRequests(question),
    async fetchCandles(question, signal, now_ms) {
      const market = await readMarket();
      refuseWhenDown(market);
      const candles = await source.fetchCandles(question, signal, now_ms);
      const moves = listMoves(market, question.coin);
      if (moves.length === 0) return candles;
      const endOf = ({ start_ms }: MarketCandle) =>
        Math.min(shiftInterval(question.interval, start_ms, 1), Math.max(start_ms, now_ms));
      return candles.map((candle) => moveCandle(candle, endOf(candle), moves));
    },
  }));
}

/** A candle with the operator's prices, each of which counts from its own moment on. */
function moveCandle(candle: MarketCandle, end_ms: number, moves: readonly Move[]): MarketCandle {
  const first = findPrice(moves, candle.start_ms);
  const within = moves.filter(({ at_ms }) => at_ms > candle.start_ms && at_ms <= end_ms).map(({ price }) => price);
  const inForce = [first, ...within];
  if (inForce.every((price) => price === null)) return candle;
  const open = first ?? readPrice(candle.open);
  const close = inForce.at(-1) ?? readPrice(candle.close);
  const own = inForce.includes(null) ? [readPrice(candle.high), readPrice(candle.low)] : [];
  const seen = [open, close, ...own, ...inForce.filter((price) => price !== null)];
  return {
    ...candle,
    open: formatPrice(open),
    high: formatPrice(seen.reduce((one, other) => (one > other ? one : other))),
    low: formatPrice(seen.reduce((one, other) => (one < other ? one : other))),
    close: formatPrice(close),
  };
}

function readPrice(text: string): Price {
  const price = parsePrice(text);
  if (price === undefined) throw new SourceError('sent a candle without a price');
  return price;
}

function refuseWhenDown({ sources }: MarketState): void {
  if (sources === 'down') throw new SourceError('is down, as the operator of the sandbox wants it');
}

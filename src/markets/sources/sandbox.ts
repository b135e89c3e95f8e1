import { type Coin, coinSymbols } from '../../money/assets.ts';
import type { Price } from '../../money/amounts.ts';
import { type SandboxMarket, type SandboxTrades, openSandboxMarket } from '../sandbox-market.ts';
import type { PriceSource, SourceTicker } from './price-source.ts';

/** The venues of the sandbox, and how far each differs from the market, in hundredths of a percent. */
const venues = { 'sandbox-a': -3n, 'sandbox-b': 0n, 'sandbox-c': 0n, 'sandbox-d': 2n } as const;

export type SandboxVenue = keyof typeof venues;

const BASIS = 10_000n;
const DAY_MS = 86_400_000;

/**
 * One of four venues of the deterministic market, in memory. The median of the four is the market itself, so that
 * tickers and candles of the sandbox agree to the last digit.
 */
export function createSandboxPriceSource(name: SandboxVenue): PriceSource {
  const readTicker = (coin: Coin, now_ms: number) => makeTicker(coin, name, now_ms);
  return {
    name,
    leastInterval_ms: 0,
    readTicker,
    fetchTickers: (_signal, now_ms) => Promise.resolve(coinSymbols.map((coin) => readTicker(coin, now_ms))),
  };
}

function makeTicker(coin: Coin, name: SandboxVenue, now_ms: number): SourceTicker {
  const day = readDay(coin, now_ms);
  const atVenue = (price: Price) => (price * (BASIS + venues[name])) / BASIS;
  const price = atVenue(day.close);
  // A hundredth of a percent on either side, so that the middle is the price.
  const half = price / BASIS;
  return {
    coin,
    price,
    book: { bid: price - half, ask: price + half },
    open24h: atVenue(day.open),
    volume24h: day.volume,
    venueTime_ms: now_ms,
  };
}

/** The market of each coin, which remembers parts of it, and its newest day up to a second. All venues show the same. */
const known = new Map<Coin, { readonly market: SandboxMarket; readonly second: number; readonly day: SandboxTrades }>();

function readDay(coin: Coin, now_ms: number): SandboxTrades {
  const second = Math.floor(now_ms / 1_000);
  const last = known.get(coin);
  if (last?.second === second) return last.day;
  const market = last?.market ?? openSandboxMarket(coin);
  const day = market.tradesBetween(now_ms - DAY_MS, now_ms);
  known.set(coin, { market, second, day });
  return day;
}

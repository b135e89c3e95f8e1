import { formatAmount, type Price, parsePrice } from '../money/amounts.ts';
import { type Coin, assets } from '../money/assets.ts';
import { createRandom, mixBits, seedFrom, smoothNoise } from './sandbox-random.ts';

/** The sandbox market opened on this Monday, 00:00 UTC; there is nothing before it. */
export const SANDBOX_FIRST_DAY_MS = Date.UTC(2024, 0, 1);

export interface SandboxTrades {
  readonly open: Price;
  readonly high: Price;
  readonly low: Price;
  readonly close: Price;
  /** In the base asset, a plain decimal string. */
  readonly volume: string;
}

/** One coin's market. It moves once a second. */
export interface SandboxMarket {
  /** The price at an instant, which is the close of every candle that ends there. */
  priceAt(time_ms: number): Price;
  /** The trades from one instant to a later one; if both are equal, the price there and no volume. */
  tradesBetween(from_ms: number, to_ms: number): SandboxTrades;
}

/**
 * A period of the market, in whole numbers so that periods add up exactly: prices in 1e-8 USDT, volume in 1e-4 of the
 * base asset. Both stay below 2^53: prices below 9e7 USDT, a month of the cheapest coin below 1e12 units of it.
 */
interface Span {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

const VOLUME_SCALE = 4;
const MEAN_DAILY_VOLUME_USDT = 1e8;

/** The market is a tree: a day has 24 hours, an hour 60 minutes, a minute 60 seconds. Level 0 is the day. */
const LEVEL_SECONDS: readonly number[] = [86_400, 3_600, 60, 1];

/** The waves that make the days' opens: the height of each, as a fraction of the price. */
const WAVES = [
  { period_days: 180, reach: 0.18 },
  { period_days: 45, reach: 0.09 },
  { period_days: 11, reach: 0.045 },
  { period_days: 3, reach: 0.02 },
  { period_days: 1, reach: 0.012 },
];

/** How far a day goes beyond its open and close, at most. */
const DAY_REACH = 0.02;

/** A stablecoin hardly moves. */
const calmness: Partial<Record<Coin, number>> = { USDC: 0.002 };

/** Trading is busiest in the afternoon, UTC. */
const hourlyActivity = (hour: number) => 1.5 - Math.abs(hour - 15) / 12;

/**
 * Opens the deterministic market of a coin, centred on its market price: the same trades for everyone at every call.
 * A period is computed from the days, hours, minutes and seconds in it, so a candle is exactly the sum of its smaller
 * candles, and nothing before it is needed. A market remembers what it split last, for both ends of a period, so read
 * neighbouring periods from one market, in order.
 */
export function openSandboxMarket(coin: Coin): SandboxMarket {
  const spanAt = createSpanReader(coin);
  const priceAt = (second: number) => {
    const level = LEVEL_SECONDS.findIndex((length) => second % length === 0);
    return spanAt(level, second / secondsAt(level)).open;
  };
  return {
    priceAt: (time_ms) => BigInt(priceAt(toSecond(time_ms))),
    tradesBetween(from_ms, to_ms) {
      const [from, to] = [toSecond(from_ms), toSecond(to_ms)];
      const start = priceAt(from);
      let total: Span = { open: start, high: start, low: start, close: start, volume: 0 };
      for (let at = from; at < to;) {
        const level = LEVEL_SECONDS.findIndex((length) => at % length === 0 && at + length <= to);
        total = append(total, spanAt(level, at / secondsAt(level)));
        at += secondsAt(level);
      }
      return {
        open: BigInt(total.open),
        high: BigInt(total.high),
        low: BigInt(total.low),
        close: BigInt(total.close),
        volume: formatAmount(BigInt(total.volume), VOLUME_SCALE),
      };
    },
  };
}

function secondsAt(level: number): number {
  const seconds = LEVEL_SECONDS[level];
  if (seconds === undefined) throw new RangeError('the market has no such level');
  return seconds;
}

/** Seconds since the market opened; every instant before that is the opening. */
function toSecond(time_ms: number): number {
  return Math.max(0, Math.floor((time_ms - SANDBOX_FIRST_DAY_MS) / 1000));
}

function append(total: Span, next: Span): Span {
  return {
    open: total.open,
    high: Math.max(total.high, next.high),
    low: Math.min(total.low, next.low),
    close: next.close,
    volume: total.volume + next.volume,
  };
}

/** How many splits of a level are remembered: those at the two ends of a period. */
const SPLITS_KEPT = 2;

/** Gives the span of any node of the tree, by its level and its index within the whole level. */
function createSpanReader(coin: Coin): (level: number, index: number) => Span {
  const seed = seedFrom(coin);
  const tick = tickOf(coin);
  const lastSplits: { readonly index: number; readonly children: Span[] }[][] = LEVEL_SECONDS.map(() => []);
  const spanAt = (level: number, index: number): Span => {
    if (level === 0) return makeDay(coin, seed, tick, index);
    const parts = secondsAt(level - 1) / secondsAt(level);
    const parent = Math.floor(index / parts);
    const known = lastSplits[level] ?? [];
    let split = known.find((one) => one.index === parent);
    if (!split) {
      const random = createRandom(mixBits(mixBits(seed, level), parent));
      const activity = level === 1 ? hourlyActivity : () => 1;
      split = { index: parent, children: splitSpan(spanAt(level - 1, parent), parts, tick, random, activity) };
      lastSplits[level] = [split, ...known].slice(0, SPLITS_KEPT);
    }
    return split.children[index % parts] as Span;
  };
  return spanAt;
}

/** The smallest step of the coin's price: its market price has seven digits of them. */
function tickOf(coin: Coin): number {
  return 10 ** Math.max(0, centreOf(coin).toString().length - 7);
}

function centreOf(coin: Coin): number {
  return Number(parsePrice(assets[coin].marketPrice));
}

function makeDay(coin: Coin, seed: number, tick: number, day: number): Span {
  const scale = calmness[coin] ?? 1;
  const toTick = (price: number) => Math.round(price / tick) * tick;
  const openOf = (index: number) => {
    const waves = WAVES.map(
      ({ period_days, reach }, wave) => reach * smoothNoise(mixBits(seed, wave), index, period_days),
    );
    return toTick(centreOf(coin) * (1 + scale * waves.reduce((sum, wave) => sum + wave)));
  };
  const random = createRandom(mixBits(seed, day));
  const [open, close] = [openOf(day), openOf(day + 1)];
  return {
    open,
    high: toTick(Math.max(open, close) * (1 + scale * DAY_REACH * random())),
    low: toTick(Math.min(open, close) * (1 - scale * DAY_REACH * random())),
    close,
    volume: Math.floor(((MEAN_DAILY_VOLUME_USDT * (0.5 + random())) / (centreOf(coin) / 1e8)) * 10 ** VOLUME_SCALE),
  };
}

/**
 * Splits a span into parts that add up to it: the first opens where it opens, each opens where the one before closed,
 * the last closes where it closes, the highest reaches its high, the lowest its low, and volumes sum to its volume.
 */
function splitSpan(
  whole: Span,
  parts: number,
  tick: number,
  random: () => number,
  activity: (part: number) => number,
): Span[] {
  const step = (whole.high - whole.low) / Math.sqrt(parts);
  const within = (price: number) => Math.min(whole.high, Math.max(whole.low, Math.round(price / tick) * tick));
  const walk = [0];
  const work = [0];
  for (let part = 0; part < parts; part++) {
    walk.push((walk[part] as number) + (random() - 0.5) * step);
    work.push((work[part] as number) + activity(part) * (0.5 + random()));
  }
  const drift = (whole.close - whole.open - (walk[parts] as number)) / parts;
  const edges = walk.map((moved, edge) => within(whole.open + moved + drift * edge));
  const volumes = work.map((done) => Math.floor(whole.volume * (done / (work[parts] as number))));
  const children = Array.from({ length: parts }, (_, part) => {
    const [open, close] = [edges[part] as number, edges[part + 1] as number];
    return {
      open,
      high: within(Math.max(open, close) + (random() * step) / 2),
      low: within(Math.min(open, close) - (random() * step) / 2),
      close,
      volume: (volumes[part + 1] as number) - (volumes[part] as number),
    };
  });
  const highest = children.reduce((best, child) => (child.high > best.high ? child : best));
  const lowest = children.reduce((best, child) => (child.low < best.low ? child : best));
  highest.high = whole.high;
  lowest.low = whole.low;
  return children;
}

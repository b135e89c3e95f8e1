import { type Tick, type Vote, agreeOnRipePrice } from '../../src/markets/ripe-price.ts';
import { Draw } from '../../test/support/draw.ts';
import { drawNormal, drawPath } from './price-path.ts';

/** All of it runs in steps of this length. Prices are relative to the first one. */
export const STEP_MS = 10;
const STEPS_PER_SECOND = 1_000 / STEP_MS;

/** No order is placed sooner, and faults begin somewhat earlier, so that an order meets them as they last. */
export const FIRST_STEP = 25 * STEPS_PER_SECOND;
const FAULTS_FROM = 20 * STEPS_PER_SECOND;

/** Steps at the end of a path in which no order is placed, so that each finds its price. */
const LAST_STEPS = 5 * STEPS_PER_SECOND;

/** How long an order waits for its price. */
const PATIENCE_MS = 2_000;

/** A socket that is silent for 3 s is cut, and counts as alive for 5 s more. */
const ALIVE_MS = 8_000;

const BASIS = 10_000;
const SCALE = 1e8;
const FIRST_PRICE = 60_000;

/**
 * Calm: 60 % a year. Fast: 300 % a year, and every 20 s a jump of 10 to 80 bps. Jumpy: a drawn path (see `drawPath`) whose
 * move of each second happens at a random instant.
 */
export const pathNames = ['calm', 'fast', 'jumpy'] as const;
export type PathName = (typeof pathNames)[number];

/**
 * An assumed venue: its middle lies `lag_ms` behind the truth with a noise, its book changes `every_ms` in the mean, its
 * stream takes `delay_ms` and a jitter, a request `request_ms`. A list of `snapshot_ms` is renewed this often.
 */
interface AssumedVenue {
  readonly name: string;
  readonly lag_ms: number;
  readonly noise_bps: number;
  readonly every_ms: number;
  readonly delay_ms: number;
  readonly jitter_ms: number;
  readonly request_ms: number;
  readonly snapshot_ms?: number;
}

const venues: readonly AssumedVenue[] = [
  { name: 'binance', lag_ms: 0, noise_bps: 0.2, every_ms: 15, delay_ms: 125, jitter_ms: 15, request_ms: 260 },
  { name: 'okx', lag_ms: 20, noise_bps: 0.4, every_ms: 20, delay_ms: 115, jitter_ms: 15, request_ms: 250 },
  { name: 'coinbase', lag_ms: 80, noise_bps: 1, every_ms: 150, delay_ms: 60, jitter_ms: 20, request_ms: 140 },
  {
    name: 'kucoin',
    lag_ms: 80,
    noise_bps: 0.7,
    every_ms: 100,
    delay_ms: 150,
    jitter_ms: 30,
    request_ms: 300,
    snapshot_ms: 2_000,
  },
  { name: 'kraken', lag_ms: 150, noise_bps: 1, every_ms: 200, delay_ms: 50, jitter_ms: 15, request_ms: 120 },
  { name: 'gate', lag_ms: 100, noise_bps: 0.7, every_ms: 50, delay_ms: 170, jitter_ms: 40, request_ms: 320 },
];

/** Venues by their place, the leading one first. */
export interface MarketFaults {
  /** The books of so many venues stand still while their sockets go on talking. */
  readonly frozen?: number;
  /** So many venues say nothing more. */
  readonly dead?: number;
  readonly liars?: { readonly venues: readonly number[]; readonly bps: number };
  /** Each socket is lost for 3 s of 10, one after the other. */
  readonly cutsEach?: boolean;
  /** All are lost for 1 s of 10. */
  readonly cutsAll?: boolean;
  /** In one second of five, messages take so much longer. */
  readonly delay_ms?: number;
  /** So many venues date their messages so far ahead, and are believed. A control. */
  readonly believed?: { readonly venues: number; readonly ahead_ms: number };
}

export interface MarketOptions {
  readonly path: PathName;
  readonly seconds: number;
  readonly seed: number;
  readonly feed: 'streams' | 'polls';
  readonly faults?: MarketFaults;
}

/** What the exchange has heard of one venue at each step. */
interface Heard {
  readonly middle: Float64Array;
  readonly text: (string | undefined)[];
  /** As of which step its book and its socket are; less than 0 before the first message. */
  readonly own: Int32Array;
  readonly socket: Int32Array;
}

/** The first ripe price for an order: its middle and range as the hub says them, and the step at which it was ripe. */
export interface RipeAt {
  readonly middle: number;
  readonly dispersion: number;
  readonly step: number;
  readonly tick: Tick;
}

/** Six venues that follow a drawn truth, and an exchange that hears them and agrees on a price by its real rule. */
export class VirtualMarket {
  readonly truth: Float64Array;
  /** The steps at which an order may be placed. */
  readonly last: number;
  readonly #feed: MarketOptions['feed'];
  readonly #heard: readonly Heard[];
  /** Whether anything was heard at a step; an order that waits is looked at only then. */
  readonly #hasNews: Uint8Array;
  readonly #ripe = new Map<string, RipeAt | undefined>();

  constructor({ path, seconds, seed, feed, faults = {} }: MarketOptions) {
    this.truth = drawTruth(path, seconds, seed);
    this.last = this.truth.length - LAST_STEPS;
    this.#feed = feed;
    this.#hasNews = new Uint8Array(this.truth.length);
    this.#heard = venues.map((venue, at) => {
      const middle = followLagging(this.truth, venue, new Draw(seed * 104_729 + at * 31 + 5));
      const draw = new Draw(seed * 15_485_863 + at * 17 + 3);
      const heard = feed === 'streams' ? this.#stream(middle, at, draw, faults) : this.#poll(middle, at, faults);
      carryForward(heard);
      return heard;
    });
  }

  /** The truth at a step, or at the path's end. */
  truthAt(step: number): number {
    return this.truth[Math.min(this.truth.length - 1, Math.max(0, step))] ?? 0;
  }

  /** The median of what was last heard of all venues: what a client is shown. */
  shownAt(step: number): number {
    const sorted = this.#heard.map(({ middle }) => middle[step] ?? 0).toSorted((one, other) => one - other);
    return ((sorted[2] ?? 0) + (sorted[3] ?? 0)) / 2;
  }

  /** The price of an order that was admitted at a step; `undefined` when there was none in time. */
  ripeAfter(step: number, margin_ms: number): RipeAt | undefined {
    const key = `${step}/${margin_ms}`;
    if (!this.#ripe.has(key)) this.#ripe.set(key, this.#find(step, margin_ms));
    return this.#ripe.get(key);
  }

  #find(admitted: number, margin_ms: number): RipeAt | undefined {
    const asOf_ms = admitted * STEP_MS + margin_ms;
    for (let step = admitted; step <= Math.min(admitted + PATIENCE_MS / STEP_MS, this.truth.length - 1); step += 1) {
      if (this.#hasNews[step] === 0) continue;
      const now_ms = step * STEP_MS;
      const votes = this.#votesAt(step);
      const alive = this.#feed === 'polls' ? 0 : votes.filter((vote) => now_ms - vote.vouched_ms < ALIVE_MS).length;
      const tick = agreeOnRipePrice(votes, { coin: 'BTC', asOf_ms, now_ms, alive, lastAccepted: null });
      if (!tick) continue;
      const [middle, dispersion] = [tick.price, tick.dispersion].map((price) => Number(price) / SCALE / FIRST_PRICE);
      return { middle: middle ?? 0, dispersion: dispersion ?? 0, step, tick };
    }
    return undefined;
  }

  #votesAt(step: number): Vote[] {
    return this.#heard.flatMap(({ text, own, socket }, at) => {
      const price = text[step];
      if (price === undefined) return [];
      const [own_ms = 0, vouched_ms = 0] = [own[step], socket[step]].map((one) => (one ?? 0) * STEP_MS);
      return [{ venue: venues[at]?.name ?? '', bid: price, ask: price, own_ms, vouched_ms }];
    });
  }

  /** A socket says something often, and of this coin when its book has changed. Its messages stay in order. */
  #stream(middle: Float64Array, at: number, draw: Draw, faults: MarketFaults): Heard {
    const { every_ms, delay_ms, jitter_ms } = venueAt(at);
    const heard = hearNothing(middle.length);
    const later = { arrival: 0, due: 0 };
    for (let sent = 0; sent < middle.length; sent += stepsOf(drawPause(draw, Math.min(every_ms, 50)))) {
      if (isLost(sent, at, faults)) continue;
      const extra_ms = faults.delay_ms && sent % 500 < 100 ? faults.delay_ms : 0;
      const travel = Math.round((delay_ms + extra_ms + drawPause(draw, jitter_ms)) / STEP_MS);
      const arrival = Math.max(later.arrival, sent + travel);
      later.arrival = arrival;
      if (arrival >= middle.length) break;
      const asOf = Math.min(arrival, sent + aheadOf(at, faults));
      this.#hear(heard, arrival, asOf);
      if (sent < later.due || isFrozen(sent, at, faults)) continue;
      tellBook(heard, arrival, asOf, (middle[sent] ?? 0) * lieOf(at, faults));
      later.due = sent + Math.round(drawPause(draw, every_ms) / STEP_MS);
    }
    return heard;
  }

  /** A round each second, known when the slowest venue has answered. An answer is as of its question, or of its list. */
  #poll(middle: Float64Array, at: number, faults: MarketFaults): Heard {
    const { request_ms, snapshot_ms = STEP_MS } = venueAt(at);
    const heard = hearNothing(middle.length);
    const slowest = Math.max(...venues.map((venue) => venue.request_ms)) / STEP_MS;
    for (let asked = 0; asked + slowest < middle.length; asked += STEPS_PER_SECOND) {
      if (isLost(asked, at, faults)) continue;
      const answered = asked + Math.round(request_ms / 2 / STEP_MS);
      const taken = answered - (answered % (snapshot_ms / STEP_MS));
      const asOf = Math.min(asked, taken);
      this.#hear(heard, asked + slowest, asOf);
      if (isFrozen(asked, at, faults)) continue;
      tellBook(heard, asked + slowest, asOf, (middle[taken] ?? 0) * lieOf(at, faults));
    }
    return heard;
  }

  #hear(heard: Heard, arrival: number, asOf: number): void {
    heard.socket[arrival] = asOf;
    this.#hasNews[arrival] = 1;
  }
}

function drawTruth(path: PathName, seconds: number, seed: number): Float64Array {
  const draw = new Draw(seed * 7_919 + 13);
  if (path === 'jumpy') {
    const frames = drawPath(seed, seconds + 1);
    return Float64Array.from(
      frames.slice(1).flatMap(({ truth }, second) => {
        const moved = draw.below(STEPS_PER_SECOND);
        const before = frames[second]?.truth ?? truth;
        return Array.from({ length: STEPS_PER_SECOND }, (_, step) => (step < moved ? before : truth));
      }),
    );
  }
  const deviation = (path === 'calm' ? 0.6 : 3) / Math.sqrt(365 * 86_400 * STEPS_PER_SECOND);
  let price = 1;
  return Float64Array.from({ length: seconds * STEPS_PER_SECOND }, () => {
    price *= 1 + deviation * drawNormal(draw);
    const jumps = path === 'fast' && draw.happens(STEP_MS / 20_000);
    if (jumps) price *= 1 + ((draw.happens(0.5) ? -1 : 1) * 10 * 8 ** draw.next()) / BASIS;
    return price;
  });
}

/** A venue's own middle: the truth of a moment ago, with a noise that changes within two seconds. */
function followLagging(truth: Float64Array, { lag_ms, noise_bps }: AssumedVenue, draw: Draw): Float64Array {
  const keeps = Math.exp(-STEP_MS / 2_000);
  const adds = Math.sqrt(1 - keeps * keeps) * noise_bps;
  let noise = 0;
  return truth.map((_, step) => {
    noise = keeps * noise + adds * drawNormal(draw);
    return (truth[Math.max(0, step - Math.round(lag_ms / STEP_MS))] ?? 0) * (1 + noise / BASIS);
  });
}

function hearNothing(length: number): Heard {
  return {
    middle: new Float64Array(length),
    text: Array.from({ length }, () => undefined),
    own: new Int32Array(length).fill(-1),
    socket: new Int32Array(length).fill(-1),
  };
}

function tellBook(heard: Heard, arrival: number, asOf: number, middle: number): void {
  heard.middle[arrival] = middle;
  heard.text[arrival] = (middle * FIRST_PRICE).toFixed(4);
  heard.own[arrival] = asOf;
}

/** What was heard at a step stays until the next message. */
function carryForward({ middle, text, own, socket }: Heard): void {
  for (let step = 1; step < middle.length; step += 1) {
    if ((own[step] ?? -1) < 0) {
      own[step] = own[step - 1] ?? -1;
      middle[step] = middle[step - 1] ?? 0;
      text[step] = text[step - 1];
    }
    if ((socket[step] ?? -1) < 0) socket[step] = socket[step - 1] ?? -1;
  }
}

function isLost(step: number, at: number, { dead = 0, cutsEach, cutsAll }: MarketFaults): boolean {
  if (step > FAULTS_FROM && at < dead) return true;
  return (cutsEach === true && (step + at * 317) % 1_000 < 300) || (cutsAll === true && step % 1_000 < 100);
}

function isFrozen(step: number, at: number, { frozen = 0 }: MarketFaults): boolean {
  return step > FAULTS_FROM && at < frozen;
}

function lieOf(at: number, { liars }: MarketFaults): number {
  return liars?.venues.includes(at) ? 1 + liars.bps / BASIS : 1;
}

function aheadOf(at: number, { believed }: MarketFaults): number {
  return believed && at < believed.venues ? believed.ahead_ms / STEP_MS : 0;
}

function venueAt(at: number): AssumedVenue {
  const venue = venues[at];
  if (!venue) throw new RangeError(`there is no venue ${at}`);
  return venue;
}

/** A pause of that mean; exponential. */
function drawPause(draw: Draw, mean_ms: number): number {
  return -mean_ms * Math.log(1 - draw.next());
}

function stepsOf(pause_ms: number): number {
  return Math.max(1, Math.round(pause_ms / STEP_MS));
}

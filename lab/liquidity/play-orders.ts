import type { HedgingTerms } from '../../src/db/coin-terms.ts';
import { Draw } from '../../test/support/draw.ts';
import { drawNormal } from '../arbitrage/price-path.ts';
import { CoveredHouse } from './covered-house.ts';

const DAY_MS = 86_400_000;
const ORDERS_A_DAY = 2_400;
const STEP_MS = DAY_MS / ORDERS_A_DAY;

/** What clients order in a day, in USDT. */
export const DAILY_VOLUME = 717_000;

/** Orders are of all sizes, 300 USDT in the mean; a little more is bought than sold. */
const LOG_MEAN = 4.98;
const LOG_DEVIATION = 1.2;
export const LARGEST_ORDER = 50_000;
const BOUGHT = 0.52;

const FIRST_PRICE = 60_000;
/** Of a year, and how many jumps a day there are, of 15 to 200 bps. */
const VOLATILITY = 0.6;
const JUMPS_A_DAY = 6;
const JUMPS_BPS = [15, 200] as const;

/** Somebody who alternates the largest orders: for an hour a day, one every two seconds. */
const GRIEFED_STEPS = 3_600_000 / STEP_MS;
const GRIEFS_A_STEP = STEP_MS / 2_000;

/** Between two looks of the hedger after an order. */
const TOLD_MS = 1_000;

export const BAND = {
  venue: 'played',
  outer: '5000',
  inner: '2500',
  // In a month of such orders a position is never so old: the band alone decides.
  maxAgeSeconds: 86_400,
  limitBps: 30,
  maxHedge: '50000',
} as const;

export interface PlayedTerms {
  readonly spread_bps: number;
  readonly hedging: HedgingTerms;
  /** The largest order of a griefer, in USDT. */
  readonly griefs?: number;
}

/** Means of a day, in USDT. */
export interface DayFigures {
  readonly profit: number;
  readonly spread: number;
  readonly hedgeCost: number;
  readonly moves: number;
  readonly worstDay: number;
  /** The share of the clients' volume, the griefer's included. */
  readonly hedgedPart: number;
  readonly hedges: number;
}

interface Order {
  readonly usdt: number;
  readonly isBuy: boolean;
  readonly price: number;
}

/** The orders of some days, which are worth as much as the volume says, and the path of the price. */
export function drawOrders(seed: number, days: number, hasJumps = false): Order[] {
  const draw = new Draw(seed);
  let price = FIRST_PRICE;
  const deviation = VOLATILITY / Math.sqrt((365 * DAY_MS) / STEP_MS);
  const drawn = Array.from({ length: days * ORDERS_A_DAY }, () => {
    const [normal, jump] = [drawNormal(draw), drawJump(draw)];
    price *= Math.exp(deviation * normal + (hasJumps ? jump : 0));
    const usdt = Math.min(LARGEST_ORDER, Math.exp(LOG_MEAN + LOG_DEVIATION * drawNormal(draw)));
    return { usdt, isBuy: draw.happens(BOUGHT), price };
  });
  const scale = (days * DAILY_VOLUME) / drawn.reduce((sum, { usdt }) => sum + usdt, 0);
  return drawn.map((order) => ({ ...order, usdt: order.usdt * scale }));
}

function drawJump(draw: Draw): number {
  const [happens, size, isUp] = [draw.happens(JUMPS_A_DAY / ORDERS_A_DAY), draw.next(), draw.happens(0.5)];
  const [least, most] = JUMPS_BPS;
  return happens ? ((isUp ? 1 : -1) * least * (most / least) ** size) / 10_000 : 0;
}

const toPrice = (price: number) => BigInt(Math.round(price * 1e8));
const toAtoms = (usdt: number) => BigInt(Math.round(usdt * 1e6));

/** Takes a house of one ledger through the orders of some days. */
export function playOrders(orders: readonly Order[], { spread_bps, hedging, griefs }: PlayedTerms): DayFigures {
  const house = new CoveredHouse({ spread_bps, hedging, ledgers: 1 }, toPrice(FIRST_PRICE));
  const totals: number[] = [];
  let [until, volume] = [0, 0];
  let due_ms: number | undefined;
  for (const [step, { usdt, isBuy, price }] of orders.entries()) {
    const now_ms = step * STEP_MS;
    if (due_ms !== undefined && due_ms <= now_ms) house.look(due_ms);
    house.move(toPrice(price));
    house.trade(isBuy ? 'BUY' : 'SELL', toAtoms(usdt));
    due_ms = house.look(now_ms + TOLD_MS);
    volume += usdt;
    if (griefs !== undefined && step % ORDERS_A_DAY < GRIEFED_STEPS) {
      for (let order = 0; order < GRIEFS_A_STEP; order += 1) {
        house.trade(order % 2 === 0 ? 'BUY' : 'SELL', toAtoms(griefs));
        due_ms = house.look(now_ms + 2_000 * order + 2 * TOLD_MS);
        volume += griefs;
      }
    }
    if ((step + 1) % ORDERS_A_DAY > 0) continue;
    const { total } = house.profit;
    totals.push(total - until);
    until = total;
  }
  const { spread, impact, fees, moves, total } = house.profit;
  const days = totals.length;
  return {
    profit: total / days,
    spread: spread / days,
    hedgeCost: (impact + fees) / days,
    moves: moves / days,
    worstDay: Math.min(...totals),
    hedgedPart: house.hedged / volume,
    hedges: house.hedges / days,
  };
}

import { z } from 'zod';
import { type Coin, QUOTE_ASSET, assetSymbols, coinSymbols, findCoin, toUsdt } from '../money/assets.ts';
import type { Atoms, Price } from '../money/amounts.ts';
import { timeOfRecord, timestampOfRecord } from '../db/record-id.ts';
import { house } from '../db/transfers.ts';
import { ObjectState } from '../platform/objects.ts';
import type { HouseMove } from './compose-moves.ts';
import type { CountedPayment } from './compose-payments.ts';
import { Flows, type FlowsOfDay, NO_FLOWS, addFlows } from './flows.ts';
import type { Finding } from './invariants.ts';
import type { PositionOfDay } from './position-of-day.ts';
import { NO_PROFIT, Parts, type ProfitOfDay, type ProfitPart, sumParts, withPart } from './profit-of-day.ts';
import type { FilledOrder } from './rounding.ts';
import type { HouseBalance, Sums } from './sums.ts';

/** What an amount of a coin is worth, rounded down: below zero it is owed. */
function worthOf(coin: Coin, amount: Atoms, middle: Price): Atoms {
  return amount < 0n ? -toUsdt(coin, -amount, middle, 'up') : toUsdt(coin, amount, middle, 'down');
}

/**
 * What an order earned the house, in atoms of USDT: what the client paid more, or got less, than the amount is worth at
 * the market's middle price; rounded down. `undefined` for an order that has no middle price. Pure.
 */
export function spreadOf(
  order: Pick<FilledOrder, 'coin' | 'side' | 'coinAmount' | 'usdtAmount' | 'middle'>,
): Atoms | undefined {
  const { side, coinAmount, usdtAmount, middle } = order;
  const coin = findCoin(order.coin);
  if (middle === null || !coin) return undefined;
  const sign = side === 'BUY' ? 1n : -1n;
  return sign * BigInt(usdtAmount) + worthOf(coin, -sign * BigInt(coinAmount), BigInt(middle));
}

/** One step of the house: when it was, the part that it belongs to, and what it changed. */
interface Step {
  readonly day: string;
  readonly coin: Coin;
  readonly part: ProfitPart;
  readonly coinChange: Atoms;
  readonly usdtChange: Atoms;
  /** `null` where there is none: then the newest counts. */
  readonly middle: Price | null;
  readonly orders: 0 | 1;
}

const DAY_MS = 86_400_000;

/** The day (UTC) of a time. */
export const dayOf = (time_ms: number) => new Date(time_ms).toISOString().slice(0, 10);
const priceOf = (middle: string | null) => (middle === null ? null : BigInt(middle));

function stepOfOrder(order: FilledOrder): Step[] {
  const coin = findCoin(order.coin);
  if (!coin) return [];
  const sign = order.side === 'BUY' ? 1n : -1n;
  return [
    {
      day: timestampOfRecord(order.id).slice(0, 10),
      coin,
      part: 'spread',
      coinChange: -sign * BigInt(order.coinAmount),
      usdtChange: sign * BigInt(order.usdtAmount),
      middle: priceOf(order.middle),
      orders: order.middle === null ? 0 : 1,
    },
  ];
}

/** A trade of the house, and its fee, in whichever asset. What is only set aside, or is capital, gains nothing. */
function stepsOfMove(move: HouseMove): Step[] {
  const { kind, id, ended_ms, coin: symbol, coinChange, usdtChange, middle, feeAsset, fee } = move;
  const coin = findCoin(symbol);
  if (!coin || (kind !== 'hedge' && kind !== 'settlement')) return [];
  const common = { day: dayOf(ended_ms ?? timeOfRecord(id)), coin, middle: priceOf(middle), orders: 0 } as const;
  const changes = { coinChange: BigInt(coinChange), usdtChange: BigInt(usdtChange) };
  const trade: Step = { ...common, part: kind === 'hedge' ? 'hedges' : 'settlements', ...changes };
  if (feeAsset === null) return [trade];
  const inCoin = findCoin(feeAsset);
  const paid = inCoin
    ? { coin: inCoin, coinChange: -BigInt(fee), usdtChange: 0n, middle: inCoin === coin ? common.middle : null }
    : { coinChange: 0n, usdtChange: -BigInt(fee) };
  return [trade, { ...common, part: 'fees', ...paid }];
}

const Amounts = z.record(z.string(), z.string());

type Amounts = z.output<typeof Amounts>;

/** What the records up to a number explain: by asset the position, what is set aside and the capital; by coin its price. */
const State = z.object({ after: z.int(), positions: Amounts, aside: Amounts, capital: Amounts, middles: Amounts });

type State = z.output<typeof State>;

const NOTHING: State = { after: 0, positions: {}, aside: {}, capital: {}, middles: {} };

/**
 * What flowed on a day, and by coin what the house gained, by how much its position changed, and the last price known on
 * that day.
 */
const Day = z.object({
  day: z.string(),
  flows: Flows,
  profit: z.record(z.string(), Parts),
  moved: Amounts,
  middles: Amounts,
});

type Day = z.output<typeof Day>;

/** What is counted of a part of the journal. */
export interface Counted {
  readonly orders: readonly FilledOrder[];
  readonly moves: readonly HouseMove[];
  readonly payments: readonly CountedPayment[];
}

const grown = (text: string | undefined, atoms: Atoms) => (BigInt(text ?? 0) + atoms).toString();

/** Under which name the object has the state. */
const STATE = 'day_sums';

/**
 * What flowed, and what the house earned and lost by coin, by day, in the storage of the keeper: a row for each day, and
 * what the house has by all that was counted. It counts each record once, in the order of their transfers, however often
 * they are read.
 *
 * The value of a position is rounded down. What a record gained is judged by the market's middle price of that moment, and
 * the position before it is valued anew at that price: the revaluation, with less than an atom a record that rounding
 * leaves. So the parts of all days add up exactly to the value of what the house has beyond its capital.
 */
export class DaySums {
  readonly #sql: SqlStorage;
  readonly #stored: ObjectState;
  #state: State;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#stored = new ObjectState(sql);
    sql.exec('CREATE TABLE IF NOT EXISTS day_sums (day TEXT PRIMARY KEY NOT NULL, sums TEXT NOT NULL) WITHOUT ROWID');
    this.#state = State.parse(this.#stored.read(STATE) ?? NOTHING);
  }

  /** The number of the newest transfer whose record was counted. */
  get after(): number {
    return this.#state.after;
  }

  /** The coins of which the house has more or less than its capital. */
  get positions(): Coin[] {
    return coinSymbols.filter((coin) => BigInt(this.#state.positions[coin] ?? 0) !== 0n);
  }

  /**
   * Counts the records whose transfers have the numbers after `after` up to `to`. Without a wait in between, so that all of
   * it is stored or nothing. Numbers that were counted are left out. Throws when some before them were not.
   */
  add({ orders, moves, payments }: Counted, after: number, to: number): void {
    if (to <= this.#state.after) return;
    if (after > this.#state.after) throw new Error(`what happened up to transfer ${after} was not counted`);
    const days = new Map<string, Day>();
    const [aside, capital] = [{ ...this.#state.aside }, { ...this.#state.capital }];
    const records = [
      ...orders.map((order) => ({ transfer: order.transfer, steps: stepOfOrder(order) })),
      ...moves.map((move) => ({ transfer: move.transfer, steps: stepsOfMove(move) })),
    ];
    const isNew = ({ transfer }: { readonly transfer: number }) => transfer > this.#state.after;
    for (const { kind, coin, coinChange, asideAsset, asideChange } of moves.filter(isNew)) {
      if (kind === 'funding') capital[coin] = grown(capital[coin], BigInt(coinChange));
      if (asideAsset !== null) aside[asideAsset] = grown(aside[asideAsset], BigInt(asideChange));
    }
    const flowed = [
      ...orders.map(({ id, transfer, usdtAmount }) => {
        return { flow: 'orders', transfer, time_ms: timeOfRecord(id), atoms: usdtAmount } as const;
      }),
      ...payments.map(({ kind, transfer, time_ms, usdValue }) => {
        return { flow: `${kind}s`, transfer, time_ms, atoms: usdValue } as const;
      }),
    ];
    for (const { flow, time_ms, atoms } of flowed.filter(isNew)) {
      const { flows } = this.#open(days, dayOf(time_ms));
      flows[flow] = addFlows(flows[flow], { count: 1, atoms });
    }
    const sorted = records.filter(isNew).toSorted((one, other) => one.transfer - other.transfer);
    const steps = sorted.flatMap((record) => record.steps);
    this.#count(steps, days, { after: to, aside, capital });
  }

  /** Values all positions at the prices of now, so that a day has the revaluation of that day. */
  mark(prices: ReadonlyMap<Coin, Price>, now_ms: number): void {
    const still = { coinChange: 0n, usdtChange: 0n, part: 'revaluation', orders: 0 } as const;
    const steps = [...prices].map(([coin, middle]) => ({ ...still, day: dayOf(now_ms), coin, middle }));
    this.#count(steps, new Map());
  }

  /** Counts steps on top of the days, and stores these and the state. */
  #count(steps: readonly Step[], days: Map<string, Day>, known: Partial<State> = {}): void {
    const positions = { ...this.#state.positions };
    const middles = { ...this.#state.middles };
    for (const { day, coin, part, coinChange, usdtChange, middle: named, orders } of steps) {
      const before = BigInt(positions[coin] ?? 0);
      const last = BigInt(middles[coin] ?? 0);
      const middle = named ?? last;
      const gain = usdtChange + worthOf(coin, coinChange, middle);
      const change = usdtChange + worthOf(coin, before + coinChange, middle) - worthOf(coin, before, last);
      const isGained = gain !== 0n || change !== 0n || orders > 0;
      if (isGained || coinChange !== 0n) {
        const sums = this.#open(days, day);
        const counted = sums.profit[coin] ?? NO_PROFIT;
        const parts = withPart(withPart(counted, part, gain), 'revaluation', change - gain);
        if (isGained) sums.profit[coin] = { ...parts, orders: counted.orders + orders };
        sums.moved[coin] = grown(sums.moved[coin], coinChange);
        sums.middles[coin] = middle.toString();
      }
      positions[coin] = grown(positions[coin], coinChange);
      positions[QUOTE_ASSET] = grown(positions[QUOTE_ASSET], usdtChange);
      middles[coin] = middle.toString();
    }
    for (const [day, sums] of days) {
      this.#sql.exec('INSERT OR REPLACE INTO day_sums VALUES (?, ?)', day, JSON.stringify(sums));
    }
    this.#state = { ...this.#state, ...known, positions, middles };
    this.#stored.write(STATE, this.#state);
  }

  /**
   * Compares what the records explain with what the same transfers moved, in the inventory and in what is set aside, and
   * with the capital; and, if `isWhole`, the value of the position with what all days add up to.
   */
  judge(transfers: Sums, rows: readonly HouseBalance[], isWhole: boolean): Finding[] {
    const { positions, aside, capital, middles } = this.#state;
    const findings: Finding[] = [];
    const compare = (of: string, asset: string, found: Atoms, explained: Atoms) => {
      if (found === explained) return;
      const example = { of, asset, found: String(found), explained: String(explained) };
      findings.push({ invariant: 'pnl_unexplained', example });
    };
    for (const asset of assetSymbols) {
      const [position, held, own] = [positions, aside, capital].map((amounts) => BigInt(amounts[asset] ?? 0));
      const moved = (account: string) => BigInt(transfers[`${account} ${asset}`]?.atoms ?? 0);
      const brought = rows.find((row) => row.account === house.liquidity && row.asset === asset)?.capital;
      compare('inventory', asset, moved(house.liquidity), (position ?? 0n) + (own ?? 0n) - (held ?? 0n));
      compare('hedging', asset, moved(house.hedging), held ?? 0n);
      compare('capital', asset, BigInt(brought ?? 0), own ?? 0n);
    }
    if (!isWhole) return findings;
    const value = Object.entries(positions).reduce((sum, [asset, amount]) => {
      const coin = findCoin(asset);
      return sum + (coin ? worthOf(coin, BigInt(amount), BigInt(middles[coin] ?? 0)) : BigInt(amount));
    }, 0n);
    compare('profit', QUOTE_ASSET, value, sumParts(this.listProfit('')));
    return findings;
  }

  /** What the house gained from a day on, newest day first. */
  listProfit(from: string): ProfitOfDay[] {
    return this.#read('day >= ? ORDER BY day DESC', from).flatMap(({ day, profit }) =>
      Object.entries(profit).map(([coin, parts]) => ({ day, coin, ...parts })),
    );
  }

  /** What flowed from a day on, newest day first; without the days on which nothing did. */
  listFlows(from: string): FlowsOfDay[] {
    return this.#read('day >= ? ORDER BY day DESC', from).flatMap(({ day, flows }) =>
      Object.values(flows).some(({ count }) => count > 0) ? [{ day, ...flows }] : [],
    );
  }

  /**
   * The positions at the end of each day from the newest one on, which is as of now. What a day changed is taken off what
   * is there at the end of it, so that a quiet day has what the day before left, and a record that is counted late is on
   * its own day.
   */
  listPositions(from: string, to: string): PositionOfDay[] {
    const rows = this.#read('day >= ? ORDER BY day DESC', from);
    const earlier = this.#read('day < ? ORDER BY day DESC LIMIT 1', from);
    const left = new Map(coinSymbols.map((coin) => [coin, BigInt(this.#state.positions[coin] ?? 0)]));
    const takeOff = ({ moved }: Day) => {
      for (const [coin, before] of left) left.set(coin, before - BigInt(moved[coin] ?? 0));
    };
    rows.filter(({ day }) => day > to).forEach(takeOff);
    return listDays(from, to).flatMap((day) => {
      const middles = [...rows, ...earlier].find((row) => row.day <= day)?.middles ?? {};
      const shown = [...left].flatMap(([coin, atoms]): PositionOfDay[] => {
        if (atoms === 0n) return [];
        const middle = BigInt(middles[coin] ?? 0);
        const value = middle === 0n ? null : worthOf(coin, atoms, middle).toString();
        return [{ day, coin, position: atoms.toString(), value }];
      });
      rows.filter((row) => row.day === day).forEach(takeOff);
      return shown;
    });
  }

  /** Forgets all sums, so that all records are counted again. */
  forget(): void {
    this.#sql.exec('DELETE FROM day_sums');
    this.#state = NOTHING;
    this.#stored.write(STATE, NOTHING);
  }

  #read(condition: 'day = ?' | 'day >= ? ORDER BY day DESC' | 'day < ? ORDER BY day DESC LIMIT 1', day: string): Day[] {
    const rows = this.#sql.exec<{ sums: string }>(`SELECT sums FROM day_sums WHERE ${condition}`, day);
    return rows.toArray().map(({ sums }) => Day.parse(JSON.parse(sums)));
  }

  /** The sums of a day, which change until they are stored. */
  #open(days: Map<string, Day>, day: string): Day {
    const sums = days.get(day) ??
      this.#read('day = ?', day)[0] ?? {
        day,
        flows: { ...NO_FLOWS },
        profit: {},
        moved: {},
        middles: { ...this.#state.middles },
      };
    days.set(day, sums);
    return sums;
  }
}

/** The days up to one, the newest first. */
function listDays(from: string, to: string): string[] {
  const count = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  return Array.from({ length: count }, (_, place) => dayOf(Date.parse(to) - place * DAY_MS));
}

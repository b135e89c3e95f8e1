import { type Asset, type Coin, scaleOf } from '../../src/money/assets.ts';
import { ledgersUnderTest } from '../support/db/open-in-ledger.ts';
import { type ProgrammedDealer, type VenueOrder, inAtoms } from './dealer.ts';
import { houseOf, venueOf } from './house-of.ts';
import type { Model } from './model.ts';
import { type Movement, sameMovements, withoutReference } from './movement.ts';
import { must } from './must.ts';

/** How the coins are hedged: `TERMS` is what the settings have, the rest is the same in atoms. */
export const TERMS = {
  venue: 'played',
  outer: '60',
  inner: '20',
  maxAgeSeconds: 120,
  limitBps: 50,
  maxHedge: '5000',
  feeBps: 10,
} as const;
export const hedgedCoins = ['BTC', 'ETH'] as const satisfies Coin[];
export const HEDGED_SPREAD = 20n;

const usdt = (text: string) => BigInt(text) * 1_000_000n;
const [OUTER, INNER, MOST] = [usdt(TERMS.outer), usdt(TERMS.inner), usdt(TERMS.maxHedge)];
const MAX_AGE_MS = TERMS.maxAgeSeconds * 1_000;
const AMOUNT_STEP = 1_000n;
const PRICE_STEP = 1_000_000n;
const LEAST_COST = 5_000_000n;
const SEND_WINDOW_MS = 5_000;

export interface ModelHedge {
  readonly id: string;
  readonly ledger: number;
  readonly coin: Coin;
  readonly side: 'BUY' | 'SELL';
  readonly setAside: bigint;
  status: 'OPEN' | 'DEALT' | 'NEVER';
}

/** A row of the ledger's hedges. Amounts are texts. */
export type HedgeRow = Readonly<Record<string, string | number | null>>;

/** A look of the hedger of a ledger, which alone may write hedges. */
export interface HedgerLook {
  readonly ledger: number;
  readonly begun_ms: number;
  readonly ended_ms: number;
  /** Whether hedging was halted when it began. */
  readonly isHalted: boolean;
  /** Whether nothing went wrong: then what is due must have been done. */
  readonly isClean: boolean;
  /** The prices that it may have seen of each coin. */
  readonly prices: ReadonlyMap<Coin, readonly bigint[]>;
}

const ceil = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;
const absolute = (amount: bigint) => (amount < 0n ? -amount : amount);
const unitOf = (coin: Coin) => 10n ** BigInt(scaleOf(coin) + 8 - 6);

/** What the house does at the venue, as the model has it. */
export class ModelHedges {
  readonly all = new Map<string, ModelHedge>();
  /** Since when a position may have been beyond its inner bound. */
  readonly #since = new Map<string, number>();

  /**
   * Holds the hedges of a ledger, and what they moved, against the venue and the bands. Every hedge is due when it is
   * planned, and of the size and the limit that the terms say; it ends as the venue says, once, and as NEVER only if the
   * venue has filled nothing and will not.
   */
  follow(
    model: Model,
    dealer: ProgrammedDealer,
    ledger: number,
    rows: readonly HedgeRow[],
    moved: readonly Movement[],
    look: HedgerLook | undefined,
  ): void {
    const movements = Map.groupBy(moved, ({ reference }) => reference);
    const planned: HedgeRow[] = [];
    let ended = 0;
    /** By coin, what hedges moved that were planned and dealt in the same look. */
    const since = new Map<string, bigint>();
    // One that ends in a look makes room for the next. Their ids do not tell which was first where a clock went back.
    const [old, begun] = [
      rows.filter(({ id }) => this.all.has(String(id))),
      rows.filter(({ id }) => !this.all.has(String(id))),
    ];
    for (const row of [...old, ...begun]) {
      const id = String(row['id']);
      const known = this.all.get(id);
      const hedge = known ?? this.#begin(row, ledger);
      if (!known) planned.push(row);
      const expected = known ? [] : [this.#taken(hedge)];
      if (hedge.status === 'OPEN' && row['status'] !== 'OPEN') {
        hedge.status = row['status'] as 'DEALT' | 'NEVER';
        const order = dealer.orders.get(id);
        must(hedge.status === 'DEALT' || dealer.isNever(id), 'a hedge was given up that is not refused', id, order);
        must(hedge.status === 'NEVER' || order !== undefined, 'a hedge was believed dealt', id);
        const end = endOf(hedge, hedge.status === 'DEALT' ? order : undefined);
        expected.push(...end);
        ended += 1;
        if (!known) since.set(hedge.coin, changeOf(hedge, end));
      }
      must(hedge.status === row['status'], 'a hedge that had ended is', id, row['status'], hedge);
      must(hedge.status !== 'NEVER' || !dealer.orders.has(id), 'a hedge was filled that is NEVER', id);
      const own = (movements.get(id) ?? []).map(withoutReference);
      must(sameMovements(own, expected), 'a hedge moved', own, 'instead of', expected, hedge);
      movements.delete(id);
    }
    must(movements.size === 0, 'moved for no hedge', [...movements.values()]);
    must(planned.length === 0 || look?.ledger === ledger, 'a hedge was planned by nobody', planned);
    if (look?.ledger === ledger) this.#judge(model, dealer, look, planned, since, ended === 0);
  }

  listOpen(ledger?: number): ModelHedge[] {
    return [...this.all.values()].filter((one) => one.status === 'OPEN' && (ledger ?? one.ledger) === one.ledger);
  }

  #begin(row: HedgeRow, ledger: number): ModelHedge {
    const hedge: ModelHedge = {
      id: String(row['id']),
      ledger,
      coin: row['coin'] as Coin,
      side: row['side'] as 'BUY' | 'SELL',
      setAside: BigInt(row['setAside'] ?? 0),
      status: 'OPEN',
    };
    must(!this.listOpen(ledger).some(({ coin }) => coin === hedge.coin), 'a second hedge of a coin is open', hedge);
    this.all.set(hedge.id, hedge);
    return hedge;
  }

  #taken({ ledger, side, coin, setAside }: ModelHedge): Omit<Movement, 'reference'> {
    const { liquidity, hedging } = houseOf(ledger);
    const asset = side === 'BUY' ? 'USDT' : coin;
    return { debit: liquidity, credit: hedging, asset, amount: setAside, kind: 'hedge' };
  }

  #judge(
    model: Model,
    dealer: ProgrammedDealer,
    look: HedgerLook,
    planned: readonly HedgeRow[],
    since: ReadonlyMap<string, bigint>,
    /** Whether none ended: then what is at the venue now was there when hedges were planned. */
    isStill: boolean,
  ): void {
    for (const coin of hedgedCoins) {
      const key = `${look.ledger} ${coin}`;
      const position = model.position(houseOf(look.ledger), coin) - (since.get(coin) ?? 0n);
      const bandOf = (bound: bigint) => this.#partOf(model, look.ledger, coin, bound);
      const values = (look.prices.get(coin) ?? []).map((price) => (absolute(position) * price) / unitOf(coin));
      const begun = this.#since.get(key);
      if (values.some((value) => value > bandOf(INNER)))
        this.#since.set(key, Math.min(begun ?? look.begun_ms, look.begun_ms));
      else if (look.isClean && values.length > 0) this.#since.delete(key);
      const rows = planned.filter((row) => row['coin'] === coin);
      must(rows.length <= 1, 'two hedges of a coin in one look', rows);
      const [row] = rows;
      if (row) {
        const middle = BigInt(row['middle'] ?? 0);
        must(
          look.prices.get(coin)?.includes(middle) === true,
          'planned at a price of nobody',
          row,
          look.prices.get(coin),
        );
        const value = (absolute(position) * middle) / unitOf(coin);
        const isOld = look.ended_ms - (this.#since.get(key) ?? look.begun_ms) >= MAX_AGE_MS;
        const isDue = value > bandOf(OUTER) || (value > bandOf(INNER) && isOld);
        must(isDue && !look.isHalted, 'a hedge that was not due', row, position, value, look, begun);
        const expected = planOf(coin, position, middle, value - bandOf(INNER));
        const found = Object.fromEntries(Object.keys(expected).map((name) => [name, String(row[name])]));
        must(JSON.stringify(found) === JSON.stringify(expected), 'planned', found, 'instead of', expected);
        const planned_ms = Number(row['sendBy']) - SEND_WINDOW_MS;
        must(planned_ms >= look.begun_ms && planned_ms <= look.ended_ms, 'a hedge may be sent until', row, look);
      } else if (look.isClean && isStill && this.#isDue(model, look, coin, position, values, bandOf)) {
        must(false, 'a hedge was due', coin, look.ledger, position, values);
      }
    }
    if (!look.isClean) return;
    const left = this.listOpen(look.ledger).filter(({ id }) => dealer.isResolved(id));
    must(left.length === 0, 'hedges were not ended', left);
  }

  /** Whether a hedge had to be planned, whatever the price of these: nothing stood against it. */
  #isDue(
    model: Model,
    { ledger, prices, isHalted }: HedgerLook,
    coin: Coin,
    position: bigint,
    values: readonly bigint[],
    bandOf: (bound: bigint) => bigint,
  ): boolean {
    if (isHalted || values.length === 0 || values.some((value) => value <= bandOf(OUTER))) return false;
    if (this.listOpen(ledger).some((one) => one.coin === coin)) return false;
    const { liquidity } = houseOf(ledger);
    return (prices.get(coin) ?? []).every((middle, at) => {
      const plan = planOf(coin, position, middle, (values[at] ?? 0n) - bandOf(INNER));
      const asset = plan.side === 'BUY' ? 'USDT' : coin;
      const others = this.listOpen(ledger).filter(({ side }) => side === 'BUY' && plan.side === 'BUY');
      const bound = others.reduce((sum, { setAside }) => sum + setAside, 0n);
      const setAside = BigInt(plan.setAside);
      const isLarge =
        BigInt(plan.amount) > 0n && (BigInt(plan.amount) * BigInt(plan.limit)) / unitOf(coin) >= LEAST_COST;
      const isThere = setAside <= -model.balance(venueOf(ledger), asset) - bound;
      return isLarge && isThere && model.affords(liquidity, asset, setAside);
    });
  }

  /** A ledger's part of a bound, as its share of the exposure is of all of it. */
  #partOf(model: Model, ledger: number, coin: Coin, bound: bigint): bigint {
    const shareOf = (one: number) => -model.floor(houseOf(one).liquidity, coin);
    const whole = ledgersUnderTest.reduce((sum, one) => sum + shareOf(one), 0n);
    return whole === 0n ? 0n : (bound * shareOf(ledger)) / whole;
  }
}

/** What a hedge must be, in the texts of its row: back to the inner bound, in whole steps, within the limit. */
function planOf(coin: Coin, position: bigint, middle: bigint, excess: bigint) {
  const side = position < 0n ? 'BUY' : 'SELL';
  const wanted = ((excess < MOST ? excess : MOST) * unitOf(coin)) / middle;
  const amount = wanted - (wanted % AMOUNT_STEP);
  const away = BigInt(TERMS.limitBps);
  const high = (middle * (10_000n + away)) / 10_000n;
  const limit =
    side === 'BUY'
      ? high - (high % PRICE_STEP)
      : ceil(ceil(middle * (10_000n - away), 10_000n), PRICE_STEP) * PRICE_STEP;
  const cost = ceil(amount * limit, unitOf(coin));
  const setAside = side === 'SELL' ? amount : ceil(cost * (10_000n + 2n * BigInt(TERMS.feeBps)), 10_000n) + 1n;
  return { side, amount: String(amount), limit: String(limit), setAside: String(setAside) };
}

/** What moves at the end of a hedge: without an order of the venue everything comes back. */
function endOf(
  { ledger, side, coin, setAside }: ModelHedge,
  order: VenueOrder | undefined,
): Omit<Movement, 'reference'>[] {
  const [{ liquidity, hedging }, venue] = [houseOf(ledger), venueOf(ledger)];
  const isBuy = side === 'BUY';
  const [gives, gets] = isBuy ? (['USDT', coin] as const) : ([coin, 'USDT'] as const);
  const [given, got] = isBuy ? [order?.cost, order?.amount] : [order?.amount, order?.cost];
  // Against the house: what it gives is rounded up, and what it gets down.
  const spent = inAtoms(given ?? 0n, scaleOf(gives), true);
  const received = inAtoms(got ?? 0n, scaleOf(gets), false);
  const fee = order?.fee ? inAtoms(order.fee.amount, scaleOf(order.fee.asset as Asset), true) : 0n;
  const all: Omit<Movement, 'reference'>[] = [
    { debit: hedging, credit: venue, asset: gives, amount: spent, kind: 'hedge' },
    { debit: hedging, credit: liquidity, asset: gives, amount: setAside - spent, kind: 'hedge' },
    { debit: venue, credit: liquidity, asset: gets, amount: received, kind: 'hedge' },
    { debit: liquidity, credit: venue, asset: (order?.fee?.asset ?? 'USDT') as Asset, amount: fee, kind: 'hedge' },
  ];
  return all.filter(({ amount }) => amount > 0n);
}

/** How a hedge's end changes the position of its coin. */
function changeOf({ ledger, coin }: ModelHedge, ended: readonly Omit<Movement, 'reference'>[]): bigint {
  const venue = venueOf(ledger);
  return ended
    .filter(({ asset }) => asset === coin)
    .reduce((sum, { debit, credit, amount }) => sum + (debit === venue ? amount : credit === venue ? -amount : 0n), 0n);
}

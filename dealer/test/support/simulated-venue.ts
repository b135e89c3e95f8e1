import { readAmount, writeAmount } from '../../src/amounts.ts';
import type { Fill, Found, Market, Outcome, Venue, VenueOrder } from '../../src/venues/venue.ts';
import type { Clock } from './open.ts';
import { PlayedExchange, type PlayedOrder } from './played-exchange.ts';

/** A process that dies. */
export class Crash extends Error {}

/** How often things go wrong, as shares of one; times in ms. */
export interface Weather {
  readonly lostRequest: number;
  readonly lostAnswer: number;
  readonly late: number;
  readonly badGatewayAfter: number;
  readonly unavailableBefore: number;
  readonly failedLookUp: number;
  readonly laggingLookUps: number;
  readonly maxLag_ms: number;
  readonly maxLate_ms: number;
  readonly engine_ms: number;
  readonly keepsWindow: boolean;
}

export const weather: Weather = {
  lostRequest: 0.04,
  lostAnswer: 0.05,
  late: 0.05,
  badGatewayAfter: 0.03,
  unavailableBefore: 0.02,
  failedLookUp: 0.05,
  laggingLookUps: 0,
  maxLag_ms: 120_000,
  maxLate_ms: 12_000,
  engine_ms: 10_000,
  keepsWindow: true,
};

const unknown = (why: string): Outcome => ({ kind: 'unknown', why });

/** An exchange in virtual time, as an adapter shows it, with the lab's faults. Requests take time. */
export class SimulatedVenue implements Venue {
  readonly name = 'binance';
  readonly coins = ['BTC'];
  lateness_ms = 25_000;
  readonly minWindow_ms = 500;
  readonly again = 'once';
  readonly exchange: PlayedExchange;
  /** When each order was sent. */
  readonly sent: { readonly id: string; readonly at_ms: number }[] = [];
  /** Called between the steps of a request, where the process may die. */
  at: (point: string) => void = () => undefined;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #weather: Weather;
  #arriving: { readonly at_ms: number; readonly order: VenueOrder }[] = [];

  constructor(clock: Clock, random: () => number, conditions: Weather) {
    this.#clock = clock;
    this.#random = random;
    this.#weather = conditions;
    this.exchange = new PlayedExchange(clock.now, { BTC: '1000', USDT: '100000000' });
  }

  /** Executes what is due. */
  settle(): void {
    const due = this.#arriving.filter(({ at_ms }) => at_ms <= this.#clock.now_ms);
    this.#arriving = this.#arriving.filter(({ at_ms }) => at_ms > this.#clock.now_ms);
    for (const { order } of due) this.#execute(order);
  }

  place(order: VenueOrder): Promise<Outcome> {
    this.at('before it is sent');
    const { lostRequest, lostAnswer, late, badGatewayAfter, unavailableBefore, ...others } = this.#weather;
    const luck = this.#random();
    const sent_ms = this.#clock.now_ms;
    this.sent.push({ id: order.id, at_ms: sent_ms });
    let outcome: Outcome | undefined;
    if (luck < lostRequest) {
      outcome = unknown('timeout');
    } else if (luck < lostRequest + late) {
      const at_ms = sent_ms + this.#random() * others.maxLate_ms;
      const isKept = others.keepsWindow && at_ms > order.sendBy_ms;
      if (!isKept) this.#arriving.push({ at_ms: at_ms + this.#random() * others.engine_ms, order });
      outcome = unknown('timeout');
    } else if (luck < lostRequest + late + unavailableBefore) {
      outcome = unknown('503');
    }
    if (!outcome && others.keepsWindow && sent_ms > order.sendBy_ms) {
      outcome = { kind: 'refused', reason: 'venue_refused: outside of the window' };
    }
    const done = outcome ? undefined : this.#execute(order);
    this.at('sent, and no answer read');
    const isLost = luck < lostRequest + late + unavailableBefore + lostAnswer + badGatewayAfter;
    this.#clock.pass((outcome ?? isLost) ? 10_000 : 60);
    this.settle();
    return Promise.resolve(outcome ?? (isLost || !done ? unknown('no answer') : describe(done)));
  }

  find(order: VenueOrder): Promise<Found> {
    this.at('looking up');
    this.#clock.pass(60);
    this.settle();
    if (this.#random() < this.#weather.failedLookUp) return Promise.resolve(unknown('502'));
    const found = this.exchange.find(order.id);
    return Promise.resolve(found ? describe(found) : { kind: 'absent' });
  }

  readBalances(): Promise<ReadonlyMap<string, bigint>> {
    this.at('reading balances');
    this.#clock.pass(40);
    this.settle();
    if (this.#random() < this.#weather.failedLookUp) return Promise.reject(new Error('502'));
    return Promise.resolve(new Map(this.exchange.balances));
  }

  readMarkets(): Promise<readonly Market[]> {
    const { amountStep, priceStep, minCost, feeRate: takerFee } = this.exchange;
    return Promise.resolve([
      { coin: 'BTC', isOpen: true, amountStep, priceStep, minAmount: amountStep, minCost, takerFee },
    ]);
  }

  readOrders(): Promise<readonly []> {
    return Promise.resolve([]);
  }

  readClockOffset(): Promise<number> {
    return Promise.resolve(0);
  }

  readKeyRights(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  #execute(order: VenueOrder): PlayedOrder {
    // A thin book now and then: parts, and nothing at all.
    const depth = Math.floor(this.#random() * 600);
    this.exchange.makeBook('BTC', '60000', `0.0${String(depth).padStart(4, '0')}`, 8);
    const { laggingLookUps, maxLag_ms } = this.#weather;
    this.exchange.lag_ms = this.#random() < laggingLookUps ? this.#random() * maxLag_ms : this.#random() * 1_000;
    const { id: clientId, coin, side } = order;
    return this.exchange.execute({
      clientId,
      coin,
      side,
      amount: readAmount(order.amount),
      price: readAmount(order.limitPrice),
    });
  }
}

function describe(order: PlayedOrder): Outcome {
  if (order.filled === 0n) return { kind: 'refused', reason: 'nothing_filled: played' };
  const fill: Fill = {
    amount: writeAmount(order.filled),
    cost: writeAmount(order.cost),
    fees: [{ asset: order.fee.asset, amount: writeAmount(order.fee.amount) }],
    reference: String(order.reference),
  };
  return { kind: 'dealt', fill };
}

import type { Deal } from '../../../src/dealing/contract.ts';
import type { DealState, Dealer } from '../../../src/dealing/dealer.ts';

const COIN_UNIT = 100_000_000n;

/** One share of cases each. */
export interface DealerFaults {
  readonly requestLost: number;
  readonly answerLost: number;
  readonly late: number;
  readonly refused: number;
  readonly partial: number;
  readonly slow: number;
  readonly forgets: number;
}

export const NO_FAULTS: DealerFaults = {
  requestLost: 0,
  answerLost: 0,
  late: 0,
  refused: 0,
  partial: 0,
  slow: 0,
  forgets: 0,
};

/** How long after `sendBy` an order that is not found may still be filled. */
const LATENESS_MS = 20_000;

interface Known {
  readonly deal: string;
  readonly ends_ms: number;
}

const silent = (reason: string): DealState => ({ kind: 'unresolved', reason });

/**
 * A dealer and its venue that keep the contract of docs/dealing.md, in the time of `clock`: an id is sent once, nothing after
 * `sendBy`, and a deal that is not known is looked up at the venue first. All that may go wrong between goes wrong.
 */
export class PlayedDealer implements Dealer {
  readonly #clock: { now: number };
  readonly #draw: () => number;
  readonly #middle: () => bigint;
  faults: DealerFaults;
  /** What the venue has done, by the id. */
  readonly orders = new Map<string, DealState>();
  readonly #executions = new Map<string, number>();
  #known = new Map<string, Known>();
  #late: { readonly at_ms: number; readonly deal: Deal }[] = [];
  /** In atoms of the coin, and in 10^-8 of USDT. */
  coin = 0n;
  usdt = 0n;

  constructor(clock: { now: number }, draw: () => number, middle: () => bigint, faults: DealerFaults) {
    this.#clock = clock;
    this.#draw = draw;
    this.#middle = middle;
    this.faults = faults;
  }

  get doubled(): number {
    return [...this.#executions.values()].filter((times) => times > 1).length;
  }

  report(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  /** What arrives late arrives now. */
  pass(): void {
    const due = this.#late.filter(({ at_ms }) => at_ms <= this.#clock.now);
    this.#late = this.#late.filter(({ at_ms }) => at_ms > this.#clock.now);
    for (const { deal } of due) this.#receive(deal);
  }

  submit(deal: Deal): Promise<DealState> {
    const { requestLost, answerLost, late, forgets } = this.faults;
    if (this.#draw() < forgets) this.#known = new Map();
    const fate = this.#draw();
    if (fate < requestLost) return Promise.resolve(silent('the request was lost'));
    if (fate < requestLost + late) {
      this.#late.push({ at_ms: this.#clock.now + 500 + Math.floor(this.#draw() * 12_000), deal });
      return Promise.resolve(silent('late'));
    }
    const state = this.#receive(deal);
    return Promise.resolve(this.#draw() < answerLost ? silent('the answer was lost') : state);
  }

  #receive(deal: Deal): DealState {
    const text = JSON.stringify(deal);
    const known = this.#known.get(deal.id);
    if (known) {
      if (known.deal !== text) return silent('status 400');
      return this.#clock.now < known.ends_ms ? silent('unknown') : this.#lookUp(deal);
    }
    const isSlow = this.#draw() < this.faults.slow;
    const sendBy_ms = Date.parse(deal.sendBy);
    const ends_ms = isSlow ? Math.max(sendBy_ms, this.#clock.now) + LATENESS_MS : this.#clock.now;
    this.#known.set(deal.id, { deal: text, ends_ms });
    // A memory that was restored: the venue knows the order.
    if (!this.orders.has(deal.id) && this.#clock.now <= sendBy_ms) this.#execute(deal);
    return isSlow ? silent('unknown') : this.#lookUp(deal);
  }

  #lookUp({ id }: Deal): DealState {
    return this.orders.get(id) ?? { kind: 'refused', reason: 'deadline_passed: it was never sent' };
  }

  /** A limit order that fills at once what it can, at a hundredth of a percent from the middle, with a fee of ten. */
  #execute(deal: Deal): void {
    this.#executions.set(deal.id, (this.#executions.get(deal.id) ?? 0) + 1);
    const isBuy = deal.side === 'BUY';
    const price = isBuy ? (this.#middle() * 10_001n) / 10_000n : (this.#middle() * 9_999n) / 10_000n;
    const limit = atoms(deal.limitPrice);
    const fate = this.#draw();
    const { refused, partial } = this.faults;
    if (fate < refused || (isBuy ? price > limit : price < limit)) {
      this.orders.set(deal.id, { kind: 'refused', reason: 'nothing_filled: the price is beyond the limit' });
      return;
    }
    const whole = atoms(deal.amount);
    const part = (whole * BigInt(1 + Math.floor(this.#draw() * 99))) / 100n;
    const amount = fate < refused + partial && part > 0n ? part : whole;
    // In 10^-8 of USDT: finer than the ledger counts.
    const cost = (amount * price) / COIN_UNIT;
    const fee = isBuy ? amount / 1_000n : cost / 1_000n;
    const sign = isBuy ? 1n : -1n;
    this.coin += sign * amount - (isBuy ? fee : 0n);
    this.usdt -= sign * cost + (isBuy ? 0n : fee);
    this.orders.set(deal.id, {
      kind: 'dealt',
      amount: decimal(amount),
      cost: decimal(cost),
      fee: fee > 0n ? { asset: isBuy ? deal.coin : 'USDT', amount: decimal(fee) } : null,
      reference: String(this.orders.size + 1),
    });
  }
}

function atoms(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(8, '0'));
}

function decimal(amount: bigint): string {
  const digits = String(amount).padStart(9, '0');
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

import type { Deal, VenueReport } from '../../src/dealing/contract.ts';
import type { DealState, Dealer } from '../../src/dealing/dealer.ts';
import { readDealAnswer } from '../../src/dealing/http-dealer.ts';
import { VENUE_NAME } from '../support/db/house-money.ts';
import { MARKET } from '../support/dealing/market.ts';
import type { Draw } from '../support/draw.ts';
import { must } from './must.ts';
import { readDecimal, writeDecimal } from './read-decimal.ts';

/** What the dealer and the way to it do with the deals of the next step. */
export const dealerModes = [
  'deals',
  'deals_part',
  'fills_nothing',
  'refuses',
  'unknown',
  'working',
  'held',
  'never_seen',
  'lost_before',
  'lost_after',
  'late',
  'slow',
  'error_page',
  'wrong_status',
  'fails_before',
  'forgets',
  'contradicts',
] as const;

export type DealerMode = (typeof dealerModes)[number];

/** The venue counts finer than the ledger. */
const VENUE_SCALE = 12;

/** How long after `sendBy` the dealer is sure of what it did not find. */
const LATENESS_MS = 20_000;

/** An order that the venue has filled, in its own decimals. */
export interface VenueOrder {
  readonly coin: string;
  readonly side: 'BUY' | 'SELL';
  readonly amount: bigint;
  readonly cost: bigint;
  readonly fee: { readonly asset: string; readonly amount: bigint } | null;
}

interface Kept {
  readonly body: string;
  readonly deal: Deal;
  readonly shown: 'unknown' | 'working' | 'held';
  /** Until then it is not known what came of it. */
  readonly until_ms: number;
  readonly refusal: { readonly status: 'refused' | 'busy'; readonly reason: string } | null;
}

interface Raw {
  readonly status: number;
  readonly body: string;
}

/** What a gateway on the way says of itself. */
const page: Raw = { status: 422, body: '<html>gateway</html>' };
const gateway: Raw = { status: 502, body: '{"status":"refused","reason":"gateway: closed"}' };
const silence: Raw = { status: 0, body: '' };

/**
 * A dealer with one venue account, at which all ledgers trade. It keeps the contract, and the simulation chooses for each
 * step what goes wrong. It has books of its own: what the venue filled, how often, and what it holds.
 */
export class ProgrammedDealer implements Dealer {
  mode: DealerMode = 'deals';
  /** How often the mode took effect since it was set. */
  injected = 0;
  /** Something that happens before a deal arrives, or after its answer was made. */
  around: { readonly moment: 'before' | 'after'; readonly act: () => Promise<void> } | null = null;
  /** How much more of an asset the venue says that it holds. */
  bent: { readonly asset: string; readonly amount: bigint } | null = null;
  readonly orders = new Map<string, VenueOrder>();
  /** What was answered since the mode was set, by the word for it. */
  readonly answered: string[] = [];
  readonly #balances = new Map<string, bigint>();
  readonly #faults: string[] = [];
  /** Deals of which it once said that they never will be. */
  readonly #refused = new Set<string>();
  #kept = new Map<string, Kept>();
  #late: { readonly at_ms: number; readonly deal: Deal }[] = [];
  #draw: Draw | undefined;

  set(mode: DealerMode, draw: Draw): void {
    this.mode = mode;
    this.#draw = draw;
    this.injected = 0;
    this.answered.length = 0;
    this.around = null;
    this.bent = null;
  }

  /** Money that people sent to the venue, or took back. */
  fund(asset: string, amount: bigint, scale: number): void {
    this.#move(asset, amount * 10n ** BigInt(VENUE_SCALE - scale));
  }

  holds(asset: string): bigint {
    return this.#balances.get(asset) ?? 0n;
  }

  /** Whether it has said for good that nothing was or will be filled. */
  isNever(id: string): boolean {
    return this.#refused.has(id) && !this.orders.has(id);
  }

  /** Whether a submission now is answered with how the deal ended. */
  isResolved(id: string): boolean {
    const kept = this.#kept.get(id);
    if (kept === undefined || isTooFarAhead(kept.deal)) return false;
    return kept.refusal !== null || kept.until_ms <= Date.now();
  }

  mustBeContent(): void {
    must(this.#faults.length === 0, 'the dealer was asked wrongly', this.#faults);
  }

  async submit(deal: Deal): Promise<DealState> {
    const { around } = this;
    this.around = null;
    if (around?.moment === 'before') await around.act();
    const { status, body } = this.#answer(deal);
    this.answered.push(/"status":"(\w+)"/.exec(body)?.[1] ?? String(status));
    if (around?.moment === 'after') await around.act();
    return readDealAnswer(status, body);
  }

  report(): Promise<VenueReport> {
    const now = new Date(Date.now()).toISOString();
    const shown = (asset: string) => this.holds(asset) + (this.bent?.asset === asset ? this.bent.amount : 0n);
    const assets = new Set([...this.#balances.keys(), ...(this.bent ? [this.bent.asset] : [])]);
    return Promise.resolve({
      venue: VENUE_NAME,
      at: now,
      lateness_ms: LATENESS_MS,
      clockOffset_ms: 0,
      balances: [...assets].map((asset) => ({ asset, amount: writeDecimal(shown(asset), VENUE_SCALE) })),
      markets: ['BTC', 'ETH'].map((coin) => ({ ...MARKET, coin })),
      unresolved: this.#listOpen().map(({ deal: { id, ledger, coin } }) => ({
        id,
        ledger,
        coin,
        status: 'unknown',
        since: now,
      })),
      dealt: [],
      ordersSince: now,
      orders: [],
    });
  }

  /** What is late arrives. */
  pass(): void {
    const due = this.#late.filter(({ at_ms }) => at_ms <= Date.now());
    this.#late = this.#late.filter(({ at_ms }) => at_ms > Date.now());
    for (const { deal } of due) this.#receive(deal, 'deals');
  }

  #listOpen(): Kept[] {
    return [...this.#kept.values()].filter(({ refusal, until_ms }) => refusal === null && until_ms > Date.now());
  }

  #answer(deal: Deal): Raw {
    const { mode } = this;
    const isKnown = this.#kept.has(deal.id);
    if (mode !== 'deals') this.injected += 1;
    if (mode === 'lost_before') return silence;
    if (mode === 'never_seen' && !isKnown) return { status: 404, body: '{"status":"never_seen"}' };
    if (mode === 'fails_before') return { status: 503, body: '{"error":"the venue did not answer"}' };
    if (mode === 'late') {
      this.#late.push({ at_ms: Date.now() + (this.#draw?.below(12_000) ?? 0), deal });
      return silence;
    }
    if (mode === 'forgets') {
      // It was restored from a backup, and what was on its way to it is lost.
      this.#kept = new Map();
      this.#late = [];
    }
    const truth = this.#receive(deal, mode);
    if (mode === 'lost_after') return silence;
    if (mode === 'error_page') return page;
    if (mode === 'wrong_status') return gateway;
    const dealt = JSON.parse(truth.body) as { status?: string };
    if (mode === 'contradicts' && dealt.status === 'dealt') {
      return { status: 200, body: JSON.stringify({ ...dealt, fee: { asset: 'XRP', amount: '1' } }) };
    }
    return truth;
  }

  /** Takes a deal as the contract says: it is sent once, nothing is after `sendBy`, and the venue is looked at first. */
  #receive(deal: Deal, mode: DealerMode): Raw {
    const body = JSON.stringify(deal);
    const sendBy_ms = Date.parse(deal.sendBy);
    if (isTooFarAhead(deal)) return { status: 400, body: '{"error":"sendBy is too far ahead"}' };
    const known = this.#kept.get(deal.id);
    if (known) {
      if (known.body !== body) this.#faults.push(`${deal.id} came with another body`);
      return this.#stateOf(known);
    }
    const keep = (more: Partial<Kept> = {}): Raw => {
      const kept: Kept = { body, deal, shown: 'unknown', until_ms: 0, refusal: null, ...more };
      this.#kept.set(deal.id, kept);
      if (kept.refusal) this.#refused.add(deal.id);
      return this.#stateOf(kept);
    };
    if (this.orders.has(deal.id)) return keep();
    const isLate = Date.now() > sendBy_ms;
    if (this.#listOpen().some((kept) => kept.deal.coin === deal.coin)) {
      if (isLate) return { status: 503, body: '{"error":"another deal of the coin is unresolved"}' };
      return keep({ refusal: { status: 'busy', reason: 'other_deal: unresolved' } });
    }
    if (isLate) return keep({ refusal: { status: 'refused', reason: 'deadline_passed: not sent' } });
    const isFilled = mode !== 'refuses' && mode !== 'fills_nothing' && this.#fill(deal, mode);
    const isOpen = mode === 'unknown' || mode === 'working' || mode === 'held';
    return keep({
      ...(!isFilled && { refusal: { status: 'refused' as const, reason: 'nothing_filled: 0' } }),
      ...(isOpen && isFilled && { shown: mode, until_ms: sendBy_ms + LATENESS_MS }),
    });
  }

  #stateOf({ deal: { id }, shown, until_ms, refusal }: Kept): Raw {
    if (refusal) return { status: refusal.status === 'busy' ? 409 : 422, body: JSON.stringify(refusal) };
    const order = this.orders.get(id);
    if (until_ms > Date.now() || !order) {
      return {
        status: 200,
        body: JSON.stringify({ status: shown, ...(shown === 'held' && { reason: 'seen: by a person' }) }),
      };
    }
    const show = (amount: bigint) => writeDecimal(amount, VENUE_SCALE);
    const { amount, cost, fee } = order;
    const dealt = { amount: show(amount), cost: show(cost), fee: fee && { ...fee, amount: show(fee.amount) } };
    return { status: 200, body: JSON.stringify({ status: 'dealt', ...dealt, reference: id.slice(-12) }) };
  }

  /** Fills an order within its limit, if the account has what it gives. */
  #fill(deal: Deal, mode: DealerMode): boolean {
    const draw = this.#draw;
    if (!draw) return false;
    if (Date.now() > Date.parse(deal.sendBy)) this.#faults.push(`${deal.id} was sent too late`);
    if (this.orders.has(deal.id)) this.#faults.push(`${deal.id} was sent twice`);
    const isBuy = deal.side === 'BUY';
    const whole = readDecimal(deal.amount, VENUE_SCALE) ?? 0n;
    const limit = readDecimal(deal.limitPrice, 8) ?? 0n;
    const amount = mode === 'deals_part' ? (whole * BigInt(draw.between(1, 99))) / 100n + 1n : whole;
    const better = BigInt(draw.below(40));
    const price = isBuy ? (limit * (10_000n - better)) / 10_000n : (limit * (10_000n + better)) / 10_000n + 1n;
    const cost = (amount * price) / 10n ** 8n;
    if (cost === 0n || (isBuy ? cost : amount) > this.holds(isBuy ? 'USDT' : deal.coin)) return false;
    const feeAsset = isBuy && draw.happens(0.5) ? deal.coin : 'USDT';
    const fee = (feeAsset === 'USDT' ? cost : amount) / 1_000n;
    const isFree = draw.happens(0.2) || fee === 0n;
    this.orders.set(deal.id, {
      coin: deal.coin,
      side: deal.side,
      amount,
      cost,
      fee: isFree ? null : { asset: feeAsset, amount: fee },
    });
    this.#move(deal.coin, isBuy ? amount : -amount);
    this.#move('USDT', isBuy ? -cost : cost);
    if (!isFree) this.#move(feeAsset, -fee);
    return true;
  }

  #move(asset: string, amount: bigint): void {
    this.#balances.set(asset, this.holds(asset) + amount);
  }
}

/** Whether a deal is of a time to which the clock has gone back. */
const isTooFarAhead = ({ sendBy }: Deal) => Date.parse(sendBy) > Date.now() + 60_000;

/** An amount of the venue in atoms of the ledger, rounded down or up. */
export function inAtoms(amount: bigint, scale: number, isUp: boolean): bigint {
  const unit = 10n ** BigInt(VENUE_SCALE - scale);
  return amount / unit + (isUp && amount % unit > 0n ? 1n : 0n);
}

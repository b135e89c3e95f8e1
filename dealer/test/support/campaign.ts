import type { Deal } from '../../../src/dealing/contract.ts';
import { readAmount } from '../../src/amounts.ts';
import type { Dealer } from '../../src/dealer.ts';
import { type Store, movesOf } from '../../src/store.ts';
import { createRandom } from '../../../src/markets/sandbox-random.ts';
import { Clock, makeDeal } from './open.ts';
import { Crash, SimulatedVenue, type Weather, weather } from './simulated-venue.ts';

export interface Campaign {
  readonly deals: number;
  readonly seed: number;
  readonly conditions?: Partial<Weather>;
  readonly lateness_ms?: number;
  readonly Dealer: typeof Dealer;
  readonly Store: typeof Store;
}

export interface CampaignResult {
  ended: number;
  dealt: number;
  /** Deals that were held for a time. */
  held: number;
  crashes: number;
  pauses: number;
  /** Ids that were filled more than once. */
  doubled: number;
  /** Deals that ended otherwise than at the venue. */
  wrong: number;
  /** Orders that were sent after the `sendBy` of their deal. */
  late: number;
  /** How often two deals of the coin were open. */
  beside: number;
  /** What the venue's balance differs by from the sum of what the dealer says. */
  difference: bigint;
}

/** A deal that has not ended after so many looks ends the campaign: the dealer has stopped. */
const MOST_LOOKS = 400;

/**
 * Deals of two ledgers in virtual time, now and then both at once: faults of the venue, a process that dies with 2 % at
 * each of seven points (before the row, after it, before the send, after it, at a look-up, before the end's row and after
 * it), and with 2 % one that is paused for 45 s between row and send. Bureau submits each deal until it has ended.
 */
export async function runCampaign({
  deals,
  seed,
  conditions,
  lateness_ms,
  ...parts
}: Campaign): Promise<CampaignResult> {
  const random = createRandom(seed);
  const clock = new Clock();
  const store = new parts.Store(':memory:');
  const venue = new SimulatedVenue(clock, random, { ...weather, ...conditions });
  venue.lateness_ms = lateness_ms ?? venue.lateness_ms;
  const result = {
    ended: 0,
    dealt: 0,
    held: 0,
    crashes: 0,
    pauses: 0,
    doubled: 0,
    wrong: 0,
    late: 0,
    beside: 0,
    difference: 0n,
  };
  const held = new Set<string>();
  let isDead = false;
  const mayDie = () => {
    if (isDead) throw new Crash();
    if (random() >= 0.02) return;
    isDead = true;
    result.crashes += 1;
    throw new Crash();
  };
  venue.at = mayDie;
  const { insert, end } = { insert: store.insert.bind(store), end: store.end.bind(store) };
  store.insert = (...given) => {
    mayDie();
    const stored = insert(...given);
    mayDie();
    if (random() < 0.02) {
      result.pauses += 1;
      clock.pass(45_000);
    }
    return stored;
  };
  store.end = (...given) => {
    mayDie();
    const did = end(...given);
    mayDie();
    return did;
  };
  // As a dealer that has run for a while.
  store.noteSeen(venue.name, 'BTC', clock.now_ms, venue.exchange.balances.get('BTC') ?? 0n);
  clock.pass(120_000);
  const log = (event: string, { id }: { id?: unknown } = {}) => {
    if (event === 'deal_held') held.add(String(id));
  };
  const begin = () => new parts.Dealer({ store, venues: [venue], log, now: clock.now });
  let dealer = begin();
  const made: Deal[] = [];
  const isOpen = ({ id }: Deal) => !store.find(id)?.end;

  for (let look = 0; made.length < deals && look < MOST_LOOKS;) {
    clock.pass(random() * 5_000);
    venue.settle();
    const wanted = random() < 0.2 ? 2 : 1;
    const now = Array.from({ length: wanted }, (_, ledger) => chooseDeal(clock, random, ledger));
    made.push(...now);
    for (look = 0; now.some(isOpen) && look < MOST_LOOKS; look += 1) {
      const acts =
        look % 2 === 0
          ? now.filter(isOpen).map((deal) => dealer.submit(deal.id, JSON.stringify(deal)))
          : [dealer.resolveOpen()];
      // What the process was doing is over before another begins.
      await Promise.allSettled(acts);
      if (store.listOpen().length > 1) result.beside += 1;
      if (isDead) {
        isDead = false;
        clock.pass(2_000);
        dealer = begin();
      }
      clock.pass(1_000);
      venue.settle();
    }
  }
  clock.pass(600_000);
  venue.settle();
  result.held = held.size;
  judge(result, made, store, venue);
  store.close();
  return result;
}

function chooseDeal(clock: Clock, random: () => number, ledger: number): Deal {
  const side = random() < 0.5 ? 'BUY' : 'SELL';
  const amount = `0.0${Math.floor(1_000 + random() * 8_000)}`;
  return makeDeal(clock, { ledger, side, amount, limitPrice: side === 'BUY' ? '60040' : '59960' });
}

function judge(result: CampaignResult, made: readonly Deal[], store: Store, venue: SimulatedVenue): void {
  const filled = new Map<string | null, number>();
  for (const order of venue.exchange.orders) {
    if (order.filled > 0n) filled.set(order.clientId, (filled.get(order.clientId) ?? 0) + 1);
  }
  let expected = readAmount('1000');
  for (const { id, sendBy } of made) {
    if (venue.sent.some((one) => one.id === id && one.at_ms > Date.parse(sendBy))) result.late += 1;
    const times = filled.get(id) ?? 0;
    if (times > 1) result.doubled += 1;
    const stored = store.find(id);
    if (!stored?.end) continue;
    const isDealt = stored.end.state === 'DEALT';
    result.ended += 1;
    result.dealt += isDealt ? 1 : 0;
    if (isDealt !== times > 0) result.wrong += 1;
    expected += movesOf(stored).get('BTC') ?? 0n;
  }
  result.difference = (venue.exchange.balances.get('BTC') ?? 0n) - expected;
}

import { type Log, describeError } from '../../custodian/src/log.ts';
import {
  Deal,
  type DealAnswer,
  MAX_DEAL_REASON_LENGTH,
  MAX_SEND_AHEAD_MS,
  type VenueReport,
} from '../../src/dealing/contract.ts';
import { writeAmount } from './amounts.ts';
import { findMisfit, judgeFill } from './judge.ts';
import { type ReportParts, reportVenue } from './report.ts';
import type { End, Store, StoredDeal } from './store.ts';
import { VenueFacts } from './venue-facts.ts';
import { type Found, REPEAT_MS, type Venue, type VenueOrder } from './venues/venue.ts';

/** Bureau waits six seconds for an answer. */
const ANSWER_WITHIN_MS = 4_500;

/** An open deal is looked up every second, and less often as it grows old. */
const LOOK_MIN_MS = 1_000;
const LOOK_MAX_MS = 60_000;

/** How long a report is given again. */
const REPORT_FOR_MS = 3_000;

export interface ContractAnswer {
  readonly status: number;
  readonly body: DealAnswer | { readonly error: string };
}

export type ReportAnswer = { readonly status: number; readonly body: VenueReport | { readonly error: string } };

export interface DealerParts {
  readonly store: Store;
  readonly venues: readonly Venue[];
  readonly log: Log;
  readonly now: () => number;
}

const fault = (status: number, error: string) => ({ status, body: { error: error.slice(0, 300) } });

/** The deal has a row, which says what became of it. */
const STORED = 'stored';

/** How a submission went; anything else than `STORED` left no row. */
type Dealing = typeof STORED | ContractAnswer;

/** Sends each deal to its venue at most once, and finds out what became of it: docs/dealing.md, "The duties". */
export class Dealer {
  readonly #store: Store;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #venues: ReadonlyMap<string, VenueFacts>;
  /** Deals that this process is about to store or is sending, by id. */
  readonly #busyWith = new Map<string, Promise<Dealing>>();
  /** What is known of open deals beyond their rows. */
  readonly #open = new Map<string, { readonly isWorking: boolean; readonly looked_ms: number }>();

  readonly #reports = new Map<string, { readonly body: Promise<VenueReport>; readonly until_ms: number }>();
  readonly #reporting: ReportParts;
  readonly #reported_ms = new Map<string, number>();

  constructor({ store, venues, log, now }: DealerParts) {
    this.#store = store;
    this.#reporting = { store, now, stateOf: (id) => this.lookUp(id).body.status };
    this.#log = log;
    this.#now = now;
    this.#venues = new Map(venues.map((venue) => [venue.name, new VenueFacts(venue, now)]));
  }

  /** The answer to `PUT /v1/deals/{id}`. Rejects when the database fails. */
  async submit(id: string, body: string): Promise<ContractAnswer> {
    const deal = readDeal(body);
    if (deal?.id !== id) return fault(400, 'not a deal');
    const venue = this.#venues.get(deal.venue);
    if (!venue?.venue.coins.includes(deal.coin)) return fault(400, 'no such venue, or no such coin there');
    const earlier = this.#store.find(id);
    if (!earlier && Date.parse(deal.sendBy) > this.#now() + MAX_SEND_AHEAD_MS)
      return fault(400, 'sendBy is too far ahead');
    // Two submissions at once share one answer, also before there is a row.
    const running = this.#busyWith.get(id) ?? (earlier ? undefined : this.#run(deal, body, venue));
    if (!running) return this.#answer(id, body);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), ANSWER_WITHIN_MS);
    });
    const answered = await Promise.race([running, late]);
    clearTimeout(timer);
    if (answered !== undefined && answered !== STORED) return answered;
    return this.#store.find(id) ? this.#answer(id, body) : fault(503, 'the venue has not answered yet');
  }

  #run(deal: Deal, body: string, venue: VenueFacts): Promise<Dealing> {
    const running = this.#deal(deal, body, venue).finally(() => this.#busyWith.delete(deal.id));
    this.#busyWith.set(deal.id, running);
    // It may end after its submission was answered.
    running.catch((error: unknown) => this.#log('deal_failed', { id: deal.id, error: describeError(error) }));
    return running;
  }

  /** The answer to a submission of a deal that has a row. */
  #answer(id: string, body: string): ContractAnswer {
    if (this.#store.find(id)?.body !== body) {
      this.#log('deal_conflicts', { id });
      return fault(400, 'another deal has this id');
    }
    const { body: state } = this.lookUp(id);
    return { status: state.status === 'refused' ? 422 : state.status === 'busy' ? 409 : 200, body: state };
  }

  /** The answer to `GET /v1/deals/{id}`. */
  lookUp(id: string): { readonly status: 200 | 404; readonly body: DealAnswer } {
    const stored = this.#store.find(id);
    if (!stored) return { status: 404, body: { status: 'never_seen' } };
    return { status: 200, body: this.#describe(stored) };
  }

  #describe({ deal: { id }, end, held }: StoredDeal): DealAnswer {
    switch (end?.state) {
      case 'DEALT': {
        const { amount, cost, fee, reference } = end;
        return { status: 'dealt', amount, cost, fee, reference };
      }
      case 'REFUSED':
        return { status: 'refused', reason: end.reason };
      case 'BUSY':
        return { status: 'busy', reason: end.reason };
      case undefined: {
        if (held !== null) return { status: 'held', reason: held };
        const isWorking = this.#busyWith.has(id) || this.#open.get(id)?.isWorking === true;
        return { status: isWorking ? 'working' : 'unknown' };
      }
    }
  }

  /** The answer to `GET /v1/venues/{name}`. It may be a few seconds old, and those who ask at once share one. */
  async report(name: string): Promise<ReportAnswer> {
    const facts = this.#venues.get(name);
    if (!facts) return fault(404, 'no such venue');
    const last = this.#reports.get(name);
    const isFresh = last !== undefined && this.#now() < last.until_ms;
    const body = isFresh ? last.body : reportVenue(facts, this.#reporting);
    if (!isFresh) this.#reports.set(name, { body, until_ms: this.#now() + REPORT_FOR_MS });
    try {
      const report = await body;
      this.#reported_ms.set(name, Date.parse(report.at));
      return { status: 200, body: report };
    } catch (error) {
      this.#reports.delete(name);
      this.#log('report_failed', { venue: name, error: describeError(error) });
      return fault(503, `the venue does not answer: ${describeError(error)}`);
    }
  }

  /** When the newest report of a venue was made; `undefined` since the start without one. */
  reportedAt(name: string): number | undefined {
    return this.#reported_ms.get(name);
  }

  /** A deal that the database does not know: asks the venue, stores it, and sends it if it may. */
  async #deal(deal: Deal, body: string, facts: VenueFacts): Promise<Dealing> {
    const { venue } = facts;
    const order = orderOf(deal);
    const asked_ms = this.#now();
    const isLate = asked_ms > order.sendBy_ms;
    let found: Found;
    let misfit: string | undefined;
    try {
      // The dealer's own memory may be a restored backup, so the venue is asked first.
      const [looked, market, balances, keyFault] = await Promise.all([
        venue.find(order),
        facts.readMarket(deal.coin),
        venue.readBalances(),
        facts.findKeyFault(),
      ]);
      found = looked;
      misfit = keyFault ?? findMisfit(deal, market);
      if (!isLate && found.kind === 'absent') {
        this.#store.noteSeen(venue.name, deal.coin, asked_ms, balances.get(deal.coin) ?? 0n);
      }
    } catch (error) {
      return fault(503, `nothing was stored: ${describeError(error)}`);
    }
    if (found.kind === 'unknown') return fault(503, `nothing was stored: ${found.why}`);
    const taken_ms = this.#now();
    const other = this.#store.findOpen(venue.name, deal.coin);
    if (found.kind !== 'absent' || isLate) {
      if (other) return fault(503, `nothing was stored: deal ${other.deal.id} is open`);
      const stored = this.#store.insert(deal, body, taken_ms, false);
      this.#log('deal_adopted', { id: deal.id, venue: venue.name, found: found.kind });
      await this.#conclude(stored, found, asked_ms, venue);
      return STORED;
    }
    const refusal = this.#findRefusal(deal, other, misfit);
    const stored = this.#store.insert(deal, body, taken_ms, refusal === null, refusal);
    this.#log('deal_stored', { id: deal.id, venue: venue.name, coin: deal.coin, side: deal.side, amount: deal.amount });
    if (!refusal) await this.#send(stored, venue);
    return STORED;
  }

  #findRefusal({ venue }: Deal, other: StoredDeal | undefined, misfit: string | undefined): End | null {
    if (other) {
      const { id, ledger } = other.deal;
      return { state: 'BUSY', reason: `other_deal: ${id} of ledger ${ledger} is open at ${venue}` };
    }
    return misfit === undefined ? null : { state: 'REFUSED', reason: misfit };
  }

  /** Sends a deal whose row was just written by this process, unless it is too late. */
  async #send(stored: StoredDeal, venue: Venue): Promise<void> {
    const sent_ms = this.#now();
    if (sent_ms > stored.sendBy_ms - venue.minWindow_ms) {
      this.#end(stored, { state: 'REFUSED', reason: 'deadline_passed: before it was sent' });
      return;
    }
    const outcome = await venue.place(orderOf(stored.deal));
    await this.#conclude(stored, outcome, sent_ms, venue);
  }

  /** Resolves when no deal is being sent any more. */
  async finish(): Promise<void> {
    await Promise.allSettled(this.#busyWith.values());
  }

  /** Looks up the open deals that are due. Never rejects. */
  async resolveOpen(): Promise<void> {
    const now_ms = this.#now();
    await Promise.all(
      this.#store.listOpen().map(async (stored) => {
        const { id, venue: name } = stored.deal;
        const venue = this.#venues.get(name)?.venue;
        if (!venue || this.#busyWith.has(id)) return;
        const pause_ms = Math.min(Math.max((now_ms - stored.taken_ms) / 10, LOOK_MIN_MS), LOOK_MAX_MS);
        if (now_ms - (this.#open.get(id)?.looked_ms ?? 0) < pause_ms) return;
        try {
          await this.#resolve(stored, venue);
        } catch (error) {
          this.#log('look_failed', { id, error: describeError(error) });
        }
      }),
    );
  }

  async #resolve(stored: StoredDeal, venue: Venue): Promise<void> {
    const asked_ms = this.#now();
    this.#open.set(stored.deal.id, { isWorking: false, looked_ms: asked_ms });
    const order = orderOf(stored.deal);
    const mayRepeat = venue.again === 'repeat' && stored.mayBeSent && asked_ms < stored.taken_ms + REPEAT_MS;
    await this.#conclude(stored, await (mayRepeat ? venue.place(order) : venue.find(order)), asked_ms, venue);
  }

  /** Draws the consequence of what a venue said about an open deal when it was asked at that time. */
  async #conclude(stored: StoredDeal, found: Found, asked_ms: number, venue: Venue): Promise<void> {
    const { id } = stored.deal;
    this.#open.set(id, { isWorking: found.kind === 'working', looked_ms: asked_ms });
    switch (found.kind) {
      case 'dealt': {
        const judged = judgeFill(stored.deal, found.fill);
        if ('end' in judged) this.#end(stored, judged.end);
        else this.#hold(id, judged.held);
        return;
      }
      case 'refused':
        this.#end(stored, { state: 'REFUSED', reason: found.reason });
        return;
      case 'absent':
        if (asked_ms > stored.sendBy_ms + venue.lateness_ms) await this.#believeAbsence(stored, venue);
        return;
      case 'working':
        return;
      case 'unknown':
        this.#log('outcome_unknown', { id, why: found.why });
    }
  }

  /** The venue does not find the deal, and could not fill it any more when it was asked. Its balance must say the same. */
  async #believeAbsence(stored: StoredDeal, venue: Venue): Promise<void> {
    const { id, coin } = stored.deal;
    const there = (await venue.readBalances()).get(coin) ?? 0n;
    // What this process may have sent was taken after its balance was seen. What it never sent may have been sent by an
    // earlier one whose rows are lost, but no sooner than this.
    const until_ms = stored.mayBeSent ? stored.taken_ms : stored.sendBy_ms - MAX_SEND_AHEAD_MS;
    const expected = this.#store.expectBalance(venue.name, coin, until_ms);
    if (expected === there) {
      this.#end(stored, {
        state: 'REFUSED',
        reason: 'absent: the venue does not find it, and its balance is as before',
      });
    } else {
      this.#hold(id, describeDifference(coin, there, expected));
    }
  }

  #end(stored: StoredDeal, end: End): void {
    const { id, venue } = stored.deal;
    const text = end.state === 'DEALT' ? end : { ...end, reason: end.reason.slice(0, MAX_DEAL_REASON_LENGTH) };
    if (!this.#store.end(id, text, this.#now())) return;
    this.#open.delete(id);
    this.#log('deal_ended', { id, venue, state: end.state, reason: end.state === 'DEALT' ? null : text.state });
  }

  #hold(id: string, held: string): void {
    if (this.#store.hold(id, held.slice(0, MAX_DEAL_REASON_LENGTH))) this.#log('deal_held', { id, reason: held });
  }
}

function describeDifference(coin: string, there: bigint, expected: bigint | undefined): string {
  if (expected === undefined) return `balance_differs: no balance of ${coin} is known from before the deal`;
  return `balance_differs: ${writeAmount(there)} ${coin} are there, and ${writeAmount(expected)} are expected`;
}

function orderOf({ id, coin, side, amount, limitPrice, sendBy }: Deal): VenueOrder {
  return { id, coin, side, amount, limitPrice, sendBy_ms: Date.parse(sendBy) };
}

function readDeal(body: string): Deal | undefined {
  try {
    return Deal.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

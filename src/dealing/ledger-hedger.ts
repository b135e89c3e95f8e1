import { DurableObject } from 'cloudflare:workers';
import { z } from 'zod';
import { askLedgers } from '../db/ask-ledgers.ts';
import { haltExchange } from '../db/copy-settings.ts';
import { type Database, firstLedger, listLedgers, openLedger } from '../db/database.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import { readSettings } from '../db/settings.ts';
import { VENUE_PREFIX } from '../db/transfers.ts';
import { VALUE_MAX_AGE_MS, firmPrice } from '../markets/firm-price.ts';
import { readSnapshot } from '../markets/read-hub.ts';
import { coinSymbols } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';
import type { Bindings } from '../platform/bindings.ts';
import { logEvent, logFault, tryOrLog } from '../platform/log.ts';
import { ObjectState } from '../platform/objects.ts';
import { SharedRun } from '../platform/turns.ts';
import type { VenueReport } from './contract.ts';
import type { Dealer } from './dealer.ts';
import { look } from './hedger.ts';
import { type VenueBook, type VenueDifference, judgeVenue } from './judge-venue.ts';
import { type HedgerCalls, TELL_PAUSE_MS, type VenueState, hedgerName } from './reach-hedger.ts';

/** How soon an open hedge is asked after again, and a position that waits for its age. */
const OPEN_PAUSE_MS = 1_000;
const WAITING_PAUSE_MS = 30_000;

/** How long a venue's rules are used for. */
const REPORT_AGE_MS = 60_000;

/** A report that differs so many times in a row, a minute apart, halts hedging. */
const DIFFERENCES_THAT_HALT = 3;

const Since = z.record(z.string(), z.number()).catch({});
const Counts = z.record(z.string(), z.int()).catch({});

/**
 * The hedger of one ledger: it keeps the house's position of each coin within its band. The gate tells it after orders, the
 * schedule wakes it every minute, and its own alarm looks again while a hedge is open. It keeps no money: all that matters
 * is in the ledger, so it may die at any point. That of ledger 0 also compares the venues with all ledgers.
 */
export class LedgerHedger extends DurableObject<Bindings> implements HedgerCalls {
  readonly #dealer: Dealer | undefined;
  readonly #ledger: number;
  readonly #database: Database;
  readonly #state: ObjectState;
  readonly #reports = new Map<string, { readonly report: VenueReport; readonly read_ms: number }>();
  readonly #looks = new SharedRun(() => this.#look());
  #venues: readonly VenueState[] = [];

  constructor(ctx: DurableObjectState, env: Bindings, dealer: Dealer | undefined) {
    super(ctx, env);
    this.#dealer = dealer;
    const { LEDGER_HEDGER, LEDGER_LOCATION } = env;
    const isIts = (ledger: number) => LEDGER_HEDGER.idFromName(hedgerName(LEDGER_LOCATION, ledger)).equals(ctx.id);
    const ledger = listLedgers(env).find(isIts);
    // One that another location has made has nothing that matters.
    if (ledger === undefined) throw new Error(`the object ${ctx.id.toString()} hedges no ledger from here`);
    this.#ledger = ledger;
    this.#database = openLedger(env, ledger);
    this.#state = new ObjectState(ctx.storage.sql);
  }

  async tell(): Promise<void> {
    const due_ms = Date.now() + TELL_PAUSE_MS;
    const alarm_ms = await this.ctx.storage.getAlarm();
    if (alarm_ms === null || alarm_ms > due_ms) await this.ctx.storage.setAlarm(due_ms);
  }

  async wake(): Promise<void> {
    if (this.#ledger === FIRST_LEDGER) await this.#compare();
    await this.#looks.run();
  }

  readVenues(): Promise<readonly VenueState[]> {
    return Promise.resolve(this.#venues);
  }

  override async alarm(): Promise<void> {
    await tryOrLog('hedger_failed', { ledger: this.#ledger }, undefined, () => this.#looks.run());
  }

  async #look(): Promise<void> {
    const dealer = this.#dealer;
    if (!dealer) return;
    const { isOpen, isWaiting } = await look({
      d1: this.#database.$client,
      ledger: this.#ledger,
      dealer,
      readSettings: () => readSettings(this.#database),
      readPrices: async () => {
        const snapshot = await readSnapshot(this.env, VALUE_MAX_AGE_MS);
        const firm = coinSymbols.flatMap((coin) => (snapshot && firmPrice(snapshot, coin, Date.now())) ?? []);
        return new Map(firm.map(({ coin, price }) => [coin, price]));
      },
      readReport: (venue) => this.#readReport(dealer, venue, REPORT_AGE_MS),
      since: {
        read: () => Since.parse(this.#state.read('since')),
        write: (since) => this.#state.write('since', since),
      },
      halt: (reason) => haltExchange(this.env, { hedgingHalted: true }, 'hedging', { reason }, Date.now()),
      note: ({ id }, reason) => logEvent('hedge_unresolved', { hedgeId: id, reason }),
      now: () => Date.now(),
    });
    if (isOpen || isWaiting) {
      await this.ctx.storage.setAlarm(Date.now() + (isOpen ? OPEN_PAUSE_MS : WAITING_PAUSE_MS));
    }
  }

  async #readReport(dealer: Dealer, venue: string, age_ms: number): Promise<VenueReport | undefined> {
    const known = this.#reports.get(venue);
    if (known && Date.now() - known.read_ms < age_ms) return known.report;
    const report = await dealer.report(venue);
    if (report) this.#reports.set(venue, { report, read_ms: Date.now() });
    return report;
  }

  /** Compares each venue with what all ledgers say, and halts hedging where one lastingly differs. */
  async #compare(): Promise<void> {
    const dealer = this.#dealer;
    if (!dealer) return;
    const { coinTerms } = await readSettings(firstLedger(this.env));
    const terms = Object.values(coinTerms).flatMap(({ hedging }) => hedging?.venue ?? []);
    const counts = Counts.parse(this.#state.read('differences'));
    const venues: VenueState[] = [];
    for (const venue of new Set(terms)) {
      const before = await readVenueBook(this.env, venue);
      const report = await this.#readReport(dealer, venue, 0);
      const after = await readVenueBook(this.env, venue);
      const isStill = before !== undefined && after !== undefined && show(before) === show(after);
      const differences: readonly VenueDifference[] | null = report && isStill ? judgeVenue(report, after) : null;
      venues.push({ venue, report: report ?? null, differences });
      // Without an answer, or while something moves, nothing is known.
      if (differences === null) continue;
      counts[venue] = differences.length > 0 ? (counts[venue] ?? 0) + 1 : 0;
      if (differences.length > 0) logFault('venue_differs', { venue, differences: JSON.stringify(differences) });
      if (counts[venue] >= DIFFERENCES_THAT_HALT) {
        counts[venue] = 0;
        await haltExchange(this.env, { hedgingHalted: true }, 'hedging', { venue, differences }, Date.now());
      }
    }
    this.#venues = venues;
    this.#state.write('differences', counts);
  }
}

const show = ({ amounts, openCoins }: VenueBook) => [...amounts, ...openCoins].map(String).join();

const READ_BOOK = `
  SELECT asset, CAST(-amount AS TEXT) AS amount, (SELECT count(*) FROM hedges WHERE account_id = ?1) AS hedges,
    EXISTS (SELECT 1 FROM hedges WHERE coin = asset AND status = 'OPEN' AND account_id = ?1) AS isOpen
  FROM balances WHERE account = ?1`;

interface BookRow {
  readonly asset: string;
  readonly amount: string;
  readonly hedges: number;
  readonly isOpen: 0 | 1;
}

/** What all ledgers have at a venue; `undefined` unless each of them answers. */
async function readVenueBook(bindings: Bindings, venue: string): Promise<VenueBook | undefined> {
  const account = VENUE_PREFIX + venue;
  const answers = await askLedgers(bindings, ({ $client }) => $client.prepare(READ_BOOK).bind(account).all<BookRow>());
  if (answers.some(({ answer }) => answer === undefined)) return undefined;
  const amounts = new Map<string, Atoms>();
  const rows = answers.flatMap(({ answer }) => answer?.results ?? []);
  for (const { asset, amount } of rows) amounts.set(asset, (amounts.get(asset) ?? 0n) + BigInt(amount));
  return {
    amounts,
    hedges: answers.reduce((sum, { answer }) => sum + (answer?.results[0]?.hedges ?? 0), 0),
    openCoins: rows.filter(({ isOpen }) => isOpen === 1).map(({ asset }) => asset),
  };
}

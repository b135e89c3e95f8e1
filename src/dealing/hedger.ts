import type { Settings } from '../db/settings.ts';
import { lowestRecordId } from '../db/record-id.ts';
import { type Coin, QUOTE_ASSET } from '../money/assets.ts';
import type { Price } from '../money/amounts.ts';
import { logFault } from '../platform/log.ts';
import { MAX_SEND_AHEAD_MS, type VenueReport } from './contract.ts';
import type { Dealer } from './dealer.ts';
import {
  type HedgeBook,
  type OpenHedge,
  areAllErrors,
  dealOf,
  endHedge,
  openHedge,
  readEnd,
  readHedgeBook,
  readVolume,
  runEnd,
} from './hedge-book.ts';
import { type HedgeFacts, partOf, planHedge, valueBeyond } from './plan-hedge.ts';

/** How long the dealer may take to begin with a deal. It is written in the hedge's row before anything is sent. */
export const SEND_WINDOW_MS = 5_000;
if (SEND_WINDOW_MS > MAX_SEND_AHEAD_MS) throw new Error('a dealer takes no deal so far ahead');

const DAY_MS = 86_400_000;

/** So many hedges in a row that the venue or the dealer refuses for an error halt hedging. */
const ERRORS_THAT_HALT = 3;

/** What a hedger reaches, and what it remembers. */
export interface HedgerParts {
  readonly d1: D1Database;
  readonly ledger: number;
  readonly dealer: Dealer;
  readSettings(): Promise<Settings>;
  /** The middle prices that are firm now. */
  readPrices(): Promise<ReadonlyMap<Coin, Price>>;
  /** Reports are asked for again after a while: the rules of a venue change rarely. */
  readReport(venue: string): Promise<VenueReport | undefined>;
  /** Since when a position has been beyond its inner bound, by coin. */
  readonly since: { read(): Readonly<Record<string, number>>; write(since: Readonly<Record<string, number>>): void };
  /** Notes why a hedge is still open. */
  note(hedge: OpenHedge, reason: string): void;
  /** Halts hedging in the whole exchange, until two people resume it. */
  halt(reason: string): Promise<void>;
  now(): number;
}

/** What one look has done; whether a hedge is still open, and whether a position waits for its age. */
export interface Look {
  readonly isOpen: boolean;
  readonly isWaiting: boolean;
}

/**
 * Looks once: first asks after all open hedges, and ends those whose end the dealer knows; then plans one for each coin whose
 * position is beyond its band. A hedge is in the ledger before the dealer hears of it. It is never sent under another id,
 * however the dealer is silent: the same deal is submitted again, which sends nothing twice. Throws when D1 fails.
 */
export async function look(parts: HedgerParts): Promise<Look> {
  const before = await readHedgeBook(parts.d1);
  let isOpen = false;
  for (const hedge of before.open) isOpen = !(await submit(parts, hedge)) || isOpen;
  const [settings, book] = await Promise.all([
    parts.readSettings(),
    before.open.length > 0 ? readHedgeBook(parts.d1) : before,
  ]);
  const covered = await cover(parts, settings, book);
  return { isOpen: isOpen || covered.isOpen, isWaiting: covered.isWaiting };
}

/** Submits a hedge's deal, and ends the hedge if the dealer knows how it ended. Returns whether it did. */
async function submit(parts: HedgerParts, hedge: OpenHedge): Promise<boolean> {
  const state = await parts.dealer.submit(dealOf(hedge, parts.ledger));
  const { d1 } = parts;
  if (state.kind === 'unresolved') {
    parts.note(hedge, state.reason);
    return false;
  }
  if (state.kind === 'refused') {
    await runEnd(endHedge(d1, hedge.id, { reason: state.reason }, parts.now()));
    if (await areAllErrors(d1, ERRORS_THAT_HALT)) {
      await parts.halt(`${ERRORS_THAT_HALT} hedges in a row were refused, the last one: ${state.reason}`);
    }
    return true;
  }
  const end = readEnd(hedge, state);
  if (typeof end === 'string') {
    logFault('hedge_contradicted', { hedgeId: hedge.id, reason: end });
    await parts.halt(`hedge ${hedge.id}: ${end}`);
    return false;
  }
  await runEnd(endHedge(d1, hedge.id, { ...end, reference: state.reference }, parts.now()));
  if (end.isWorse) await parts.halt(`hedge ${hedge.id} was dealt beyond its limit`);
  return true;
}

/** Plans and submits what is due. */
async function cover(parts: HedgerParts, settings: Settings, book: HedgeBook): Promise<Look> {
  const covered = Object.entries(settings.coinTerms).flatMap(([coin, { hedging }]) =>
    hedging ? [{ coin: coin as Coin, terms: hedging }] : [],
  );
  const prices = covered.length > 0 ? await parts.readPrices() : new Map<Coin, Price>();
  const before = parts.since.read();
  const since: Record<string, number> = {};
  let isOpen = false;
  const usdtPart = book.parts.get(QUOTE_ASSET);
  for (const { coin, terms } of covered) {
    const middle = prices.get(coin);
    const part = book.parts.get(coin);
    if (middle === undefined || !part) {
      // Without a firm price nothing is known of the position's value.
      if (before[coin] !== undefined) since[coin] = before[coin];
      continue;
    }
    const now_ms = parts.now();
    const facts = { coin, position: book.positions.get(coin) ?? 0n, middle, terms, part, now_ms };
    const earlier = before[coin];
    const since_ms = earlier !== undefined && earlier <= now_ms ? earlier : now_ms;
    if (valueBeyond({ ...facts, since_ms, volumeLeft: null }).excess > 0n) since[coin] = since_ms;
    const isFree = !book.open.some((hedge) => hedge.coin === coin) && !settings.hedgingHalted;
    if (since[coin] === undefined || !isFree) continue;
    const bound = settings.dailyHedgeVolume;
    const volumeLeft =
      bound === null || !usdtPart ? null : partOf(bound, usdtPart) - (await readVolume(parts.d1, dayBegin(now_ms)));
    isOpen = (await hedgeOne(parts, { ...facts, since_ms, volumeLeft }, book)) || isOpen;
  }
  if (JSON.stringify(since) !== JSON.stringify(before)) parts.since.write(since);
  return { isOpen, isWaiting: Object.keys(since).length > 0 };
}

const dayBegin = (now_ms: number) => lowestRecordId(Math.floor(now_ms / DAY_MS) * DAY_MS);

/** Plans, writes and submits the hedge of one coin. Returns whether it is open then. */
async function hedgeOne(
  parts: HedgerParts,
  facts: Omit<HedgeFacts, 'market' | 'atVenue'>,
  { atVenues }: HedgeBook,
): Promise<boolean> {
  const { coin, terms } = facts;
  const report = await parts.readReport(terms.venue);
  const market = report?.markets.find((one) => one.coin === coin);
  if (!market) return false;
  const has = (asset: string) => atVenues.get(`${terms.venue} ${asset}`) ?? 0n;
  const plan = planHedge({ ...facts, market, atVenue: { coin: has(coin), usdt: has(QUOTE_ASSET) } });
  if (typeof plan === 'string') {
    if (plan !== 'quiet' && plan !== 'too_small') logFault('hedge_not_planned', { coin, reason: plan });
    return false;
  }
  const now_ms = parts.now();
  const opened = await openHedge(parts.d1, parts.ledger, terms.venue, plan, now_ms + SEND_WINDOW_MS, now_ms);
  if (typeof opened === 'string') {
    logFault('hedge_not_planned', { coin, reason: opened });
    return false;
  }
  return !(await submit(parts, opened));
}

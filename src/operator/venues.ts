import { z } from '@hono/zod-openapi';
import { Decimal, SignedDecimal, Timestamp, showTime } from '../http/wire-types.ts';
import type { LedgerAnswer } from '../db/ask-ledgers.ts';
import type { Halt } from '../db/newest-halt.ts';
import { type Positions, positionIn, positionOf, sumPositions } from '../db/positions.ts';
import { type HedgingTerms, usdtAtoms } from '../db/coin-terms.ts';
import type { Settings } from '../db/settings.ts';
import { VENUE_PREFIX, house } from '../db/transfers.ts';
import { Hedge, type HedgeRow, showHedge } from '../dealing/hedge.ts';
import type { VenueState } from '../dealing/reach-hedger.ts';
import { firmPrice } from '../markets/firm-price.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import type { Asset, Coin } from '../money/assets.ts';
import { QUOTE_ASSET, assetSymbols, scaleOf, showUsdt, toCoin, toUsdt } from '../money/assets.ts';
import { type Atoms, divideUp, floorAmount, formatAmount } from '../money/amounts.ts';
import { valueHouse } from './house.ts';

const CUSTODY = 'custody';
const BASIS = 10_000n;

const Balance = z.object({
  asset: z.enum(assetSymbols).openapi({ example: 'BTC' }),
  holds: Decimal.nullable().openapi({
    description: 'What the venue says that it holds, rounded down to the ledger’s decimals; null while it is not known',
    example: '1.25',
  }),
  shouldHold: SignedDecimal.openapi({ description: 'What all ledgers that answered have there', example: '1.25' }),
  difference: SignedDecimal.nullable().openapi({ description: '`holds` less `shouldHold`', example: '0' }),
  differs: z.boolean().nullable().openapi({
    description:
      'Whether that is more than rounding leaves, in an asset of which no deal is open; null while it is not known. Three times in a row halt hedging',
    example: false,
  }),
  ledgers: z.array(
    z.object({
      ledger: z.number().int().openapi({ description: 'Its number', example: 0 }),
      amount: SignedDecimal.nullable().openapi({ description: 'null when it did not answer', example: '1.25' }),
    }),
  ),
});

const Move = z.object({
  asset: z.enum(assetSymbols).openapi({ example: 'BTC' }),
  amount: Decimal.openapi({ example: '0.25' }),
  from: z.string().openapi({ description: 'custody, or the venue', example: 'binance' }),
  to: z.string().openapi({ description: 'The one that lacks it', example: 'custody' }),
});

const Venue = z
  .object({
    venue: z.string().openapi({ example: 'binance' }),
    state: z.enum(['answers', 'silent', 'unknown']).openapi({
      description:
        'Whether the dealer reported it within the last minute. unknown: no coin is hedged there, or the hedger does not answer',
    }),
    reportedAt: Timestamp.nullable().openapi({ description: 'When the dealer began to ask for the balances' }),
    latenessSeconds: z
      .number()
      .nullable()
      .openapi({ description: 'How long after its time an order may still be filled there', example: 20 }),
    markets: z.array(
      z.object({
        coin: z.string().openapi({ example: 'BTC' }),
        isOpen: z.boolean(),
        takerFee: z.string().openapi({ description: 'A share of the cost', example: '0.001' }),
      }),
    ),
    balances: z.array(Balance),
    openHedges: z.array(Hedge).openapi({ description: 'Oldest first' }),
    toMove: z.array(Move).openapi({
      description:
        'What custody lacks of what is owed to clients and is at the venue, and what the venue lacks for the next hedge of each coin. Enter what you moved as fundings',
    }),
  })
  .openapi('Venue');

/** The venues, and whether hedging is halted. */
export const Venues = z
  .object({
    ts: Timestamp,
    hedgingHalted: z.boolean(),
    halt: z
      .object({
        ts: Timestamp,
        by: z.string().openapi({ description: 'The e-mail of a person, or a role', example: 'exchange' }),
        reason: z.string().nullable().openapi({ example: 'hedge 01a1fcca: the fee is in XRP' }),
      })
      .nullable()
      .openapi({ description: 'The newest halt of hedging, while it is halted' }),
    atVenuesUsdValue: SignedDecimal.nullable().openapi({
      description: 'What is at venues, in USDT at the firm prices; null while it is not known',
      example: '98000',
    }),
    maxAtVenues: SignedDecimal.nullable().openapi({
      description: 'The most that may be there, by the settings or else by the house’s own capital',
      example: '100000',
    }),
    venues: z.array(Venue),
  })
  .openapi('Venues');

export type Venues = z.output<typeof Venues>;

type VenueBalance = z.output<typeof Balance>;
type Move = z.output<typeof Move>;

/** What a ledger has, and its open hedges. */
export interface LedgerAtVenues {
  readonly positions: Positions;
  readonly hedges: readonly HedgeRow[];
}

/** What the venues are described by. */
export interface VenueFacts {
  readonly answers: readonly LedgerAnswer<LedgerAtVenues>[];
  /** `undefined` when the hedger did not answer. */
  readonly states: readonly VenueState[] | undefined;
  readonly settings: Pick<Settings, 'coinTerms' | 'hedgingHalted' | 'maxAtVenues'>;
  readonly halt: Halt | null;
  readonly snapshot: MarketSnapshot | undefined;
  readonly now_ms: number;
}

/** The venues by what each ledger and the hedger answered. Pure. */
export function describeVenues(facts: VenueFacts): Venues {
  const { answers, states = [], settings, halt, snapshot, now_ms } = facts;
  const positions = answers.map(({ ledger, answer }) => ({ ledger, answer: answer?.positions }));
  const whole = sumPositions(positions.flatMap(({ answer }) => answer ?? []));
  const hedges = answers.flatMap(({ answer }) => answer?.hedges ?? []);
  const atVenue = (venue: string, asset: Asset) => -positionOf(whole, VENUE_PREFIX + venue, asset).amount;
  const names = new Set([
    ...Object.values(settings.coinTerms).flatMap(({ hedging }) => hedging?.venue ?? []),
    ...[...whole.keys()].flatMap((name) => {
      return name.startsWith(VENUE_PREFIX) ? name.slice(VENUE_PREFIX.length, name.lastIndexOf(' ')) : [];
    }),
  ]);
  const lacking = new Map(assetSymbols.map((asset) => [asset, lackOfCustody(whole, asset)]));
  const nothing = { asset: QUOTE_ASSET, sent: 0n, isCapital: false } as const;
  const value = answers.every(({ answer }) => answer) ? valueHouse(positions, snapshot, nothing, now_ms) : null;
  return {
    ts: new Date(now_ms).toISOString(),
    hedgingHalted: settings.hedgingHalted,
    halt: halt && settings.hedgingHalted ? { ...halt, ts: showTime(halt.ts) } : null,
    atVenuesUsdValue: showUsdt(value?.atVenues ?? null),
    maxAtVenues: showUsdt(settings.maxAtVenues ?? value?.capital ?? null),
    venues: [...names].toSorted().map((venue) => {
      const state = states.find((one) => one.venue === venue);
      const balances = assetSymbols.flatMap((asset) => {
        const ledgers = positions.map(({ ledger, answer }) => ({
          ledger,
          amount: answer ? -positionOf(answer, VENUE_PREFIX + venue, asset).amount : null,
        }));
        const balance = showBalance(asset, atVenue(venue, asset), ledgers, state);
        return balance.shouldHold === '0' && (balance.holds ?? '0') === '0' ? [] : [balance];
      });
      return {
        venue,
        state: !state ? ('unknown' as const) : state.report ? ('answers' as const) : ('silent' as const),
        reportedAt: state?.report?.at ?? null,
        latenessSeconds: state?.report ? state.report.lateness_ms / 1_000 : null,
        markets: (state?.report?.markets ?? []).map(({ coin, isOpen, takerFee }) => ({ coin, isOpen, takerFee })),
        balances,
        openHedges: hedges
          .filter(({ accountId }) => accountId === VENUE_PREFIX + venue)
          .toSorted((one, other) => (one.id < other.id ? -1 : 1))
          .map((row) => showHedge(row, now_ms)),
        toMove: [
          ...toCustody(venue, lacking, (asset) => atVenue(venue, asset)),
          ...toVenue(venue, facts, whole, (asset) => atVenue(venue, asset)),
        ],
      };
    }),
  };
}

function showBalance(
  asset: Asset,
  should: Atoms,
  ledgers: readonly { readonly ledger: number; readonly amount: Atoms | null }[],
  state: VenueState | undefined,
): VenueBalance {
  const show = (atoms: Atoms) => formatAmount(atoms, scaleOf(asset));
  const text = state?.report && (state.report.balances.find((one) => one.asset === asset)?.amount ?? '0');
  const holds = text == null ? null : floorAmount(text, scaleOf(asset));
  return {
    asset,
    holds: holds === null ? null : show(holds),
    shouldHold: show(should),
    difference: holds === null ? null : show(holds - should),
    differs: state?.differences ? state.differences.some((one) => one.asset === asset) : null,
    ledgers: ledgers.map(({ ledger, amount }) => ({ ledger, amount: amount === null ? null : show(amount) })),
  };
}

/** What custody alone lacks of what is owed to clients and in flight. */
function lackOfCustody(positions: Positions, asset: Asset): Atoms {
  const own = [...positions].flatMap(([name, { amount }]) => (name.endsWith(` ${asset}`) ? [amount] : []));
  const custody = positionOf(positions, house.custody, asset).amount;
  const payouts = positionOf(positions, house.payouts, asset).amount;
  // All balances of an asset add up to nothing: what clients have is what the house's own accounts lack.
  return payouts - own.reduce((sum, amount) => sum + amount, 0n) + custody;
}

/** What a venue has of what custody lacks; what it is asked for is not asked of the next venue. */
function toCustody(venue: string, lacking: Map<Asset, Atoms>, atVenue: (asset: Asset) => Atoms): Move[] {
  return assetSymbols.flatMap((asset) => {
    const lack = lacking.get(asset) ?? 0n;
    const there = atVenue(asset);
    const amount = lack < there ? lack : there;
    if (amount <= 0n) return [];
    lacking.set(asset, lack - amount);
    return [{ asset, amount: formatAmount(amount, scaleOf(asset)), from: venue, to: CUSTODY }];
  });
}

/** What a venue lacks for the next hedge of each coin that is hedged there. */
function toVenue(
  venue: string,
  { settings, snapshot, now_ms }: VenueFacts,
  positions: Positions,
  atVenue: (asset: Asset) => Atoms,
): Move[] {
  const needs = new Map<Asset, Atoms>();
  for (const [name, { hedging }] of Object.entries(settings.coinTerms)) {
    const coin = name as Coin;
    const price = snapshot && firmPrice(snapshot, coin, now_ms)?.price;
    if (hedging?.venue !== venue || price === undefined) continue;
    const { position } = positionIn(positions, coin);
    const value = sizeOfNext(hedging, toUsdt(coin, position < 0n ? -position : position, price, 'up'));
    const [asset, need] =
      position < 0n
        ? ([QUOTE_ASSET, withCosts(value, hedging)] as const)
        : ([coin, toCoin(coin, value, price, 'up')] as const);
    needs.set(asset, (needs.get(asset) ?? 0n) + need);
  }
  return [...needs].flatMap(([asset, need]) => {
    const lack = need - atVenue(asset);
    return lack > 0n ? [{ asset, amount: formatAmount(lack, scaleOf(asset)), from: CUSTODY, to: venue }] : [];
  });
}

/** The value of the next hedge: back to `inner` from where the position is, or will be when one is due. */
function sizeOfNext({ outer, inner, maxHedge }: HedgingTerms, value: Atoms): Atoms {
  const [from, to, most] = [usdtAtoms(outer), usdtAtoms(inner), usdtAtoms(maxHedge)];
  const size = (value > from ? value : from) - to;
  return size < most ? size : most;
}

/** What a purchase sets aside at most: at its limit, with the venue's fee. */
function withCosts(value: Atoms, { limitBps, feeBps }: HedgingTerms): Atoms {
  return divideUp(value * (BASIS + BigInt(limitBps + 2 * feeBps)), BASIS);
}

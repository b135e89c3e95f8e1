import { findThinSpreads } from '../../src/dealing/judge-spread.ts';
import { boundsFrom } from '../../src/orders/terms.ts';
import { CoveredHouse } from '../liquidity/covered-house.ts';
import { BAND } from '../liquidity/play-orders.ts';
import { formatTable, showDate } from '../measured-section.ts';

const PRICE = 6_000_000_000_000n;
const PAUSE_MS = 2_000;
const LARGEST = '50000';
const PRODUCTION_BPS = 20;
const ORDERS = 300;
const MINUTES = (ORDERS * PAUSE_MS) / 60_000;

/** Which side his orders take, and in which ledger; and whether the rule of spreads promises that the house does not lose. */
const patterns = {
  alternates: { ledgers: 1, isPromised: true, isBuy: (order: number) => order % 2 === 0, ledgerOf: () => 0 },
  'buys in one ledger, sells in the other': {
    ledgers: 2,
    isPromised: true,
    isBuy: (order: number) => order % 2 === 0,
    ledgerOf: (order: number) => order % 2,
  },
  'ten of a side, ten of the other': {
    ledgers: 1,
    isPromised: false,
    isBuy: (order: number) => order % 20 < 10,
    ledgerOf: () => 0,
  },
} as const;

type Pattern = keyof typeof patterns;

export interface GrieferTerms {
  readonly pattern: Pattern;
  readonly feeBps: number;
  readonly spread_bps: number;
  /** In USDT. */
  readonly maxNotional: string;
}

export interface Griefed extends GrieferTerms {
  /** Whether the settings refuse these terms. */
  readonly isRefused: boolean;
  /** In USDT a minute. */
  readonly house: number;
  readonly griefer: number;
}

const hedgingOf = (feeBps: number) => ({ ...BAND, feeBps });

function isRefusedAt({ pattern, feeBps, spread_bps, maxNotional }: GrieferTerms): boolean {
  const trading = { spread_bps, minSpread_bps: 0, boundsOf: boundsFrom({ min: '1', max: LARGEST }, {}) };
  const settings = { spreadBps: null, coinTerms: { BTC: { maxNotional, hedging: hedgingOf(feeBps) } } };
  return findThinSpreads(settings, trading, patterns[pattern].ledgers).length > 0;
}

/** What he costs the house with his largest orders, 2 s apart, so that it hedges after each. The price stands still. */
function grief(terms: GrieferTerms): Griefed {
  const { pattern, feeBps, spread_bps, maxNotional } = terms;
  const { ledgers, isBuy, ledgerOf } = patterns[pattern];
  const house = new CoveredHouse({ spread_bps, hedging: hedgingOf(feeBps), ledgers }, PRICE);
  for (let order = 0; order < ORDERS; order += 1) {
    house.trade(isBuy(order) ? 'BUY' : 'SELL', BigInt(maxNotional) * 1_000_000n, ledgerOf(order));
    house.look(order * PAUSE_MS, ledgerOf(order));
  }
  const { total, spread } = house.profit;
  return { ...terms, isRefused: isRefusedAt(terms), house: total / MINUTES, griefer: -spread / MINUTES };
}

/** All patterns: at production's spread, at the least that the settings take, and with the largest orders within the band. */
export function tryGriefer(): Griefed[] {
  const names = Object.keys(patterns) as Pattern[];
  return names.flatMap((pattern) =>
    [10, 25, 60].flatMap((feeBps) =>
      [LARGEST, BAND.outer].flatMap((maxNotional) => {
        const terms = { pattern, feeBps, maxNotional };
        let least = PRODUCTION_BPS;
        while (isRefusedAt({ ...terms, spread_bps: least })) least += 1;
        return [...new Set([PRODUCTION_BPS, least])].map((spread_bps) => grief({ ...terms, spread_bps }));
      }),
    ),
  );
}

/** A row for each. */
export function tabulateGriefer(all: readonly Griefed[]): Record<string, string>[] {
  return all.map(({ pattern, feeBps, spread_bps, maxNotional, isRefused, house, griefer }) => ({
    'His orders': pattern,
    Largest: `${Number(maxNotional).toLocaleString('en-US')} USDT`,
    Fee: `${feeBps} bps`,
    Spread: `${spread_bps} bps`,
    Settings: isRefused ? 'refused' : 'taken',
    House: house.toFixed(0),
    Griefer: griefer.toFixed(0),
  }));
}

/** Writes the dated line and the table in Markdown. */
export function describeGriefer(all: readonly Griefed[], date: Date): string[] {
  return [
    `Measured on ${showDate(date)}, in virtual time: ${ORDERS} orders, hedged beyond ${BAND.outer} USDT, back to ${BAND.inner}. ` +
      'Profit in USDT a minute.',
    '',
    ...formatTable(tabulateGriefer(all)),
  ];
}

/**
 * Lists where the house lost at terms that the settings take, though they promise that it does not; and patterns for which
 * nothing that they refuse would have lost, so that the refusal shows nothing.
 */
export function findGriefed(all: readonly Griefed[]): string[] {
  const lost = all.filter(({ pattern, isRefused, house }) => patterns[pattern].isPromised && !isRefused && house < 0);
  const shown = new Set(all.filter(({ isRefused, house }) => isRefused && house < 0).map(({ pattern }) => pattern));
  return [
    ...lost.map(({ pattern, feeBps, spread_bps, maxNotional, house }) => {
      return `${pattern}, fee ${feeBps}, spread ${spread_bps} bps, orders of ${maxNotional}: the house gets ${house.toFixed(0)} USDT/min`;
    }),
    ...Object.keys(patterns)
      .filter((pattern) => !shown.has(pattern as Pattern))
      .map((pattern) => `${pattern}: nothing that is refused loses`),
  ];
}

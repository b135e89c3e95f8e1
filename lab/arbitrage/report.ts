import type { Atoms } from '../../src/money/amounts.ts';
import { formatTable } from '../measured-section.ts';
import { spread as quartiles } from '../spread.ts';
import type { StrategyResult } from './play-path.ts';
import type { RoundTrip } from './sees-ahead.ts';
import { NOTIONAL } from './strategy.ts';

export interface PathReport {
  readonly seed: number;
  readonly spread_bps: number;
  readonly results: readonly StrategyResult[];
  /** The round trips of the clients who see a second ahead. */
  readonly trips: readonly RoundTrip[];
  /** How many changes of the venues the exchange did not fill at within 10 s. */
  readonly unsettled: number;
}

export interface Circumstances {
  readonly date: Date;
  readonly seconds: number;
  readonly dustOrders: number;
}

const MOVE_BOUNDS_BPS = [20, 30, 40, 50, 60, 80, 100, 150, Infinity];

/** Profits in USDT: one row per strategy and spread, one column per seed. */
export function tabulateProfit(reports: readonly PathReport[]): Record<string, string>[] {
  const names = reports[0]?.results.map(({ strategy }) => strategy) ?? [];
  return names.flatMap((strategy) =>
    spreadsOf(reports).map((spread_bps) => {
      const own = reports.filter((report) => report.spread_bps === spread_bps);
      const cells = own.map(({ seed, results }) => {
        const profit = results.find((result) => result.strategy === strategy)?.profit ?? 0n;
        return [`Seed ${seed}`, showUsdt(profit)] as const;
      });
      return { Strategy: strategy, Spread: `${spread_bps} bps`, ...Object.fromEntries(cells) };
    }),
  );
}

/** The mean gain of a round trip that saw a second ahead, by the size of the move and the spread. */
export function tabulateMoves(reports: readonly PathReport[]): Record<string, string>[] {
  return MOVE_BOUNDS_BPS.slice(0, -1).map((from_bps, at) => {
    const to_bps = MOVE_BOUNDS_BPS[at + 1] ?? Infinity;
    const cells = spreadsOf(reports).map((spread_bps) => {
      const trips = tripsAt(reports, spread_bps).filter(({ move_bps }) => move_bps >= from_bps && move_bps < to_bps);
      const sum = trips.reduce((total, { gain }) => total + gain, 0n);
      const cell = trips.length === 0 ? '' : `${showUsdt(sum / BigInt(trips.length))} (${trips.length})`;
      return [`At ${spread_bps} bps`, cell] as const;
    });
    const move = to_bps === Infinity ? `from ${from_bps} bps` : `${from_bps} to ${to_bps} bps`;
    return { Move: move, ...Object.fromEntries(cells) };
  });
}

/** Says from which move on seeing a second ahead gains, one sentence per spread. */
export function describeThreshold(reports: readonly PathReport[]): string[] {
  return spreadsOf(reports).flatMap((spread_bps) => {
    const trips = tripsAt(reports, spread_bps);
    if (trips.length === 0) return [];
    const cost = quartiles(trips.map(costOf));
    const lost = trips.filter(({ gain }) => gain <= 0n).map(({ move_bps }) => move_bps);
    const gained = lost.length === 0 ? 'every move' : `every move above ${Math.max(...lost).toFixed(1)} bps`;
    const largest = Math.max(...trips.map(({ move_bps }) => move_bps));
    return (
      `At ${spread_bps} bps a round trip costs ${cost.median.toFixed(1)} bps (${cost.low.toFixed(1)} to ` +
      `${cost.high.toFixed(1)}), and ${gained} gained; a spread of ` +
      `${Math.ceil(largest / 2)} bps would have left nothing of any move.`
    );
  });
}

/** Writes the dated line and the table of profits in Markdown. */
export function describeProfit(reports: readonly PathReport[], circumstances: Circumstances): string[] {
  const { date, seconds, dustOrders } = circumstances;
  const unsettled = reports.reduce((sum, report) => sum + report.unsettled, 0);
  return [
    `Measured on ${showDate(date)}: paths of ${seconds} s, ${dustOrders.toLocaleString('en-US')} orders of dust each; ` +
      `${unsettled} changes of the venues were late. Profit in USDT.`,
    '',
    ...formatTable(tabulateProfit(reports)),
  ];
}

/** Writes the dated line, the thresholds and the table of moves in Markdown. */
export function describeMoves(reports: readonly PathReport[], { date }: Circumstances): string[] {
  return [
    `Measured on ${showDate(date)}, mean gain in USDT of a round trip of 45,000 USDT, with the number of round trips.`,
    ...describeThreshold(reports),
    '',
    ...formatTable(tabulateMoves(reports)),
  ];
}

/** Lists where a strategy gained that must gain nothing at production's spread or a larger one. */
export function findBroken(reports: readonly PathReport[], production_bps: number): string[] {
  return reports
    .filter(({ spread_bps }) => spread_bps >= production_bps)
    .flatMap(({ seed, spread_bps, results }) =>
      results
        .filter(({ mustNotGain, profit }) => mustNotGain && profit > 0n)
        .map(({ strategy, profit }) => `${strategy}, seed ${seed}, ${spread_bps} bps: ${showUsdt(profit)} USDT`),
    );
}

function spreadsOf(reports: readonly PathReport[]): number[] {
  return [...new Set(reports.map(({ spread_bps }) => spread_bps))].toSorted((one, other) => one - other);
}

function tripsAt(reports: readonly PathReport[], spread_bps: number): RoundTrip[] {
  return reports.filter((report) => report.spread_bps === spread_bps).flatMap(({ trips }) => trips);
}

/** The cost of a round trip, in basis points: the part of the move that the client did not get. */
function costOf({ move_bps, gain }: RoundTrip): number {
  return move_bps - (Number(gain) / Number(NOTIONAL)) * 10_000;
}

/** Two decimals and a sign, rounded down, so a small loss never reads as nothing. */
function showUsdt(atoms: Atoms): string {
  const cents = Math.floor(Number(atoms) / 10_000) / 100;
  const text = Math.abs(cents).toLocaleString('en-US', { minimumFractionDigits: 2 });
  return `${cents > 0 ? '+' : cents < 0 ? '-' : ''}${text}`;
}

function showDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

import type { Atoms } from '../../src/money/amounts.ts';
import { formatTable, showDate } from '../measured-section.ts';
import type { StrategyResult } from './play-path.ts';

export interface PathReport {
  readonly seed: number;
  readonly spread_bps: number;
  readonly results: readonly StrategyResult[];
  /** How many changes of the venues the exchange did not fill at within 10 s. */
  readonly unsettled: number;
}

export interface Circumstances {
  readonly date: Date;
  readonly seconds: number;
  readonly dustOrders: number;
}

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

/** Two decimals and a sign, rounded down, so a small loss never reads as nothing. */
function showUsdt(atoms: Atoms): string {
  const cents = Math.floor(Number(atoms) / 10_000) / 100;
  const text = Math.abs(cents).toLocaleString('en-US', { minimumFractionDigits: 2 });
  return `${cents > 0 ? '+' : cents < 0 ? '-' : ''}${text}`;
}

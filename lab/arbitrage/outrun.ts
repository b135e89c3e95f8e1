import { formatTable, showDate } from '../measured-section.ts';
import { type Honest, orderAndCancel, outrun, tradeHonestly } from './forerunner.ts';
import { type MarketOptions, VirtualMarket, pathNames } from './virtual-market.ts';

/** How far a client knows the truth beyond his order's admission. Nobody's order and feed take less than no time. */
const LEADS_MS = [-100, 0, 100, 300];
const POSSIBLE_LEAD_MS = 0;

const CANCELS_MS = [50, 100, 300, 500, 1_000];

/** Production's; see wrangler.toml. */
const MARGIN_MS = 150;

export interface Outrun extends Pick<MarketOptions, 'feed' | 'path' | 'seed'> {
  readonly spread_bps: number;
  readonly honest: Honest;
  /** In USDT a minute, in the order of the leads; and the most that a canceller got, which is a loss. */
  readonly gains: readonly number[];
  readonly cancelled: number;
}

/** Plays all paths of a seed in virtual time, on streams and on polls. */
export function tryOutrunning(seed: number, seconds: number, spreads: readonly number[]): Outrun[] {
  const feeds = ['streams', 'polls'] as const;
  return feeds.flatMap((feed) =>
    pathNames.flatMap((path) => {
      const market = new VirtualMarket({ path, seconds, seed, feed });
      return spreads.map((spread_bps): Outrun => {
        const terms = { spread_bps, margin_ms: MARGIN_MS };
        return {
          feed,
          path,
          seed,
          spread_bps,
          honest: tradeHonestly(market, seed, terms),
          gains: LEADS_MS.map((lead_ms) => outrun(market, lead_ms, terms)),
          cancelled: Math.max(...CANCELS_MS.map((after_ms) => orderAndCancel(market, after_ms, terms))),
        };
      });
    }),
  );
}

/** A row for each feed, path and spread: the mean of all seeds, and for a canceller the most. */
export function tabulateOutrunning(all: readonly Outrun[]): Record<string, string>[] {
  const groups = Map.groupBy(all, ({ feed, path, spread_bps }) => `${feed}/${path}/${spread_bps}`);
  return [...groups.values()].map((group) => {
    const { feed = '', path = '', spread_bps = 0 } = group[0] ?? {};
    const waits_ms = group.flatMap(({ honest }) => honest.waits_ms).toSorted((one, other) => one - other);
    const gains = LEADS_MS.map((lead_ms, at) => [
      `${lead_ms} ms`,
      mean(group.map((one) => one.gains[at] ?? 0)).toFixed(0),
    ]);
    return {
      Feed: feed,
      Path: path,
      Spread: `${spread_bps} bps`,
      'Honest order': `${mean(group.flatMap(({ honest }) => honest.costs_bps)).toFixed(1)} bps`,
      'Wait, mean and p99': `${mean(waits_ms).toFixed(0)}, ${waits_ms[Math.floor(waits_ms.length * 0.99)]} ms`,
      ...Object.fromEntries(gains),
      Cancels: Math.max(...group.map(({ cancelled }) => cancelled)).toFixed(0),
    };
  });
}

/** Writes the dated line and the table in Markdown. */
export function describeOutrunning(all: readonly Outrun[], date: Date, seconds: number): string[] {
  const seeds = new Set(all.map(({ seed }) => seed)).size;
  return [
    `Measured on ${showDate(date)}, in virtual time: ${seeds} seeds, paths of ${seconds} s. Gains in USDT a minute.`,
    '',
    ...formatTable(tabulateOutrunning(all)),
  ];
}

/** Lists where somebody gained whose knowledge is possible, or who cancelled. */
export function findOutrun(all: readonly Outrun[]): string[] {
  return all.flatMap(({ feed, path, seed, spread_bps, gains, cancelled }) => {
    const possible = gains.filter((gain, at) => (LEADS_MS[at] ?? 0) <= POSSIBLE_LEAD_MS && gain > 0);
    const where = `${feed}, ${path}, seed ${seed}, ${spread_bps} bps`;
    return [...possible, ...(cancelled > 0 ? [cancelled] : [])].map((gain) => `${where}: ${gain.toFixed(0)} USDT/min`);
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

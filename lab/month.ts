import { readFileSync, writeFileSync } from 'node:fs';
import { findThinSpreads } from '../src/dealing/judge-spread.ts';
import { boundsFrom } from '../src/orders/terms.ts';
import { BAND, DAILY_VOLUME, type DayFigures, LARGEST_ORDER, drawOrders, playOrders } from './liquidity/play-orders.ts';
import { formatTable, showDate, writeMeasured } from './measured-section.ts';
import { readOptions } from './read-options.ts';

/**
 * `npm run month`: what the house earns in a day at 717,000 USDT of orders, by its spread and the venue's fee, when it hedges
 * as the exchange does. Prints the means of some months: of orders alone, with jumps of the price, and with somebody who
 * alternates the largest orders for an hour a day, as the settings take them and as they would be without the refusal of
 * thin spreads. Fails when the first are not what is expected. Writes the table into docs/design/liquidity.md.
 *
 * `-- --months 3` and `-- --seed 7` are another run, which writes nothing.
 */

const DOCUMENT = 'docs/design/liquidity.md';
const DAYS = 30;
const FULL = { seed: 1, months: 20 };
const FEES = [10, 25, 60];
const SPREADS = [20, 10];

/** A day's profit by spread and fee, by another program: in floating point, without steps of a venue, hedging at once. */
const EXPECTED: Readonly<Record<number, readonly number[]>> = { 20: [1_325, 1_176, 830], 10: [608, 459, 113] };
const TOLERANCE = 0.05;

const options = readOptions(FULL);
const seeds = Array.from({ length: options.months }, (_, at) => options.seed + at);

const cases = ['orders alone', 'jumps', 'griefer', 'griefer, not refused'] as const;

type Case = (typeof cases)[number];

interface Row {
  readonly what: Case;
  readonly spread_bps: number;
  readonly feeBps: number;
  readonly griefs: number | undefined;
  readonly figures: DayFigures;
}

const isThin = (spread_bps: number, feeBps: number) => {
  const trading = { spread_bps, minSpread_bps: 0, boundsOf: boundsFrom({ min: '1', max: String(LARGEST_ORDER) }, {}) };
  const settings = { spreadBps: null, coinTerms: { BTC: { hedging: { ...BAND, feeBps } } } };
  return findThinSpreads(settings, trading, 1).length > 0;
};

/** The largest orders of the griefer: where a spread is refused, no order may be above the band. */
function griefsOf(what: Case, spread_bps: number, feeBps: number): number | undefined {
  if (what === 'griefer, not refused') return LARGEST_ORDER;
  if (what !== 'griefer') return undefined;
  return isThin(spread_bps, feeBps) ? Number(BAND.outer) : LARGEST_ORDER;
}

function mean(all: readonly DayFigures[]): DayFigures {
  const of = (name: keyof DayFigures) => all.reduce((sum, one) => sum + one[name], 0) / all.length;
  return {
    profit: of('profit'),
    spread: of('spread'),
    hedgeCost: of('hedgeCost'),
    moves: of('moves'),
    worstDay: Math.min(...all.map(({ worstDay }) => worstDay)),
    hedgedPart: of('hedgedPart'),
    hedges: of('hedges'),
  };
}

const months = seeds.map((seed) => [drawOrders(seed, DAYS), drawOrders(seed, DAYS, true)] as const);
const rows: Row[] = cases.flatMap((what) =>
  SPREADS.flatMap((spread_bps) =>
    FEES.flatMap((feeBps): Row[] => {
      // The others are in the rows above.
      if (what === 'griefer, not refused' && !isThin(spread_bps, feeBps)) return [];
      const griefs = griefsOf(what, spread_bps, feeBps);
      const terms = { spread_bps, hedging: { ...BAND, feeBps }, ...(griefs !== undefined && { griefs }) };
      const played = months.map(([calm, jumpy]) => playOrders(what === 'jumps' ? jumpy : calm, terms));
      return [{ what, spread_bps, feeBps, griefs, figures: mean(played) }];
    }),
  ),
);

const show = (usdt: number) => (Math.round(usdt) + 0).toLocaleString('en-US');

const table = rows.map(({ what, spread_bps, feeBps, griefs, figures }) => ({
  'Of what': griefs === undefined ? what : `${what}: ${show(griefs)}`,
  Spread: `${spread_bps} bps`,
  Fee: `${feeBps} bps`,
  'Profit a day': show(figures.profit),
  'Spread earned': show(figures.spread),
  'Hedges cost': show(figures.hedgeCost),
  Moves: show(figures.moves),
  'Worst day': show(figures.worstDay),
  Hedged: `${(figures.hedgedPart * 100).toFixed(1)} %`,
  'Hedges a day': show(figures.hedges),
}));
console.table(table);

for (const { what, spread_bps, feeBps, figures } of rows) {
  const expected = EXPECTED[spread_bps]?.[FEES.indexOf(feeBps)];
  if (what !== 'orders alone' || expected === undefined) continue;
  const off = figures.profit / expected - 1;
  console.log(`${spread_bps} bps, fee ${feeBps}: ${show(figures.profit)} of ${expected}, ${(off * 100).toFixed(1)} %`);
  if (Math.abs(off) <= TOLERANCE) continue;
  console.error(`NOT AS EXPECTED: ${expected} USDT a day at a spread of ${spread_bps} bps and a fee of ${feeBps}`);
  process.exitCode = 1;
}
if (options.seed === FULL.seed && options.months === FULL.months) {
  const told = `Measured on ${showDate(new Date())}: means of ${options.months} months, ${show(DAILY_VOLUME)} USDT of orders a day. In USDT.`;
  const document = writeMeasured(readFileSync(DOCUMENT, 'utf8'), 'What it earns', [told, '', ...formatTable(table)]);
  writeFileSync(DOCUMENT, document);
  console.log(`written into ${DOCUMENT}`);
}

import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultLimits } from '../src/keys/rights.ts';
import { openArena } from './arbitrage/arena.ts';
import { describeGriefer, findGriefed, tabulateGriefer, tryGriefer } from './arbitrage/griefer.ts';
import { openStrategies } from './arbitrage/open-strategies.ts';
import { playPath } from './arbitrage/play-path.ts';
import { drawPath } from './arbitrage/price-path.ts';
import { type Outrun, describeOutrunning, findOutrun, tabulateOutrunning, tryOutrunning } from './arbitrage/outrun.ts';
import { readProductionMarket } from './arbitrage/production-market.ts';
import { type PathReport, describeProfit, findBroken, tabulateProfit } from './arbitrage/report.ts';
import { buildWorker } from '../scripts/build-worker.ts';
import { writeMeasured } from './measured-section.ts';
import { readOptions } from './read-options.ts';

/**
 * `npm run arbitrage`: runs strategies against the deployed bundle on drawn price paths, and prints the profit of each by
 * spread and seed; in virtual time, it runs clients who are ahead of the exchange, or cancel, on paths of five times the
 * length, and one who makes the house hedge. Fails when a strategy gains that must not, or the house loses to him. Writes the tables into docs/arbitrage.md.
 *
 * Options of another run, which writes nothing: `-- --seeds 10 --seconds 120 --spread 20`; `--seed 7` sets the first
 * seed, `--dust 10000` the orders of dust on a path, `--trades 300` the orders a minute of every other key.
 */

const DOCUMENT = 'docs/arbitrage.md';

/** A path in virtual time is so many times as long. */
const VIRTUAL_LENGTH = 5;

/** The run that writes the document. */
const FULL = {
  seed: 1,
  seeds: 3,
  seconds: 60,
  spread: '10,20,40',
  dust: 2_000,
  trades: defaultLimits.trade.perMinute,
};

const told = readOptions(FULL);
const { seconds, dust: dustOrders, trades: perMinute } = told;
const seeds = Array.from({ length: told.seeds }, (_, at) => told.seed + at);
const spreads = told.spread.split(',').map(Number);

using temporary = mkdtempDisposableSync(join(tmpdir(), 'bureau-arbitrage-'));
const bundle = temporary.path;
const begun_ms = Date.now();
await buildWorker('', bundle);
const played: PathReport[] = [];
const outrun: Outrun[] = [];
for (const seed of seeds) {
  // Each spread has an exchange of its own, so they run at the same time.
  outrun.push(...tryOutrunning(seed, VIRTUAL_LENGTH * seconds, spreads));
  played.push(...(await Promise.all(spreads.map((spread_bps) => tryPath(seed, spread_bps)))));
  console.log(`${Math.round((Date.now() - begun_ms) / 1_000)} s: seed ${seed}`);
}
report(played, outrun);

async function tryPath(seed: number, spread_bps: number): Promise<PathReport> {
  const arena = await openArena(bundle, spread_bps);
  try {
    const trades = { perMinute, perDay: Math.max(defaultLimits.trade.perDay, perMinute * seconds) };
    const dustPerStep = Math.ceil(dustOrders / seconds);
    const strategies = await openStrategies(arena, { seed, dustPerStep, trades });
    const results = await playPath(arena, drawPath(seed, seconds), strategies);
    return { seed, spread_bps, results, unsettled: arena.market.unsettled };
  } finally {
    await arena.end();
  }
}

function report(reports: readonly PathReport[], outrunning: readonly Outrun[]): void {
  const griefed = tryGriefer();
  console.table(tabulateGriefer(griefed));
  console.table(tabulateOutrunning(outrunning));
  console.table(tabulateProfit(reports));
  for (const line of describeRefusals(reports)) console.log(line);
  const broken = findBroken(reports, readProductionMarket().spread_bps);
  for (const line of [...findGriefed(griefed), ...findOutrun(outrunning), ...broken]) {
    console.error(`GAINED: ${line}`);
    process.exitCode = 1;
  }
  const isFull = Object.entries(FULL).every(([name, value]) => told[name as keyof typeof FULL] === value);
  if (!isFull) {
    console.log(`not a full run: ${DOCUMENT} stays as it is`);
    return;
  }
  const circumstances = { date: new Date(), seconds, dustOrders };
  const { date } = circumstances;
  let document = readFileSync(DOCUMENT, 'utf8');
  document = writeMeasured(document, 'Profit', describeProfit(reports, circumstances));
  document = writeMeasured(
    document,
    'Outrunning the price',
    describeOutrunning(outrunning, date, VIRTUAL_LENGTH * seconds),
  );
  document = writeMeasured(document, 'Making the house hedge', describeGriefer(griefed, date));
  writeFileSync(DOCUMENT, document);
  console.log(`written into ${DOCUMENT}`);
}

/** Lists late prices and refusals: a strategy that was refused proves nothing. */
function describeRefusals(reports: readonly PathReport[]): string[] {
  return reports.flatMap(({ seed, spread_bps, unsettled, results }) => [
    ...(unsettled > 0 ? [`seed ${seed}, ${spread_bps} bps: ${unsettled} changes of the venues were late`] : []),
    ...results
      .filter(({ refused }) => Object.keys(refused).length > 0)
      .map(({ strategy, filled, refused }) => {
        return `seed ${seed}, ${spread_bps} bps, ${strategy}: ${filled} filled, refused ${JSON.stringify(refused)}`;
      }),
  ]);
}

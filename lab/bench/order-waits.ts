import { setTimeout as sleep } from 'node:timers/promises';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { forkVenues } from '../../test/support/node/venues/fork-venues.ts';
import { VenueRemote, venueUrlVariables } from '../../test/support/node/venues/venue-remote.ts';
import { type VenueName, venueNames } from '../../test/support/node/venues/venue-state.ts';
import { Holder, UNLIMITED } from '../arbitrage/holder.ts';
import { readProductionMarket } from '../arbitrage/production-market.ts';
import { formatTable, writeMeasured } from '../measured-section.ts';

const ORDERS = 300;
const LONGEST_PAUSE_MS = 50;

/** How long the played streams take, each way. */
const WAYS_MS: Readonly<Record<VenueName, number>> = {
  binance: 125,
  okx: 115,
  coinbase: 60,
  kucoin: 150,
  kraken: 50,
  gate: 170,
  bybit: 120,
};

/** How long it takes until all streams are open and their clocks known. */
const OPENING_MS = 5_000;

export interface WaitRow {
  readonly Order: string;
  readonly p50: string;
  readonly p99: string;
}

/** Times orders over HTTP, one after the other at random moments: as they wait for prices, and by themselves. */
export async function measureWaits(bundle: string): Promise<WaitRow[]> {
  return [
    await timeOrders(bundle, 'with streams of 50 to 170 ms', { PRICE_STREAMS: 'always' }),
    await timeOrders(bundle, 'with streams off', { PRICE_STREAMS: 'off' }),
    await timeOrders(bundle, 'its own time: no margin, and prices in memory'),
  ];
}

export function writeWaits(document: string, rows: readonly WaitRow[], date: Date): string {
  const line = `Measured on ${date.toISOString().slice(0, 10)}: ${ORDERS} orders each, one after the other.`;
  return writeMeasured(document, 'The wait for a price', [line, '', ...formatTable(rows)]);
}

async function timeOrders(bundle: string, name: string, streams?: Readonly<Record<string, string>>): Promise<WaitRow> {
  await using venues = await forkVenues();
  const production = streams && { ...readProductionMarket().variables, ...streams, ...venueUrlVariables(venues.url) };
  await using exchange = await startServedExchange({ bundle, variables: production ?? {}, site: false });
  const remote = new VenueRemote(venues.url);
  for (const venue of venueNames) await remote.set(venue, { way_ms: WAYS_MS[venue], delay_ms: 2 * WAYS_MS[venue] });
  const operator = new Operator(exchange.url);
  const holder = await Holder.open(operator, { assets: ['BTC'], keys: 1, trades: UNLIMITED });
  const order = () => holder.keys[0]?.order({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
  await order();
  await sleep(OPENING_MS);
  const times_ms: number[] = [];
  for (let sent = 0; sent < ORDERS; sent += 1) {
    await sleep(Math.random() * LONGEST_PAUSE_MS);
    const begun_ms = performance.now();
    await order();
    times_ms.push(performance.now() - begun_ms);
  }
  if (Object.keys(holder.tally.refused).length > 0) throw new Error(`refused: ${JSON.stringify(holder.tally.refused)}`);
  const sorted = times_ms.toSorted((one, other) => one - other);
  const at = (part: number) => `${(sorted[Math.floor(sorted.length * part)] ?? NaN).toFixed(0)} ms`;
  return { Order: name, p50: at(0.5), p99: at(0.99) };
}

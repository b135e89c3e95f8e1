import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TickerList } from '../../src/markets/schemas.ts';
import { type Exchange, startExchange } from '../support/node/exchange/start-exchange.ts';
import { forkVenues } from '../support/node/venues/fork-venues.ts';
import { VenueRemote, venueUrlVariables } from '../support/node/venues/venue-remote.ts';
import { atOnce } from '../support/at-once.ts';

/** On a busy machine the venues may answer after the hub's own deadline. Such a try proves nothing, and there is another. */
const TRIES = 8;

/** How often the hub begins a round by itself while somebody reads. */
const WARM_INTERVAL_MS = 8_000;

let played: Awaited<ReturnType<typeof forkVenues>>;
let venues: VenueRemote;

beforeAll(async () => {
  played = await forkVenues();
  venues = new VenueRemote(played.url);
});

afterAll(() => played.stop());

/** Two Workers that share the objects, none of which was asked anything yet. */
function startColdExchange(): Promise<Exchange> {
  return startExchange({
    bundle: inject('workerBundle'),
    workers: 2,
    rateLimits: { ANONYMOUS_READS: 100_000, ANONYMOUS_NETWORKS: 100_000 },
    variables: { ...venueUrlVariables(played.url), PRICE_SOURCES: 'binance,kraken' },
  });
}

function readAtOnce({ urls }: Exchange, read: (origin: string) => Promise<Response>): Promise<string[]> {
  return atOnce(500, async (reader) => (await read(urls[reader % 2] ?? '')).text());
}

/** The different answers of 500 readers of an exchange without prices, and how often the venues were asked for them. */
async function readCold() {
  await using exchange = await startColdExchange();
  await venues.reset();
  // Opens the connections and has the code compiled, so that neither is part of the round. No price is fetched.
  await readAtOnce(exchange, (origin) => fetch(`${origin}/api/v1/markets/NONE`));
  expect(await venues.count()).toMatchObject({ binance: { tickers: 0 }, kraken: { tickers: 0 } });
  // Long enough for all readers to arrive during the round. A reader that arrived later would still find only this
  // round.
  await venues.setEach({ delay_ms: 300 });
  const begun_ms = Date.now();
  const texts = await readAtOnce(exchange, async (origin) => {
    const response = await fetch(`${origin}/api/v1/markets/tickers`);
    expect(response.status).toBe(200);
    return response;
  });
  const { binance, kraken } = await venues.count();
  const ownRounds = Math.floor((Date.now() - begun_ms) / WARM_INTERVAL_MS);
  const lists = [...new Set(texts)].map((text) => TickerList.parse(JSON.parse(text)));
  return { lists, rounds: [binance.tickers, kraken.tickers], mostRounds: 1 + ownRounds };
}

it('500 readers at once through two Workers that share a hub without prices cause one round of requests to the venues', async () => {
  const isDegraded = ({ lists }: typeof read) => lists.some(({ degraded }) => degraded);
  let read = await readCold();
  for (let tries = 1; tries < TRIES && isDegraded(read); tries++) read = await readCold();
  expect(isDegraded(read)).toBe(false);
  // A machine that takes longer than the hub's interval sees its next round as well.
  expect(Math.max(...read.rounds)).toBeLessThanOrEqual(read.mostRounds);
  expect(new Set(read.lists.map(({ tickers }) => JSON.stringify(tickers))).size).toBeLessThanOrEqual(read.mostRounds);
  expect(read.lists[0]?.tickers[1]).toMatchObject({ symbol: 'BTC', price: '65003.36' });
}, 600_000);

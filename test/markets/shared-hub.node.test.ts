import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { TickerList } from '../../src/markets/schemas.ts';
import { fetchDocumented } from '../support/node/fetch-documented.ts';
import { type Exchange, startExchange } from '../support/node/start-exchange.ts';
import { startVenueServer } from '../support/node/start-venue-server.ts';

let venues: Awaited<ReturnType<typeof startVenueServer>>;
let exchange: Exchange;

/** Asks the venues' remote control, and gives how often each was asked. */
async function control(method: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${venues.url}/control`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.json();
}

beforeAll(async () => {
  venues = await startVenueServer();
  exchange = await startExchange({
    bundle: inject('workerBundle'),
    workers: 2,
    rateLimits: { ANONYMOUS_READS: 100_000 },
    variables: {
      PRICE_SOURCES: 'binance,kraken',
      BINANCE_URL: `${venues.url}/binance`,
      KRAKEN_URL: `${venues.url}/kraken`,
    },
  });
});

afterAll(async () => {
  await exchange.dispose();
  await venues.stop();
});

/** All 500 at once, each through the one or the other Worker. */
function readAtOnce(path: string): Promise<Response[]> {
  return Promise.all(
    Array.from({ length: 500 }, (_, reader) => fetchDocumented(exchange.urls[reader % 2] ?? '', path)),
  );
}

it('500 concurrent readers through two Workers that share the hub, cold, cost the venues one upstream round', async () => {
  // Opens the connections and has the code compiled, of which neither is part of a round; the prices stay cold.
  await Promise.all((await readAtOnce('/api/v1/markets/NONE')).map((response) => response.text()));
  expect(await control('GET')).toMatchObject({ binance: { tickers: 0 }, kraken: { tickers: 0 } });
  // Long enough that the readers gather while the round is under way; were one late, the round is still the only one.
  await control('PATCH', { binance: { delay_ms: 300 }, kraken: { delay_ms: 300 } });
  const responses = await readAtOnce('/api/v1/markets/tickers');
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  const lists = await Promise.all(responses.map(async (response) => TickerList.parse(await response.json())));
  expect(lists.some(({ degraded }) => degraded)).toBe(false);
  expect(new Set(lists.map(({ tickers }) => JSON.stringify(tickers))).size).toBe(1);
  expect(lists[0]?.tickers[1]).toMatchObject({ symbol: 'BTC', price: '65003.36' });
  expect(await control('GET')).toMatchObject({ binance: { tickers: 1 }, kraken: { tickers: 1 } });
});

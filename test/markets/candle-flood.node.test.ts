import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { distinctCandleQuestion, strangerAddress } from '../support/node/venues/candle-questions.ts';
import { fetchDocumented } from '../support/node/exchange/fetch-documented.ts';
import { Operator } from '../support/node/exchange/operator.ts';
import { type Exchange, startExchange } from '../support/node/exchange/start-exchange.ts';
import { startVenueServer } from '../support/node/venues/start-venue-server.ts';
import type { VenueRequests } from '../support/node/venues/venue-state.ts';

/** Binance's budget for candles: the requests at once, and those of each second after that. */
const BURST = 24;
const PER_SECOND = 1.6;

const QUESTIONS = 60;
const AT_ONCE = 10;

/** How long the venue takes to answer candles, so that requests are open while orders come. */
const DELAY_MS = 100;

let venues: Awaited<ReturnType<typeof startVenueServer>>;
let exchange: Exchange;

beforeAll(async () => {
  venues = await startVenueServer();
  exchange = await startExchange({
    bundle: inject('workerBundle'),
    rateLimits: { ANONYMOUS_READS: 100_000, ANONYMOUS_NETWORKS: 100_000 },
    variables: {
      PRICE_SOURCES: 'binance,okx,gate',
      CANDLE_SOURCES: 'binance',
      BINANCE_URL: `${venues.url}/binance`,
      OKX_URL: `${venues.url}/okx`,
      GATE_URL: `${venues.url}/gate`,
    },
  });
});

afterAll(async () => {
  await exchange.dispose();
  await venues.stop();
});

async function control(method: string, body?: unknown): Promise<VenueRequests> {
  const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return (await fetch(`${venues.url}/control`, init)).json() as Promise<VenueRequests>;
}

it('a flood of different candle requests exceeds no venue’s budget, suspends no price source, and stops no order', async () => {
  const [origin = ''] = exchange.urls;
  const operator = new Operator(origin);
  const token = await operator.createKey(await operator.openAccount({ USDT: '10000' }));
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1' });
  const order = async () => (await fetchDocumented(origin, '/api/v1/orders', { method: 'POST', headers, body })).status;
  const ask = async (index: number) => {
    const caller = { 'CF-Connecting-IP': strangerAddress(index) };
    const response = await fetchDocumented(origin, distinctCandleQuestion(index), { headers: caller });
    if (response.status === 503) expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
    return response.status;
  };
  await control('PATCH', { binance: { delay_ms: DELAY_MS } });
  const begun_ms = Date.now();
  const answers: number[] = [];
  const orders: number[] = [];
  for (let index = 0; index < QUESTIONS; index += AT_ONCE) {
    const asked = Array.from({ length: AT_ONCE }, (_, offset) => ask(index + offset));
    orders.push(await order());
    answers.push(...(await Promise.all(asked)));
  }
  expect(orders).toEqual(Array<number>(QUESTIONS / AT_ONCE).fill(201));
  const { binance, okx, gate } = await control('GET');
  expect(binance.klines).toBeGreaterThanOrEqual(BURST);
  expect(binance.klines).toBeLessThanOrEqual(BURST + ((Date.now() - begun_ms) / 1_000) * PER_SECOND + 1);
  // The other requests were refused before a venue was asked. On a busy machine some of the requests to the venue may
  // fail.
  expect(answers.filter((status) => status === 503).length).toBeGreaterThanOrEqual(QUESTIONS - binance.klines);
  expect(answers.filter((status) => ![200, 502, 503].includes(status))).toEqual([]);
  // All three venues are still asked for prices in every round: none is suspended.
  const before = [binance.tickers, okx.tickers, gate.tickers];
  expect(Math.max(...before) - Math.min(...before)).toBeLessThanOrEqual(1);
  const { status } = (await (await fetchDocumented(origin, '/api/v1/status')).json()) as { status: string };
  expect(status).toBe('OK');
}, 120_000);

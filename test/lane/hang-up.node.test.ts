import { connect } from 'node:net';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Exchange, startExchange } from '../support/node/exchange/start-exchange.ts';
import { forkVenues } from '../support/node/venues/fork-venues.ts';
import { venueUrlVariables } from '../support/node/venues/venue-remote.ts';
import { waitFor } from '../support/wait-for.ts';

const OPERATOR_TOKEN = 'sandbox-operator-token-of-the-public-repository';
const ORDERS = '/api/v1/orders';
const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

/** When a client hangs up after sending; his order waits at least 150 ms for its price. */
const STAYS_MS = [50, 60, 80, 100, 120];

let venues: Awaited<ReturnType<typeof forkVenues>>;
let exchange: Exchange;

/** An exchange as in production: it hears the streams of six venues, and an order's price is as of 150 ms after it. */
beforeAll(async () => {
  venues = await forkVenues();
  exchange = await startExchange({
    bundle: inject('workerBundle'),
    databasesApart: true,
    variables: {
      ...venueUrlVariables(venues.url),
      PRICE_SOURCES: 'binance,okx,coinbase,kucoin,kraken,gate',
      PRICE_STREAMS: 'always',
      PRICE_MARGIN_MS: '150',
    },
  });
});
afterAll(async () => {
  await exchange.dispose();
  await venues.stop();
});

async function call<T>(method: string, path: string, token: string, body?: unknown): Promise<T> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`${exchange.urls[0]}${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as T;
}

async function openTrader(): Promise<string> {
  const operate = <T>(path: string, body: unknown) => call<T>('POST', `/operator/v1${path}`, OPERATOR_TOKEN, body);
  const { account } = await operate<{ account: { id: string } }>('/accounts', { label: 'hangs up' });
  await operate(`/accounts/${account.id}/credits`, { asset: 'USDT', amount: '1000', reference: 'funds' });
  const { token } = await operate<{ token: string }>(`/accounts/${account.id}/api-keys`, {
    label: 'hangs up',
    scopes: ['read', 'trade'],
  });
  return token;
}

/** Sends an order without an Idempotency-Key over its own socket, and breaks the connection after the given time. */
function sendAndHangUp(token: string, stay_ms: number): Promise<void> {
  const { hostname, port } = new URL(exchange.urls[0] ?? '');
  const text = JSON.stringify(ORDER);
  const head = [
    `POST ${ORDERS} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.write(`${head.join('\r\n')}\r\n\r\n${text}`, () => setTimeout(() => socket.resetAndDestroy(), stay_ms));
  });
}

it('an order whose client hangs up while it waits for its price is filled', async () => {
  const token = await openTrader();
  // The first order wakes the lane, the gate and the hub, so that the others are admitted before their client hangs up.
  await call('POST', ORDERS, token, ORDER);
  await Promise.all(STAYS_MS.map((stay_ms) => sendAndHangUp(token, stay_ms)));
  await waitFor(async () => {
    const { orders } = await call<{ orders: unknown[] }>('GET', ORDERS, token);
    expect(orders).toHaveLength(1 + STAYS_MS.length);
  });
});

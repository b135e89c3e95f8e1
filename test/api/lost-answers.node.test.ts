import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type DroppingProxy, startDroppingProxy } from '../support/node/exchange/dropping-proxy.ts';
import { fetchDocumented } from '../support/node/exchange/fetch-documented.ts';
import { type Exchange, startExchange } from '../support/node/exchange/start-exchange.ts';

const OPERATOR_TOKEN = 'sandbox-operator-token-of-the-public-repository';
const REQUESTS = 60;
const MAX_TRIES = 30;

let exchange: Exchange;
let proxy: DroppingProxy;
let accountId: string;
let token: string;

const origin = () => exchange.urls[0] ?? '';

async function operate<T>(path: string, body: unknown): Promise<T> {
  const response = await fetchDocumented(origin(), `/operator/v1${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as T;
}

/** The answer of one request, which the client sends until it gets an answer. */
interface Heard {
  readonly tries: number;
  readonly status: number;
  readonly body: string;
  readonly isReplay: boolean;
}

async function sendUntilHeard(path: string, idempotencyKey: string, body: unknown): Promise<Heard> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    try {
      const response = await fetchDocumented(proxy.url, path, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': idempotencyKey,
        },
        body: JSON.stringify(body),
      });
      const isReplay = response.headers.get('X-Idempotency-Replay') === 'true';
      return { tries, status: response.status, body: await response.text(), isReplay };
    } catch (error) {
      // Undici throws a TypeError when a connection breaks. Any other error is a response that breaks its document.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  throw new Error(`${idempotencyKey} was not answered in ${MAX_TRIES} tries`);
}

async function read<T>(path: string): Promise<T> {
  const response = await fetchDocumented(origin(), path, { headers: { Authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

beforeAll(async () => {
  exchange = await startExchange({ bundle: inject('workerBundle') });
  proxy = await startDroppingProxy({ target: origin(), probability: 0.5, seed: 20_261_123 });
  ({
    account: { id: accountId },
  } = await operate<{ account: { id: string } }>('/accounts', { label: 'lost answers' }));
  await operate(`/accounts/${accountId}/credits`, { asset: 'USDT', amount: '10000', reference: 'funds' });
  const bucket = { perMinute: 100_000, perDay: 1_000_000 };
  ({ token } = await operate<{ token: string }>(`/accounts/${accountId}/api-keys`, {
    label: 'lost answers',
    scopes: ['read', 'trade', 'withdraw'],
    rateLimits: { read: bucket, trade: bucket, withdraw: bucket },
  }));
});

afterAll(async () => {
  await proxy.stop();
  await exchange.dispose();
});

it('a client whose answers are lost by the network retries with its key and gets the first order, once', async () => {
  const before = proxy.count();
  const heard: Heard[] = [];
  for (let start = 0; start < REQUESTS; start += 6) {
    const numbers = [0, 1, 2, 3, 4, 5].map((offset) => start + offset);
    heard.push(
      ...(await Promise.all(
        numbers.map((number) =>
          sendUntilHeard('/api/v1/orders', `order-${number}`, {
            coin: 'BTC',
            side: 'BUY',
            mode: 'USDT_AMOUNT',
            value: `${10 + number}`,
          }),
        ),
      )),
    );
  }
  const { requests, dropped } = proxy.count();
  expect(requests - before.requests).toBe(heard.reduce((sum, { tries }) => sum + tries, 0));
  expect(dropped - before.dropped).toBeGreaterThan(REQUESTS / 4);
  expect(heard.map(({ status }) => status)).toEqual(heard.map(() => 201));
  // A client that had to ask again got a replay of the order that the lost answer described.
  expect(heard.map(({ isReplay }) => isReplay)).toEqual(heard.map(({ tries }) => tries > 1));
  const { orders } = await read<{ orders: unknown[] }>('/api/v1/orders?limit=200');
  const told = heard.map(({ body }) => (JSON.parse(body) as { order: { usdtAmount: string } }).order);
  const byAmount = (one: unknown, other: unknown) =>
    Number((one as { usdtAmount: string }).usdtAmount) - Number((other as { usdtAmount: string }).usdtAmount);
  expect(orders.toSorted(byAmount)).toEqual(told.toSorted(byAmount));
  const spent = told.reduce((sum, { usdtAmount }) => sum + Number(usdtAmount), 0);
  const { balances } = await read<{ balances: { asset: string; amount: string }[] }>('/api/v1/wallet/balances');
  expect(balances.find(({ asset }) => asset === 'USDT')?.amount).toBe(String(10_000 - spent));
});

it('a withdrawal whose answers are lost is paid once, and every retry gets the same hash', async () => {
  const body = { asset: 'USDT', network: 'TRC20', amount: '20', address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' };
  const heard: Heard[] = [];
  for (let number = 0; number < 12; number += 1) {
    heard.push(await sendUntilHeard('/api/v1/wallet/withdrawals', `withdrawal-${number}`, body));
  }
  const again = await Promise.all(
    heard.map((_, number) => sendUntilHeard('/api/v1/wallet/withdrawals', `withdrawal-${number}`, body)),
  );
  expect(again.map((answer) => answer.body)).toEqual(heard.map((answer) => answer.body));
  expect(heard.some(({ tries }) => tries > 1)).toBe(true);
  const { withdrawals } = await read<{ withdrawals: { id: string; status: string; txHash: string }[] }>(
    '/api/v1/wallet/withdrawals?limit=200',
  );
  const told = heard.map((answer) => (JSON.parse(answer.body) as { withdrawal: unknown }).withdrawal);
  expect(withdrawals.toReversed()).toEqual(told);
  expect(new Set(withdrawals.map(({ txHash }) => txHash)).size).toBe(12);
});

import { afterAll, expect, it } from 'vitest';
import { BUY } from '../support/client.ts';
import { startDroppingProxy } from '../support/node/exchange/dropping-proxy.ts';
import { fetchDocumented } from '../support/node/exchange/fetch-documented.ts';
import { openExchange } from '../support/node/exchange/open-exchange.ts';

const REQUESTS = 60;
const MAX_TRIES = 30;

const { origin, operator } = await openExchange({ site: true });
const proxy = await startDroppingProxy({ target: origin, probability: 0.5, seed: 20_261_123 });
afterAll(() => proxy.stop());
const client = await operator.openClient({ USDT: '10000' });

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
          Authorization: `Bearer ${client.token}`,
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

const read = async <T>(path: string) => (await (await client.get(path)).json()) as T;

it('a client whose answers are lost by the network retries with its key and gets the first order, once', async () => {
  const before = proxy.count();
  const heard: Heard[] = [];
  for (let start = 0; start < REQUESTS; start += 6) {
    const numbers = [0, 1, 2, 3, 4, 5].map((offset) => start + offset);
    heard.push(
      ...(await Promise.all(
        numbers.map((number) =>
          sendUntilHeard('/api/v1/orders', `order-${number}`, { ...BUY, value: `${10 + number}` }),
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
  const { orders } = await read<{ orders: { usdtAmount: string }[] }>('/api/v1/orders?limit=200');
  const told = heard.map(({ body }) => (JSON.parse(body) as { order: { usdtAmount: string } }).order);
  const byAmount = (one: { usdtAmount: string }, other: { usdtAmount: string }) =>
    Number(one.usdtAmount) - Number(other.usdtAmount);
  expect(orders.toSorted(byAmount)).toEqual(told.toSorted(byAmount));
  const spent = told.reduce((sum, { usdtAmount }) => sum + Number(usdtAmount), 0);
  expect((await client.balances())['USDT']).toBe(String(10_000 - spent));
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

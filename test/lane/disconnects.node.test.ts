import { connect } from 'node:net';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Exchange, startExchange } from '../support/node/exchange/start-exchange.ts';
import { waitFor } from '../support/wait-for.ts';

const OPERATOR_TOKEN = 'sandbox-operator-token-of-the-public-repository';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };
const WITHDRAWAL = { asset: 'USDT', network: 'TRC20', amount: '50', address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' };

/** When a client disconnects after sending: after some milliseconds, or at the first byte of its answer. */
type Stay = number | 'answered';

/** The assertions hold for each of them, and for any order of events. */
const STAYS: readonly Stay[] = [0, 0, 1, 2, 3, 5, 8, 13, 21, 34, 'answered'];

let exchange: Exchange;
beforeAll(async () => {
  // Whoever hangs up must not cut a call of D1, which is another process on the platform too.
  exchange = await startExchange({ bundle: inject('workerBundle'), databasesApart: true });
});
afterAll(() => exchange.dispose());

function call(method: string, path: string, token: string, body?: unknown, key?: string): Promise<Response> {
  return fetch(`${exchange.urls[0]}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      ...(key !== undefined && { 'Idempotency-Key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function must<T>(response: Promise<Response>): Promise<T> {
  const { ok, status } = await response;
  const text = await (await response).text();
  if (!ok) throw new Error(`${status} ${text}`);
  return JSON.parse(text) as T;
}

/** Opens an account with 10,000 USDT, and returns the token of a key of it. */
async function openTrader(): Promise<string> {
  const operate = <T>(path: string, body: unknown) =>
    must<T>(call('POST', `/operator/v1${path}`, OPERATOR_TOKEN, body));
  const { account } = await operate<{ account: { id: string } }>('/accounts', { label: 'leaves early' });
  await operate(`/accounts/${account.id}/credits`, { asset: 'USDT', amount: '10000', reference: 'funds' });
  const plenty = { perMinute: 100_000, perDay: 1_000_000 };
  const { token } = await operate<{ token: string }>(`/accounts/${account.id}/api-keys`, {
    label: 'leaves early',
    scopes: ['read', 'trade', 'withdraw'],
    rateLimits: { read: plenty, trade: plenty, withdraw: plenty },
  });
  return token;
}

/** Sends a whole POST over its own socket, and breaks the connection after the given time. */
function sendAndLeave(path: string, token: string, key: string | undefined, body: unknown, stay: Stay): Promise<void> {
  const { hostname, port } = new URL(exchange.urls[0] ?? '');
  const text = JSON.stringify(body);
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
  ];
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', reject);
    socket.on('close', () => resolve());
    // A reset, as when the client's machine is gone, instead of a regular end of the connection.
    const leave = () => socket.resetAndDestroy();
    if (stay === 'answered') socket.once('data', leave);
    socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`, () => {
      if (stay !== 'answered') setTimeout(leave, stay);
    });
  });
}

async function readUsdt(token: string): Promise<string | undefined> {
  const { balances } = await must<{ balances: { asset: string; amount: string }[] }>(
    call('GET', '/api/v1/wallet/balances', token),
  );
  return balances.find(({ asset }) => asset === 'USDT')?.amount;
}

/** Checks every invariant of the ledger over all of its rows. */
async function expectWholeLedger(): Promise<void> {
  const run = () =>
    must<{ reconciliation: { status: string; invariants: { status: string }[] } }>(
      call('POST', '/operator/v1/reconciliation/run', OPERATOR_TOKEN),
    );
  await run();
  const { reconciliation } = await run();
  expect(reconciliation.status).toBe('ok');
  expect(new Set(reconciliation.invariants.map(({ status }) => status))).toEqual(new Set(['ok']));
}

const kinds = [
  { path: '/api/v1/orders', name: 'orders', body: ORDER, cost: 10 },
  { path: '/api/v1/wallet/withdrawals', name: 'withdrawals', body: WITHDRAWAL, cost: 51 },
] as const;

it.each(kinds)(
  'a client of $name that disconnects after sending finds one effect for each Idempotency-Key',
  async ({ path, name, body, cost }) => {
    const token = await openTrader();
    const keys = STAYS.map((_, at) => `gone-${at}`);
    await Promise.all(keys.map((key, at) => sendAndLeave(path, token, key, body, STAYS[at] ?? 0)));
    const answers = await Promise.all(keys.map((key) => call('POST', path, token, body, key)));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 201));
    // A client that left at the first byte of the answer must have had its effect.
    expect(answers.at(-1)?.headers.get('X-Idempotency-Replay')).toBe('true');
    const listed = await must<Record<string, { id: string; status: string }[]>>(call('GET', path, token));
    expect(listed[name]).toHaveLength(keys.length);
    expect(new Set(listed[name]?.map(({ status }) => status))).toEqual(new Set(['COMPLETED']));
    expect(await readUsdt(token)).toBe(String(10_000 - keys.length * cost));
    await expectWholeLedger();
  },
);

it.each(kinds)(
  'a client of $name that disconnects without an Idempotency-Key is charged for what the lists show, and the lane is free',
  async ({ path, name, body, cost }) => {
    const token = await openTrader();
    await Promise.all(STAYS.map((stay) => sendAndLeave(path, token, undefined, body, stay)));
    expect((await call('POST', path, token, body)).status).toBe(201);
    // A request that the lane still executes may end between the two reads.
    const made = await waitFor(async () => {
      const listed = await must<Record<string, unknown[]>>(call('GET', path, token));
      const count = listed[name]?.length ?? 0;
      expect(await readUsdt(token)).toBe(String(10_000 - count * cost));
      return count;
    });
    expect(made).toBeGreaterThanOrEqual(2);
    expect(made).toBeLessThanOrEqual(STAYS.length + 1);
    await expectWholeLedger();
  },
);

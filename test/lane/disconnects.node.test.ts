import { connect } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { BUY, type Client, WITHDRAWAL } from '../support/client.ts';
import { openExchange } from '../support/node/exchange/open-exchange.ts';
import { forkVenues } from '../support/node/venues/fork-venues.ts';
import { venueUrlVariables } from '../support/node/venues/venue-remote.ts';
import { waitFor } from '../support/wait-for.ts';

/** When a client disconnects after sending: after some milliseconds, or at the first byte of its answer. */
type Stay = number | 'answered';

/** The assertions hold for each of them, and for any order of events. */
const STAYS: readonly Stay[] = [0, 0, 1, 2, 3, 5, 8, 13, 21, 34, 'answered'];

// Whoever hangs up must not cut a call of D1, which is another process on the platform too.
const { operator } = await openExchange({ databasesApart: true });

const openClient = () => operator.openClient({ USDT: '10000' });

const venues = await forkVenues();
afterAll(() => venues.stop());

/** As in production: it hears the streams of six venues, and an order's price is as of 150 ms after it. */
const streamed = await openExchange({
  databasesApart: true,
  variables: {
    ...venueUrlVariables(venues.url),
    PRICE_SOURCES: 'binance,okx,coinbase,kucoin,kraken,gate',
    PRICE_STREAMS: 'always',
    PRICE_MARGIN_MS: '150',
  },
});

/** Sends a whole POST over its own socket, and breaks the connection after the given time. */
function sendAndLeave(
  path: string,
  { token }: Client,
  key: string | undefined,
  body: unknown,
  stay: Stay,
  { origin } = operator,
): Promise<void> {
  const { hostname, port } = new URL(origin);
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

async function readList(client: Client, path: string): Promise<{ readonly status: string }[]> {
  const answer = await client.get(path);
  return ((await answer.json()) as Record<string, { status: string }[]>)[path.split('/').at(-1) ?? ''] ?? [];
}

const readUsdt = async (client: Client) => (await client.balances())['USDT'];

/** Checks every invariant of the ledger over all of its rows. */
async function expectWholeLedger(): Promise<void> {
  type Answer = { reconciliation: { status: string; invariants: { status: string }[] } };
  const run = () => operator.operate<Answer>('POST', '/reconciliation/run');
  await run();
  const { reconciliation } = await run();
  expect(reconciliation.status).toBe('ok');
  expect(new Set(reconciliation.invariants.map(({ status }) => status))).toEqual(new Set(['ok']));
}

const kinds = [
  { path: '/api/v1/orders', name: 'orders', body: { ...BUY, value: '10' }, cost: 10 },
  { path: '/api/v1/wallet/withdrawals', name: 'withdrawals', body: WITHDRAWAL, cost: 51 },
];

it.each(kinds)(
  'a client of $name that disconnects after sending finds one effect for each Idempotency-Key',
  async ({ path, body, cost }) => {
    const client = await openClient();
    const keys = STAYS.map((_, at) => `gone-${at}`);
    await Promise.all(keys.map((key, at) => sendAndLeave(path, client, key, body, STAYS[at] ?? 0)));
    const answers = await Promise.all(keys.map((key) => client.post(path, body, { 'Idempotency-Key': key })));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 201));
    // A client that left at the first byte of the answer must have had its effect.
    expect(answers.at(-1)?.headers.get('X-Idempotency-Replay')).toBe('true');
    expect((await readList(client, path)).map(({ status }) => status)).toEqual(keys.map(() => 'COMPLETED'));
    expect(await readUsdt(client)).toBe(String(10_000 - keys.length * cost));
    await expectWholeLedger();
  },
);

it.each(kinds)(
  'a client of $name that disconnects without an Idempotency-Key is charged for what the lists show, and the lane is free',
  async ({ path, body, cost }) => {
    const client = await openClient();
    await Promise.all(STAYS.map((stay) => sendAndLeave(path, client, undefined, body, stay)));
    expect((await client.post(path, body)).status).toBe(201);
    // A request that the lane still executes may end between the two reads.
    const made = await waitFor(async () => {
      const count = (await readList(client, path)).length;
      expect(await readUsdt(client)).toBe(String(10_000 - count * cost));
      return count;
    });
    expect(made).toBeGreaterThanOrEqual(2);
    expect(made).toBeLessThanOrEqual(STAYS.length + 1);
    await expectWholeLedger();
  },
);

it('an order whose client hangs up while it waits for its price is filled', async () => {
  const client = await streamed.operator.openClient({ USDT: '1000' });
  // The first order wakes the lane, the gate and the hub, so that the others are admitted before their client hangs up.
  await client.trade({ value: '10' });
  // An order waits at least 150 ms for its price.
  const stays_ms = [50, 60, 80, 100, 120];
  const order = { ...BUY, value: '10' };
  const send = (stay_ms: number) =>
    sendAndLeave('/api/v1/orders', client, undefined, order, stay_ms, streamed.operator);
  await Promise.all(stays_ms.map(send));
  await waitFor(async () => expect(await readList(client, '/api/v1/orders')).toHaveLength(1 + stays_ms.length));
});

import { randomBytes, randomUUID } from 'node:crypto';
import type { Load, LoadRequest } from './load.ts';
import type { Peer } from './peer.ts';
import type { BenchTrader, BenchRuntime } from './start-runtime.ts';

/** The least share of another throughput: with one connection, and with several at once. */
export interface Target {
  readonly alone: number;
  readonly together: number;
}

/** One kind of request: its load for the exchange, for the floor and for the peer, and the shares that are its targets. */
export interface Subject {
  readonly name: string;
  readonly floorName: string;
  readonly exchange: Load;
  /** The same requests with the same headers and bodies, at the floor's path. */
  readonly floor: Load;
  readonly target: Target;
  /** The same requests for the peer, if there is one and it has them, and the least share of its throughput. */
  readonly peer?: Load;
  readonly peerTarget?: Target;
}

interface Sketch extends Pick<Subject, 'name' | 'floorName' | 'target' | 'peerTarget'> {
  /** The expected status of the exchange's answers; 200 by default. */
  readonly status?: number;
  readonly floorPath: string | ((owner: string) => string);
  request(trader: Pick<BenchTrader, 'token'>, connection: number): LoadRequest;
}

/** The target of subjects without one of their own. */
const LEAST: Target = { alone: 0.6, together: 0.6 };

/** The length of the HMAC at the end of an API key. */
const TAG_BYTES = 32;

/** What the platform adds to every request that reaches a Worker. */
const PLATFORM_HEADERS = { 'cf-connecting-ip': '192.0.2.1' };

const PAGE_ORDERS = 60;

const TICKERS_PATH = '/api/v1/markets/tickers';
const TICKER_PATH = '/api/v1/markets/BTC';
const CANDLES_PATH = '/api/v1/markets/BTC/candles?limit=100';
const BALANCES_PATH = '/api/v1/wallet/balances';
const ORDERS_PATH = '/api/v1/orders';
const WITHDRAWALS_PATH = '/api/v1/wallet/withdrawals';

const WITHDRAWAL = {
  asset: 'USDT',
  network: 'TRC20',
  amount: '20',
  address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC',
};

const orderTo = (side: 'BUY' | 'SELL') => ({ coin: 'BTC', side, mode: 'USDT_AMOUNT', value: '5' });

/**
 * Lists every kind of request that is measured, with the addresses of a runtime and of its peer, after it has placed a
 * page of orders for each trader.
 */
export async function describeSubjects(runtime: BenchRuntime, peer?: Peer): Promise<Subject[]> {
  const tokens = runtime.traders.map(({ token }) => token);
  for (const side of [{ origin: runtime.exchange, tokens }, ...(peer ? [peer] : [])]) await fillPages(side);
  const cachedPaths = await cacheAtFloor(runtime, [TICKERS_PATH, TICKER_PATH, CANDLES_PATH]);
  return sketchSubjects(randomUUID(), cachedPaths).map((sketch) => {
    const { name, floorName, floorPath, target, peerTarget, status = 200 } = sketch;
    const requestOf = (token: string, connection: number): LoadRequest => {
      const request = sketch.request({ token }, connection);
      return { ...request, headers: { ...request.headers, ...PLATFORM_HEADERS } };
    };
    const ask = (connection: number) => requestOf(traderOf(runtime, connection).token, connection);
    const pathAtFloor = (owner: string) => (typeof floorPath === 'string' ? floorPath : floorPath(owner));
    const askFloor = (connection: number) => ({
      ...ask(connection),
      path: pathAtFloor(traderOf(runtime, connection).owner),
    });
    const askPeer = (connection: number) => requestOf(peer?.tokens[connection] ?? '', connection);
    return {
      name,
      floorName,
      target,
      exchange: { origin: runtime.exchange, status, next: ask },
      floor: { origin: runtime.floors, status: 200, next: askFloor },
      ...(peer && peerTarget && { peer: { origin: peer.origin, status, next: askPeer }, peerTarget }),
    };
  });
}

/** Orders of so many traders, one for each connection, which buy and sell in turn. */
export function loadOrders(origin: string, tokens: readonly string[]): Load {
  const sideOf = alternate<'BUY' | 'SELL'>('BUY', 'SELL');
  const next = (connection: number): LoadRequest => {
    const request = post(ORDERS_PATH, tokens[connection] ?? '', orderTo(sideOf(connection)), randomUUID());
    return { ...request, headers: { ...request.headers, ...PLATFORM_HEADERS } };
  };
  return { origin, status: 201, next };
}

/** Places orders until each trader has more than a page of them, at the exchange or at its peer. */
async function fillPages({ origin, tokens }: Pick<Peer, 'origin' | 'tokens'>): Promise<void> {
  await Promise.all(
    tokens.map(async (token) => {
      for (let order = 0; order < PAGE_ORDERS; order += 1) {
        const { path, ...request } = post(ORDERS_PATH, token, orderTo(order % 2 === 0 ? 'BUY' : 'SELL'), randomUUID());
        const placed = await fetch(`${origin}${path}`, request);
        if (placed.status !== 201) throw new Error(`${path}: ${placed.status} ${await placed.text()}`);
        await placed.body?.cancel();
      }
    }),
  );
}

function sketchSubjects(run: string, cachedPaths: ReadonlyMap<string, string>): Sketch[] {
  const cached = (name: string, path: string, targets: Pick<Sketch, 'target' | 'peerTarget'>): Sketch => ({
    name,
    floorName: 'one match of the Cache API',
    ...targets,
    floorPath: cachedPaths.get(path) ?? '',
    request: () => ({ path }),
  });
  const sideOf = alternate<'BUY' | 'SELL'>('BUY', 'SELL');
  const order = (
    floorName: string,
    floorPath: Sketch['floorPath'],
    targets: Pick<Sketch, 'target' | 'peerTarget'>,
  ): Sketch => ({
    name: 'an order',
    floorName,
    ...targets,
    status: 201,
    floorPath,
    request: ({ token }, connection) => post(ORDERS_PATH, token, orderTo(sideOf(connection)), randomUUID()),
  });
  return [
    cached('tickers, cached', TICKERS_PATH, {
      target: { alone: 2.5, together: 2.5 },
      peerTarget: { alone: 0.45, together: 0.2 },
    }),
    cached('a ticker, cached', TICKER_PATH, { target: LEAST }),
    cached('candles, cached', CANDLES_PATH, { target: LEAST }),
    {
      name: 'a forged key',
      floorName: 'an empty Hono route',
      target: { alone: 0.75, together: 0.65 },
      status: 401,
      floorPath: '/empty',
      request: ({ token }) => read(BALANCES_PATH, forge(token)),
    },
    {
      name: 'balances',
      floorName: 'an object call, a select',
      target: { alone: 0.95, together: 0.85 },
      peerTarget: { alone: 0.22, together: 0.11 },
      floorPath: (owner) => `/balances/${owner}`,
      request: ({ token }) => read(BALANCES_PATH, token),
    },
    {
      name: 'a page of orders',
      floorName: 'an object call, a select',
      target: { alone: 0.9, together: 0.85 },
      peerTarget: { alone: 0.42, together: 0.26 },
      floorPath: (owner) => `/records/${owner}`,
      request: ({ token }) => read(ORDERS_PATH, token),
    },
    order('two object calls, a batch of 7 rows', (owner) => `/orders/${owner}`, {
      target: { alone: 0.7, together: 1 },
      peerTarget: { alone: 0.3, together: 0.5 },
    }),
    order('the same after a row of the first object', (owner) => `/intents/${owner}`, {
      target: { alone: 0.85, together: 1.5 },
    }),
    {
      name: 'an order, replayed',
      floorName: 'an object call',
      target: { alone: 0.75, together: 0.65 },
      status: 201,
      floorPath: (owner) => `/called/${owner}`,
      request: ({ token }, connection) => post(ORDERS_PATH, token, orderTo('BUY'), `${run}-${connection}`),
    },
    {
      name: 'a withdrawal',
      floorName: 'an object call, a select, batches of 4 and 9 rows',
      target: LEAST,
      status: 201,
      floorPath: (owner) => `/withdrawals/${owner}`,
      request: ({ token }) => post(WITHDRAWALS_PATH, token, WITHDRAWAL, randomUUID()),
    },
  ];
}

function traderOf({ traders }: BenchRuntime, connection: number): BenchTrader {
  const trader = traders[connection];
  if (!trader) throw new Error(`there is no trader for connection ${connection}`);
  return trader;
}

function read(path: string, token: string): LoadRequest {
  return { path, headers: { authorization: `Bearer ${token}` } };
}

function post(path: string, token: string, body: object, idempotencyKey: string): LoadRequest {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': idempotencyKey,
  };
  return { path, method: 'POST', headers, body: JSON.stringify(body) };
}

/** Alternates between two values for each connection, so that neither a trader nor the house runs out of an asset. */
function alternate<Value extends string>(one: Value, other: Value): (connection: number) => Value {
  const turns: number[] = [];
  return (connection) => {
    const turn = turns[connection] ?? 0;
    turns[connection] = turn + 1;
    return turn % 2 === 0 ? one : other;
  };
}

/** The token with a wrong tag that was never sent before. */
function forge(token: string): string {
  const tag = randomBytes(TAG_BYTES).toString('base64url');
  return token.slice(0, -tag.length) + tag;
}

/** Puts the exchange's answers into the floor's cache, so that both send the same bytes. Returns the floor's paths. */
async function cacheAtFloor(
  { exchange, floors }: BenchRuntime,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const cached = new Map<string, string>();
  for (const path of paths) {
    const answer = await fetch(`${exchange}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    const floorPath = `/cached/${encodeURIComponent(path)}`;
    await fetch(`${floors}${floorPath}`, { method: 'PUT', body: await answer.text() });
    cached.set(path, floorPath);
  }
  return cached;
}

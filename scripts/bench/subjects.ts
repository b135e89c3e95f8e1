import { randomBytes, randomUUID } from 'node:crypto';
import type { Load, LoadRequest } from './load.ts';
import type { BenchTrader, BenchRuntime } from './start-runtime.ts';

/** One kind of request: its load for the exchange and for the floor, and the share of the floor that is the target. */
export interface Subject {
  readonly name: string;
  readonly floorName: string;
  readonly exchange: Load;
  /** The same requests with the same headers and bodies, at the floor's path. */
  readonly floor: Load;
  /** The least share of the floor's throughput. */
  readonly target: number;
}

/** A subject without the addresses of the runtime. */
interface Sketch {
  readonly name: string;
  readonly floorName: string;
  readonly target: number;
  /** The expected status of the exchange's answers; 200 by default. */
  readonly status?: number;
  readonly floorPath: string | ((owner: string) => string);
  request(trader: BenchTrader, connection: number): LoadRequest;
}

/** The target of subjects without one of their own. */
const LEAST = 0.6;

/** The length of the HMAC at the end of an API key. */
const TAG_BYTES = 32;

/** What the platform adds to every request that reaches a Worker. */
const PLATFORM_HEADERS = { 'cf-connecting-ip': '192.0.2.1' };

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

/** Lists every kind of request that is measured, with the addresses of a runtime. */
export async function describeSubjects(runtime: BenchRuntime): Promise<Subject[]> {
  const cachedPaths = await cacheAtFloor(runtime, [TICKERS_PATH, TICKER_PATH, CANDLES_PATH]);
  return sketchSubjects(randomUUID(), cachedPaths).map(({ name, floorName, target, status = 200, ...sketch }) => {
    const requestOf = (connection: number): LoadRequest => {
      const request = sketch.request(traderOf(runtime, connection), connection);
      return { ...request, headers: { ...request.headers, ...PLATFORM_HEADERS } };
    };
    const { floorPath } = sketch;
    const pathAtFloor = (owner: string) => (typeof floorPath === 'string' ? floorPath : floorPath(owner));
    const next = (connection: number) => ({
      ...requestOf(connection),
      path: pathAtFloor(traderOf(runtime, connection).owner),
    });
    return {
      name,
      floorName,
      target,
      exchange: { origin: runtime.exchange, status, next: requestOf },
      floor: { origin: runtime.floors, status: 200, next },
    };
  });
}

function sketchSubjects(run: string, cachedPaths: ReadonlyMap<string, string>): Sketch[] {
  const cached = (name: string, path: string, target: number): Sketch => ({
    name,
    floorName: 'one match of the Cache API',
    target,
    floorPath: cachedPaths.get(path) ?? '',
    request: () => ({ path }),
  });
  const sideOf = alternate<'BUY' | 'SELL'>('BUY', 'SELL');
  const order = (floorName: string, floorPath: Sketch['floorPath'], target: number): Sketch => ({
    name: 'an order',
    floorName,
    target,
    status: 201,
    floorPath,
    request: ({ token }, connection) => post(ORDERS_PATH, token, orderTo(sideOf(connection)), randomUUID()),
  });
  return [
    cached('tickers, cached', TICKERS_PATH, 0.85),
    cached('a ticker, cached', TICKER_PATH, LEAST),
    cached('candles, cached', CANDLES_PATH, LEAST),
    {
      name: 'a forged key',
      floorName: 'an empty Hono route',
      target: 0.85,
      status: 401,
      floorPath: '/empty',
      request: ({ token }) => read(BALANCES_PATH, forge(token)),
    },
    {
      name: 'balances',
      floorName: 'an object call, a select',
      target: 0.75,
      floorPath: (owner) => `/balances/${owner}`,
      request: ({ token }) => read(BALANCES_PATH, token),
    },
    {
      name: 'a page of orders',
      floorName: 'an object call, a select',
      target: LEAST,
      floorPath: (owner) => `/records/${owner}`,
      request: ({ token }) => read(ORDERS_PATH, token),
    },
    order('an object call, a batch of 7 rows', (owner) => `/orders/${owner}`, 0.75),
    order('the same after a row of the object', (owner) => `/intents/${owner}`, LEAST),
    {
      name: 'an order, replayed',
      floorName: 'an object call',
      target: 0.75,
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

import ccxt, { type Dict } from 'ccxt';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Bureau } from '../src/index.ts';
import { type DroppingProxy, startDroppingProxy } from '../../../test/support/node/exchange/dropping-proxy.ts';
import { Operator } from '../../../test/support/node/exchange/operator.ts';
import { type Exchange, startExchange } from '../../../test/support/node/exchange/start-exchange.ts';

let exchange: Exchange;
let operator: Operator;

beforeAll(async () => {
  exchange = await startExchange({ bundle: inject('workerBundle') });
  operator = new Operator(exchange.urls[0] ?? '');
});

afterAll(() => exchange.dispose());

const MARKETS = {
  BTC: { symbol: 'BTC', base: 'BTC', quote: 'USDT', status: 'TRADING', baseStep: '0.00000001', quoteStep: '0.000001' },
};

/** A request that was sent: its path, its key and its body. */
interface RequestRecord {
  readonly path: string;
  readonly key: string | undefined;
  readonly body: Dict | undefined;
}

/** Bureau's class of CCXT. After it has read its markets, `answer` decides what the network answers. */
function play(answer: (path: string) => Response, options: Dict = {}) {
  const sent: RequestRecord[] = [];
  const bureau = new Bureau({ apiKey: 'bk_test_key', urls: { api: 'https://bureau.test' }, options });
  bureau.enableRateLimit = false;
  bureau.fetchImplementation = (url: string, init: { headers: Dict; body?: string }) => {
    const path = url.replace('https://bureau.test/api/v1', '');
    if (path === '/assets') return Promise.resolve(Response.json({ assets: [] }));
    if (path === '/exchange-info') return Promise.resolve(Response.json({ symbols: Object.values(MARKETS) }));
    const key = init.headers['Idempotency-Key'] as string | undefined;
    sent.push({ path, key, body: init.body === undefined ? undefined : (JSON.parse(init.body) as Dict) });
    return Promise.resolve(answer(path));
  };
  return { bureau, sent };
}

describe('on a network that loses answers', () => {
  const INTENTS = 20;
  let proxy: DroppingProxy;

  beforeAll(async () => {
    proxy = await startDroppingProxy({ target: operator.origin, probability: 0.5, seed: 20_261_125 });
  });

  afterAll(() => proxy.stop());

  async function open(): Promise<{ lossy: Bureau; sure: Bureau }> {
    const apiKey = await operator.createKey(await operator.openAccount({ USDT: '10000' }));
    const options = { maxRetriesOnFailure: 40, maxRetriesOnFailureDelay: 0 };
    const lossy = new Bureau({ apiKey, urls: { api: proxy.url }, enableRateLimit: false, options });
    const sure = new Bureau({ apiKey, urls: { api: operator.origin }, enableRateLimit: false });
    await lossy.loadMarkets();
    return { lossy, sure };
  }

  it('CCXT’s own retries get the first order, once', async () => {
    const { lossy, sure } = await open();
    const before = proxy.count().dropped;
    const told = [];
    for (let cost = 10; cost < 10 + INTENTS; cost += 1) {
      const { id } = await lossy.createMarketBuyOrderWithCost('BTC/USDT', cost);
      told.push([id, cost]);
    }
    expect(proxy.count().dropped - before).toBeGreaterThan(INTENTS / 4);
    expect((await sure.fetchOrders()).map(({ id, cost }) => [id, cost])).toEqual(told);
  });

  it('the same holds for a call by path, without a key', async () => {
    const { lossy, sure } = await open();
    for (let value = 10; value < 10 + INTENTS; value += 1) {
      await lossy.privatePostOrders({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: String(value) });
    }
    expect(await sure.fetchOrders()).toHaveLength(INTENTS);
  });

  it('a withdrawal is paid once', async () => {
    const { lossy, sure } = await open();
    const told = [];
    for (let amount = 20; amount < 30; amount += 1) {
      const params = { network: 'TRC20' };
      told.push(await lossy.withdraw('USDT', amount, 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC', undefined, params));
    }
    expect(await sure.fetchWithdrawals('USDT')).toEqual(told);
  });

  it('an intent that is repeated with its own id is the same order', async () => {
    const { lossy, sure } = await open();
    const buy = () =>
      lossy.createOrder('BTC/USDT', 'market', 'buy', 0.001, undefined, { clientOrderId: 'rebalance-7' });
    const first = await buy();
    expect((await buy()).id).toBe(first.id);
    expect(await sure.fetchOrders()).toHaveLength(1);
  });
});

describe('one call', () => {
  it('keeps its Idempotency-Key in CCXT’s retries, which are on', async () => {
    const unknown = { code: 'outcome_unknown', retryable: true };
    const { bureau, sent } = play(() => Response.json(unknown, { status: 504 }), { maxRetriesOnFailureDelay: 0 });
    await expect(bureau.createOrder('BTC/USDT', 'market', 'buy', 1)).rejects.toThrow(ccxt.RequestTimeout);
    expect(sent).toHaveLength(4);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    expect(sent[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    await expect(bureau.createOrder('BTC/USDT', 'market', 'buy', 1)).rejects.toThrow(ccxt.RequestTimeout);
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  });

  it('is not sent again after a refusal', async () => {
    const refused = { code: 'insufficient_balance', retryable: false };
    const { bureau, sent } = play(() => Response.json(refused, { status: 422 }));
    await expect(bureau.createOrder('BTC/USDT', 'market', 'buy', 1)).rejects.toThrow(ccxt.InsufficientFunds);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.body).toEqual({ coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '1' });
  });
});

describe('a feature that Bureau does not have', () => {
  it('is marked as false, and one that it has is there', () => {
    const bureau = new Bureau();
    const has = bureau.has as Record<string, unknown>;
    const absent = [
      'cancelOrder',
      'createLimitOrder',
      'fetchOrderBook',
      'fetchTrades',
      'watchOrderBook',
      'watchTrades',
      'margin',
    ];
    expect(absent.map((name) => has[name])).toEqual(absent.map(() => false));
    const methods = Object.entries(has).filter(([name]) => /^(create|fetch|watch|withdraw)/.test(name));
    for (const [name, isThere] of methods)
      if (isThere === true) expect([name, typeof bureau[name]]).toEqual([name, 'function']);
    expect(Object.values(has).filter((value) => typeof value !== 'boolean')).toEqual([]);
  });

  it.each<[string, string, Dict]>([
    ['a limit order', 'limit', {}],
    ['a stop', 'market', { stopLossPrice: 1 }],
    ['a trigger', 'market', { triggerPrice: 1 }],
    ['post-only', 'market', { postOnly: true }],
  ])('is refused, and %s never becomes a plain order', async (_, type, params) => {
    const { bureau, sent } = play(() => Response.json({}));
    await expect(bureau.createOrder('BTC/USDT', type, 'buy', 1, 1, params)).rejects.toThrow(ccxt.NotSupported);
    expect(sent).toEqual([]);
  });
});

const row = (number: number) => ({
  id: String(number),
  ts: new Date(number * 1_000).toISOString(),
  coin: 'BTC',
  side: 'BUY',
  status: 'COMPLETED',
  coinAmount: '1',
  usdtAmount: '1',
  executedPrice: '1',
});

/** Orders 99, 98, … 0, ten on a page. */
const tenOnAPage = (path: string) => {
  const { searchParams } = new URL(path, 'https://bureau.test');
  const newest = Number(searchParams.get('cursor') ?? 99);
  const orders = Array.from({ length: 10 }, (_, index) => row(newest - index));
  return Response.json({ orders, nextCursor: newest < 10 ? null : String(newest - 10) });
};

describe('a list', () => {
  it('with since is read back to that time, and returns the oldest first', async () => {
    const { bureau, sent } = play(tenOnAPage);
    const orders = await bureau.fetchOrders('BTC/USDT', 75_000, 3);
    expect(orders.map(({ id }) => id)).toEqual(['75', '76', '77']);
    expect(sent.map(({ path }) => path)).toEqual(
      ['', '&cursor=89', '&cursor=79'].map((at) => `/orders?limit=200${at}`),
    );
  });

  it('without since returns the newest, in ascending order', async () => {
    const { bureau, sent } = play(tenOnAPage);
    expect((await bureau.fetchOrders(undefined, undefined, 12)).map(({ id }) => id).at(0)).toBe('88');
    expect(sent).toHaveLength(2);
    expect(await bureau.fetchOrders()).toHaveLength(10);
    expect(await bureau.fetchOrders(undefined, 1)).toHaveLength(99);
  });

  it('is refused instead of leaving out its beginning', async () => {
    const { bureau } = play(tenOnAPage, { maxPages: 3 });
    await expect(bureau.fetchOrders(undefined, 1_000)).rejects.toThrow('more than 3 pages of orders since 1970-01-01');
    expect(await bureau.fetchOrders(undefined, 75_000)).toHaveLength(25);
  });
});

describe('the description of Bureau in CCXT', () => {
  it('has the operator’s address, and in sandbox mode the address of npm start', async () => {
    const bureau = new Bureau({ urls: { api: 'https://exchange.example' } });
    bureau.setSandboxMode(true);
    expect(bureau.urls.api).toBe('http://127.0.0.1:8787');
    bureau.setSandboxMode(false);
    expect(bureau.urls.api).toBe('https://exchange.example');
    expect(new Bureau({ sandbox: true }).urls.api).toBe('http://127.0.0.1:8787');
    await expect(new Bureau().fetchTime()).rejects.toThrow('needs the address of the exchange in urls.api');
  });

  it('has the limits that the exchange states', async () => {
    const response = await fetch(`${operator.origin}/api/v1/exchange-info`);
    const { rateLimits } = (await response.json()) as { rateLimits: { bucket: string; perMinute: number }[] };
    const bureau = new Bureau();
    const { get, post } = (bureau.api as unknown as { private: Record<string, Record<string, number>> }).private as {
      get: Record<string, number>;
      post: Record<string, number>;
    };
    const costs: Record<string, number[]> = {
      read: Object.values(get),
      trade: [post['orders'] ?? 0],
      withdraw: [post['wallet/withdrawals'] ?? 0],
    };
    expect([bureau.rollingWindowSize, bureau.rateLimiterAlgorithm]).toEqual([60_000, 'rollingWindow']);
    const weight = bureau.rollingWindowSize / (bureau.rateLimit ?? 0);
    for (const { bucket, perMinute } of rateLimits) {
      expect([bucket, ...(costs[bucket] ?? [])]).toEqual([
        bucket,
        ...(costs[bucket] ?? []).map(() => weight / perMinute),
      ]);
    }
  });

  it.each([
    ['OK', 'ok'],
    ['DEGRADED', 'error'],
    ['HALTED', 'maintenance'],
  ])('translates a status of %s to %s', async (status, told) => {
    expect((await play(() => Response.json({ status })).bureau.fetchStatus()).status).toBe(told);
  });
});

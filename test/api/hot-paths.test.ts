import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { json, openTrader, send } from '../support/exchange.ts';
import { followRefreshes, forgetConditions } from '../support/gate.ts';
import { type Cost, measure } from '../support/runtime/meter.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';

/** What each request may cost. A slower path fails here, not on a stopwatch. */
const FREE: Cost = {
  laneCalls: 0,
  gateCalls: 0,
  hubCalls: 0,
  databaseTrips: 0,
  databaseRowsRead: 0,
  databaseRowsWritten: 0,
  objectRowsRead: 0,
  objectRowsWritten: 0,
  upstreamFetches: 0,
};

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

const marketPaths = ['/api/v1/markets/tickers', '/api/v1/markets/BTC', '/api/v1/markets/BTC/candles?limit=10'];

describe('market data', () => {
  it.each(marketPaths)('%s in the edge cache costs no call at all', async (path) => {
    const trader = await openTrader();
    expect((await send(path)).status).toBe(200);
    expect(await measure(trader.lane, () => send(path))).toEqual(FREE);
  });

  it.each(marketPaths)('%s in the edge cache costs one look into the cache, and is not stored anew', async (path) => {
    await send(path);
    const match = vi.spyOn(caches.default, 'match');
    const put = vi.spyOn(caches.default, 'put');
    await send(path);
    expect([match.mock.calls.length, put.mock.calls.length]).toEqual([1, 0]);
    match.mockRestore();
    put.mockRestore();
  });

  it.each(marketPaths)('%s costs no call either for HEAD, and for a client that has it', async (path) => {
    const trader = await openTrader();
    const tag = (await send(path)).headers.get('ETag') ?? '';
    const cost = await measure(trader.lane, async () => {
      expect((await send(path, { method: 'HEAD' })).status).toBe(200);
      expect((await send(path, { headers: { 'If-None-Match': tag } })).status).toBe(304);
    });
    expect(cost).toEqual(FREE);
  });

  it.each(marketPaths)('%s in the edge cache, with a key, costs the lane alone', async (path) => {
    const trader = await openTrader();
    await trader.get(path);
    await trader.get(path);
    const cost = await measure(trader.lane, () => trader.get(path));
    expect(cost).toMatchObject({ laneCalls: 1, hubCalls: 0, databaseTrips: 0, upstreamFetches: 0 });
  });

  it('not in the edge cache costs one call of the hub more', async () => {
    const trader = await openTrader();
    const cost = await measure(trader.lane, () => send('/api/v1/markets/ETH/candles?limit=7'));
    expect(cost).toEqual({ ...FREE, hubCalls: 1 });
  });
});

describe('a request that ends at the edge', () => {
  it('costs nothing: a forged key', async () => {
    const trader = await openTrader();
    const forged = trader.token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
    const cost = await measure(trader.lane, async () => {
      const response = await send('/api/v1/orders', { headers: { Authorization: `Bearer ${forged}` } });
      expect(response.status).toBe(401);
    });
    expect(cost).toEqual(FREE);
  });

  it('costs nothing: a missing scope', async () => {
    const trader = await openTrader({}, { scopes: ['trade'] });
    const cost = await measure(trader.lane, async () => {
      expect((await trader.get('/api/v1/wallet/balances')).status).toBe(403);
    });
    expect(cost).toEqual(FREE);
  });
});

describe('reads of a key', () => {
  it.each([
    ['/api/v1/wallet/balances', 10],
    ['/api/v1/wallet/transactions', 4],
    ['/api/v1/orders', 2],
  ])('%s costs one call of the lane and one round trip, which reads %i rows', async (path, databaseRowsRead) => {
    const trader = await openTrader({ USDT: '100' });
    await trader.trade(ORDER);
    // It would go on fetching prices beside what is measured.
    await forgetConditions();
    const cost = await measure(trader.lane, () => trader.get(path));
    expect(cost).toEqual({ ...FREE, laneCalls: 1, databaseTrips: 1, databaseRowsRead, objectRowsWritten: 1 });
  });

  it('/api/v1/wallet/addresses costs the same once the account has its addresses', async () => {
    const trader = await openTrader();
    const first = await measure(trader.lane, () => trader.get('/api/v1/wallet/addresses'));
    expect(first).toMatchObject({ laneCalls: 1, databaseRowsWritten: 36 });
    // Each of the twelve rows is in one index more, and is claimed in the directory first.
    const cost = await measure(trader.lane, () => trader.get('/api/v1/wallet/addresses'));
    expect(cost).toEqual({ ...FREE, laneCalls: 1, databaseTrips: 1, databaseRowsRead: 12, objectRowsWritten: 1 });
  });

  it('write at most one row of the object for ten of them in a burst', async () => {
    const trader = await openTrader();
    for (let read = 0; read < 20; read += 1) await trader.balances();
    const cost = await measure(trader.lane, async () => {
      for (let read = 0; read < 10; read += 1) await trader.balances();
    });
    expect(cost.objectRowsWritten).toBeLessThanOrEqual(1);
  });
});

describe('an order', () => {
  // What the gate fetches beside orders is a matter of the clock, which stands; a day ahead, so that no alarm fires.
  beforeEach(async () => {
    await forgetConditions();
    stopClock();
    moveClock(86_400_000);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** One lane call, one gate call, one round trip; what the object reads of its replays is its own. */
  const PLACED: Cost = {
    ...FREE,
    laneCalls: 1,
    gateCalls: 1,
    databaseTrips: 1,
    databaseRowsRead: 29,
    databaseRowsWritten: 7,
    objectRowsRead: 1,
    // The fourth is the row's deletion when the replay expires; the bucket, the intent and the answer are three.
    objectRowsWritten: 3,
  };

  it('costs one call of the lane, one of the gate, one round trip, 7 rows of D1 and 4 of the object', async () => {
    const trader = await openTrader({ USDT: '100' });
    await trader.order(ORDER, 'warm');
    const cost = await measure(trader.lane, async () => {
      expect((await trader.order(ORDER, 'measured')).status).toBe(201);
    });
    expect(cost).toEqual(PLACED);
  });

  it('costs the same at any pace of its key, while others trade', async () => {
    const [trader, other] = [await openTrader({ USDT: '100' }), await openTrader({ USDT: '1000' })];
    await trader.order(ORDER, 'earlier');
    // What the other's orders have fetched anew beside them.
    const beside = followRefreshes();
    for (let passed_ms = 0; passed_ms < 6_000; passed_ms += 500) {
      moveClock(500);
      await other.trade(ORDER);
      await beside.settle();
    }
    beside.restore();
    // Whoever is filled at a round first reads three rows more, which the next is spared.
    await other.trade(ORDER);
    const cost = await measure(trader.lane, async () => {
      expect((await trader.order(ORDER, 'measured')).status).toBe(201);
    });
    expect(cost).toEqual(PLACED);
  });

  it('that comes to a gate without prices costs the hub and one more round trip beside it', async () => {
    const trader = await openTrader({ USDT: '100' });
    // Admits the key, so that its record is no part of the cost.
    await trader.get('/api/v1/orders');
    const cost = await measure(trader.lane, () => trader.order(ORDER, 'cold'));
    expect(cost).toMatchObject({
      laneCalls: 1,
      gateCalls: 1,
      hubCalls: 1,
      databaseTrips: 2,
      databaseRowsWritten: 7,
    });
  });

  it('that is only previewed costs one call of each, and no round trip', async () => {
    const trader = await openTrader({ USDT: '100' });
    await trader.trade(ORDER);
    const cost = await measure(trader.lane, async () => {
      expect((await trader.post('/api/v1/orders/preview', ORDER)).status).toBe(200);
    });
    expect(cost).toEqual({ ...FREE, laneCalls: 1, gateCalls: 1, objectRowsWritten: 1 });
  });

  it('that is replayed costs one call and at most one row of the object', async () => {
    const trader = await openTrader({ USDT: '100' });
    const first = await json(await trader.order(ORDER, 'again'));
    const cost = await measure(trader.lane, async () => {
      expect(await json(await trader.order(ORDER, 'again'))).toEqual(first);
    });
    expect(cost).toEqual({ ...FREE, laneCalls: 1, objectRowsRead: 1, objectRowsWritten: 1 });
  });
});

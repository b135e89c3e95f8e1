import { recentAnswers } from '../../src/http/edge-cache.ts';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ORDER, type Trader, json, openTrader, send } from '../support/exchange.ts';
import { followRefreshes, forgetSettings } from '../support/gate.ts';
import { type Cost, measure } from '../support/runtime/meter.ts';
import { waitFor } from '../support/wait-for.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';

/**
 * What each request may cost, counted in calls and rows. A request that starts to cost more fails here, without a
 * stopwatch.
 */
const FREE: Cost = {
  laneCalls: 0,
  gateCalls: 0,
  hubCalls: 0,
  senderCalls: 0,
  keeperCalls: 0,
  databaseTrips: 0,
  databaseRowsRead: 0,
  databaseRowsWritten: 0,
  objectRowsRead: 0,
  objectRowsWritten: 0,
  upstreamFetches: 0,
};

/** What a request costs that is answered with this status. */
const measureAnswer = (trader: Trader, status: number, ask: () => Promise<Response>) =>
  measure(trader.lane, async () => expect((await ask()).status).toBe(status));

/** The first order may start a refresh in the background, which is not part of the next one. */
async function placeFirst(trader: Trader): Promise<void> {
  const beside = followRefreshes();
  await trader.order(ORDER, 'warm');
  await beside.settle();
  beside.restore();
}

const marketPaths = ['/api/v1/markets/tickers', '/api/v1/markets/BTC', '/api/v1/markets/BTC/candles?limit=10'];

/** An answer stays in the edge cache for two seconds or more, so on a busy machine the second request may come too late: then both are made again. */
describe('market data', () => {
  it.each(marketPaths)('%s needs no call when it is in the edge cache', async (path) => {
    const trader = await openTrader();
    await waitFor(async () => {
      expect((await send(path)).status).toBe(200);
      expect(await measure(trader.lane, () => send(path))).toEqual(FREE);
    });
  });

  it.each(marketPaths)(
    '%s needs no look into the edge cache within a second, then one, and is not stored again',
    async (path) => {
      const match = vi.spyOn(caches.default, 'match');
      const put = vi.spyOn(caches.default, 'put');
      const countLooks = async () => {
        match.mockClear();
        put.mockClear();
        await send(path);
        return [match.mock.calls.length, put.mock.calls.length];
      };
      await waitFor(async () => {
        await send(path);
        expect(await countLooks()).toEqual([0, 0]);
        recentAnswers.forgetAll();
        expect(await countLooks()).toEqual([1, 0]);
      });
    },
  );

  it.each(marketPaths)('%s needs no call for HEAD or for a client that already has the answer', async (path) => {
    const trader = await openTrader();
    await waitFor(async () => {
      const tag = (await send(path)).headers.get('ETag') ?? '';
      const cost = await measure(trader.lane, async () => {
        expect((await send(path, { method: 'HEAD' })).status).toBe(200);
        expect((await send(path, { headers: { 'If-None-Match': tag } })).status).toBe(304);
      });
      expect(cost).toEqual(FREE);
    });
  });

  it.each(marketPaths)('%s with a key needs only the call of the lane when it is in the edge cache', async (path) => {
    const trader = await openTrader();
    await trader.get(path);
    await waitFor(async () => {
      await trader.get(path);
      const cost = await measure(trader.lane, () => trader.get(path));
      expect(cost).toMatchObject({ laneCalls: 1, hubCalls: 0, databaseTrips: 0, upstreamFetches: 0 });
    });
  });

  it('needs one call of the hub when it is not in the edge cache', async () => {
    const trader = await openTrader();
    const cost = await measure(trader.lane, () => send('/api/v1/markets/ETH/candles?limit=7'));
    expect(cost).toEqual({ ...FREE, hubCalls: 1 });
  });
});

it('a request that is refused before the lane needs no call when the scope is missing', async () => {
  const trader = await openTrader({}, { scopes: ['trade'] });
  const cost = await measureAnswer(trader, 403, () => trader.get('/api/v1/wallet/balances'));
  expect(cost).toEqual(FREE);
});

describe('a key’s read requests', () => {
  it.each([
    ['/api/v1/wallet/balances', 10],
    ['/api/v1/wallet/transactions', 4],
    ['/api/v1/orders', 2],
  ])(
    '%s needs one call of the lane and one round trip, which reads %i rows, the first time and again',
    async (path, databaseRowsRead) => {
      const trader = await openTrader({ USDT: '100' });
      await trader.trade(ORDER);
      // The gate would otherwise go on fetching prices while the read is measured.
      await forgetSettings();
      // Only the first asks the lane before the database.
      for (const read of ['first', 'second']) {
        const cost = await measure(trader.lane, () => trader.get(path));
        const expected = { ...FREE, laneCalls: 1, databaseTrips: 1, databaseRowsRead, objectRowsWritten: 1 };
        expect(cost, read).toEqual(expected);
      }
    },
  );

  it('/api/v1/wallet/addresses needs the same once the account has its addresses', async () => {
    const trader = await openTrader();
    const first = await measure(trader.lane, () => trader.get('/api/v1/wallet/addresses'));
    expect(first).toMatchObject({ laneCalls: 1, databaseRowsWritten: 36 });
    // 36 rows: each of the twelve addresses is a row, an entry of an index, and a claim in the directory.
    const cost = await measure(trader.lane, () => trader.get('/api/v1/wallet/addresses'));
    expect(cost).toEqual({ ...FREE, laneCalls: 1, databaseTrips: 1, databaseRowsRead: 12, objectRowsWritten: 1 });
  });
});

describe('an order', () => {
  // The gate fetches settings by the clock, so the clock stands still. It is a day ahead, so that no alarm fires.
  beforeEach(async () => {
    await forgetSettings();
    stopClock();
    moveClock(86_400_000);
  });
  /** One call of the lane, the gate and the hub, and one round trip. The object reads one row to look up the Idempotency-Key. */
  const PLACED: Cost = {
    ...FREE,
    laneCalls: 1,
    gateCalls: 1,
    hubCalls: 1,
    databaseTrips: 1,
    databaseRowsRead: 29,
    databaseRowsWritten: 7,
    objectRowsRead: 1,
    // The rows of the bucket, the intent and the answer. A fourth is written when the replay expires and is deleted.
    objectRowsWritten: 3,
  };

  it('needs one call of lane, gate and hub each, one round trip, 7 rows of D1 and 3 of the object', async () => {
    const trader = await openTrader({ USDT: '100' });
    await placeFirst(trader);
    const cost = await measureAnswer(trader, 201, () => trader.order(ORDER, 'measured'));
    expect(cost).toEqual(PLACED);
  });

  it('needs the same at any pace of its key, while others trade', async () => {
    const [trader, other] = [await openTrader({ USDT: '100' }), await openTrader({ USDT: '1000' })];
    await trader.order(ORDER, 'earlier');
    // Waits for the refreshes that the other's orders start in the background.
    const beside = followRefreshes();
    for (let passed_ms = 0; passed_ms < 6_000; passed_ms += 500) {
      moveClock(500);
      await other.trade(ORDER);
      await beside.settle();
    }
    beside.restore();
    const cost = await measureAnswer(trader, 201, () => trader.order(ORDER, 'measured'));
    expect(cost).toEqual(PLACED);
  });

  it('needs one more round trip when the gate holds no settings', async () => {
    const trader = await openTrader({ USDT: '100' });
    // Lets the lane read the key's record first, so that it is not part of the measured cost.
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

  it('needs one call of lane, gate and hub each and no round trip when it is only previewed', async () => {
    const trader = await openTrader({ USDT: '100' });
    await trader.trade(ORDER);
    const cost = await measureAnswer(trader, 200, () => trader.post('/api/v1/orders/preview', ORDER));
    expect(cost).toEqual({ ...FREE, laneCalls: 1, gateCalls: 1, hubCalls: 1, objectRowsWritten: 1 });
  });

  it('needs one call of the lane and at most one row of the object when it is replayed', async () => {
    const trader = await openTrader({ USDT: '100' });
    const first = await json(await trader.order(ORDER, 'again'));
    const cost = await measure(trader.lane, async () => {
      expect(await json(await trader.order(ORDER, 'again'))).toEqual(first);
    });
    expect(cost).toEqual({ ...FREE, laneCalls: 1, objectRowsRead: 1, objectRowsWritten: 1 });
  });

  it('needs one row of D1 more when its account listens, and no call', async () => {
    const trader = await openTrader({ USDT: '100' });
    await trader.get('/api/v1/events');
    await placeFirst(trader);
    const listened = await measure(trader.lane, () => trader.order(ORDER, 'measured'));
    expect(listened).toEqual({ ...PLACED, databaseRowsRead: 34, databaseRowsWritten: 8 });
  });
});

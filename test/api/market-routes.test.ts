import { describe, expect, it, vi } from 'vitest';
import { CandleHub } from '../../src/markets/candles/candle-hub.ts';
import { CandleList, TickerAnswer, TickerList } from '../../src/markets/schemas.ts';
import { intervals } from '../../src/markets/candles/interval.ts';
import { coinSymbols } from '../../src/money/assets.ts';
import { type ProblemBody, json, openTrader, send, expectCode } from '../support/exchange.ts';

const MARKETS = '/api/v1/markets';

describe('GET /api/v1/markets/tickers', () => {
  it('lists every supported pair without a key, cached for at most 30 seconds', async () => {
    const response = await send(`${MARKETS}/tickers`);
    expect(response.status).toBe(200);
    const list = TickerList.parse(await response.json());
    expect(list.tickers.map(({ symbol }) => symbol)).toEqual(coinSymbols);
    expect(list.degraded).toBe(false);
    const [, age] = /^public, max-age=(\d+)$/.exec(response.headers.get('Cache-Control') ?? '') ?? [];
    expect(Number(age)).toBeGreaterThanOrEqual(15);
    expect(Number(age)).toBeLessThanOrEqual(30);
  });

  it('is private with a key and carries that key’s rate limits, and the next caller gets neither', async () => {
    const trader = await openTrader();
    const tag = (await send(`${MARKETS}/tickers`)).headers.get('ETag') ?? '';
    for (const init of [{}, { method: 'HEAD' }, { headers: { 'If-None-Match': tag } }]) {
      const keyed = await send(`${MARKETS}/tickers`, {
        ...init,
        headers: { ...init.headers, Authorization: `Bearer ${trader.token}` },
      });
      expect(keyed.headers.get('Cache-Control')).toMatch(/^private, max-age=\d+$/);
      expect(keyed.headers.get('X-RateLimit-Remaining')).not.toBeNull();
      const anonymous = await send(`${MARKETS}/tickers`, init);
      expect(anonymous.status).toBe(keyed.status);
      expect(anonymous.headers.get('Cache-Control')).toMatch(/^public, max-age=\d+$/);
      expect([...anonymous.headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([]);
    }
  });

  it('can be cached by a call with a key, and then shows nothing of that call to a caller without one', async () => {
    const trader = await openTrader();
    const path = `${MARKETS}/AVAX/candles?limit=3`;
    const keyed = await trader.get(path);
    expect(keyed.headers.get('Cache-Control')).toMatch(/^private, max-age=\d+$/);
    const candles = vi.spyOn(CandleHub.prototype, 'candles');
    const anonymous = await send(path);
    expect(candles).not.toHaveBeenCalled();
    expect(anonymous.headers.get('ETag')).toBe(keyed.headers.get('ETag'));
    expect(anonymous.headers.get('Cache-Control')).toMatch(/^public, max-age=\d+$/);
    expect([...anonymous.headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([]);
    expect(anonymous.headers.get('X-Request-Id')).not.toBe(keyed.headers.get('X-Request-Id'));
  });
});

describe('GET /api/v1/markets/{symbol}', () => {
  it('is cached for at most 2 seconds', async () => {
    const response = await send(`${MARKETS}/LTC`);
    expect(response.headers.get('Cache-Control')).toMatch(/^public, max-age=[12]$/);
  });

  it.each(['BTC', 'btc', 'Doge', 'matic'])('finds %s in any case', async (symbol) => {
    const response = await send(`${MARKETS}/${symbol}`);
    expect(response.status).toBe(200);
    const { ticker, degraded } = TickerAnswer.parse(await response.json());
    expect([ticker.symbol, ticker.pair, degraded]).toEqual([
      symbol.toUpperCase(),
      `${symbol.toUpperCase()}-USDT`,
      false,
    ]);
  });

  it.each(['SHIB', 'USDT', 'POL', 'BTC-USDT', '__proto__', '%27%3B--', 'x'.repeat(300)])(
    'is 404 for %s',
    async (symbol) => {
      await expectCode(send(`${MARKETS}/${symbol}`), '404 symbol_not_supported');
    },
  );
});

describe('GET /api/v1/markets/{symbol}/candles', () => {
  it('returns 500 hourly candles by default, and the last one is not closed yet', async () => {
    const response = await send(`${MARKETS}/eth/candles`);
    expect(response.status).toBe(200);
    const list = CandleList.parse(await response.json());
    expect([list.symbol, list.pair, list.interval, list.candles.length]).toEqual(['ETH', 'ETH-USDT', '1h', 500]);
    expect(Date.now() - Date.parse(list.candles.at(-1)?.ts ?? '')).toBeLessThan(3_600_000);
    expect(list.candles.map(({ ts }) => ts)).toEqual(list.candles.map(({ ts }) => ts).toSorted());
    expect(response.headers.get('Cache-Control')).toMatch(/^public, max-age=(29|30)$/);
  });

  it.each(intervals)('accepts the interval %s', async (interval) => {
    const list = CandleList.parse(await (await send(`${MARKETS}/BTC/candles?interval=${interval}&limit=2`)).json());
    expect([list.interval, list.candles.length]).toEqual([interval, 2]);
  });

  it.each(['limit=1', 'limit=1000'])('accepts %s', async (query) => {
    expect((await send(`${MARKETS}/BTC/candles?${query}`)).status).toBe(200);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=', 'limit'],
    ['limit=5&limit=6', 'limit'],
    ['interval=1H', 'interval'],
    ['interval=2m', 'interval'],
    ['interval=', 'interval'],
    ['startTime=yesterday', 'startTime'],
    ['startTime=1795241228900', 'startTime'],
    ['endTime=2026-11-21T12:00:00+01:00', 'endTime'],
    ['startTime=2026-01-02T00:00:00Z&endTime=2026-01-01T00:00:00Z', 'endTime'],
  ])('refuses %s instead of clamping it', async (query, pointer) => {
    const response = await send(`${MARKETS}/BTC/candles?${query}`);
    expect(response.status).toBe(400);
    const problem = await json<ProblemBody>(response);
    expect([problem.code, problem.errors?.[0]?.pointer]).toEqual(['invalid_request', pointer]);
  });

  it('starts and ends at the given times', async () => {
    const query = 'interval=1d&startTime=2026-01-01T00:00:00Z&endTime=2026-01-03T00:00:00.000Z';
    const list = CandleList.parse(await (await send(`${MARKETS}/BTC/candles?${query}`)).json());
    expect(list.candles.map(({ ts }) => ts.slice(0, 10))).toEqual(['2026-01-01', '2026-01-02', '2026-01-03']);
    const [first] = CandleList.parse(await (await send(`${MARKETS}/BTC/candles?${query}&limit=1`)).json()).candles;
    expect(first).toEqual(list.candles[0]);
  });

  it('caches answers to different questions apart', async () => {
    const ask = async (query: string) => (await send(`${MARKETS}/LTC/candles?${query}`)).json();
    const answers = new Set<string>();
    for (const query of [
      'limit=1',
      'limit=11',
      'interval=1m&limit=1',
      'interval=1M&limit=1',
      'limit=1&startTime=2026-01-01T00:00:00Z',
      'limit=1&endTime=2026-01-02T00:00:00Z',
      'limit=1&endTime=2026-01-03T00:00:00Z',
    ]) {
      answers.add(JSON.stringify(await ask(query)));
      answers.add(JSON.stringify(await ask(query)));
    }
    expect(answers.size).toBe(7);
  });

  it('is 404 for a symbol outside the supported set', async () => {
    expect((await send(`${MARKETS}/USDT/candles`)).status).toBe(404);
  });

  it('gives the same answer from the cache without calling the hub', async () => {
    const first = await (await send(`${MARKETS}/BNB/candles`)).text();
    const candles = vi.spyOn(CandleHub.prototype, 'candles');
    expect(await (await send(`${MARKETS}/bnb/candles?limit=500&interval=1h`)).text()).toBe(first);
    expect(candles).not.toHaveBeenCalled();
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { coinSymbols } from '../../../src/money/assets.ts';
import { CandleCache } from '../../../src/markets/candles/candle-cache.ts';
import type { CandleQuestion, CandleSource, MarketCandle } from '../../../src/markets/candles/candle-source.ts';
import { CircuitBreakers } from '../../../src/markets/sources/circuit-breakers.ts';
import { intervals } from '../../../src/markets/candles/interval.ts';
import { SourceError } from '../../../src/markets/sources/source-error.ts';

const question: CandleQuestion = { coin: 'BTC', interval: '1h', limit: 3 };

const row = (start_ms: number): MarketCandle => ({ start_ms, open: '1', high: '1', low: '1', close: '1', volume: '1' });
/** How long a source may take before the next is asked as well. */
const HEDGE_MS = 500;

/** How long all sources together may take. */
const DEADLINE_MS = 4_000;

const rows = [1, 2, 3, 4, 5].map(row);
const hour = (index: number) => ({ ...question, endTime_ms: index * 3_600_000 });
const newest = coinSymbols.flatMap((coin) => intervals.map((interval) => ({ coin, interval, limit: 3 })));

function createSource(name: string, fetchCandles: CandleSource['fetchCandles']) {
  const asked = vi.fn(fetchCandles);
  return { name, requestsPerMinute: 1_000, countRequests: () => 1, fetchCandles: asked };
}

const good = (name = 'venue') => createSource(name, () => Promise.resolve(rows));

const createCache = (sources: CandleSource[], breakers = new CircuitBreakers({}, () => {})) =>
  new CandleCache(sources, breakers);

afterEach(() => void vi.useRealTimers());

describe('the candle cache asks once', () => {
  it('for callers who request the same at the same time, whatever their limits', async () => {
    const source = good();
    const cache = createCache([source]);
    const answers = await Promise.all([1, 2, 5, 100].map((limit) => cache.answer({ ...question, limit })));
    expect(answers.map((answer) => answer.ok && answer.value.candles.length)).toEqual([1, 2, 5, 5]);
    expect(source.fetchCandles).toHaveBeenCalledOnce();
  });

  it('for a hundred candles or a thousand, and the thousand also serve requests for fewer', async () => {
    const source = good();
    const cache = createCache([source]);
    for (const limit of [7, 101, 1000, 100, 1]) expect((await cache.answer({ ...question, limit })).ok).toBe(true);
    expect(source.fetchCandles.mock.calls.map(([asked]) => asked.limit)).toEqual([100, 1000]);
    const other = createCache([source]);
    const coin = 'ETH';
    await Promise.all([1000, 1].map((limit) => other.answer({ ...question, coin, limit })));
    expect(source.fetchCandles.mock.calls.map(([asked]) => asked.limit)).toEqual([100, 1000, 1000]);
  });

  it('while the answer is fresh', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    const source = good();
    const cache = createCache([source]);
    await cache.answer(question);
    vi.setSystemTime(1_029_999);
    expect(await cache.answer(question)).toMatchObject({ ok: true, value: { taken_ms: 1_000_000 } });
    expect(source.fetchCandles).toHaveBeenCalledTimes(1);
    vi.setSystemTime(1_030_000);
    await cache.answer(question);
    expect(source.fetchCandles).toHaveBeenCalledTimes(2);
  });

  it('and once more for another coin, interval or time', async () => {
    const source = good();
    const cache = createCache([source]);
    await cache.answer(question);
    await cache.answer({ ...question, coin: 'ETH' });
    await cache.answer({ ...question, interval: '1m' });
    await cache.answer({ ...question, startTime_ms: 1 });
    await cache.answer({ ...question, endTime_ms: 1 });
    expect(source.fetchCandles).toHaveBeenCalledTimes(5);
  });
});

describe('the candle cache gives', () => {
  it('the newest rows, or the oldest from a start on', async () => {
    const cache = createCache([good()]);
    expect(await cache.answer(question)).toMatchObject({ value: { candles: [row(3), row(4), row(5)] } });
    expect(await cache.answer({ ...question, startTime_ms: 1 })).toMatchObject({
      value: { candles: [row(1), row(2), row(3)] },
    });
  });

  it('the next source’s series when the first fails', async () => {
    const first = createSource('first', () => Promise.reject(new SourceError('down')));
    const second = good('second');
    const answer = await createCache([first, second]).answer(question);
    expect(answer.ok).toBe(true);
    expect(first.fetchCandles).toHaveBeenCalledOnce();
  });

  it('the next source’s series when the first hangs and ignores its abort signal', async () => {
    const first = createSource('first', () => new Promise(() => {}));
    const second = good('second');
    expect((await createCache([first, second]).answer(question)).ok).toBe(true);
  });

  it('upstream_unavailable when all fail, and asks again at the next call', async () => {
    const source = createSource('venue', () => Promise.reject(new Error('a bug')));
    const cache = createCache([source]);
    expect(await cache.answer(question)).toMatchObject({ ok: false, code: 'upstream_unavailable' });
    source.fetchCandles.mockResolvedValue(rows);
    expect((await cache.answer(question)).ok).toBe(true);
  });

  it('upstream_unavailable within its deadline when all hang', async () => {
    const hang = () => new Promise<never>(() => {});
    const cache = createCache([createSource('first', hang), createSource('second', hang)]);
    vi.useFakeTimers();
    const answer = cache.answer(question);
    await vi.advanceTimersByTimeAsync(DEADLINE_MS);
    expect(await answer).toMatchObject({ ok: false, code: 'upstream_unavailable' });
  });
});

it('the candle cache refuses new requests when too many are open, but not those that it is already fetching', async () => {
  const { promise, resolve } = Promise.withResolvers<MarketCandle[]>();
  const cache = createCache([createSource('venue', () => promise)]);
  const open = newest.slice(0, 16).map((each) => cache.answer(each));
  const [first = question, another = question] = [newest[0], newest[16]];
  expect(await cache.answer(another)).toMatchObject({ ok: false, code: 'service_unavailable' });
  const twin = cache.answer(first);
  resolve(rows);
  for (const answer of await Promise.all([...open, twin])) expect(answer.ok).toBe(true);
  expect((await cache.answer(another)).ok).toBe(true);
});

it('the candle cache keeps a bounded number of series', async () => {
  const source = good();
  const cache = createCache([source]);
  const [first = question, last = question] = [newest[0], newest[64]];
  for (const each of newest.slice(0, 65)) await cache.answer(each);
  await cache.answer(last);
  expect(source.fetchCandles).toHaveBeenCalledTimes(65);
  await cache.answer(first);
  expect(source.fetchCandles).toHaveBeenCalledTimes(66);
});

it('the candle cache answers a request that no candle can match without asking a source', async () => {
  const source = good();
  for (const times of [
    { startTime_ms: 7_200_000, endTime_ms: 3_600_000 },
    { startTime_ms: Date.now() + 3_600_000 },
    { endTime_ms: -1 },
  ]) {
    const answer = await createCache([source]).answer({ ...question, ...times });
    expect(answer).toMatchObject({ ok: true, value: { candles: [] } });
  }
  expect(source.fetchCandles).not.toHaveBeenCalled();
});

describe('the circuit breakers of candle sources', () => {
  it('suspend a source after three failures in a row', async () => {
    const first = createSource('first', () => Promise.reject(new SourceError('down')));
    const second = good('second');
    const cache = createCache([first, second]);
    for (let index = 1; index <= 5; index++) expect((await cache.answer(hour(index))).ok).toBe(true);
    expect(first.fetchCandles).toHaveBeenCalledTimes(3);
    expect(second.fetchCandles).toHaveBeenCalledTimes(5);
  });

  it('suspend a source after it was slower than the next one three times', async () => {
    vi.useFakeTimers();
    const first = createSource('first', (_question, signal) => {
      const { promise, reject } = Promise.withResolvers<MarketCandle[]>();
      signal.addEventListener('abort', () => reject(new SourceError('did not answer in time')));
      return promise;
    });
    const second = good('second');
    const cache = createCache([first, second]);
    for (let index = 1; index <= 4; index++) {
      const answer = cache.answer(hour(index));
      await vi.advanceTimersByTimeAsync(HEDGE_MS);
      expect((await answer).ok).toBe(true);
    }
    expect(first.fetchCandles).toHaveBeenCalledTimes(3);
  });

  it('do not count a request that a source refuses as a failure', async () => {
    const refused = new SourceError('unknown symbol', { fault: 'question_refused' });
    const first = createSource('first', () => Promise.reject(refused));
    const cache = createCache([first, good('second')]);
    for (let index = 1; index <= 5; index++) await cache.answer(hour(index));
    expect(first.fetchCandles).toHaveBeenCalledTimes(5);
  });

  it('leave no source to ask when the only one asked to be left alone', async () => {
    const limited = new SourceError('limited', { fault: 'rate_limited', retryAfter_ms: 60_000 });
    const source = createSource('venue', () => Promise.reject(limited));
    const cache = createCache([source]);
    for (let index = 1; index <= 2; index++) {
      expect(await cache.answer(hour(index))).toMatchObject({ code: 'upstream_unavailable' });
    }
    expect(source.fetchCandles).toHaveBeenCalledOnce();
  });
});

describe('the budget of a candle source', () => {
  const tight = (name: string, requestsPerMinute: number, requests = 1) => ({
    ...good(name),
    requestsPerMinute,
    countRequests: () => requests,
  });

  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1e12 }));

  it('is not exceeded in any minute, and a refusal says when to try again', async () => {
    const source = tight('venue', 50);
    const cache = createCache([source]);
    for (let index = 1; index <= 5; index++) expect((await cache.answer(hour(index))).ok).toBe(true);
    // A tenth of the minute's budget at once, then 45 in a minute: one in 1.33 s.
    expect(await cache.answer(hour(11))).toMatchObject({
      code: 'service_unavailable',
      retryAfterSeconds: 2,
    });
    for (let index = 100; index < 300; index++) {
      vi.setSystemTime(Date.now() + 299);
      await cache.answer(hour(index));
    }
    expect(source.fetchCandles.mock.calls.length).toBeGreaterThanOrEqual(49);
    expect(source.fetchCandles.mock.calls.length).toBeLessThanOrEqual(50);
  });

  it('leaves the request to the next source when it is used up, which has its own', async () => {
    const [first, second] = [tight('first', 10), tight('second', 10)];
    const cache = createCache([first, second]);
    expect((await cache.answer(hour(1))).ok).toBe(true);
    expect((await cache.answer(hour(2))).ok).toBe(true);
    expect(await cache.answer(hour(3))).toMatchObject({ code: 'service_unavailable' });
    expect([first, second].map(({ fetchCandles }) => fetchCandles.mock.calls.length)).toEqual([1, 1]);
  });

  it('counts every HTTP request that one request for candles needs, and is no failure of the source', async () => {
    const breakers = new CircuitBreakers({}, () => {});
    const source = tight('venue', 90, 5);
    const cache = createCache([source], breakers);
    expect((await cache.answer(hour(1))).ok).toBe(true);
    for (let index = 2; index <= 6; index++) expect((await cache.answer(hour(index))).ok).toBe(false);
    expect(source.fetchCandles).toHaveBeenCalledOnce();
    expect(breakers.list()).toEqual({});
  });

  it('is not restored when the clock goes back', async () => {
    const source = tight('venue', 10);
    const cache = createCache([source]);
    await cache.answer(hour(1));
    vi.setSystemTime(Date.now() - 600_000);
    expect(await cache.answer(hour(2))).toMatchObject({ retryAfterSeconds: 7 });
  });

  it('is left to the newest candles however many questions about the past come', async () => {
    const source = tight('venue', 6_000);
    const cache = createCache([source]);
    for (let index = 1; index <= 500; index++) {
      vi.setSystemTime(Date.now() + 120);
      await cache.answer({ ...hour(index), limit: 1_000 });
    }
    // In a minute 25,000 candles at most, whatever the venue allows.
    expect(source.fetchCandles.mock.calls.length).toBeGreaterThanOrEqual(24);
    expect(source.fetchCandles.mock.calls.length).toBeLessThanOrEqual(25);
    const refused = await cache.answer({ ...hour(501), limit: 1_000 });
    expect(refused).toMatchObject({ code: 'service_unavailable' });
    expect((await cache.answer(question)).ok).toBe(true);
  });
});

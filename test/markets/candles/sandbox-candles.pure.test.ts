import { describe, expect, it, vi } from 'vitest';
import type { CandleQuestion, MarketCandle } from '../../../src/markets/candles/candle-source.ts';
import { intervals, shiftInterval, startOfInterval } from '../../../src/markets/candles/interval.ts';
import { normaliseCandles } from '../../../src/markets/candles/normalise-candles.ts';
import { createSandboxCandleSource } from '../../../src/markets/candles/sandbox-candles.ts';
import { createSandboxPriceSource } from '../../../src/markets/sources/sandbox.ts';
import { coinSymbols } from '../../../src/money/assets.ts';
import { Exact, formatPrice } from '../../../src/money/amounts.ts';

const source = createSandboxCandleSource();
const { signal } = new AbortController();
const now_ms = Date.parse('2026-11-21T06:07:08.900Z');

const ask = (question: Partial<CandleQuestion>, at_ms = now_ms) =>
  source.fetchCandles({ coin: 'BTC', interval: '1h', limit: 1000, ...question }, signal, at_ms);

function fold(candles: readonly MarketCandle[]): MarketCandle {
  const [first, last] = [candles[0], candles.at(-1)];
  if (!first || !last) throw new RangeError('nothing to fold');
  return {
    start_ms: first.start_ms,
    open: first.open,
    high: Exact.max(...candles.map(({ high }) => high)).toFixed(),
    low: Exact.min(...candles.map(({ low }) => low)).toFixed(),
    close: last.close,
    volume: Exact.sum(...candles.map(({ volume }) => volume)).toFixed(),
  };
}

describe('the sandbox’s candles agree with each other and with its tickers', () => {
  it.each([
    ['1m', '3m'],
    ['1m', '5m'],
    ['1m', '15m'],
    ['1m', '30m'],
    ['1m', '1h'],
    ['1m', '12h'],
    ['30m', '1d'],
    ['1h', '2h'],
    ['1h', '4h'],
    ['1h', '6h'],
    ['1h', '1w'],
    ['1d', '1w'],
    ['1d', '1M'],
  ] as const)('%s candles fold into exactly the %s candles, the running one included', async (small, large) => {
    for (const coin of ['BTC', 'USDC', 'DOGE'] as const) {
      const running_ms = startOfInterval(large, now_ms);
      for (const start_ms of [running_ms, shiftInterval(large, running_ms, -1)]) {
        const end_ms = shiftInterval(large, start_ms, 1) - 1;
        const parts = await ask({ coin, interval: small, startTime_ms: start_ms, endTime_ms: end_ms });
        const [whole] = await ask({ coin, interval: large, limit: 1, startTime_ms: start_ms });
        expect(whole).toEqual(fold(parts));
      }
    }
  });

  it.each(intervals)('a %s candle closes at the price that the venues show at that instant', async (interval) => {
    const venue = createSandboxPriceSource('sandbox-b');
    for (const at_ms of [now_ms, startOfInterval(interval, now_ms)]) {
      const tickers = await venue.fetchTickers(signal, at_ms);
      for (const { coin, price } of tickers) {
        const candles = await ask({ coin, interval, limit: 2 }, at_ms);
        expect(candles.at(-1)?.close).toBe(formatPrice(price));
        expect(candles.at(-1)?.open).toBe(candles[0]?.close);
      }
    }
  });

  it.each(intervals)('%s candles are already in the form in which they are served', async (interval) => {
    for (const coin of coinSymbols) {
      const question = { coin, interval, limit: 100 };
      const candles = await ask(question);
      expect(normaliseCandles(candles, question, now_ms)).toEqual(candles);
    }
  });

  it.each(intervals)('a thousand %s candles compute each longer period around them once', async (interval) => {
    // A square root is taken for each period that is split into shorter ones.
    const splits = vi.spyOn(Math, 'sqrt');
    await ask({ interval });
    expect(splits.mock.calls.length).toBeLessThan(600);
    splits.mockRestore();
  });
});

describe('the sandbox’s past is fixed', () => {
  it('gives the same past candle at any later time', async () => {
    const question = { interval: '5m', limit: 50, endTime_ms: now_ms - 3_600_000 } as const;
    expect(await ask(question, now_ms + 86_400_000)).toEqual(await ask(question));
  });

  it('is the same in every version, because local tests and demonstrations rely on these prices', async () => {
    const endTime_ms = Date.UTC(2026, 0, 1);
    expect(await ask({ coin: 'ETH', interval: '1d', limit: 1, endTime_ms })).toEqual([
      {
        start_ms: endTime_ms,
        open: '1970.826',
        high: '2037.149',
        low: '1935.171',
        close: '2007.3',
        volume: '55684.1404',
      },
    ]);
    const afterNoon_ms = endTime_ms + 43_260_000;
    expect(await ask({ coin: 'ETH', interval: '1m', limit: 1, endTime_ms: afterNoon_ms })).toEqual([
      {
        start_ms: afterNoon_ms,
        open: '1994.679',
        high: '1994.982',
        low: '1993.251',
        close: '1993.968',
        volume: '29.8044',
      },
    ]);
  });

  it('has no candle before its first day, which is a Monday and the first of a month', async () => {
    for (const interval of intervals) {
      const candles = await ask({ interval, startTime_ms: 0, limit: 3 });
      expect(candles[0]?.start_ms).toBe(Date.UTC(2024, 0, 1));
    }
    expect(await ask({ endTime_ms: Date.UTC(2023, 11, 31) })).toEqual([]);
  });

  it('has no candle that has not begun', async () => {
    expect(await ask({ startTime_ms: now_ms + 1 })).toEqual([]);
    expect((await ask({ endTime_ms: now_ms + 86_400_000, limit: 1 }))[0]?.start_ms).toBe(startOfInterval('1h', now_ms));
  });

  it('gives as many candles as requested', async () => {
    for (const limit of [1, 2, 999, 1000]) expect(await ask({ limit })).toHaveLength(limit);
    const [first] = await ask({ limit: 1, startTime_ms: now_ms - 86_400_000 });
    expect(first?.start_ms).toBe(startOfInterval('1h', now_ms) - 23 * 3_600_000);
  });
});

it('the sandbox’s market moves, and stays near its fallback prices', async () => {
  for (const [coin, lowest, highest] of [
    ['BTC', 30_000, 90_000],
    ['USDC', 0.99, 1.01],
    ['MATIC', 0.1, 0.3],
  ] as const) {
    const days = await ask({ coin, interval: '1d' });
    expect(Math.min(...days.map(({ low }) => Number(low)))).toBeGreaterThan(lowest);
    expect(Math.max(...days.map(({ high }) => Number(high)))).toBeLessThan(highest);
    expect(new Set(days.map(({ close }) => close)).size).toBeGreaterThan(500);
    expect(days.every(({ volume }) => Number(volume) > 0)).toBe(true);
  }
});

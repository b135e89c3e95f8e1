import { describe, expect, it } from 'vitest';
import { answerCandles, answerTicker, answerTickers } from '../../src/markets/answers.ts';
import { fallbackPrice } from '../../src/markets/fallback-price.ts';
import { CandleList, TickerAnswer, TickerList } from '../../src/markets/schemas.ts';
import type { Market, MarketSnapshot } from '../../src/markets/snapshot.ts';
import { type Coin, coinSymbols } from '../../src/money/assets.ts';
import { formatPrice } from '../../src/money/amounts.ts';

const now_ms = Date.parse('2026-11-21T12:00:00.123Z');

const shown = {
  price: 6_500_012_000_000n,
  change24h: 0.0234,
  volume24h: '12.5',
  dataTime_ms: now_ms - 2_000,
  sources: ['one', 'two'],
  isHeld: false,
};

function snapshotOf(taken_ms: number, missing: Coin[] = []): MarketSnapshot {
  const market = { shown: { ...shown, received_ms: taken_ms }, agreed: null };
  const markets = coinSymbols.map((coin) => [coin, missing.includes(coin) ? { shown: null, agreed: null } : market]);
  return {
    taken_ms,
    markets: Object.fromEntries(markets) as Record<Coin, Market>,
    fallbacks: {},
  };
}

/** A snapshot whose prices were received at that time, since when no source has answered. */
function heldSince(taken_ms: number): MarketSnapshot {
  const market = { shown: { ...shown, received_ms: taken_ms, isHeld: true }, agreed: null };
  const markets = Object.fromEntries(coinSymbols.map((coin): [string, Market] => [coin, market]));
  return { ...snapshotOf(taken_ms), markets: markets as Record<Coin, Market> };
}

describe('the list of tickers', () => {
  it('contains every market except USDT, in a fixed order, with plain decimals and the time of the data', () => {
    const { body } = answerTickers(snapshotOf(now_ms), now_ms);
    const list = TickerList.parse(body);
    expect(list.tickers.map(({ symbol }) => symbol)).toEqual([
      'USDC',
      'BTC',
      'ETH',
      'AVAX',
      'MATIC',
      'BNB',
      'LTC',
      'DOGE',
    ]);
    expect(list).toMatchObject({ ts: '2026-11-21T12:00:00.123Z', degraded: false });
    expect(list.tickers[1]).toEqual({
      symbol: 'BTC',
      pair: 'BTC-USDT',
      name: 'Bitcoin',
      price: '65000.12',
      change24h: 0.0234,
      volume24h: '12.5',
      ts: '2026-11-21T11:59:58.123Z',
      sources: ['one', 'two'],
    });
  });

  it('is cached for the rest of 30 s since the hub was asked', () => {
    expect(answerTickers(snapshotOf(now_ms), now_ms).lifetime_ms).toBe(30_000);
    expect(answerTickers(snapshotOf(now_ms - 9_000), now_ms).lifetime_ms).toBe(21_000);
  });

  it('shows the last price of a market that no source answers for until it is 5 s old, then the static one', () => {
    const held = answerTickers(heldSince(now_ms - 5_000), now_ms);
    expect(held.body.tickers[1]).toMatchObject({ price: '65000.12', degraded: true });
    expect(held.lifetime_ms).toBe(0);
    expect(answerTickers(heldSince(now_ms - 1_000), now_ms).lifetime_ms).toBe(4_000);
    const gone = answerTickers(heldSince(now_ms - 5_001), now_ms);
    expect(gone.body.tickers[1]).toMatchObject({ price: '48000', sources: [], degraded: true });
    expect(gone.lifetime_ms).toBe(5_000);
  });

  it('shows static prices, marked as degraded, when the hub cannot be reached', () => {
    const { body, lifetime_ms } = answerTickers(undefined, now_ms);
    const list = TickerList.parse(body);
    expect(list.degraded).toBe(true);
    expect(lifetime_ms).toBeLessThanOrEqual(5_000);
    for (const ticker of list.tickers) {
      expect(ticker).toMatchObject({
        change24h: 0,
        volume24h: '0',
        ts: '2026-11-21T12:00:00.123Z',
        degraded: true,
        sources: [],
      });
      expect(ticker.price).toBe(formatPrice(fallbackPrice(ticker.symbol)));
    }
  });

  it('is degraded when one market has no data, and only that market is marked', () => {
    const { body, lifetime_ms } = answerTickers(snapshotOf(now_ms, ['BNB']), now_ms);
    const list = TickerList.parse(body);
    expect(list.degraded).toBe(true);
    expect(list.tickers.filter((ticker) => 'degraded' in ticker).map(({ symbol }) => symbol)).toEqual(['BNB']);
    expect(lifetime_ms).toBeLessThanOrEqual(5_000);
  });
});

describe('one ticker', () => {
  it('is cached for at most 2 s, however new its price is', () => {
    expect(answerTicker('BTC', snapshotOf(now_ms), now_ms).lifetime_ms).toBe(2_000);
    expect(answerTicker('BTC', heldSince(now_ms - 4_000), now_ms).lifetime_ms).toBe(1_000);
    expect(answerTicker('BTC', undefined, now_ms).lifetime_ms).toBe(2_000);
  });

  it('says at its top level whether it is degraded', () => {
    const snapshot = snapshotOf(now_ms, ['BNB']);
    expect(TickerAnswer.parse(answerTicker('BTC', snapshot, now_ms).body)).toMatchObject({ degraded: false });
    expect(TickerAnswer.parse(answerTicker('BNB', snapshot, now_ms).body)).toMatchObject({
      ticker: { price: '400', degraded: true },
      degraded: true,
    });
  });
});

describe('candles', () => {
  const question = { coin: 'ETH', interval: '1h', limit: 10 } as const;

  it('contain their market and interval, and start at a given time', () => {
    const candle = { start_ms: Date.UTC(2026, 10, 21), open: '1', high: '3', low: '0.5', close: '2', volume: '7' };
    const { body } = answerCandles({ ...question, interval: '1M' }, { taken_ms: now_ms, candles: [candle] }, now_ms);
    expect(CandleList.parse(body)).toEqual({
      symbol: 'ETH',
      pair: 'ETH-USDT',
      interval: '1M',
      candles: [{ ts: '2026-11-21T00:00:00.000Z', open: '1', high: '3', low: '0.5', close: '2', volume: '7' }],
    });
  });

  it.each([
    ['1m', 6_000],
    ['3m', 18_000],
    ['1d', 30_000],
  ] as const)('of %s are cached for the rest of their time', (interval, fresh_ms) => {
    const series = { taken_ms: now_ms - 1_000, candles: [] };
    expect(answerCandles({ ...question, interval }, series, now_ms).lifetime_ms).toBe(fresh_ms - 1_000);
  });
});

// @runtime outside
import { describe, expect, it } from 'vitest';
import { fallbackPrice } from '../../src/markets/fallback-price.ts';
import { CandleList, TickerAnswer, TickerList } from '../../src/markets/schemas.ts';
import { formatPrice } from '../../src/money/amounts.ts';
import { type ProblemBody, json, send } from '../support/exchange.ts';
import { useVenues, venues } from '../support/markets/venues.ts';

useVenues('running');

const TICKERS = '/api/v1/markets/tickers';

async function listTickers() {
  const response = await send(TICKERS);
  expect(response.status).toBe(200);
  return { list: TickerList.parse(await response.json()), cacheControl: response.headers.get('Cache-Control') };
}

const maxAgeOf = (cacheControl: string | null) => Number(/^public, max-age=(\d+)$/.exec(cacheControl ?? '')?.[1]);

it('tickers from venues show the venues’ prices', async () => {
  await venues.setPrices({ BTC: '65000.12' });
  const { list } = await listTickers();
  expect(list).toMatchObject({ degraded: false });
  expect(list.tickers[1]).toMatchObject({ symbol: 'BTC', price: '65000.12', change24h: 0, volume24h: '1000' });
  const { ticker } = TickerAnswer.parse(await (await send('/api/v1/markets/BTC')).json());
  expect(ticker).toEqual(list.tickers[1]);
});

describe('when every price source is unreachable (spec, "Errors")', () => {
  it('the list answers 200, degraded, with static prices, and is cached for at most 5 s', async () => {
    await venues.fail();
    const { list, cacheControl } = await listTickers();
    expect(list.degraded).toBe(true);
    expect(maxAgeOf(cacheControl)).toBeLessThanOrEqual(5);
    for (const ticker of list.tickers) {
      expect(ticker).toMatchObject({ degraded: true, change24h: 0, volume24h: '0' });
      expect(ticker.price).toBe(formatPrice(fallbackPrice(ticker.symbol)));
      expect(Date.now() - Date.parse(ticker.ts)).toBeLessThan(5_000);
    }
  });
});

describe('candles from venues', () => {
  it('come from the venue', async () => {
    const { candles } = CandleList.parse(await (await send('/api/v1/markets/BTC/candles?limit=7')).json());
    expect(candles).toHaveLength(7);
    expect(candles[0]).toMatchObject({ open: '65000.12', volume: '1000' });
  });

  it('answer 502 when their source fails (spec, "Errors"), and the failure is not cached', async () => {
    await venues.set('binance', { mode: 'error', status: 500 });
    const response = await send('/api/v1/markets/BTC/candles?limit=8');
    expect(response.status).toBe(502);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const problem = await json<ProblemBody & { retryable: boolean }>(response);
    expect(problem).toMatchObject({ code: 'upstream_unavailable', retryable: true });
    expect(JSON.stringify(problem)).not.toMatch(/binance|symbol/i);
    await venues.set('binance', { mode: 'ok' });
    expect((await send('/api/v1/markets/BTC/candles?limit=8')).status).toBe(200);
  });
});

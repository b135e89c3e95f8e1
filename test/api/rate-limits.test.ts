import { describe, expect, it } from 'vitest';
import { type Trader, openTrader, expectCode } from '../support/exchange.ts';

/** What every answer of a counted request carries. */
const HEADERS = ['RateLimit', 'RateLimit-Policy', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const withDefaults = () => openTrader({ USDT: '1000' }, { rateLimits: {} });

async function expectEmptied(response: Response, bucket: string, perMinute: number): Promise<void> {
  await expectCode(response, '429 rate_limited');
  for (const header of HEADERS) expect(response.headers.get(header), header).not.toBeNull();
  expect(response.headers.get('RateLimit-Policy')).toContain(`"${bucket}-minute";q=${perMinute};w=60`);
  expect(response.headers.get('RateLimit')).toContain(`"${bucket}-minute";r=0;t=`);
  expect(response.headers.get('X-RateLimit-Limit')).toBe(String(perMinute));
  expect(response.headers.get('X-RateLimit-Remaining')).toBe('0');
  const retryAfter_s = Number(response.headers.get('Retry-After'));
  expect(retryAfter_s).toBeGreaterThanOrEqual(1);
  expect(retryAfter_s).toBeLessThanOrEqual(60);
}

async function repeat(count: number, request: () => Promise<Response>): Promise<number[]> {
  const statuses = await Promise.all(Array.from({ length: count }, async () => (await request()).status));
  return [...new Set(statuses)];
}

describe('the default buckets (spec, "Limits")', () => {
  it('admit 120 reads in a minute, counted over all read endpoints, and refuse the 121st', async () => {
    const trader = await withDefaults();
    const paths = [
      '/api/v1/wallet/balances',
      '/api/v1/wallet/transactions',
      '/api/v1/orders',
      '/api/v1/markets/tickers',
    ];
    for (const path of paths) expect(await repeat(30, () => trader.get(path))).toEqual([200]);
    await expectEmptied(await trader.get('/api/v1/wallet/balances'), 'read', 120);
    await expectEmptied(await trader.get('/api/v1/markets/tickers'), 'read', 120);
  });

  it('admit 30 orders in a minute and refuse the 31st; replays count', async () => {
    const trader = await withDefaults();
    const order = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1' };
    expect(await repeat(15, () => trader.order(order))).toEqual([201]);
    expect(await repeat(15, () => trader.order(order, 'again-and-again'))).toEqual([201]);
    await expectEmptied(await trader.order(order), 'trade', 30);
    expect((await trader.balances())['USDT']).toBe('984');
  });

  it('admit 30 withdrawal calls in a minute and refuse the 31st', async () => {
    const trader = await withDefaults();
    const body = { asset: 'USDT', network: 'TRC20', amount: '10', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' };
    const withdraw = () => trader.post('/api/v1/wallet/withdrawals', body);
    expect(await repeat(30, withdraw)).toEqual([201]);
    await expectEmptied(await withdraw(), 'withdraw', 30);
  });

  it('do not count a request that was refused before it reached the lane', async () => {
    const trader = await withDefaults();
    const remaining = async (response: Promise<Response>) => (await response).headers.get('X-RateLimit-Remaining');
    expect(await remaining(trader.get('/api/v1/wallet/balances'))).toBe('119');
    expect((await trader.get('/api/v1/orders?limit=0')).status).toBe(400);
    expect(await remaining(trader.get('/api/v1/wallet/balances'))).toBe('118');
  });
});

describe('a key’s own limits', () => {
  it('replace the defaults, bucket by bucket', async () => {
    const trader = await openTrader({}, { rateLimits: { read: { perMinute: 3, perDay: 1000 } } });
    expect(await repeat(3, () => trader.get('/api/v1/orders'))).toEqual([200]);
    await expectEmptied(await trader.get('/api/v1/orders'), 'read', 3);
  });

  it('answer 429 with the end of the day when the limit of a day is reached', async () => {
    const trader: Trader = await openTrader({}, { rateLimits: { read: { perMinute: 100, perDay: 2 } } });
    expect(await repeat(2, () => trader.get('/api/v1/orders'))).toEqual([200]);
    const response = await trader.get('/api/v1/orders');
    expect(response.status).toBe(429);
    expect(response.headers.get('X-RateLimit-Limit')).toBe('2');
    expect(Number(response.headers.get('X-RateLimit-Reset')) % 86_400).toBe(0);
  });
});

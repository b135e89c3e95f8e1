import { describe, expect, it } from 'vitest';
import { ORDER, type Trader, openTrader, send } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';

const SQL = "x'; DROP TABLE transfers; --";
const ALWAYS = "' OR 1=1 --";

const places: [place: string, status: number, send: (trader: Trader, text: string) => Promise<Response>][] = [
  ['a symbol', 404, (_, text) => send(`/api/v1/markets/${encodeURIComponent(text)}`)],
  ['the symbol of candles', 404, (_, text) => send(`/api/v1/markets/${encodeURIComponent(text)}/candles`)],
  ['an interval', 400, (_, text) => send(`/api/v1/markets/BTC/candles?interval=${encodeURIComponent(text)}`)],
  ['an id', 404, (trader, text) => trader.get(`/api/v1/orders/${encodeURIComponent(text)}`)],
  ['a limit', 400, (trader, text) => trader.get(`/api/v1/orders?limit=${encodeURIComponent(text)}`)],
  ['a cursor', 400, (trader, text) => trader.get(`/api/v1/orders?cursor=${encodeURIComponent(`${text}.tag`)}`)],
  [
    'the cursor of the feed',
    400,
    (trader, text) => trader.get(`/api/v1/wallet/transactions?cursor=${encodeURIComponent(`${text}.tag`)}`),
  ],
  ['a coin', 422, (trader, text) => trader.order({ ...ORDER, coin: text })],
  ['an amount', 400, (trader, text) => trader.order({ ...ORDER, value: text })],
  [
    'a network',
    422,
    (trader, text) =>
      trader.post('/api/v1/wallet/withdrawals', { asset: 'USDT', network: text, amount: '10', address: 'x' }),
  ],
  [
    'an address',
    422,
    (trader, text) =>
      trader.post('/api/v1/wallet/withdrawals', { asset: 'USDT', network: 'TRC20', amount: '10', address: text }),
  ],
  [
    'a token',
    401,
    (_, text) => send('/api/v1/orders', { headers: { Authorization: `Bearer ${text.replaceAll(' ', '/**/')}` } }),
  ],
  ['the header Idempotency-Key', 400, (trader, text) => trader.order(ORDER, text)],
  ['the header X-Request-Id', 200, (trader, text) => trader.get('/api/v1/orders', { 'X-Request-Id': text })],
  ['the header CF-Connecting-IP', 200, (trader, text) => trader.get('/api/v1/orders', { 'CF-Connecting-IP': text })],
  ['the header If-None-Match', 200, (_, text) => send('/api/v1/markets/BTC', { headers: { 'If-None-Match': text } })],
];

async function readDatabase(): Promise<unknown> {
  const tables = await env.DB.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const counts = await env.DB.batch(
    ['accounts', 'api_keys', 'orders', 'withdrawals', 'transfers', 'balances'].map((name) =>
      env.DB.prepare(`SELECT count(*) AS n FROM ${name}`),
    ),
  );
  return [tables.results, counts.map(({ results }) => results)];
}

describe('text that contains SQL', () => {
  it.each(places)('is treated as plain text in %s, which answers %i', async (_place, status, sendTo) => {
    const trader = await openTrader({ USDT: '1000' });
    const before = await readDatabase();
    for (const text of [SQL, ALWAYS]) {
      const response = await sendTo(trader, text);
      expect([text, response.status]).toEqual([text, status]);
      expect(await response.text()).not.toContain('SQLITE');
    }
    expect(await readDatabase()).toEqual(before);
  });

  it('may be an Idempotency-Key of visible characters, which stands for its own request alone', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await trader.order(ORDER, 'k');
    const hostile = "'OR'1'='1';DELETE/**/FROM/**/replays;--";
    const first = await trader.order(ORDER, hostile);
    expect([first.status, first.headers.get('X-Idempotency-Replay')]).toEqual([201, null]);
    for (const key of ['k', hostile]) {
      expect((await trader.order(ORDER, key)).headers.get('X-Idempotency-Replay')).toBe('true');
    }
  });
});

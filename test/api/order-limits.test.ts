import { describe, expect, it } from 'vitest';
import { type OrderAnswer, ORDER, type ProblemBody, createKey, json, openTrader } from '../support/exchange.ts';
import { readEffects } from '../support/db/probes.ts';

const PREVIEW = '/api/v1/orders/preview';

interface PreviewAnswer {
  readonly preview: Record<string, string>;
}

describe('limitPrice', () => {
  it.each([
    ['BUY', '1'],
    ['SELL', '9999999'],
  ])(
    'refuses a %s at a worse price, which fills nothing, and a replay gets the same refusal',
    async (side, limitPrice) => {
      const trader = await openTrader({ USDT: '1000', BTC: '1' });
      const before = await readEffects(trader.accountId);
      const order = { ...ORDER, side, limitPrice };
      const refused = await trader.order(order, 'limited');
      expect([refused.status, (await json<ProblemBody>(refused.clone())).code]).toEqual([422, 'price_limit_exceeded']);
      const replay = await trader.order(order, 'limited');
      expect([replay.headers.get('X-Idempotency-Replay'), await replay.text()]).toEqual(['true', await refused.text()]);
      expect(await readEffects(trader.accountId)).toEqual(before);
    },
  );

  it('changes nothing when the price is within it', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const { preview } = await json<PreviewAnswer>(await trader.post(PREVIEW, ORDER));
    const order = await trader.trade({ ...ORDER, limitPrice: '9999999' });
    expect(Object.keys(order)).toEqual(Object.keys(await trader.trade(ORDER)));
    expect(Number(order.executedPrice)).toBeLessThan(9_999_999);
    expect(preview['coin']).toBe('BTC');
  });

  it('is part of the request that an Idempotency-Key stands for', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await trader.order(ORDER, 'one');
    const other = await trader.order({ ...ORDER, limitPrice: '9999999' }, 'one');
    expect((await json<ProblemBody>(other)).code).toBe('idempotency_key_reused');
  });

  it.each(['1e3', '-1', '', '1.0000000000000000001'])(
    'must be a plain decimal string: %j is refused',
    async (limitPrice) => {
      const trader = await openTrader({ USDT: '1000' });
      const response = await trader.order({ ...ORDER, limitPrice });
      const problem = await json<ProblemBody>(response);
      expect([response.status, problem.errors?.[0]?.pointer]).toEqual([400, '/limitPrice']);
    },
  );
});

describe('POST /api/v1/orders/preview', () => {
  it('shows what the order would fill at, and has no effect', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const before = await readEffects(trader.accountId);
    const response = await trader.post(PREVIEW, { ...ORDER, coin: 'eth' });
    const { preview } = await json<PreviewAnswer>(response);
    expect(response.status).toBe(200);
    expect(preview).toMatchObject({ coin: 'ETH', side: 'BUY', usdtAmount: '10' });
    expect(await readEffects(trader.accountId)).toEqual(before);
    expect(await json(await trader.get('/api/v1/orders'))).toEqual({ orders: [], nextCursor: null });
    const order = await trader.trade({ ...ORDER, coin: 'ETH' });
    // The market may have moved a little in between.
    expect(Math.abs(Number(order.executedPrice) / Number(preview['executedPrice']) - 1)).toBeLessThan(0.01);
  });

  it('ignores the balance', async () => {
    const trader = await openTrader();
    expect((await trader.post(PREVIEW, ORDER)).status).toBe(200);
  });

  it.each([
    [{ coin: 'XRP' }, 'symbol_not_supported'],
    [{ value: '10.0000001' }, 'precision_exceeded'],
    [{ value: '0.1' }, 'amount_below_minimum'],
    [{ mode: 'COIN_QTY', value: '99' }, 'amount_above_maximum'],
    [{ limitPrice: '1' }, 'price_limit_exceeded'],
  ])('refuses what the order would be refused for: %o, %s', async (change, code) => {
    const trader = await openTrader({ USDT: '1000' });
    expect((await json<ProblemBody>(await trader.post(PREVIEW, { ...ORDER, ...change }))).code).toBe(code);
  });

  it('needs the scope trade and counts in the read bucket', async () => {
    const trader = await openTrader({}, { rateLimits: { read: { perMinute: 2, perDay: 9 } } });
    const reader = await createKey(trader.accountId, { scopes: ['read'] });
    expect((await reader.post(PREVIEW, ORDER)).status).toBe(403);
    const statuses = [];
    for (let asked = 0; asked < 3; asked += 1) statuses.push((await trader.post(PREVIEW, ORDER)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });
});

it('an order shows the key that it was placed with to every key of the account', async () => {
  const trader = await openTrader({ USDT: '1000' });
  const other = await createKey(trader.accountId);
  const placed = await json<OrderAnswer>(await trader.order(ORDER));
  expect(placed.order).toMatchObject({ keyId: trader.keyId });
  await other.trade(ORDER);
  const { orders } = await json<{ orders: { keyId: string }[] }>(await other.get('/api/v1/orders'));
  expect(orders.map(({ keyId }) => keyId)).toEqual([other.keyId, trader.keyId]);
});

import { describe, expect, it } from 'vitest';
import { MAX_ATOMS } from '../../src/money/amounts.ts';
import {
  type OrderAnswer,
  type ProblemBody,
  createKey,
  json,
  openAccount,
  openTrader,
  expectCode,
} from '../support/exchange.ts';
import type { OrderBody } from '../support/client.ts';
import { readEffects, sumOfBalances, unexplainedBalances } from '../support/db/probes.ts';
import { setFloor } from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';

const BUY_TEN_USDT: OrderBody = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

describe('POST /api/v1/orders (spec, "Trade")', () => {
  const combinations = [
    { side: 'BUY', mode: 'COIN_QTY', value: '0.01' },
    { side: 'BUY', mode: 'USDT_AMOUNT', value: '250.5' },
    { side: 'SELL', mode: 'COIN_QTY', value: '0.01' },
    { side: 'SELL', mode: 'USDT_AMOUNT', value: '250.5' },
  ];
  it.each(combinations)('moves exactly the amounts that it shows: $side by $mode', async ({ side, mode, value }) => {
    const trader = await openTrader({ USDT: '1000', BTC: '1' });
    const response = await trader.order({ coin: 'BTC', side, mode, value });
    expect(response.status).toBe(201);
    const { order } = await json<OrderAnswer>(response);
    expect(response.headers.get('Location')).toBe(`/api/v1/orders/${order.id}`);
    expect(order).toMatchObject({ coin: 'BTC', side, status: 'COMPLETED' });
    expect(order.ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(mode === 'COIN_QTY' ? order.coinAmount : order.usdtAmount).toBe(value);

    const sign = side === 'BUY' ? 1n : -1n;
    const balances = await trader.balances();
    expect(toAtoms(balances['BTC'] ?? '', 8)).toBe(toAtoms('1', 8) + sign * toAtoms(order.coinAmount, 8));
    expect(toAtoms(balances['USDT'] ?? '', 6)).toBe(toAtoms('1000', 6) - sign * toAtoms(order.usdtAmount, 6));
    expect(await sumOfBalances()).toEqual([]);
    expect(await unexplainedBalances()).toEqual([]);
  });

  it('shows the same order in its own read, the list and the feed', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const order = await trader.trade(BUY_TEN_USDT);
    expect(await json(await trader.get(`/api/v1/orders/${order.id}`))).toEqual({ order });
    expect(await json(await trader.get('/api/v1/orders'))).toEqual({ orders: [order], nextCursor: null });
    const { transactions } = await json<{ transactions: unknown[] }>(await trader.get('/api/v1/wallet/transactions'));
    expect(transactions[0]).toEqual({
      id: order.id,
      ts: order.ts,
      category: 'TRADE',
      type: 'SPOT_BUY',
      asset: 'BTC',
      amount: order.coinAmount,
      usdValue: order.usdtAmount,
      status: 'COMPLETED',
      keyId: order.keyId,
      reason: null,
    });
  });

  it('tells the middle of the market and the distance from it, in the preview and ever after', async () => {
    const trader = await openTrader({ USDT: '1000', BTC: '1' });
    for (const side of ['BUY', 'SELL']) {
      const order = await trader.trade({ ...BUY_TEN_USDT, side });
      const [executed, middle] = [toAtoms(order.executedPrice, 8), toAtoms(order.midPrice ?? '', 8)];
      const difference = side === 'BUY' ? executed - middle : middle - executed;
      expect(difference).toBeGreaterThan(0n);
      expect(Number(difference) / Number(middle)).toBeCloseTo((order.spreadBps ?? 0) / 10_000, 6);
      const answer = await trader.post('/api/v1/orders/preview', { ...BUY_TEN_USDT, side });
      const { preview } = await json<{ preview: OrderAnswer['order'] }>(answer);
      expect([Number(preview.midPrice), preview.spreadBps]).toEqual([expect.any(Number), order.spreadBps]);
    }
  });

  it('accepts a symbol in any case', async () => {
    const trader = await openTrader({ USDT: '1000' });
    expect((await trader.trade({ ...BUY_TEN_USDT, coin: 'bTc' })).coin).toBe('BTC');
  });

  it('refuses to sell an asset that the account does not hold, whatever other assets it holds', async () => {
    const trader = await openTrader({ ETH: '5' });
    const before = await readEffects(trader.accountId);
    const response = await trader.order({ coin: 'BTC', side: 'SELL', mode: 'COIN_QTY', value: '0.01' });
    expect((await json<ProblemBody>(response)).code).toBe('insufficient_balance');
    expect(await readEffects(trader.accountId)).toEqual(before);
  });

  it('refuses an order beyond the house’s inventory with order_rejected', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await env.DB.batch(setFloor('house:liquidity', 'LTC', '0'));
    await expectCode(trader.order({ ...BUY_TEN_USDT, coin: 'LTC' }), '422 order_rejected');
    expect(await trader.balances()).toMatchObject({ USDT: '1000', LTC: '0' });
  });

  it('names the client’s balance first when the house’s inventory is too small as well', async () => {
    const trader = await openTrader({ ETH: '1' });
    const before = await env.DB.prepare(
      "SELECT floor FROM balances WHERE account = 'house:liquidity' AND asset = 'USDT'",
    ).first<number>('floor');
    await env.DB.batch(setFloor('house:liquidity', 'USDT', '0'));
    try {
      const sell = (value: string) => trader.order({ coin: 'ETH', side: 'SELL', mode: 'COIN_QTY', value });
      expect((await json<ProblemBody>(await sell('2'))).code).toBe('insufficient_balance');
      expect((await json<ProblemBody>(await sell('1'))).code).toBe('order_rejected');
    } finally {
      await env.DB.batch(setFloor('house:liquidity', 'USDT', String(before)));
    }
  });

  it('does not find another account’s order', async () => {
    const order = await (await openTrader({ USDT: '100' })).trade(BUY_TEN_USDT);
    await expectCode((await openTrader()).get(`/api/v1/orders/${order.id}`), '404 not_found');
  });
});

describe('a refused order changes nothing', () => {
  const digits = (count: number) => '1'.repeat(count);
  const bad: [name: string, body: Record<string, unknown>, status: number, code: string][] = [
    ...['1e3', '0x10', '1_000', 'Infinity', 'NaN', '-0', '-1', '+1', '.5', '5.', '1,0', '', ' 1', '00', '１０'].map(
      (value) => [`value ${JSON.stringify(value)}`, { value }, 400, 'invalid_request'] as never,
    ),
    ['value of 200 digits', { value: digits(200) }, 400, 'invalid_request'],
    ['value of 19 decimals', { value: `1.${digits(19)}` }, 400, 'invalid_request'],
    ['value a JSON number', { value: 10 }, 400, 'invalid_request'],
    ['value null', { value: null }, 400, 'invalid_request'],
    ['value absent', { value: undefined }, 400, 'invalid_request'],
    ['value a list', { value: ['10'] }, 400, 'invalid_request'],
    ['value zero', { value: '0' }, 422, 'amount_below_minimum'],
    ['value below the minimum', { value: '0.999999' }, 422, 'amount_below_minimum'],
    ['value above the maximum', { value: '50000.000001' }, 422, 'amount_above_maximum'],
    ['value of 20 digits', { value: digits(20) }, 422, 'amount_above_maximum'],
    ['value beyond 64 bits', { value: (MAX_ATOMS / 10n ** 6n + 1n).toString() }, 422, 'amount_above_maximum'],
    ['value of 7 decimals of USDT', { value: '10.0000001' }, 422, 'precision_exceeded'],
    ['value of 9 decimals of BTC', { mode: 'COIN_QTY', value: '0.000000001' }, 422, 'precision_exceeded'],
    ['quantity below the minimum', { mode: 'COIN_QTY', value: '0.00000001' }, 422, 'amount_below_minimum'],
    ['quantity zero', { mode: 'COIN_QTY', value: '0' }, 422, 'amount_below_minimum'],
    ['quantity above the maximum', { mode: 'COIN_QTY', value: '99' }, 422, 'amount_above_maximum'],
    ['quantity of 20 digits', { mode: 'COIN_QTY', value: digits(20) }, 422, 'amount_above_maximum'],
    ['coin unknown', { coin: 'XRP' }, 422, 'symbol_not_supported'],
    ['coin the quote asset', { coin: 'USDT' }, 422, 'symbol_not_supported'],
    ['coin a pair', { coin: 'BTC-USDT' }, 422, 'symbol_not_supported'],
    ['coin with SQL', { coin: "BTC'; DROP TABLE orders;--" }, 422, 'symbol_not_supported'],
    ['coin a prototype’s member', { coin: 'constructor' }, 422, 'symbol_not_supported'],
    ['coin with a dotless ı', { coin: 'matıc' }, 422, 'symbol_not_supported'],
    ['coin empty', { coin: '' }, 400, 'invalid_request'],
    ['coin of 33 characters', { coin: 'B'.repeat(33) }, 400, 'invalid_request'],
    ['coin a number', { coin: 1 }, 400, 'invalid_request'],
    ['coin absent', { coin: undefined }, 400, 'invalid_request'],
    ['side in lower case', { side: 'buy' }, 400, 'invalid_request'],
    ['side unknown', { side: 'SHORT' }, 400, 'invalid_request'],
    ['side absent', { side: undefined }, 400, 'invalid_request'],
    ['mode in lower case', { mode: 'usdt_amount' }, 400, 'invalid_request'],
    ['mode unknown', { mode: 'LOT' }, 400, 'invalid_request'],
    ['mode absent', { mode: undefined }, 400, 'invalid_request'],
    ['more than the balance', { value: '1000.000001' }, 422, 'insufficient_balance'],
  ];
  it.each(bad)('%s', async (_name, change, status, code) => {
    const trader = await openTrader({ USDT: '1000' });
    const before = await readEffects(trader.accountId);
    const response = await trader.post('/api/v1/orders', { ...BUY_TEN_USDT, ...change });
    const problem = await expectCode(response, `${status} ${code}`);
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    if (code === 'invalid_request')
      expect(problem.errors?.map((error) => error.pointer)).toEqual([`/${Object.keys(change).at(-1)}`]);
    expect(await readEffects(trader.accountId)).toEqual(before);
  });

  it('accepts trailing zeros, which do not count as decimals', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const order = await trader.trade({ ...BUY_TEN_USDT, value: '10.000000000' });
    expect(order.usdtAmount).toBe('10');
  });
});

it('parallel orders fill one of 200 orders over four keys when the account can pay only one', async () => {
  const accountId = await openAccount({ USDT: '100' });
  const keys = await Promise.all(Array.from({ length: 4 }, () => createKey(accountId)));
  const responses = await Promise.all(
    Array.from({ length: 50 }).flatMap(() => keys.map((key) => key.order({ ...BUY_TEN_USDT, value: '100' }))),
  );
  const outcomes = await Promise.all(
    responses.map(async (response) =>
      response.status === 201 ? '201' : `${response.status} ${(await json<ProblemBody>(response)).code}`,
    ),
  );
  expect(outcomes.filter((outcome) => outcome === '201')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === '422 insufficient_balance')).toHaveLength(199);
  expect((await readEffects(accountId)).orders).toBe(1);
  expect(await sumOfBalances()).toEqual([]);
});

function toAtoms(text: string, scale: number): bigint {
  const [whole = '', decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(scale, '0'));
}

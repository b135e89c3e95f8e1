import ccxt, { BaseError, NetworkError, OperationFailed, RequestTimeout } from 'ccxt';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Bureau, errorClasses, orderErrorClasses } from '../src/index.ts';
import { type ProblemCode, type ProblemDefinition, problems } from '../../../src/http/problems.ts';
import { Operator } from '../../../test/support/node/exchange/operator.ts';
import {
  type Connect,
  playedRefusals,
  refusals,
  refusalsWithoutSources,
} from '../../../test/support/node/exchange/refusals.ts';
import { type Exchange, startExchange } from '../../../test/support/node/exchange/start-exchange.ts';

let exchange: Exchange;
let operator: Operator;

beforeAll(async () => {
  exchange = await startExchange({ bundle: inject('workerBundle') });
  operator = new Operator(exchange.urls[0] ?? '');
});

afterAll(() => exchange.dispose());

const OUTSIDE = '0x52908400098527886E0F7030069857D2E4169EE7';

/** Bureau's class of CCXT. Its key has high limits, so CCXT's own rate limit is switched off. */
function connect(apiKey?: string, api = operator.origin, options: object = {}): Bureau {
  return new Bureau({ ...(apiKey !== undefined && { apiKey }), urls: { api }, enableRateLimit: false, options });
}

/** The error that a call throws. */
async function faultOf(promise: Promise<unknown>): Promise<BaseError> {
  const fault = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(fault instanceof BaseError)) throw new Error('threw something else', { cause: fault });
  return fault;
}

const ids = (orders: readonly { id?: string | undefined }[]) => orders.map(({ id }) => id);

describe('CCXT Pro', () => {
  it('watches one ticker and all of them', async () => {
    const bureau = connect();
    try {
      const ticker = await bureau.watchTicker('BTC/USDT');
      expect([ticker.symbol, typeof ticker.last]).toEqual(['BTC/USDT', 'number']);
      expect(Object.keys(await bureau.watchTickers(['BTC/USDT', 'ETH/USDT'])).toSorted()).toEqual([
        'BTC/USDT',
        'ETH/USDT',
      ]);
      await expect(bureau.watchTicker('XYZ/USDT')).rejects.toThrow(BaseError);
    } finally {
      await bureau.close();
    }
  });

  it('watches balances, orders and trades, and misses nothing that happens while its socket is cut', async () => {
    const { token } = await operator.openClient({ USDT: '1000' });
    const [bureau, trading] = [connect(token), connect(token)];
    try {
      expect((await bureau.watchBalance())['USDT']).toMatchObject({ free: 1000, total: 1000 });
      const watched = Promise.all([bureau.watchOrders('BTC/USDT'), bureau.watchMyTrades(), bureau.watchBalance()]);
      const order = await trading.createMarketBuyOrderWithCost('BTC/USDT', 10);
      const [[seen], [trade], balance] = await watched;
      expect(seen).toEqual(order);
      expect([trade?.order, trade?.cost]).toEqual([order.id, 10]);
      expect(balance['USDT']).toMatchObject({ total: 990 });
      expect(balance['BTC']).toMatchObject({ total: order.filled });

      const waiting = bureau.watchOrders();
      const cut = expect(waiting).rejects.toThrow(NetworkError);
      for (const client of Object.values(bureau.clients)) (client as { connection: WebSocket }).connection.close();
      await cut;
      const missed = [];
      for (let placed = 0; placed < 3; placed += 1) {
        missed.push((await trading.createMarketBuyOrderWithCost('ETH/USDT', 10)).id);
      }
      expect(ids(await bureau.watchOrders())).toEqual(missed);
    } finally {
      await bureau.close();
    }
  });

  it('throws what the exchange refuses', async () => {
    const { keyId, accountId, token } = await operator.openClient();
    const bureau = connect(token);
    try {
      await bureau.watchBalance();
      const waiting = expect(bureau.watchOrders()).rejects.toThrow(BaseError);
      await operator.operate('DELETE', `/accounts/${accountId}/api-keys/${keyId}`);
      await waiting;
    } finally {
      await bureau.close();
    }
  });
});

describe('CCXT', () => {
  it('reads markets and their steps', async () => {
    const bureau = connect();
    const markets = await bureau.loadMarkets();
    expect(Object.keys(markets)).toHaveLength(8);
    expect(markets['BTC/USDT']).toMatchObject({
      id: 'BTC',
      base: 'BTC',
      quote: 'USDT',
      spot: true,
      active: true,
      taker: 0,
      precision: { amount: 1e-8, cost: 1e-6 },
      limits: { cost: { min: 1, max: 50_000 } },
    });
    expect(bureau.amountToPrecision('BTC/USDT', 0.1 + 0.2)).toBe('0.3');
    expect(bureau.costToPrecision('BTC/USDT', 12.345_678_9)).toBe('12.345678');
  });

  it('reads currencies, with CCXT’s names of their networks', async () => {
    const bureau = connect();
    await bureau.loadMarkets();
    const { USDT, ETH } = bureau.currencies as Record<string, { precision: number; networks: Record<string, object> }>;
    expect(USDT?.precision).toBe(1e-6);
    expect(USDT?.networks['TRC20']).toMatchObject({
      id: 'TRC20',
      fee: 1,
      limits: { deposit: { min: 1 }, withdraw: { min: 5 } },
      // Nobody watches this network.
      deposit: false,
    });
    expect(USDT?.networks['ERC20']).toMatchObject({ deposit: true });
    expect(Object.keys(ETH?.networks ?? {})).toEqual(['ETH', 'ARBITRUM', 'OPTIMISM', 'BASE']);
  });

  it('reads prices and candles', async () => {
    const bureau = connect();
    const ticker = await bureau.fetchTicker('BTC/USDT');
    expect(ticker).toMatchObject({ symbol: 'BTC/USDT', last: Number(ticker.info.price), close: ticker.last });
    expect(ticker.percentage).toBeCloseTo(ticker.info.change24h * 100, 8);
    expect(Object.keys(await bureau.fetchTickers(['BTC/USDT', 'ETH/USDT']))).toEqual(['BTC/USDT', 'ETH/USDT']);
    expect(Object.keys(await bureau.fetchTickers())).toHaveLength(8);

    const since = bureau.parse8601('2026-01-01T00:00:00Z') ?? 0;
    const until = bureau.parse8601('2026-01-01T05:00:00Z');
    const hours = await bureau.fetchOHLCV('BTC/USDT', '1h', since, 3);
    expect(hours.map(([ts]) => ts)).toEqual([0, 1, 2].map((hour) => since + hour * 3_600_000));
    expect(await bureau.fetchOHLCV('BTC/USDT', '1h', since, undefined, { until })).toHaveLength(6);
    expect(hours[0]?.slice(1).every((value) => typeof value === 'number' && value > 0)).toBe(true);
    for (const timeframe of Object.keys(bureau.timeframes)) {
      expect(await bureau.fetchOHLCV('ETH/USDT', timeframe, undefined, 2)).toHaveLength(2);
    }
    expect(Object.keys(bureau.timeframes)).toHaveLength(13);
  });

  it('trades by amount and by cost, and finds the trades again', async () => {
    const bureau = connect(await operator.createKey(await operator.openAccount({ USDT: '10000' })));
    const bought = await bureau.createOrder('BTC/USDT', 'market', 'buy', 0.01);
    const spent = await bureau.createMarketBuyOrderWithCost('BTC/USDT', 250);
    const sold = await bureau.createMarketSellOrder('BTC/USDT', 0.005);
    const raised = await bureau.createMarketSellOrderWithCost('BTC/USDT', 100);
    const given = await bureau.createOrder('ETH/USDT', 'market', 'buy', 0, undefined, {
      cost: 50,
      clientOrderId: 'mine',
    });
    expect(bought).toMatchObject({ symbol: 'BTC/USDT', side: 'buy', type: 'market', amount: 0.01, filled: 0.01 });
    expect(bought).toMatchObject({ remaining: 0, status: 'closed', fee: { cost: 0 }, average: bought.price });
    expect([spent.cost, sold.amount, sold.side, raised.cost, raised.side]).toEqual([250, 0.005, 'sell', 100, 'sell']);
    expect([given.symbol, given.cost, given.clientOrderId]).toEqual(['ETH/USDT', 50, 'mine']);

    expect(await bureau.fetchOrder(spent.id ?? '')).toEqual(spent);
    expect(await bureau.fetchOrder(given.id ?? '')).toEqual(given);
    expect(ids(await bureau.fetchOrders(undefined, undefined, undefined, { clientOrderId: 'mine' }))).toEqual(
      ids([given]),
    );
    await expect(
      bureau.createMarketBuyOrderWithCost('ETH/USDT', 50, { clientOrderId: 'mine', idempotencyKey: 'another' }),
    ).rejects.toMatchObject({ name: 'DuplicateOrderId', message: expect.stringContaining(given.id ?? '-') as string });
    expect(ids(await bureau.fetchOrders())).toEqual(ids([bought, spent, sold, raised, given]));
    expect(ids(await bureau.fetchOrders('BTC/USDT', undefined, 2))).toEqual(ids([sold, raised]));
    expect(ids(await bureau.fetchClosedOrders(undefined, sold.timestamp, 2))).toEqual(ids([sold, raised]));
    const trades = await bureau.fetchMyTrades('BTC/USDT');
    expect(trades.map(({ order, cost }) => [order, cost])).toEqual(
      [bought, spent, sold, raised].map(({ id, cost }) => [id, cost]),
    );
    expect(ids(await bureau.fetchOrderTrades(sold.id ?? ''))).toEqual([sold.id]);

    const ledger = await bureau.fetchLedger('BTC');
    expect(ledger.map(({ direction, type, amount }) => [direction, type, amount])).toEqual([
      ['in', 'trade', 0.01],
      ['in', 'trade', spent.amount],
      ['out', 'trade', 0.005],
      ['out', 'trade', raised.amount],
    ]);
    const balance = await bureau.fetchBalance();
    expect(balance['BTC']?.free).toBeCloseTo(0.005 + (spent.amount ?? 0) - (raised.amount ?? 0), 8);
    expect([balance['USDT']?.used, balance['USDT']?.free]).toEqual([0, balance['USDT']?.total]);
  });

  it('reads deposits and withdraws', async () => {
    const accountId = await operator.openAccount({ ETH: '1', BTC: '1' });
    const bureau = connect(await operator.createKey(accountId));
    const address = await bureau.fetchDepositAddress('USDT', { network: 'ERC20' });
    expect(address).toMatchObject({ currency: 'USDT', network: 'ERC20', address: expect.stringMatching(/^0x/) });
    expect((await bureau.fetchDepositAddress('BTC')).network).toBe('BTC');
    const networks = Object.keys(await bureau.fetchDepositAddressesByNetwork('ETH'));
    expect(networks).toEqual(['ETH', 'ARBITRUM', 'OPTIMISM', 'BASE']);
    expect((await bureau.fetchDepositAddresses(['BTC', 'LTC'])).map(({ currency }) => currency)).toEqual([
      'BTC',
      'LTC',
    ]);
    await expect(bureau.fetchDepositAddress('ETH')).rejects.toThrow(
      'needs params.network for ETH: one of ETH, ARBITRUM',
    );
    await expect(bureau.fetchDepositAddress('BTC', { network: 'SOL' })).rejects.toThrow(ccxt.BadRequest);

    const paid = await bureau.withdraw('ETH', 0.1, OUTSIDE, undefined, { network: 'ETH' });
    expect(paid).toMatchObject({ type: 'withdrawal', currency: 'ETH', amount: 0.1, network: 'ETH', status: 'ok' });
    expect(paid).toMatchObject({ address: OUTSIDE, fee: { currency: 'ETH', cost: 0.0012 }, internal: false });
    expect(paid.txid).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await bureau.fetchWithdrawal(paid.id ?? '')).toEqual(paid);
    expect(await bureau.fetchWithdrawals('ETH')).toEqual([paid]);
    expect(await bureau.fetchWithdrawals('BTC')).toEqual([]);
    await expect(bureau.withdraw('ETH', 0.1, OUTSIDE, 'memo', { network: 'ETH' })).rejects.toThrow(ccxt.NotSupported);
  });

  it('computes the codes of the second factor from its secret', async () => {
    const accountId = await operator.openAccount({ ETH: '1' });
    const bureau = connect(await operator.createKey(accountId));
    const secret = await operator.enableTotp(accountId);
    bureau.twofa = secret;
    expect((await bureau.withdraw('ETH', 0.1, OUTSIDE, undefined, { network: 'ETH' })).status).toBe('ok');
  });

  it('shows the exchange’s time and status', async () => {
    const bureau = connect();
    expect(Math.abs(((await bureau.fetchTime()) ?? 0) - Date.now())).toBeLessThan(60_000);
    expect((await bureau.fetchStatus()).status).toBe('ok');
  });
});

/** A client that waits for nothing. */
function connectTo(origin: string): Connect {
  return (apiKey, scenario) => {
    const bureau = connect(apiKey, origin, { maxRetriesOnFailure: 0 });
    if (scenario !== undefined) bureau.headers = { 'X-Sandbox-Scenario': scenario };
    return {
      readBalances: () => bureau.fetchBalance(),
      readOrder: (id) => bureau.fetchOrder(id),
      readCandles: (coin) => bureau.fetchOHLCV(`${coin}/USDT`),
      buy: (coin, usdt, idempotencyKey) =>
        bureau.createMarketBuyOrderWithCost(`${coin}/USDT`, Number(usdt), { idempotencyKey }),
      withdraw: ({ asset, amount, address, ...params }) =>
        bureau.withdraw(asset, Number(amount), address, undefined, params),
    };
  };
}

/** The errors that CCXT throws by itself, before it sends anything. */
const foundByCcxt: readonly ProblemCode[] = ['missing_api_key', 'symbol_not_supported'];

/** The class of a code's error in the case of `refusals` that gets it. */
function classOf(code: ProblemCode) {
  const orders: Partial<Record<ProblemCode, typeof BaseError>> = orderErrorClasses;
  const isOfPayout = code === 'precision_exceeded';
  return (isOfPayout ? undefined : orders[code]) ?? errorClasses[code];
}

describe('a refusal', () => {
  it.each(refusals)('with %s is an error of its class', async (code, act) => {
    const fault = await faultOf(act(operator, connectTo(operator.origin)));
    expect(fault.constructor).toBe(classOf(code));
    if (!foundByCcxt.includes(code)) expect(fault.message).toContain(`"code":"${code}"`);
  });

  it.each(playedRefusals)('of %s in a scenario of the sandbox is an error of its class: %s', async (_, code, act) => {
    const fault = await faultOf(act(operator, connectTo(operator.origin)));
    expect(fault.message).toContain(`"code":"${code}"`);
    expect(fault.constructor).toBe(classOf(code));
  });

  it('is one also where no source answers', async () => {
    await operator.withMarket({ sources: 'down' }, async () => {
      for (const [code, act] of refusalsWithoutSources) {
        expect((await faultOf(act(operator, connectTo(operator.origin)))).constructor).toBe(classOf(code));
      }
    });
  });

  it('has a class for every code of the table, and CCXT retries exactly those that the table calls retryable', () => {
    const classes: Record<ProblemCode, typeof BaseError> = errorClasses;
    const table: Record<string, ProblemDefinition> = problems;
    expect(Object.keys(classes).toSorted()).toEqual(Object.keys(table).toSorted());
    for (const [code, { retryable = false }] of Object.entries(table)) {
      expect([code, classes[code as ProblemCode].prototype instanceof OperationFailed]).toEqual([code, retryable]);
    }
  });

  it.each<[string, number, object | undefined, typeof BaseError]>([
    ['an outcome that is unknown', 504, { code: 'outcome_unknown', retryable: true }, RequestTimeout],
    ['a code of tomorrow', 422, { code: 'code_of_tomorrow', retryable: false }, ccxt.ExchangeError],
    ['one that may pass', 503, { code: 'code_of_tomorrow', retryable: true }, ccxt.ExchangeNotAvailable],
    ['a page of something between', 502, undefined, ccxt.ExchangeNotAvailable],
    ['half an answer', 200, undefined, ccxt.BadResponse],
  ])('has a class also when it is %s', async (_, status, body, kind) => {
    const bureau = connect(undefined, 'https://bureau.test', { maxRetriesOnFailure: 0 });
    bureau.fetchImplementation = () =>
      Promise.resolve(new Response(body ? JSON.stringify(body) : '<html>', { status }));
    expect((await faultOf(bureau.fetchTime())).constructor).toBe(kind);
  });

  it('on a network where nobody answers is a NetworkError', async () => {
    expect(await faultOf(connect(undefined, 'http://127.0.0.1:1').fetchTime())).toBeInstanceOf(NetworkError);
  });
});

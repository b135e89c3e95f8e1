import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { systemClock } from '../../clients/bureau-client/src/clock.ts';
import { BureauClient, BureauConnectionError, BureauError } from '../../clients/bureau-client/src/index.ts';
import { type DroppingProxy, startDroppingProxy } from '../support/node/exchange/dropping-proxy.ts';
import { Operator } from '../support/node/exchange/operator.ts';
import { type Connect, NO_VENUES, refusals, refusalsWithoutVenues } from '../support/node/exchange/refusals.ts';
import { type Exchange, startExchange } from '../support/node/exchange/start-exchange.ts';

let exchange: Exchange;
let operator: Operator;

beforeAll(async () => {
  exchange = await startExchange({ bundle: inject('workerBundle') });
  operator = new Operator(exchange.urls[0] ?? '');
});

afterAll(() => exchange.dispose());

const OUTSIDE = '0x52908400098527886E0F7030069857D2E4169EE7';

/** What a call rejects with. */
async function refusalOf(promise: Promise<unknown>): Promise<BureauError> {
  const fault = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(fault instanceof BureauError)) throw new Error('rejected with something else', { cause: fault });
  return fault;
}

it('carries a trader through the whole day', async () => {
  const accountId = await operator.openAccount({ USDT: '10000', ETH: '1' });
  const client = new BureauClient({ origin: operator.origin, apiKey: await operator.createKey(accountId) });

  const { symbols } = await client.getExchangeInfo();
  expect(symbols.map(({ symbol }) => symbol)).toContain('BTC');
  const { ticker } = await client.getTicker('btc');
  const { candles } = await client.listCandles('BTC', { interval: '1h', limit: 24 });
  expect([ticker.pair, candles.length]).toEqual(['BTC-USDT', 24]);
  expect((await client.getStatus()).status).toBe('OK');
  expect((await client.getApiKey()).apiKey.scopes).toEqual(['read', 'trade', 'withdraw']);

  const bought = (await client.placeOrder({ coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.01' })).order;
  const spent = (await client.placeOrder({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '250' })).order;
  const sold = (await client.placeOrder({ coin: 'BTC', side: 'SELL', mode: 'COIN_QTY', value: '0.005' })).order;
  expect([bought.coinAmount, spent.usdtAmount, sold.side]).toEqual(['0.01', '250', 'SELL']);
  expect((await client.getOrder(spent.id)).order).toEqual(spent);

  const { withdrawal } = await client.createWithdrawal({
    asset: 'ETH',
    network: 'ETH',
    amount: '0.1',
    address: OUTSIDE,
  });
  expect((await client.getWithdrawal(withdrawal.id)).withdrawal).toEqual(withdrawal);
  const { balances } = await client.listBalances();
  const { assets } = await client.listAssets();
  const fee = assets
    .find(({ asset }) => asset === 'ETH')
    ?.networks.find(({ network }) => network === 'ETH')?.withdrawFee;
  expect([withdrawal.status, withdrawal.fee]).toEqual(['COMPLETED', fee]);
  expect(balances.find(({ asset }) => asset === 'ETH')?.amount).toBe('0.8988');

  const orders = await Array.fromAsync(client.orders({ pageSize: 2 }));
  const withdrawals = await Array.fromAsync(client.withdrawals());
  const types = (await Array.fromAsync(client.transactions({ pageSize: 1 }))).map(({ type }) => type);
  expect(orders).toEqual([sold, spent, bought]);
  expect(withdrawals).toEqual([withdrawal]);
  expect(types.slice(0, 4)).toEqual(['ONCHAIN_WITHDRAWAL', 'SPOT_SELL', 'SPOT_BUY', 'SPOT_BUY']);
  expect((await client.listAddresses()).addresses).toHaveLength(12);
  expect((await client.listTickers()).degraded).toBe(false);
  expect(Math.abs(Date.parse((await client.getServerTime()).serverTime) - Date.now())).toBeLessThan(60_000);
});

/** A client that does not wait for anything. */
const connectTo =
  (origin: string): Connect =>
  (apiKey) => {
    const client = new BureauClient({ origin, apiKey, attempts: 1 });
    return {
      readBalances: () => client.listBalances(),
      readOrder: (id) => client.getOrder(id),
      readCandles: (coin) => client.listCandles(coin),
      buy: (coin, usdt, idempotencyKey) =>
        client.placeOrder(
          { coin, side: 'BUY', mode: 'USDT_AMOUNT', value: usdt },
          idempotencyKey === undefined ? {} : { idempotencyKey },
        ),
      withdraw: (withdrawal) => client.createWithdrawal(withdrawal as Parameters<typeof client.createWithdrawal>[0]),
    };
  };

describe('a refusal is an error of its code', () => {
  it.each(refusals)('%s', async (code, act) => {
    const error = await refusalOf(act(operator, connectTo(operator.origin)));
    expect(error.code).toBe(code);
    expect(error.requestId).toMatch(/^\S+$/);
    expect(error.detail).toMatch(/\w/);
  });

  it('with the members of its code', async () => {
    const scene = refusals.find(([code]) => code === 'daily_limit_exceeded');
    const error = await refusalOf(scene?.[1](operator, connectTo(operator.origin)) ?? Promise.resolve());
    expect(error.members).toMatchObject({ limit: '49', used: '0', remaining: '49' });
  });

  it('also where no venue answers', async () => {
    const dark = await startExchange({ bundle: inject('workerBundle'), variables: NO_VENUES });
    const origin = dark.urls[0] ?? '';
    try {
      for (const [code, act] of refusalsWithoutVenues) {
        expect((await refusalOf(act(new Operator(origin), connectTo(origin)))).code).toBe(code);
      }
    } finally {
      await dark.dispose();
    }
  });

  it('unless nobody is there', async () => {
    const client = new BureauClient({ origin: 'http://127.0.0.1:1', attempts: 2, random: () => 0 });
    await expect(client.listTickers()).rejects.toThrow(BureauConnectionError);
  });
});

describe('on a network that loses answers', () => {
  const INTENTS = 30;
  let proxy: DroppingProxy;

  beforeAll(async () => {
    proxy = await startDroppingProxy({ target: operator.origin, probability: 0.5, seed: 20_261_124 });
  });

  afterAll(() => proxy.stop());

  it('gets the first order, once, by its own retries', async () => {
    const accountId = await operator.openAccount({ USDT: '10000' });
    const apiKey = await operator.createKey(accountId);
    const client = new BureauClient({ origin: proxy.url, apiKey, attempts: 40, random: () => 0 });
    const told = [];
    for (let value = 10; value < 10 + INTENTS; value += 1) {
      told.push((await client.placeOrder({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: `${value}` })).order);
    }
    expect(proxy.count().dropped).toBeGreaterThan(INTENTS / 4);
    expect(await Array.fromAsync(client.orders())).toEqual(told.toReversed());
  });

  it('is paid out once', async () => {
    const accountId = await operator.openAccount({ USDT: '1000' });
    const client = new BureauClient({
      origin: proxy.url,
      apiKey: await operator.createKey(accountId),
      attempts: 40,
      random: () => 0,
    });
    const told = [];
    for (let value = 20; value < 30; value += 1) {
      const payout = {
        asset: 'USDT',
        network: 'TRC20',
        amount: `${value}`,
        address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC',
      };
      told.push((await client.createWithdrawal({ ...payout, asset: 'USDT' })).withdrawal);
    }
    expect(await Array.fromAsync(client.withdrawals())).toEqual(told.toReversed());
  });
});

// Node's timers overflow; those of workerd do not.
it('wakes a sleeper whose signal aborts, and none before its time', async () => {
  const controller = new AbortController();
  const asleep = systemClock.sleep(60_000, controller.signal);
  const forAges = systemClock.sleep(2 ** 40, controller.signal).then(() => 'ages');
  expect(await Promise.race([forAges, systemClock.sleep(20, undefined).then(() => 'soon')])).toBe('soon');
  controller.abort(new Error('up'));
  await expect(asleep).rejects.toThrow('up');
  await expect(forAges).rejects.toThrow('up');
});

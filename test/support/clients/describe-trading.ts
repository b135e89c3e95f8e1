import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Asset, Balance, Order, Withdrawal } from '../../../clients/bureau-client/src/index.ts';
import type { Scenario } from '../../../src/sandbox/scenario.ts';
import { type DroppingProxy, startDroppingProxy } from '../node/exchange/dropping-proxy.ts';
import { Operator } from '../node/exchange/operator.ts';
import { type Connect, playedRefusals, refusals, refusalsWithoutSources } from '../node/exchange/refusals.ts';
import { type Exchange, startExchange } from '../node/exchange/start-exchange.ts';
import { ClientFault, type ClientLanguage, type DrivenClient, type FaultDetails } from './driven-client.ts';

const OUTSIDE = '0x52908400098527886E0F7030069857D2E4169EE7';
const OUTSIDE_TRON = 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC';

/** The rows that the cases look into; everything else is compared whole. */
interface Bodies {
  readonly listAssets: { assets: Asset[] };
  readonly listBalances: { balances: Balance[] };
  readonly placeOrder: { order: Order };
  readonly createWithdrawal: { withdrawal: Withdrawal };
  readonly getWithdrawal: { withdrawal: Withdrawal };
}

function ask<Name extends keyof Bodies>(client: DrivenClient, operation: Name, body?: object): Promise<Bodies[Name]> {
  return client.call({ operation, ...(body && { body }) }) as Promise<Bodies[Name]>;
}

const order = (side: 'BUY' | 'SELL', mode: 'COIN_QTY' | 'USDT_AMOUNT', value: string) => ({
  coin: 'BTC',
  side,
  mode,
  value,
});

/** What a call rejects with. */
async function faultOf(promise: Promise<unknown>): Promise<FaultDetails> {
  const fault = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(fault instanceof ClientFault)) throw new Error('rejected with something else', { cause: fault });
  return fault.details;
}

/** What every client does with a real exchange, whatever its language: the deployed bundle, over HTTP. */
export function describeTrading(bundle: string, open: () => ClientLanguage): void {
  let exchange: Exchange;
  let operator: Operator;
  let language: ClientLanguage;

  beforeAll(async () => {
    exchange = await startExchange({ bundle });
    operator = new Operator(exchange.urls[0] ?? '');
    language = open();
  });

  afterAll(async () => {
    await language.close();
    await exchange.dispose();
  });

  /** Clients of an exchange that do not wait for anything. */
  const connectTo =
    (origin: string): Connect =>
    (apiKey, scenario) => {
      const client = language.connect({ origin, apiKey, attempts: 1, scenario });
      return {
        readBalances: () => client.call({ operation: 'listBalances' }),
        readOrder: (id) => client.call({ operation: 'getOrder', path: [id] }),
        readCandles: (coin) => client.call({ operation: 'listCandles', path: [coin] }),
        buy: (coin, usdt, idempotencyKey) =>
          client.call({
            operation: 'placeOrder',
            body: { ...order('BUY', 'USDT_AMOUNT', usdt), coin },
            ...(idempotencyKey !== undefined && { options: { idempotencyKey } }),
          }),
        withdraw: (withdrawal) => client.call({ operation: 'createWithdrawal', body: withdrawal }),
      };
    };

  it('carries a trader through the whole day', async () => {
    const accountId = await operator.openAccount({ USDT: '10000' });
    await operator.giveDeposit(accountId, 'ETH', 'ETH', '1');
    const apiKey = await operator.createKey(accountId);
    const client = language.connect({ origin: operator.origin, apiKey });

    expect(await client.call({ operation: 'getExchangeInfo' })).toMatchObject({
      symbols: expect.arrayContaining([expect.objectContaining({ symbol: 'BTC' })]) as unknown,
    });
    expect(await client.call({ operation: 'getTicker', path: ['btc'] })).toMatchObject({
      ticker: { pair: 'BTC-USDT' },
    });
    const candles = { operation: 'listCandles', path: ['BTC'], query: { interval: '1h', limit: 24 } };
    expect(await client.call(candles)).toMatchObject({ candles: { length: 24 } });
    expect(await client.call({ operation: 'getStatus' })).toMatchObject({ status: 'OK' });
    expect(await client.call({ operation: 'getApiKey' })).toMatchObject({
      apiKey: { scopes: ['read', 'trade', 'withdraw'] },
    });
    const previewed = { operation: 'previewOrder', body: order('BUY', 'USDT_AMOUNT', '250') };
    expect(await client.call(previewed)).toMatchObject({ preview: { usdtAmount: '250' } });

    const bought = (await ask(client, 'placeOrder', order('BUY', 'COIN_QTY', '0.01'))).order;
    const spent = (await ask(client, 'placeOrder', order('BUY', 'USDT_AMOUNT', '250'))).order;
    const sold = (await ask(client, 'placeOrder', order('SELL', 'COIN_QTY', '0.005'))).order;
    expect([bought.coinAmount, spent.usdtAmount, sold.side]).toEqual(['0.01', '250', 'SELL']);
    expect(await client.call({ operation: 'getOrder', path: [spent.id] })).toEqual({ order: spent });

    const payout = { asset: 'ETH', network: 'ETH', amount: '0.1', address: OUTSIDE };
    const { withdrawal } = await ask(client, 'createWithdrawal', payout);
    expect(await client.call({ operation: 'getWithdrawal', path: [withdrawal.id] })).toEqual({ withdrawal });
    const { assets } = await ask(client, 'listAssets');
    const networks = assets.find(({ asset }) => asset === 'ETH')?.networks;
    const fee = networks?.find(({ network }) => network === 'ETH')?.withdrawFee;
    expect([withdrawal.status, withdrawal.fee]).toEqual(['COMPLETED', fee]);
    const { balances } = await ask(client, 'listBalances');
    expect(balances.find(({ asset }) => asset === 'ETH')?.amount).toBe('0.8988');

    expect(await client.walk('orders', { pageSize: 2 })).toEqual([sold, spent, bought]);
    expect(await client.walk('withdrawals')).toEqual([withdrawal]);
    const types = (await client.walk('transactions', { pageSize: 1 })).map((row) => (row as { type: string }).type);
    expect(types).toEqual([
      'ONCHAIN_WITHDRAWAL',
      'SPOT_SELL',
      'SPOT_BUY',
      'SPOT_BUY',
      'ONCHAIN_DEPOSIT',
      'INTERNAL_DEPOSIT',
    ]);
    expect(await client.walk('orders', { pageSize: 1, filter: { side: 'BUY' } })).toEqual([spent, bought]);
    expect(await client.walk('withdrawals', { filter: { asset: 'BTC' } })).toEqual([]);
    const [credited, ...rest] = await client.walk('deposits', { pageSize: 1, filter: { asset: 'ETH' } });
    expect([credited, rest]).toMatchObject([{ asset: 'ETH', amount: '1', status: 'COMPLETED' }, []]);
    const { id } = credited as { id: string };
    expect(await client.call({ operation: 'getDeposit', path: [id] })).toEqual({ deposit: credited });
    expect(await client.call({ operation: 'listAddresses' })).toMatchObject({ addresses: { length: 12 } });
    expect(await client.call({ operation: 'listTickers' })).toMatchObject({ degraded: false });
    const { serverTime } = (await client.call({ operation: 'getServerTime' })) as { serverTime: string };
    expect(Math.abs(Date.parse(serverTime) - Date.now())).toBeLessThan(60_000);
  });

  it('reads the events of the account in order, each once, and goes on after any of them', async () => {
    const accountId = await operator.openAccount({ USDT: '1000', ETH: '1' });
    const client = language.connect({ origin: operator.origin, apiKey: await operator.createKey(accountId) });
    const funded = (await client.walk('events')) as { sequence: number; type: string }[];
    expect(funded.map(({ sequence, type }) => `${sequence} ${type}`)).toEqual([
      '1 deposit.completed',
      '2 deposit.completed',
    ]);
    const placed = [];
    for (let times = 0; times < 3; times += 1) {
      placed.push((await ask(client, 'placeOrder', order('BUY', 'USDT_AMOUNT', '10'))).order);
    }
    const payout = { asset: 'ETH', network: 'ETH', amount: '0.1', address: OUTSIDE };
    await ask(client, 'createWithdrawal', payout);
    const events = (await client.walk('events', { after: 2, pageSize: 2 })) as {
      sequence: number;
      type: string;
      data: object;
    }[];
    expect(events.map(({ sequence, type }) => `${sequence} ${type}`)).toEqual([
      '3 order.filled',
      '4 order.filled',
      '5 order.filled',
      '6 withdrawal.processing',
      '7 withdrawal.completed',
    ]);
    expect(events.slice(0, 3).map(({ data }) => data)).toEqual(placed.map((filled) => ({ order: filled })));
    expect(await client.walk('events', { after: 5, pageSize: 1 })).toEqual(events.slice(3));
    expect(await client.walk('events', { types: ['withdrawal.completed'] })).toEqual(events.slice(4));
    expect(await client.walk('events', { after: 7 })).toEqual([]);
  });

  it('has every operation of the document under its name', async () => {
    const client = language.connect({ origin: operator.origin });
    const document = (await client.call({ operation: 'getOpenApi' })) as {
      paths: Record<string, Record<string, { operationId: string; responses: object }>>;
    };
    // All sockets are opened by one method.
    const names = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId, responses }) => ('101' in responses ? 'stream' : operationId)),
    );
    expect(names.length).toBeGreaterThan(15);
    expect(await language.listOperations()).toEqual(expect.arrayContaining(names));
  });

  describe('a refusal is an error of its code', () => {
    it.each(refusals)('%s', async (code, act) => {
      const fault = await faultOf(act(operator, connectTo(operator.origin)));
      expect(fault).toMatchObject({ kind: 'refused', code });
      expect(fault.requestId).toMatch(/^\S+$/);
      expect(fault.detail).toMatch(/\w/);
    });

    it('with the members of its code', async () => {
      const scene = refusals.find(([code]) => code === 'daily_limit_exceeded');
      const fault = await faultOf(scene?.[1](operator, connectTo(operator.origin)) ?? Promise.resolve());
      expect(fault.members).toMatchObject({ limit: '49', used: '0', remaining: '49' });
    });

    it('with every field that is wrong', async () => {
      const client = language.connect({
        origin: operator.origin,
        apiKey: await operator.createKey(await operator.openAccount()),
      });
      const fault = await faultOf(
        ask(client, 'placeOrder', { coin: 'BTC', side: 'buy', mode: 'USDT_AMOUNT', value: 1 }),
      );
      expect(fault.errors).toEqual([
        expect.objectContaining({ pointer: '/side' }),
        expect.objectContaining({ pointer: '/value' }),
      ]);
    });

    it('also where no source answers', async () => {
      await operator.withMarket({ sources: 'down' }, async () => {
        for (const [code, act] of refusalsWithoutSources) {
          expect(await faultOf(act(operator, connectTo(operator.origin)))).toMatchObject({ code });
        }
      });
    });

    it('where the market has moved beyond an order’s limit', async () => {
      const apiKey = await operator.createKey(await operator.openAccount({ USDT: '1000' }));
      const client = language.connect({ origin: operator.origin, apiKey });
      const limited = { ...order('BUY', 'USDT_AMOUNT', '100'), limitPrice: '65000' };
      await operator.withMarket({ prices: { BTC: '70000' } }, async () => {
        expect(await faultOf(ask(client, 'placeOrder', limited))).toMatchObject({ code: 'price_limit_exceeded' });
        await operator.operate('PATCH', '/sandbox/market', { prices: { BTC: '60000' } });
        const { order: placed } = await ask(client, 'placeOrder', limited);
        expect(Number(placed.coinAmount)).toBeCloseTo(100 / 60_000, 4);
      });
    });

    it('unless nobody is there', async () => {
      const client = language.connect({ origin: 'http://127.0.0.1:1', attempts: 2 });
      expect(await faultOf(client.call({ operation: 'listTickers' }))).toMatchObject({ kind: 'lost', attempts: 2 });
    });
  });

  describe('in a scenario of the sandbox', () => {
    it.each(playedRefusals)('%s is refused: %s', async (_, code, act) => {
      expect(await faultOf(act(operator, connectTo(operator.origin)))).toMatchObject({ kind: 'refused', code });
    });

    async function stage(scenario: Scenario) {
      const settings = {
        origin: operator.origin,
        apiKey: await operator.createKey(await operator.openAccount({ USDT: '1000' })),
      };
      return { client: language.connect({ ...settings, scenario }), calm: language.connect(settings) };
    }

    const balanceOf = async (client: DrivenClient) =>
      (await ask(client, 'listBalances')).balances.find(({ asset }) => asset === 'USDT')?.amount;

    it.each([
      ['of an unknown outcome is found', 'outcome_unknown'],
      ['that was turned away is placed', 'service_unavailable'],
    ] as const)('an order %s by the client’s own retry, and was placed once', async (_, scenario) => {
      const { client, calm } = await stage(scenario);
      const { order: placed } = await ask(client, 'placeOrder', order('BUY', 'USDT_AMOUNT', '100'));
      expect(await calm.walk('orders')).toEqual([placed]);
      expect(await balanceOf(calm)).toBe('900');
      // Requests that a scenario is not for are answered as ever.
      expect(await client.walk('orders')).toEqual([placed]);
    });

    it('an order that the house rejects moves nothing, and the next one fills', async () => {
      const { client, calm } = await stage('order_rejected');
      await faultOf(ask(client, 'placeOrder', order('BUY', 'USDT_AMOUNT', '100')));
      expect([await calm.walk('orders'), await balanceOf(calm)]).toEqual([[], '1000']);
      await ask(calm, 'placeOrder', order('BUY', 'USDT_AMOUNT', '100'));
      expect(await balanceOf(calm)).toBe('900');
    });

    const payout = { asset: 'USDT', network: 'TRC20', amount: '50', address: OUTSIDE_TRON };

    it('a withdrawal that the custodian refuses fails, and the money is back', async () => {
      const { client, calm } = await stage('custodian_refuses');
      const { withdrawal } = await ask(client, 'createWithdrawal', payout);
      expect(withdrawal).toMatchObject({ status: 'FAILED', reason: 'refused' });
      expect(await balanceOf(calm)).toBe('1000');
    });

    it('a withdrawal whose custodian does not answer stays under way, with its money held', async () => {
      const { client, calm } = await stage('custodian_hangs');
      const { withdrawal } = await ask(client, 'createWithdrawal', payout);
      expect(withdrawal.status).toBe('PROCESSING');
      await exchange.probe.schedule();
      const read = { operation: 'getWithdrawal', path: [withdrawal.id] };
      expect(await calm.call(read)).toMatchObject({ withdrawal: { status: 'PROCESSING' } });
      expect(await balanceOf(calm)).toBe('949');
    });

    it('a withdrawal that is paid late is found paid by the sweep', async () => {
      const { client, calm } = await stage('custodian_pays_late');
      const { withdrawal } = await ask(client, 'createWithdrawal', payout);
      expect(withdrawal.status).toBe('PROCESSING');
      const look = async () => {
        // The sweep first asks about a withdrawal after 30 seconds, which are not waited for.
        await exchange.probe.query("UPDATE withdrawals SET next_ask_at = 0 WHERE status = 'PROCESSING'");
        await exchange.probe.schedule();
        const read = { operation: 'getWithdrawal', path: [withdrawal.id] };
        return ((await calm.call(read)) as Bodies['getWithdrawal']).withdrawal.status;
      };
      await expect.poll(look, { timeout: 75_000, interval: 500 }).toBe('COMPLETED');
      expect(await balanceOf(calm)).toBe('949');
    });
  });

  describe('on a network that loses answers', () => {
    const INTENTS = 30;
    let proxy: DroppingProxy;

    beforeAll(async () => {
      proxy = await startDroppingProxy({ target: operator.origin, probability: 0.5, seed: 20_261_124 });
    });

    afterAll(() => proxy.stop());

    async function openLossy(): Promise<DrivenClient> {
      const apiKey = await operator.createKey(await operator.openAccount({ USDT: '10000' }));
      return language.connect({ origin: proxy.url, apiKey, attempts: 40 });
    }

    it('gets the first order, once, by its own retries', async () => {
      const client = await openLossy();
      const told = [];
      for (let value = 10; value < 10 + INTENTS; value += 1) {
        told.push((await ask(client, 'placeOrder', order('BUY', 'USDT_AMOUNT', `${value}`))).order);
      }
      expect(proxy.count().dropped).toBeGreaterThan(INTENTS / 4);
      expect(await client.walk('orders')).toEqual(told.toReversed());
    });

    it('is paid out once', async () => {
      const client = await openLossy();
      const told = [];
      for (let value = 20; value < 30; value += 1) {
        const payout = { asset: 'USDT', network: 'TRC20', amount: `${value}`, address: OUTSIDE_TRON };
        told.push((await ask(client, 'createWithdrawal', payout)).withdrawal);
      }
      expect(await client.walk('withdrawals')).toEqual(told.toReversed());
    });
  });
}

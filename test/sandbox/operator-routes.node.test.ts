import { readFileSync } from 'node:fs';
import { describe, expect, inject, it } from 'vitest';
import type { MoveMarket } from '../../src/sandbox/market.ts';
import { makeTemporaryFolder } from '../../scripts/temporary-folder.ts';
import { BUY } from '../support/client.ts';
import { Operator } from '../support/node/exchange/operator.ts';
import { startExchange } from '../support/node/exchange/start-exchange.ts';
import { publicSecrets as tokens } from '../../src/public-secrets.ts';
import { openExchange } from '../support/node/exchange/open-exchange.ts';

const BUNDLE = inject('workerBundle');

const { exchange, operator } = await openExchange({ site: true });

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function answerOf(asked: Promise<Response>): Promise<Answer> {
  const response = await asked;
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const operate = (method: string, path: string, body: unknown) =>
  answerOf(operator.ask(method, `/sandbox${path}`, body));
const move = (change: MoveMarket) => operate('PATCH', '/market', change);
const countAudit = () => exchange.probe.query<{ rows: number }>('SELECT count(*) AS rows FROM audit');

async function openTrader() {
  const client = await operator.openClient({ USDT: '100000' });
  const ask = (path: string, coin: string) => answerOf(client.post(path, { ...BUY, coin, value: '5' }));
  return {
    accountId: client.accountId,
    preview: (coin: string) => ask('/api/v1/orders/preview', coin),
    buy: (coin: string) => ask('/api/v1/orders', coin),
    read: (path: string) => answerOf(client.get(`/api/v1${path}`)),
  };
}

const priceOf = ({ body }: Answer) => Number((body['order'] as { executedPrice?: string } | undefined)?.executedPrice);

describe('the operator of a sandbox moves the market:', () => {
  it('orders that come without a pause fill at the new price from the answer on', async () => {
    const { buy, preview } = await openTrader();
    expect(priceOf(await buy('ETH'))).toBeLessThan(7_000);
    const progress = { isOver: false };
    const moving = move({ prices: { ETH: '9000' } }).finally(() => {
      progress.isOver = true;
    });
    while (!progress.isOver) await buy('ETH');
    const filled = priceOf(await buy('ETH'));
    expect(await moving).toEqual({ status: 200, body: { market: { prices: { ETH: '9000' }, sources: 'up' } } });
    expect(filled / 9_000).toBeCloseTo(1.002, 3);
    expect(JSON.stringify((await preview('ETH')).body)).toContain('"executedPrice":"90');
    expect(await move({ prices: { ETH: null } })).toMatchObject({ body: { market: { prices: {} } } });
    expect(priceOf(await buy('ETH'))).toBeLessThan(7_000);
  });

  it('tickers and candles show it, the candle from the moment of the move', async () => {
    const { read } = await openTrader();
    await move({ prices: { LTC: '1234.5' } });
    expect((await read('/markets/LTC')).body).toMatchObject({ ticker: { price: '1234.5' }, degraded: false });
    const { body } = await read('/markets/LTC/candles?interval=1h&limit=2');
    const [before, now] = body['candles'] as { open: string; high: string; low: string; close: string }[];
    expect(Number(before?.high)).toBeLessThan(500);
    expect(now).toMatchObject({ open: before?.close, high: '1234.5', close: '1234.5' });
    expect(Number(now?.low)).toBeLessThan(500);
    await move({ prices: { LTC: null } });
  });

  it('while no source answers, orders and candles are refused, and tickers are degraded', async () => {
    const { buy, read } = await openTrader();
    await buy('BTC');
    await move({ sources: 'down' });
    expect((await buy('BTC')).body).toMatchObject({ code: 'price_unavailable' });
    expect((await read('/markets/BTC/candles?interval=3m')).body).toMatchObject({ code: 'upstream_unavailable' });
    expect((await read('/markets/BTC')).body).toMatchObject({ degraded: true });
    expect((await read('/status')).body).toMatchObject({ status: 'DEGRADED', prices: 'DEGRADED' });
    await move({ sources: 'up' });
    expect((await buy('BTC')).status).toBe(201);
  });

  it('while the sources dispute, orders are refused, and tickers show one source’s price', async () => {
    const { buy, read } = await openTrader();
    await move({ sources: 'disputed' });
    expect((await buy('DOGE')).body).toMatchObject({ code: 'price_unavailable' });
    const { ticker, degraded } = (await read('/markets/DOGE')).body as {
      ticker: { sources: string[] };
      degraded: boolean;
    };
    expect([ticker.sources.length, degraded]).toEqual([1, false]);
    await move({ sources: 'up' });
    expect((await buy('DOGE')).status).toBe(201);
  });

  it('what it has moved lasts when the exchange starts again', async () => {
    using storage = makeTemporaryFolder('market');
    const withExchange = async <T>(act: (own: Operator) => Promise<T>) => {
      await using own = await startExchange({ bundle: BUNDLE, storage: storage.path });
      return await act(new Operator(own.urls[0] ?? ''));
    };
    await withExchange((own) => own.operate('PATCH', '/sandbox/market', { prices: { BNB: '777' } }));
    await withExchange(async (own) => {
      const ticker = await fetch(`${own.origin}/api/v1/markets/BNB`);
      expect(await ticker.json()).toMatchObject({ ticker: { price: '777' } });
      expect(await own.operate('PATCH', '/sandbox/market', {})).toEqual({
        market: { prices: { BNB: '777' }, sources: 'up' },
      });
    });
  });

  it('each change is a row of the audit', async () => {
    await move({ prices: { AVAX: '50' } });
    await move({ prices: { AVAX: null }, sources: 'up' });
    const rows = await exchange.probe.query(
      "SELECT role, action, target, detail FROM audit WHERE action = 'move_market' ORDER BY id DESC LIMIT 2",
    );
    const row = { role: 'operator', action: 'move_market', target: 'sandbox' };
    expect(rows).toEqual([
      { ...row, detail: '{"prices":{"AVAX":null},"sources":"up"}' },
      { ...row, detail: '{"prices":{"AVAX":"50"}}' },
    ]);
  });

  it.each([
    ['an unknown member', { price: { BTC: '1' } }, '/price'],
    ['an unknown coin', { prices: { XMR: '1' } }, '/prices/XMR'],
    ['a price of nothing', { prices: { BTC: '0' } }, '/prices/BTC'],
    ['a number', { prices: { BTC: 70_000 } }, '/prices/BTC'],
    ['an unknown state', { sources: 'away' }, '/sources'],
  ])('%s is refused by its name, and nothing changes', async (_, body, pointer) => {
    const before = await countAudit();
    expect(await operate('PATCH', '/market', body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ pointer }] },
    });
    expect(await countAudit()).toEqual(before);
  });
});

describe('the operator of a sandbox gives a deposit:', () => {
  it('it credits the account’s own address, by the code of the custodian’s report; each call makes a new deposit', async () => {
    const { accountId, read } = await openTrader();
    const wanted = { accountId, asset: 'BTC', network: 'BTC', amount: '0.5' };
    const { status, body } = await operate('POST', '/deposits', wanted);
    const deposit = body['deposit'] as { id: string; address: string };
    expect([status, deposit]).toEqual([
      201,
      expect.objectContaining({ accountId, status: 'COMPLETED', creditAmount: '0.5', reason: null }),
    ]);
    expect((await read('/wallet/addresses')).body['addresses']).toContainEqual(
      expect.objectContaining({ network: 'BTC', address: deposit.address }),
    );
    await operate('POST', '/deposits', wanted);
    expect((await read('/wallet/balances')).body['balances']).toContainEqual({ asset: 'BTC', amount: '1' });
    const { transactions } = (await read('/wallet/transactions')).body as { transactions: { type: string }[] };
    expect(transactions.map(({ type }) => type)).toEqual(['ONCHAIN_DEPOSIT', 'ONCHAIN_DEPOSIT', 'INTERNAL_DEPOSIT']);
    const rows = await exchange.probe.query<{ target: string }>(
      "SELECT target FROM audit WHERE action = 'report_deposit' ORDER BY id",
    );
    expect(rows.map(({ target }) => target)).toContain(deposit.id);
  });

  it.each(['SOL', 'TRC20', 'BEP20'])('on %s, with a transaction in its form', async (network) => {
    const { accountId } = await openTrader();
    const { body } = await operate('POST', '/deposits', { accountId, asset: 'USDC', network, amount: '20' });
    expect(body).toMatchObject(
      network === 'TRC20'
        ? { deposit: { status: 'QUARANTINED', reason: 'unsupported_asset' } }
        : { deposit: { status: 'COMPLETED', creditAmount: '20' } },
    );
  });

  it.each([
    ['below the minimum', { amount: '0.00000001' }, 'below_minimum'],
    ['of more than may be owed', { amount: '90000000' }, 'supply_cap'],
  ])('one %s is quarantined', async (_, change, reason) => {
    const { accountId } = await openTrader();
    const wanted = { accountId, asset: 'BTC', network: 'BTC', ...change };
    expect((await operate('POST', '/deposits', wanted)).body).toMatchObject({
      deposit: { status: 'QUARANTINED', reason },
    });
  });

  it.each([
    ['an account that is not there', { accountId: '01a1fcca-895a-7000-b43c-11f474a4f8d5' }, 404, 'not_found'],
    ['a network that is not there', { network: 'XMR' }, 422, 'network_not_supported'],
    ['an unknown member', { txHash: '00' }, 400, 'invalid_request'],
    ['an amount that is none', { amount: '-1' }, 400, 'invalid_request'],
  ])('%s is refused, and nothing is written', async (_, change, status, code) => {
    const { accountId } = await openTrader();
    const before = await countAudit();
    const wanted = { accountId, asset: 'BTC', network: 'BTC', amount: '1', ...change };
    expect(await operate('POST', '/deposits', wanted)).toMatchObject({ status, body: { code } });
    expect(await countAudit()).toEqual(before);
  });
});

describe.each([
  ['PATCH', '/market', { sources: 'up' }],
  ['POST', '/deposits', { accountId: 'a', asset: 'BTC', network: 'BTC', amount: '1' }],
])('%s %s', (method, path, body) => {
  it.each([
    ['without a token', '', 401, 'invalid_operator_token'],
    ['with the custodian’s token', tokens['DEPOSIT_TOKEN'], 403, 'insufficient_role'],
    ['with the auditor’s token', tokens['AUDITOR_TOKEN'], 403, 'insufficient_role'],
  ])('is refused %s', async (_, token, status, code) => {
    const asked = new Operator(operator.origin, token).ask(method, `/sandbox${path}`, body);
    expect(await answerOf(asked)).toMatchObject({ status, body: { code } });
  });
});

it('the document that a sandbox serves to its operator is the committed one', async () => {
  expect(await operator.operate('GET', '/openapi.json')).toEqual(
    JSON.parse(readFileSync('docs/openapi.operator.json', 'utf8')),
  );
});

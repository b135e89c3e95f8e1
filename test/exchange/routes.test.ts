import { describe, expect, it, vi, beforeEach } from 'vitest';
import { AssetList, ExchangeInfo, ServerTime, Status } from '../../src/exchange/schemas.ts';
import { emptyEdgeCache } from '../support/runtime/edge-cache.ts';
import { asOperator, json, openTrader, send, expectCode } from '../support/exchange.ts';
import { CONNECTION_LOST } from '../support/runtime/faults.ts';
import { databaseInternals } from '../support/runtime/meter.ts';
import { setSettings } from '../support/withdrawals/withdrawals.ts';

const cached = ['assets', 'exchange-info', 'status'];

// Answers in the edge cache would hide what a test changes.
beforeEach(emptyEdgeCache);

describe.each(cached)('GET /api/v1/%s', (name) => {
  it('is public, and cached for some seconds at most', async () => {
    const response = await send(`/api/v1/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('Cache-Control')).toMatch(/^public, max-age=[45]$/);
    const tag = response.headers.get('ETag') ?? '';
    expect((await send(`/api/v1/${name}`, { headers: { 'If-None-Match': tag } })).status).toBe(304);
  });

  it('reads neither the ledger nor the hub while it is cached', async () => {
    const first = await (await send(`/api/v1/${name}`)).text();
    const sends = vi.spyOn(databaseInternals(), '_send');
    expect(await (await send(`/api/v1/${name}?nonsense=1`)).text()).toBe(first);
    expect(sends).not.toHaveBeenCalled();
  });

  it('is private with a key, and counts in its read bucket', async () => {
    const { headers } = await (await openTrader()).get(`/api/v1/${name}`);
    expect(headers.get('Cache-Control')).toMatch(/^private, max-age=\d$/);
    expect(headers.get('RateLimit')).toContain('"read-minute"');
  });
});

it('GET /api/v1/assets shows what the operator has paused', async () => {
  await setSettings({ pausedNetworks: ['TRC20'] });
  const { assets } = AssetList.parse(await json(await send('/api/v1/assets')));
  const listed = assets.flatMap(({ networks }) => networks);
  expect(listed.filter(({ withdrawEnabled }) => !withdrawEnabled).map(({ network }) => network)).toEqual(['TRC20']);
});

describe('a network or an asset whose deposits are paused, or which nobody watches', () => {
  it('is shown as one that takes none, keeps its address, and has what arrives all the same credited', async () => {
    await setSettings({ pausedDeposits: { networks: ['LTC'], assets: ['USDC'] } });
    const { assets } = AssetList.parse(await json(await send('/api/v1/assets')));
    const standing = assets.flatMap(({ asset, networks }) =>
      networks.map(({ network, deposits }) => [`${asset} ${network}`, deposits] as const),
    );
    expect(Object.fromEntries(standing)).toMatchObject({
      'LTC LTC': 'PAUSED',
      'USDC ETH': 'PAUSED',
      'USDT TRC20': 'UNSERVED',
      'USDT SOL': 'UNSERVED',
      'USDT ETH': 'OPEN',
    });
    const trader = await openTrader();
    expect((await json<{ addresses: unknown[] }>(await trader.get('/api/v1/wallet/addresses'))).addresses).toHaveLength(
      12,
    );
    const address = await trader.addressOn('LTC');
    const report = { network: 'LTC', asset: 'LTC', amount: '3', address, txHash: 'ab'.repeat(32), confirmations: 99 };
    const { deposit } = await json<{ deposit: { status: string } }>(await asOperator('POST', '/deposits', report));
    expect(deposit.status).toBe('COMPLETED');
    expect((await trader.balances())['LTC']).toBe('3');
  });
});

it('GET /api/v1/exchange-info shows the configured bounds and a halt', async () => {
  await setSettings({ tradingHalted: true });
  const { symbols } = ExchangeInfo.parse(await json(await send('/api/v1/exchange-info')));
  expect(symbols[1]).toMatchObject({ symbol: 'BTC', status: 'HALTED', minNotional: '1', maxNotional: '50000' });
});

it('GET /api/v1/time is the present time, and is not cached', async () => {
  const before_ms = Date.now();
  const response = await send('/api/v1/time');
  const { serverTime } = ServerTime.parse(await json(response));
  expect(Date.parse(serverTime)).toBeGreaterThanOrEqual(before_ms);
  expect(Date.parse(serverTime)).toBeLessThanOrEqual(Date.now());
  expect(response.headers.get('Cache-Control')).toBe('no-store');
});

describe('GET /api/v1/status', () => {
  const read = async () => Status.parse(await json(await send('/api/v1/status')));

  it('is OK in the sandbox, and HALTED once the operator halts something', async () => {
    expect(await read()).toEqual({ status: 'OK', trading: 'OK', withdrawals: 'OK', prices: 'OK' });
    await emptyEdgeCache();
    await setSettings({ withdrawalsHalted: true });
    expect(await read()).toMatchObject({ status: 'HALTED', trading: 'OK', withdrawals: 'HALTED' });
  });

  it('answers DEGRADED when the ledger cannot be read', async () => {
    vi.spyOn(databaseInternals(), '_send').mockRejectedValue(new Error(CONNECTION_LOST));
    expect(await read()).toMatchObject({ status: 'DEGRADED', trading: 'DEGRADED', prices: 'OK' });
  });
});

it.each(['assets', 'exchange-info'])(
  'without the ledger %s is 503 instead of an answer that may be wrong',
  async (name) => {
    vi.spyOn(databaseInternals(), '_send').mockRejectedValue(new Error(CONNECTION_LOST));
    const response = await send(`/api/v1/${name}`);
    await expectCode(response, '503 service_unavailable');
  },
);

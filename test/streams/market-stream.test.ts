import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { PriceHub } from '../../src/markets/price-hub.ts';
import { nameShard } from '../../src/markets/reach-shard.ts';
import { reachHub } from '../../src/markets/read-hub.ts';
import { MarketStream } from '../../src/streams/market-stream.ts';
import { type ProblemBody, json, openTrader, send } from '../support/exchange.ts';
import { abort } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { MARKET_STREAM, StreamClient, upgrade } from '../support/streams/stream-client.ts';
import { waitFor } from '../support/wait-for.ts';
import { setSettings } from '../support/withdrawals/withdrawals.ts';

const hub = () => reachHub(env);

/** Every test has an address of its own, and so sockets of its own. */
let address = 0;
beforeEach(() => {
  address += 1;
});
const from = () => ({ 'CF-Connecting-IP': `198.51.100.${address}` });
const shard = () => env.MARKET_STREAM.getByName(nameShard(env, from()['CF-Connecting-IP']));

const open = (headers: Record<string, string> = {}) => StreamClient.open(MARKET_STREAM, { ...from(), ...headers });

const subscribe = (channel: string, params: object = {}) => ({
  method: 'subscribe',
  params: { channel, ...params },
  reqId: 7,
});

/** Has the hub make a round, a second later than the one before. */
async function makeRound(): Promise<void> {
  vi.setSystemTime(Date.now() + 8_000);
  await runDurableObjectAlarm(hub());
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 * (address + 1) });
});

describe('the market’s stream', () => {
  it('answers a subscription with all tickers, and sends each round whole, under a number that ascends', async () => {
    const stream = await open();
    stream.send(subscribe('tickers'));
    const first = await stream.next();
    expect(first).toMatchObject({ channel: 'tickers', type: 'snapshot', reqId: 7, degraded: false });
    const { tickers } = await json<{ tickers: { symbol: string }[] }>(await send('/api/v1/markets/tickers'));
    expect(first.data?.map(({ symbol }) => symbol)).toEqual(tickers.map(({ symbol }) => symbol));
    await makeRound();
    const second = await stream.next();
    expect([second.type, second.data?.length]).toEqual(['update', tickers.length]);
    expect(second.round).toBeGreaterThan(first.round ?? 0);
  });

  it('sends the wanted symbols alone, in any case, and refuses others', async () => {
    const stream = await open();
    stream.send(subscribe('tickers', { symbols: ['eth', 'BTC'] }));
    expect((await stream.next()).data?.map(({ symbol }) => symbol).toSorted()).toEqual(['BTC', 'ETH']);
    await makeRound();
    expect((await stream.next()).data?.map(({ symbol }) => symbol).toSorted()).toEqual(['BTC', 'ETH']);
    stream.send(subscribe('tickers', { symbols: ['XYZ'] }));
    expect(await stream.next()).toMatchObject({ type: 'problem', reqId: 7, problem: { code: 'invalid_request' } });
  });

  it('sends one round a second at most, however many are made', async () => {
    const stream = await open();
    stream.send(subscribe('tickers'));
    await stream.next();
    await makeRound();
    await stream.next();
    vi.setSystemTime(Date.now() + 500);
    await hub().snapshot({ maxAge_ms: 0 });
    vi.setSystemTime(Date.now() + 600);
    await hub().snapshot({ maxAge_ms: 0 });
    await stream.next();
    expect(stream.messages).toHaveLength(3);
  });

  it('tells the status, and tells it again when it is another one', async () => {
    const stream = await open();
    stream.send(subscribe('status'));
    expect(await stream.next()).toMatchObject({ channel: 'status', type: 'snapshot', data: { trading: 'OK' } });
    await makeRound();
    await setSettings({ tradingHalted: true });
    await makeRound();
    expect(await stream.next()).toMatchObject({ type: 'update', data: { trading: 'HALTED' } });
    await setSettings({ tradingHalted: false });
  });

  it('goes on after its object slept, and after the hub was reset', async () => {
    const stream = await open();
    stream.send(subscribe('tickers', { symbols: ['BTC'] }));
    await stream.next();
    await evictDurableObject(shard(), { webSockets: 'hibernate' } as never);
    await makeRound();
    expect((await stream.next()).data?.length).toBe(1);
    await abort(hub());
    await makeRound();
    expect((await stream.next()).data?.length).toBe(1);
  });

  it('has the hub make rounds only while somebody listens', async () => {
    const stream = await open();
    stream.send(subscribe('tickers'));
    await stream.next();
    vi.setSystemTime(Date.now() + 3_600_000);
    await makeRound();
    await stream.next();
    stream.socket.close(1000);
    await stream.end();
    const leases = () => runInDurableObject(hub(), (_hub, { storage }) => storage.kv.get('leases'));
    expect(await leases()).toContain(nameShard(env, from()['CF-Connecting-IP']));
    await waitFor(async () => {
      await makeRound();
      expect(await leases()).not.toContain(nameShard(env, from()['CF-Connecting-IP']));
    });
  });

  it('takes twenty sockets of an address; a network of IPv6 is one', async () => {
    const ip = { 'CF-Connecting-IP': `2001:db8:0:${address}::1` };
    await Promise.all(Array.from({ length: 20 }, () => open(ip)));
    const refused = await upgrade(MARKET_STREAM, { 'CF-Connecting-IP': `2001:db8:0:${address}::2` });
    expect([refused.status, (await refused.json<ProblemBody>()).code]).toEqual([429, 'rate_limited']);
    expect((await upgrade(MARKET_STREAM, { 'CF-Connecting-IP': `2001:db8:1:${address}::1` })).status).toBe(101);
  });

  it('counts with a key in its read bucket, and refuses one that is not valid', async () => {
    const trader = await openTrader({}, { scopes: ['trade'], rateLimits: { read: { perMinute: 2, perDay: 9 } } });
    const stream = await open({ Authorization: `Bearer ${trader.token}` });
    stream.send(subscribe('tickers'));
    expect((await stream.next()).type).toBe('snapshot');
    stream.send(subscribe('tickers'));
    expect(await stream.next()).toMatchObject({ problem: { code: 'rate_limited' } });
    expect((await upgrade(MARKET_STREAM, { Authorization: 'Bearer bk_test_x' })).status).toBe(401);
    expect((await send(MARKET_STREAM)).status).toBe(400);
  });

  it('is asked by nobody: without a listener the hub calls no shard', async () => {
    await abort(hub());
    await runInDurableObject(hub(), (_hub, { storage }) => void storage.kv.delete('leases'));
    await abort(hub());
    const publish = vi.spyOn(MarketStream.prototype, 'publish');
    const lease = vi.spyOn(PriceHub.prototype, 'lease');
    await hub().snapshot({ maxAge_ms: 0 });
    expect([publish.mock.calls.length, lease.mock.calls.length]).toEqual([0, 0]);
  });
});

import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { ledgerOf } from '../../src/db/database.ts';
import { wakeBehind } from '../../src/events/webhooks/reach-sender.ts';
import { AccountStream } from '../../src/streams/account-stream.ts';
import { readFeed, tellOld } from '../support/events/feed.ts';
import { ORDER, type Trader, asOperator, codeOf, createKey, openTrader, operate } from '../support/exchange.ts';
import { databaseOfId } from '../support/db/open-in-ledger.ts';
import { abort } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { ACCOUNT_STREAM, StreamClient, upgrade } from '../support/streams/stream-client.ts';
import { waitFor } from '../support/wait-for.ts';

/** How far behind a reader is that catches up. */
const BEHIND = env.TEST_LENGTH === 'long' ? 100_000 : 4_000;

/** Writes many events at once. */
async function tellMany({ accountId }: Trader, count: number): Promise<void> {
  const detail = JSON.stringify({ network: 'ETH', address: '0x1', label: 'cold', usableAt: 7 });
  const insert = databaseOfId(accountId).prepare(`
    WITH RECURSIVE numbers (n) AS (SELECT ?2 UNION ALL SELECT n + 1 FROM numbers LIMIT ?3)
    INSERT INTO events (account_id, sequence, type, subject, detail) SELECT ?1, n, 'allowlist.removed', 'e', ?4 FROM numbers`);
  for (let told = 0; told < count; told += 2_000) await insert.bind(accountId, told + 1, 2_000, detail).run();
}

const objectOf = ({ accountId }: Trader) => env.ACCOUNT_STREAM.getByName(accountId);

const sleep = (trader: Trader) => evictDurableObject(objectOf(trader), { webSockets: 'hibernate' } as never);

const look = ({ accountId }: Trader, looked_ms: number) =>
  wakeBehind(env, ledgerOf(env, accountId), Date.now(), looked_ms);

describe('the stream of an account', () => {
  it('sends what was, with all balances, and then each event as it happens, with the balances that changed', async () => {
    const trader = await openTrader({ USDT: '100' });
    const stream = await StreamClient.of(trader);
    const first = await stream.listen(0);
    expect(first).toMatchObject({ type: 'snapshot', reqId: 1, sequence: 1, newest: 1 });
    expect(first.data?.map(({ type }) => type)).toEqual(['deposit.completed']);
    expect(Object.fromEntries(first.balances?.map(({ asset, amount }) => [asset, amount]) ?? [])).toEqual(
      await trader.balances(),
    );
    const order = await trader.trade(ORDER);
    const update = await stream.next();
    expect(update).toMatchObject({ type: 'update', sequence: 2, data: [{ type: 'order.filled', data: { order } }] });
    const balances = await trader.balances();
    expect(update.balances?.toSorted((one, other) => (one.asset < other.asset ? -1 : 1))).toEqual([
      { asset: 'BTC', amount: balances['BTC'] },
      { asset: 'USDT', amount: balances['USDT'] },
    ]);
    expect(stream.events).toEqual((await readFeed(trader)).events);
  });

  it('begins now without `after`, and after a number with it; what is no number of an event is refused', async () => {
    const trader = await openTrader({ USDT: '100', ETH: '1' });
    const stream = await StreamClient.of(trader);
    expect(await stream.listen()).toMatchObject({ sequence: 2, newest: 2, data: [] });
    expect((await stream.listen(1)).data?.map(({ sequence }) => sequence)).toEqual([2]);
    const refused = await stream.listen(3);
    expect(refused).toMatchObject({ type: 'problem', reqId: 1, problem: { code: 'invalid_request' } });
    expect(refused.problem?.errors?.map(({ pointer }) => pointer)).toEqual(['/params/after']);
    await trader.trade(ORDER);
    expect((await stream.next()).sequence).toBe(3);
  });

  it('says that events are gone that are no longer kept', async () => {
    const trader = await openTrader();
    await readFeed(trader);
    await tellOld(trader, 1, 3);
    await databaseOfId(trader.accountId)
      .prepare('DELETE FROM events WHERE account_id = ? AND sequence = 1')
      .bind(trader.accountId)
      .run();
    const stream = await StreamClient.of(trader);
    expect(await stream.listen(0)).toMatchObject({ type: 'problem', problem: { code: 'events_expired' } });
    expect((await stream.listen(1)).data?.map(({ sequence }) => sequence)).toEqual([2, 3]);
  });

  it('sends a long past in pages of a hundred, with the balances in the last', async () => {
    const trader = await openTrader();
    await readFeed(trader);
    await tellOld(trader, 1, 230, Date.now());
    const stream = await StreamClient.of(trader);
    const pages = [await stream.listen(0), await stream.next(), await stream.next()];
    expect(pages.map(({ type, sequence, newest }) => [type, sequence, newest])).toEqual([
      ['snapshot', 100, 230],
      ['snapshot', 200, 230],
      ['snapshot', 230, 230],
    ]);
    expect(pages.map(({ balances }) => balances === undefined)).toEqual([true, true, false]);
    expect(stream.events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 230 }, (_, at) => at + 1));
  });

  it('goes on after a sleep, after which the object knows only what the socket knows', async () => {
    const trader = await openTrader({ USDT: '100' });
    const stream = await StreamClient.of(trader);
    await stream.listen(0);
    await trader.trade(ORDER);
    await stream.next();
    await sleep(trader);
    await trader.trade(ORDER);
    const update = await stream.next();
    expect([update.type, update.sequence]).toEqual(['update', 3]);
    expect(update.balances?.map(({ asset }) => asset).toSorted()).toEqual(['BTC', 'USDT']);
    await sleep(trader);
    stream.send({ method: 'ack', params: { sequence: 3 } });
    await trader.trade(ORDER);
    expect((await stream.next()).sequence).toBe(4);
  });

  it('resumes without a gap and without a double after the object was reset under its sockets', async () => {
    const trader = await openTrader({ USDT: '100' });
    const before = await StreamClient.of(trader);
    await before.listen(0);
    await abort(objectOf(trader));
    await trader.trade(ORDER);
    await trader.trade(ORDER);
    const after = await StreamClient.of(trader);
    await after.listen(before.events.at(-1)?.sequence);
    await trader.trade(ORDER);
    await after.next();
    expect([...before.events, ...after.events]).toEqual((await readFeed(trader)).events);
  });

  it('sends two sockets the same, each from its own number, whatever order their keys ask in', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const second = await createKey(trader.accountId, { scopes: ['read'] });
    const [one, other] = await Promise.all([StreamClient.of(trader), StreamClient.of(second)]);
    await Promise.all([one.listen(0), other.listen(1)]);
    await Promise.all(Array.from({ length: 8 }, () => trader.trade(ORDER)));
    const { events } = await readFeed(trader);
    await waitFor(() => expect(one.events.at(-1)?.sequence).toBe(9));
    await waitFor(() => expect(other.events.at(-1)?.sequence).toBe(9));
    expect([one.events, other.events]).toEqual([events, events.slice(1)]);
  });

  it('tells a lost call within a minute: the look of the keeper finds what happened since the last one', async () => {
    const trader = await openTrader({ USDT: '100' });
    const stream = await StreamClient.of(trader);
    await stream.listen(0);
    const wake = vi.spyOn(AccountStream.prototype, 'wake').mockResolvedValue();
    await trader.trade(ORDER);
    await waitFor(() => expect(wake).toHaveBeenCalled());
    wake.mockRestore();
    expect(stream.events).toHaveLength(1);
    expect(await look(trader, Date.now() + 60_000)).toBe(0);
    expect(await look(trader, Date.now())).toBeGreaterThan(0);
    expect((await stream.next()).sequence).toBe(2);
  });

  it('tells of a freeze and of what another did, and goes on', async () => {
    const trader = await openTrader({ USDT: '500' });
    const stream = await StreamClient.of(trader);
    await stream.listen(1);
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'frozen' });
    expect((await stream.next()).data?.map(({ type }) => type)).toEqual(['account.frozen']);
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'active' });
    expect((await stream.next()).data?.map(({ type }) => type)).toEqual(['account.thawed']);
    await operate('POST', `/accounts/${trader.accountId}/credits`, { asset: 'ETH', amount: '1', reference: 'gift' });
    expect(await stream.next()).toMatchObject({
      data: [{ type: 'deposit.completed' }],
      balances: [{ asset: 'ETH', amount: '1' }],
    });
    await trader.withdraw();
    await waitFor(() => expect(stream.events.at(-1)?.type).toBe('withdrawal.completed'));
    expect(stream.closed).toBeUndefined();
  });

  it('ends with 4401 when its key is revoked, before anything that comes after that', async () => {
    const trader = await openTrader({ USDT: '100' });
    const key = await createKey(trader.accountId, { scopes: ['read'] });
    const [stream, kept] = [await StreamClient.of(key), await StreamClient.of(trader)];
    await stream.listen();
    await kept.listen();
    await asOperator('DELETE', `/accounts/${trader.accountId}/api-keys/${key.keyId}`);
    await trader.trade(ORDER);
    expect(await stream.next()).toMatchObject({ type: 'problem', problem: { code: 'invalid_api_key' } });
    expect(await stream.end()).toBe(4401);
    expect(stream.events).toEqual([]);
    await waitFor(() => expect(kept.events.map(({ type }) => type)).toEqual(['key.revoked', 'order.filled']));
  });

  it('ends with 4401 within a minute of its expiry, though nothing happens', async () => {
    const trader = await openTrader();
    const expiresAt = new Date(Date.now() + 5_000).toISOString();
    const key = await createKey(trader.accountId, { scopes: ['read'], expiresAt });
    const stream = await StreamClient.of(key);
    await stream.listen();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(expiresAt) + 1 });
    await look(trader, Date.parse(expiresAt) - 1_000);
    expect(await stream.next()).toMatchObject({ type: 'problem', problem: { code: 'api_key_expired' } });
    expect(await stream.end()).toBe(4401);
  });

  it('ends with 4408 when a reader has stopped reading, who resumes where it was', async () => {
    const trader = await openTrader();
    await readFeed(trader);
    const stream = await StreamClient.of(trader);
    await stream.listen();
    for (let told = 0; told < 6_000 && !stream.closed; told += 100) {
      await tellOld(trader, told + 1, told + 100, Date.now());
      await objectOf(trader).wake(trader.accountId);
    }
    expect(await stream.end()).toBe(4408);
    const bytes = stream.messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
    expect(bytes).toBeGreaterThan(1_048_576);
    expect(bytes).toBeLessThan(1_200_000);
    const again = await StreamClient.of(trader);
    const last = stream.events.at(-1)?.sequence ?? 0;
    expect((await again.listen(last)).data?.[0]?.sequence).toBe(last + 1);
  });

  it(`lets a reader catch up that is ${BEHIND} events behind, as it acknowledges them`, async () => {
    const trader = await openTrader();
    await readFeed(trader);
    await tellMany(trader, BEHIND);
    const stream = await StreamClient.of(trader);
    await stream.listen(0);
    // Less than the window, and not so often that they are too many messages.
    for (let acknowledged = 0; acknowledged < BEHIND;) {
      const wanted = Math.min(BEHIND, acknowledged + 1_500);
      await waitFor(() => expect(stream.events.length).toBeGreaterThanOrEqual(wanted));
      acknowledged = stream.events.length;
      stream.send({ method: 'ack', params: { sequence: acknowledged } });
    }
    expect(stream.events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: BEHIND }, (_, at) => at + 1));
  }, 1_200_000);

  it('needs a key with the scope read, and an upgrade', async () => {
    const trader = await openTrader({}, { scopes: ['trade'] });
    expect(await codeOf(upgrade(ACCOUNT_STREAM))).toBe('401 missing_api_key');
    expect(await codeOf(upgrade(ACCOUNT_STREAM, { Authorization: `Bearer ${trader.token}` }))).toBe(
      '403 insufficient_scope',
    );
    expect(await codeOf((await openTrader()).get(ACCOUNT_STREAM))).toBe('400 invalid_request');
  });

  it('takes five sockets of a key and twenty of an address, and another one when one was closed', async () => {
    const trader = await openTrader();
    const other = await createKey(trader.accountId);
    const streams = await Promise.all(Array.from({ length: 5 }, () => StreamClient.of(trader)));
    const another = () => upgrade(ACCOUNT_STREAM, { Authorization: `Bearer ${trader.token}` });
    expect(await codeOf(another())).toBe('429 rate_limited');
    const elsewhere = await StreamClient.of(other);
    expect(elsewhere.closed).toBeUndefined();
    streams[0]?.socket.close(1000);
    await waitFor(async () => expect((await another()).status).toBe(101));
  });

  it.each([
    ['no JSON', 'subscribe', 'invalid_request'],
    ['another method', { method: 'order', params: {} }, 'invalid_request'],
    ['another channel', { method: 'subscribe', params: { channel: 'tickers' } }, 'invalid_request'],
    ['an unknown member', { method: 'ack', params: { sequence: 1, more: 1 } }, 'invalid_request'],
    ['a text too long', `"${'x'.repeat(5_000)}"`, 'payload_too_large'],
  ])('answers %s with a problem of the table, and stays open', async (_, message, code) => {
    const stream = await StreamClient.of(await openTrader());
    stream.send(message);
    expect(await stream.next()).toMatchObject({ type: 'problem', problem: { code } });
    expect((await stream.listen()).type).toBe('snapshot');
  });

  it('takes sixty messages a minute, and ends a socket that sends more', async () => {
    const stream = await StreamClient.of(await openTrader());
    for (let sent = 0; sent < 70; sent += 1) stream.send({ method: 'ack', params: { sequence: 0 } });
    expect(await stream.next()).toMatchObject({ type: 'problem', problem: { code: 'rate_limited' } });
    expect(await stream.end()).toBe(4429);
  });

  it('answers a ping without waking the object', async () => {
    const trader = await openTrader();
    const stream = await StreamClient.of(trader);
    await stream.listen();
    await sleep(trader);
    const message = vi.spyOn(AccountStream.prototype, 'webSocketMessage');
    stream.send('{"method":"ping"}');
    expect(await stream.next()).toEqual({ type: 'pong' });
    expect(message).not.toHaveBeenCalled();
  });

  it('counts a subscription as a read of its key, and refuses it when none is left', async () => {
    const limits = { perMinute: 3, perDay: 100 };
    const trader = await openTrader({}, { rateLimits: { read: limits } });
    const stream = await StreamClient.of(trader);
    expect([(await stream.listen()).type, (await stream.listen()).type]).toEqual(['snapshot', 'snapshot']);
    expect(await stream.listen()).toMatchObject({ type: 'problem', problem: { code: 'rate_limited' } });
  });

  it('keeps nothing awake after two upgrades at once: both sockets live through a sleep', async () => {
    const trader = await openTrader({ USDT: '100' });
    const streams = await Promise.all([StreamClient.of(trader), StreamClient.of(trader)]);
    await Promise.all(streams.map((stream) => stream.listen()));
    expect(await runInDurableObject(objectOf(trader), (_object, { storage }) => storage.getAlarm())).toBeNull();
    await sleep(trader);
    await trader.trade(ORDER);
    for (const stream of streams) expect((await stream.next()).sequence).toBe(2);
  });
});

describe('an account that nobody watches', () => {
  it('costs nothing: after the last socket one call finds nobody, and then none is made', async () => {
    const trader = await openTrader({ USDT: '100' });
    const wake = vi.spyOn(AccountStream.prototype, 'wake');
    await trader.trade(ORDER);
    expect(wake).not.toHaveBeenCalled();
    const stream = await StreamClient.of(trader);
    await stream.listen();
    stream.socket.close(1000);
    await stream.end();
    const rows = () =>
      databaseOfId(trader.accountId)
        .prepare('SELECT count(*) AS count FROM account_streams WHERE account_id = ?')
        .bind(trader.accountId)
        .first<number>('count');
    expect(await rows()).toBe(1);
    await trader.trade(ORDER);
    await waitFor(async () => expect(await rows()).toBe(0));
    const calls = wake.mock.calls.length;
    await trader.trade(ORDER);
    expect(wake.mock.calls.length).toBe(calls);
  });
});

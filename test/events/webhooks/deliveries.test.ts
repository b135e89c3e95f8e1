import { runInDurableObject } from 'cloudflare:test';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { purgeEvents } from '../../../src/events/purge-events.ts';
import { database } from '../../support/db/raw-ledger.ts';
import { ORDER, type Trader, asOperator, expectCode, json, operate } from '../../support/exchange.ts';
import {
  changeBeforeEvents,
  id,
  ids,
  nextAttempt,
  readDeliveries,
  readEndpoint,
  send,
  tell,
  wake,
} from '../../support/events/deliveries.ts';
import { readFeed, tellOld } from '../../support/events/feed.ts';
import {
  ENDPOINTS,
  type EndpointBody,
  Receiver,
  createManager,
  deliver,
  hasAlarm,
  listen,
  openManager,
  runAlarm,
  senderOf,
  subscribe,
} from '../../support/events/receiver.ts';
import { signIn } from '../../support/holder/holders.ts';
import { abort } from '../../support/runtime/faults.ts';
import { env, holderEntrypoint } from '../../support/runtime/test-env.ts';
import { moveClock, stopClock } from '../../support/withdrawals/withdrawals.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The clock stands still a day ahead, so that only the alarms run that a test runs. */
beforeEach(() => {
  stopClock();
  moveClock(DAY_MS);
});

describe('an endpoint', () => {
  it('is sent every event after its creation, in order, signed, with the body of the feed', async () => {
    const trader = await openManager();
    await trader.get('/api/v1/events');
    await tell(trader, 2);
    const receiver = new Receiver();
    const endpoint = await subscribe(trader, receiver);
    await tell(trader, 30);
    await send(endpoint);
    const { events } = await readFeed(trader, { after: 2, limit: 200 });
    expect(receiver.received.map(({ event }) => event)).toEqual(events);
    expect(receiver.ids).toEqual(events.map((event) => event.id));
    expect(await readDeliveries(trader, endpoint)).toMatchObject({ deliveredTo: 32, nextAttemptAt: null });
  });

  it('is sent nothing of what was before it, also where its account begins to listen with it', async () => {
    const { trader, receiver, endpoint } = await listen({ USDT: '100', ETH: '1' });
    expect((await readFeed(trader)).newest).toBe(2);
    await send(endpoint);
    expect(receiver.ids).toEqual([]);
    await tell(trader, 1);
    await send(endpoint);
    expect(receiver.ids).toEqual(ids(trader, 3));
  });

  it('is sent the wanted types alone', async () => {
    const { trader, receiver, endpoint } = await listen({}, { types: ['account.frozen'] });
    await tell(trader, 2);
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'frozen' });
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'active' });
    await send(endpoint);
    expect(receiver.ids).toEqual(ids(trader, 3));
    expect((await readDeliveries(trader, endpoint)).deliveredTo).toBe(4);
  });

  it('is sent an event again under the same id after a crash between delivery and record, and misses none', async () => {
    const { trader, receiver, endpoint } = await listen();
    await tell(trader, 3);
    let crashes = 1;
    receiver.answer = async ({ id: received }) => {
      if (received === id(trader, 2) && crashes > 0) {
        crashes -= 1;
        await abort(senderOf(endpoint));
      }
      return new Response(null, { status: 204 });
    };
    await wake();
    await runAlarm(endpoint).catch(() => undefined);
    await send(endpoint);
    expect(receiver.ids).toEqual(ids(trader, 1, 2, 2, 3));
  });

  it('is held up by an event that fails, is tried again by the schedule, and gets all later events in order', async () => {
    const { trader, receiver, endpoint } = await listen();
    receiver.answer = () => new Response(null, { status: 503 });
    await tell(trader, 2);
    await wake();
    const pauses = [5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS)];
    for (const pause_ms of pauses) {
      expect(await runAlarm(endpoint)).toBe(true);
      const next_ms = (await nextAttempt(endpoint)) ?? 0;
      expect(next_ms).toBeGreaterThanOrEqual(pause_ms * 0.9);
      expect(next_ms).toBeLessThanOrEqual(pause_ms * 1.1);
      // Between two attempts nobody makes it send.
      await wake();
      expect(await nextAttempt(endpoint)).toBe(next_ms);
      moveClock(next_ms);
    }
    receiver.answer = () => new Response();
    await runAlarm(endpoint);
    expect(receiver.ids).toEqual(ids(trader, ...pauses.map(() => 1), 1, 2));
  });

  it('waits as long as Retry-After asks for', async () => {
    const { trader, receiver, endpoint } = await listen();
    await tell(trader, 1);
    receiver.answer = () => new Response(null, { status: 429, headers: { 'Retry-After': '600' } });
    await send(endpoint);
    expect(await nextAttempt(endpoint)).toBe(600_000);
  });

  it('that answers with a redirect has not taken the event', async () => {
    const trader = await openManager();
    const [receiver, other] = [new Receiver(), new Receiver()];
    const endpoint = await subscribe(trader, receiver);
    await tell(trader, 1);
    receiver.answer = () => new Response(null, { status: 302, headers: { Location: other.url } });
    await send(endpoint);
    const { deliveries, deliveredTo } = await readDeliveries(trader, endpoint);
    expect([deliveries[0]?.outcome, deliveries[0]?.status, deliveredTo]).toEqual(['FAILED', 302, 0]);
    expect(other.received).toEqual([]);
  });

  it('that refuses one event alone three times goes on without it, and lists it', async () => {
    const { trader, receiver, endpoint } = await listen();
    receiver.answer = ({ id: received }) => new Response(null, { status: received === id(trader, 2) ? 422 : 200 });
    await tell(trader, 4);
    await wake();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await runAlarm(endpoint);
      moveClock(HOUR_MS);
    }
    expect(receiver.ids).toEqual(ids(trader, 1, 2, 2, 2, 3, 4));
    const { setAside, deliveredTo } = await readDeliveries(trader, endpoint);
    expect([setAside.map(({ eventId }) => eventId), deliveredTo]).toEqual([ids(trader, 2), 4]);
  });

  it('that refuses every event loses none: the first is tried again and again', async () => {
    const { trader, receiver, endpoint } = await listen();
    receiver.answer = () => new Response(null, { status: 404 });
    await tell(trader, 3);
    await wake();
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await runAlarm(endpoint);
      moveClock(DAY_MS / 2);
    }
    expect(await readDeliveries(trader, endpoint)).toMatchObject({ setAside: [], deliveredTo: 0 });
    receiver.answer = () => new Response();
    receiver.received.length = 0;
    await runAlarm(endpoint);
    expect(receiver.ids).toEqual(ids(trader, 1, 2, 3));
  });

  it('is switched off by 410, and the other endpoints are told', async () => {
    const trader = await openManager();
    const [receiver, other] = [new Receiver(), new Receiver()];
    const [endpoint, second] = [await subscribe(trader, receiver), await subscribe(trader, other)];
    receiver.answer = () => new Response(null, { status: 410 });
    await tell(trader, 1);
    await send(endpoint);
    expect(await readEndpoint(trader, endpoint)).toMatchObject({ status: 'disabled', reason: 'gone' });
    await tell(trader, 1);
    await wake();
    expect(await runAlarm(endpoint)).toBe(false);
    await runAlarm(second);
    expect(other.types).toEqual(['deposit.completed', 'endpoint.disabled', 'deposit.completed']);
    expect(other.received[1]?.event.data).toEqual({
      webhookEndpoint: { id: endpoint.id, url: receiver.url, reason: 'gone' },
    });
  });

  it('is switched off after failing for five days, and is sent everything when it is switched on again', async () => {
    const { trader, receiver, endpoint } = await listen();
    receiver.answer = () => Promise.reject(new Error('no route to host'));
    await tell(trader, 2);
    await wake();
    const began_ms = Date.now();
    while ((await readEndpoint(trader, endpoint)).status === 'enabled') {
      await runAlarm(endpoint);
      moveClock((await nextAttempt(endpoint)) ?? 0);
    }
    const passed_ms = Date.now() - began_ms;
    expect(passed_ms).toBeGreaterThanOrEqual(5 * DAY_MS);
    expect(passed_ms).toBeLessThan(7 * DAY_MS);
    expect((await readEndpoint(trader, endpoint)).reason).toBe('failing');
    receiver.answer = () => new Response();
    receiver.received.length = 0;
    const change = { method: 'PATCH', path: `${ENDPOINTS}/${endpoint.id}`, body: { status: 'enabled' } };
    expect((await trader.send(change)).status).toBe(200);
    await runAlarm(endpoint);
    expect(receiver.types).toEqual(['deposit.completed', 'deposit.completed', 'endpoint.disabled']);
  });

  it('is sent events again from a number on', async () => {
    const { trader, receiver, endpoint } = await listen();
    await tell(trader, 4);
    await send(endpoint);
    expect((await trader.post(`${ENDPOINTS}/${endpoint.id}/replay`, { after: 2 })).status).toBe(200);
    await runAlarm(endpoint);
    expect(receiver.ids).toEqual(ids(trader, 1, 2, 3, 4, 3, 4));
    expect((await trader.post(`${ENDPOINTS}/${endpoint.id}/replay`, { after: 9 })).status).toBe(400);
  });

  it('is sent again what was asked for at one event a second, in order, and to the end, however often it is asked', async () => {
    const { trader, receiver, endpoint } = await listen();
    await tell(trader, 25);
    await send(endpoint);
    const known = receiver.ids.length;
    const replay = async () => {
      expect((await trader.post(`${ENDPOINTS}/${endpoint.id}/replay`, { after: 0 })).status).toBe(200);
      await runAlarm(endpoint);
    };
    for (let replays = 0; replays < 4; replays += 1) await replay();
    // The first ten, and then none: each replay begins anew.
    expect(receiver.ids.length - known).toBe(10);
    expect(await nextAttempt(endpoint)).toBe(10_000);
    moveClock(10_000);
    await runAlarm(endpoint);
    expect(receiver.ids.length - known).toBe(20);
    moveClock(HOUR_MS);
    await tell(trader, 1);
    await runAlarm(endpoint);
    expect(receiver.ids.slice(known + 10)).toEqual(ids(trader, ...Array.from({ length: 26 }, (_, at) => at + 1)));
  });

  it('is sent everything again that is kept where no number is named', async () => {
    const { trader, receiver, endpoint } = await listen();
    await tellOld(trader, 1, 2);
    await tell(trader, 2);
    await purgeEvents(database, null);
    await expectCode(trader.post(`${ENDPOINTS}/${endpoint.id}/replay`, { after: 0 }), '410 events_expired');
    expect((await trader.post(`${ENDPOINTS}/${endpoint.id}/replay`, {})).status).toBe(200);
    await runAlarm(endpoint);
    expect(receiver.ids).toEqual(ids(trader, 3, 4));
  });

  it('is sent nothing that comes after a freeze until the account is active again', async () => {
    const { trader, receiver, endpoint } = await listen();
    const setStatus = (status: string) => asOperator('PATCH', `/accounts/${trader.accountId}`, { status });
    await tell(trader, 1);
    await setStatus('frozen');
    await tell(trader, 30);
    for (let attempts = 0; attempts < 3; attempts += 1) await send(endpoint);
    expect(receiver.types).toEqual(['deposit.completed', 'account.frozen']);
    await setStatus('active');
    await send(endpoint);
    expect(receiver.ids).toEqual(ids(trader, ...Array.from({ length: 33 }, (_, at) => at + 1)));
  });

  it('ends with the key that set it up, and is set up again by another one', async () => {
    const trader = await openManager();
    const [first, second] = [await createManager(trader.accountId), await createManager(trader.accountId)];
    const [made, changed] = [await subscribe(first, new Receiver()), await subscribe(trader, new Receiver())];
    const change = { method: 'PATCH', path: `${ENDPOINTS}/${changed.id}` };
    expect((await second.send({ ...change, body: { url: new Receiver().url } })).status).toBe(200);
    for (const { keyId } of [first, second]) {
      await asOperator('DELETE', `/accounts/${trader.accountId}/api-keys/${keyId}`);
    }
    for (const endpoint of [made, changed]) {
      expect(await readEndpoint(trader, endpoint)).toMatchObject({ status: 'disabled', reason: 'key_revoked' });
    }
    expect((await trader.send({ ...change, body: { status: 'enabled' } })).status).toBe(200);
    expect(await readEndpoint(trader, changed)).toMatchObject({ status: 'enabled', reason: null });
  });

  it('is sent nothing once its key is revoked, not even by an attempt that had already begun', async () => {
    const trader = await openManager();
    const thief = await createManager(trader.accountId);
    const receiver = new Receiver();
    const endpoint = await subscribe(thief, receiver);
    await tell(trader, 1);
    const revoke = async () => {
      await asOperator('DELETE', `/accounts/${trader.accountId}/api-keys/${thief.keyId}`);
    };
    await changeBeforeEvents(revoke, () => send(endpoint));
    expect(receiver.types).toEqual([]);
  });

  it('is sent what there is at the address that it has by then', async () => {
    const { trader, receiver, endpoint } = await listen();
    const moved = new Receiver();
    await tell(trader, 1);
    const move = async () => {
      await trader.send({ method: 'PATCH', path: `${ENDPOINTS}/${endpoint.id}`, body: { url: moved.url } });
    };
    await changeBeforeEvents(move, () => send(endpoint));
    expect([receiver.types, moved.types]).toEqual([[], ['deposit.completed']]);
  });

  it('that a session set up goes on when the session ends', async () => {
    const trader = await openManager();
    const { api, token } = await signIn(trader.accountId);
    const endpoint = await subscribe(api, new Receiver());
    await holderEntrypoint.endSessions(token, null);
    expect(await readEndpoint(trader, endpoint)).toMatchObject({ status: 'enabled' });
  });

  it('has two signatures for 24 hours after a rotation, and a receiver with either secret accepts them', async () => {
    const { trader, receiver, endpoint } = await listen();
    const rotated = await trader.post(`${ENDPOINTS}/${endpoint.id}/rotate-secret`, {});
    receiver.secrets.push((await json<{ secret: string }>(rotated)).secret);
    await tell(trader, 1);
    await send(endpoint);
    expect(receiver.received[0]?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    moveClock(DAY_MS + 1);
    receiver.secrets.shift();
    await tell(trader, 1);
    await send(endpoint);
    expect(receiver.received[1]?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    expect(receiver.received).toHaveLength(2);
  });

  it.each<[string, string[], (trader: Trader, token: string) => Promise<unknown>]>([
    ['an order', ['order.filled'], (trader) => trader.trade(ORDER)],
    ['a deposit', ['deposit.completed'], (trader) => tell(trader, 1)],
    [
      'changes by the operator',
      ['account.frozen', 'account.thawed'],
      async ({ accountId }) => {
        for (const status of ['frozen', 'active']) await operate('PATCH', `/accounts/${accountId}`, { status });
      },
    ],
    ['a key', ['key.created'], (_, token) => holderEntrypoint.makeKey(token, { label: 'bot', scopes: ['read'] })],
    ['a freeze by the holder', ['account.frozen'], (_, token) => holderEntrypoint.freeze(token)],
    [
      'a withdrawal of another account to its own',
      ['deposit.completed'],
      async (trader) => {
        const sender = await openManager({ USDT: '500' });
        await sender.takeOut({ address: await trader.addressOn('TRC20') });
      },
    ],
  ])('is sent %s as soon as it is made, without any sweep', async (_, types, change) => {
    const trader = await openManager({ USDT: '1000' });
    const { token } = await signIn(trader.accountId);
    const receiver = new Receiver();
    const endpoint = await subscribe(trader, receiver);
    expect(await hasAlarm(endpoint)).toBe(false);
    await change(trader, token);
    await deliver(endpoint);
    expect(receiver.types).toEqual(types);
  });

  it('that is tested is sent one event that says nothing, and what it answered is told', async () => {
    const { trader, receiver, endpoint } = await listen();
    const tested = await trader.post(`${ENDPOINTS}/${endpoint.id}/test`, {});
    expect(await json(tested)).toMatchObject({
      delivery: { type: 'endpoint.test', outcome: 'DELIVERED', status: 200 },
    });
    expect(receiver.types).toEqual(['endpoint.test']);
    receiver.answer = () => new Response(null, { status: 500 });
    const failed = await trader.post(`${ENDPOINTS}/${endpoint.id}/test`, {});
    expect(await json(failed)).toMatchObject({ delivery: { outcome: 'FAILED', status: 500 } });
    expect((await readDeliveries(trader, endpoint)).deliveredTo).toBe(0);
  });

  it('that is deleted is sent nothing more', async () => {
    const { trader, receiver, endpoint } = await listen();
    await tell(trader, 1);
    await wake();
    const deleted = await trader.send({ method: 'DELETE', path: `${ENDPOINTS}/${endpoint.id}` });
    expect(deleted.status).toBe(200);
    await runAlarm(endpoint);
    expect(receiver.received).toEqual([]);
    expect((await trader.get(`${ENDPOINTS}/${endpoint.id}`)).status).toBe(404);
  });
});

it('a signature is refused by the reference library when the body, the id or the time was changed', async () => {
  const { trader, receiver, endpoint } = await listen();
  await tell(trader, 1);
  await send(endpoint);
  const [{ body, headers } = { body: '', headers: {} as Record<string, string> }] = receiver.received;
  const webhook = new Webhook(receiver.secrets[0] ?? '');
  expect(webhook.verify(body, headers)).toEqual(JSON.parse(body));
  const other = new Webhook('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD4Y0LmCQ7Yds=');
  expect(() => other.verify(body, headers)).toThrow();
  expect(() => webhook.verify(body.replace('deposit', 'Deposit'), headers)).toThrow();
  expect(() => webhook.verify(body, { ...headers, 'webhook-id': 'evt_x_1' })).toThrow();
  const later = String(Number(headers['webhook-timestamp']) + 1);
  expect(() => webhook.verify(body, { ...headers, 'webhook-timestamp': later })).toThrow();
});

describe('the routes of endpoints', () => {
  it('need the scope webhooks, which no key has by default', async () => {
    const trader = await openManager();
    const { token } = await createManager(trader.accountId);
    expect(token).toMatch(/_rtwh_/);
  });

  it('show a secret once, and never again, not even in a log', async () => {
    const lines = [vi.spyOn(console, 'log'), vi.spyOn(console, 'error')];
    const { trader, receiver, endpoint } = await listen();
    const [secret = ''] = receiver.secrets;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await trader.post(`${ENDPOINTS}/${endpoint.id}/test`, {});
    for (const path of [ENDPOINTS, `${ENDPOINTS}/${endpoint.id}`, `${ENDPOINTS}/${endpoint.id}/deliveries`]) {
      expect(await (await trader.get(path)).text()).not.toContain(secret.slice(6, 30));
    }
    const { results } = await env.DB.prepare('SELECT * FROM webhook_endpoints WHERE id = ?').bind(endpoint.id).all();
    expect(JSON.stringify(results)).not.toContain(secret.slice(6, 30));
    const stored = await runInDurableObject(senderOf(endpoint), (_sender, { storage }) =>
      JSON.stringify([...storage.sql.exec('SELECT * FROM state'), ...storage.sql.exec('SELECT * FROM attempts')]),
    );
    expect(stored).not.toContain(secret.slice(6, 30));
    const logged = JSON.stringify(lines.flatMap(({ mock }) => mock.calls));
    expect(logged.length).toBeGreaterThan(100);
    expect(logged).not.toContain(secret.slice(6, 30));
  });

  it('make no second endpoint of one address, and ten of an account at most', async () => {
    const trader = await openManager();
    const urls = Array.from({ length: 10 }, (_, at) => `https://hooks-${at}.bureau-tests.com/`);
    for (const url of urls) expect((await trader.post(ENDPOINTS, { url })).status).toBe(201);
    for (const url of [urls[0], 'https://hooks-11.bureau-tests.com/']) {
      await expectCode(trader.post(ENDPOINTS, { url }), '409 invalid_state');
    }
    const { webhookEndpoints } = await trader.read<{ webhookEndpoints: EndpointBody[] }>(ENDPOINTS);
    expect(webhookEndpoints.map(({ url }) => url).toSorted()).toEqual(urls);
  });

  it('show no other account’s endpoint', async () => {
    const [trader, other] = [await openManager(), await openManager()];
    const endpoint = await subscribe(trader, new Receiver());
    const path = `${ENDPOINTS}/${endpoint.id}`;
    const answers = await Promise.all([
      other.get(path),
      other.send({ method: 'PATCH', path, body: { description: 'mine' } }),
      other.send({ method: 'DELETE', path }),
      other.post(`${path}/rotate-secret`, {}),
      other.post(`${path}/test`, {}),
      other.post(`${path}/resend`, { eventId: id(trader, 1) }),
      other.post(`${path}/replay`, { after: 0 }),
      other.get(`${path}/deliveries`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  });

  it('refuse an address that is not public, when it is made and when it is changed', async () => {
    const trader = await openManager();
    const endpoint = await subscribe(trader, new Receiver());
    for (const url of ['https://10.0.0.1/', 'http://hooks.bureau-tests.com/', 'nonsense']) {
      const made = await trader.post(ENDPOINTS, { url });
      expect([made.status, await json(made)]).toMatchObject([400, { errors: [{ pointer: '/url' }] }]);
      const path = `${ENDPOINTS}/${endpoint.id}`;
      expect((await trader.send({ method: 'PATCH', path, body: { url } })).status).toBe(400);
    }
  });
});

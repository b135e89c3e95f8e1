import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatorEvent } from '../../src/events/operator-event.ts';
import {
  ENDPOINTS,
  type EndpointBody,
  Receiver,
  deliver,
  openManager,
  runAlarm,
  subscribe,
  subscribeOperator,
} from '../support/events/receiver.ts';
import { asOperator, expectCode, json, openAccount, operate } from '../support/exchange.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';
import { listRows } from '../support/db/sql.ts';

const PATH = '/webhook-endpoints';
const DAY_MS = 86_400_000;

/** The clock stands still a day ahead, so that only the alarms run that a test runs. */
beforeEach(() => {
  stopClock();
  moveClock(DAY_MS);
});

async function readFeed(after: number): Promise<OperatorEvent[]> {
  const page = await asOperator('GET', `/events?after=${after}&limit=200`);
  return (await json<{ events: OperatorEvent[] }>(page)).events;
}

async function readAudit(id: string): Promise<{ readonly action: string; readonly detail: object }[]> {
  const page = await asOperator('GET', `/audit?target=${id}`);
  return (await json<{ entries: { action: string; detail: object }[] }>(page)).entries.toReversed();
}

describe('an endpoint of the operator', () => {
  it('is sent what the feed has, in order, signed, as soon as it happened', async () => {
    const receiver = new Receiver();
    const endpoint = await subscribeOperator(receiver);
    await openAccount({ ETH: '2' });
    await deliver(endpoint);
    const [first] = receiver.received;
    const events = await readFeed((first?.event.sequence ?? 1) - 1);
    expect(receiver.received.map(({ event }) => event)).toEqual(events);
    expect(receiver.types).toContain('audit.added');
    expect(receiver.types).toContain('deposit.completed');
    expect(receiver.ids[0]).toMatch(/^evt_operator_0_\d+$/);
  });

  it('is told of a withdrawal as soon as its client has the answer', async () => {
    const trader = await openManager({ USDT: '500' });
    const receiver = new Receiver();
    const endpoint = await subscribeOperator(receiver, { types: ['withdrawal.processing', 'withdrawal.completed'] });
    // The making of the endpoint woke it.
    await deliver(endpoint);
    const { id } = await trader.takeOut();
    await deliver(endpoint);
    expect(receiver.types).toEqual(['withdrawal.processing', 'withdrawal.completed']);
    expect(receiver.received.map(({ event }) => event.data)).toMatchObject([
      { withdrawal: { id } },
      { withdrawal: { id } },
    ]);
  });

  it('is sent one event again at once, and none of an account’s', async () => {
    const trader = await openManager();
    await subscribe(trader, new Receiver());
    const receiver = new Receiver();
    const endpoint = await subscribeOperator(receiver, { types: ['deposit.completed'] });
    const credit = { asset: 'ETH', amount: '1', reference: crypto.randomUUID() };
    await operate('POST', `/accounts/${trader.accountId}/credits`, credit);
    await deliver(endpoint);
    const [eventId] = receiver.ids;
    const resend = (id: string | undefined) => asOperator('POST', `${PATH}/${endpoint.id}/resend`, { eventId: id });
    expect(await json(await resend(eventId))).toMatchObject({ delivery: { eventId, outcome: 'DELIVERED' } });
    expect(receiver.ids).toEqual([eventId, eventId]);
    await expectCode(resend(`evt_${trader.accountId}_1`), '404 not_found');
  });

  it('tells the operator’s other endpoints, and no account, that it was switched off', async () => {
    const trader = await openManager();
    const own = new Receiver();
    await subscribe(trader, own);
    const [gone, other] = [new Receiver(), new Receiver()];
    const endpoint = await subscribeOperator(gone, { types: ['deposit.completed'] });
    const standing = await subscribeOperator(other, { types: ['endpoint.disabled'] });
    gone.answer = () => new Response(null, { status: 410 });
    await openAccount({ ETH: '2' });
    await deliver(endpoint);
    await asOperator('POST', `${PATH}/${standing.id}/replay`, { after: 0 });
    await runAlarm(standing);
    expect(other.types).toEqual(['endpoint.disabled']);
    expect(other.received[0]?.event.data).toEqual({
      webhookEndpoint: { id: endpoint.id, url: gone.url, reason: 'gone' },
    });
    expect(own.received).toEqual([]);
  });
});

describe('the operator’s routes of endpoints', () => {
  it('write a row of the audit for each change, without a secret and without the path of the address', async () => {
    const receiver = new Receiver();
    const { host } = new URL(receiver.url);
    const endpoint = await subscribeOperator(receiver, { types: ['audit.added'] });
    const path = `${PATH}/${endpoint.id}`;
    await operate('PATCH', path, { description: 'books', url: `${receiver.url}-2` });
    const { secret } = await operate<{ secret: string }>('POST', `${path}/rotate-secret`, {});
    await operate('POST', `${path}/replay`, { after: 0 });
    const { delivery } = await operate<{ delivery: object }>('POST', `${path}/test`, {});
    expect(delivery).toMatchObject({ type: 'endpoint.test' });
    await operate('DELETE', path);
    const audit = await readAudit(endpoint.id);
    expect(audit.map(({ action, detail }) => [action, detail])).toEqual([
      ['create_webhook_endpoint', { host, types: ['audit.added'] }],
      ['change_webhook_endpoint', { host, description: 'books' }],
      ['rotate_webhook_secret', {}],
      ['replay_events', { after: 0 }],
      ['delete_webhook_endpoint', { host }],
    ]);
    const results = await listRows('SELECT detail FROM audit');
    expect(JSON.stringify(results)).not.toContain(secret.slice(6, 30));
  });

  it('and an account’s routes know nothing of each other’s endpoints', async () => {
    const trader = await openManager();
    const [mine, theirs] = [await subscribe(trader, new Receiver()), await subscribeOperator(new Receiver())];
    expect((await trader.get(`${ENDPOINTS}/${theirs.id}`)).status).toBe(404);
    expect((await asOperator('GET', `${PATH}/${mine.id}`)).status).toBe(404);
    const { webhookEndpoints } = await operate<{ webhookEndpoints: EndpointBody[] }>('GET', PATH);
    expect(webhookEndpoints.map(({ id }) => id)).toContain(theirs.id);
    expect(webhookEndpoints.map(({ id }) => id)).not.toContain(mine.id);
  });

  it('take the types of the operator’s events, and an account’s routes those of an account’s', async () => {
    const trader = await openManager();
    const { url } = new Receiver();
    expect((await asOperator('POST', PATH, { url, types: ['order.filled'] })).status).toBe(400);
    expect((await trader.post(ENDPOINTS, { url, types: ['audit.added'] })).status).toBe(400);
  });
});

// @runtime three-ledgers
import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatorEvent } from '../../src/events/operator-event.ts';
import { copyEndpoints } from '../../src/events/webhooks/endpoint-copies.ts';
import { moveToLedger } from '../../src/db/record-id.ts';
import { type EndpointBody, Receiver, deliver, runAlarm, subscribeOperator } from '../support/events/receiver.ts';
import { type ProblemBody, asOperator, json, operate } from '../support/exchange.ts';
import { openTraderIn } from '../support/db/open-in-ledger.ts';
import { CONNECTION_LOST, aroundBatches, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';
import { listRowsIn } from '../support/db/sql.ts';

const PATH = '/webhook-endpoints';
const DAY_MS = 86_400_000;
const ledgers = [0, 1, 2] as const;

/** The clock stands still a day ahead, so that only the alarms run that a test runs. */
beforeEach(() => {
  stopClock();
  moveClock(DAY_MS);
});

const inLedger = ({ id }: EndpointBody, ledger: number) => ({ id: moveToLedger(id, ledger) });

/** Waits until an endpoint was woken in each ledger, and has what is there sent. */
async function deliverAll(endpoint: EndpointBody, from: readonly number[] = ledgers): Promise<void> {
  for (const ledger of from) await deliver(inLedger(endpoint, ledger));
}

/** The rows of the operator's endpoints in a ledger, as far as a copy has them. */
async function readRows(ledger: number): Promise<Record<string, unknown>[]> {
  const results = await listRowsIn(
    ledger,
    `SELECT url, description, types, status, sealed_secret, previous_secrets FROM webhook_endpoints
       WHERE account_id = 'operator' ORDER BY id`,
  );
  return results;
}

async function expectCopies(): Promise<void> {
  const originals = await readRows(0);
  for (const ledger of [1, 2]) expect(await readRows(ledger)).toEqual(originals);
}

describe('an endpoint of the operator', () => {
  it('is sent what happens in every ledger, each in its order, as its feed has it', async () => {
    const receiver = new Receiver();
    const endpoint = await subscribeOperator(receiver, { types: ['deposit.completed'] });
    await Promise.all(ledgers.map(openTraderIn));
    await deliverAll(endpoint);
    const sent = receiver.received.map(({ event }) => event as OperatorEvent);
    expect(sent.map(({ id }) => id.split('_')[2])).toEqual(['0', '1', '2']);
    for (const ledger of ledgers) {
      const page = await asOperator('GET', `/events?ledger=${ledger}&types=deposit.completed&limit=200`);
      expect((await json<{ events: OperatorEvent[] }>(page)).events.at(-1)).toEqual(sent[ledger]);
    }
  });

  it('signs with a new secret in every ledger, and is changed and deleted in all of them', async () => {
    const receiver = new Receiver();
    const endpoint = await subscribeOperator(receiver, { types: ['deposit.completed'] });
    const path = `${PATH}/${endpoint.id}`;
    const { secret } = await operate<{ secret: string }>('POST', `${path}/rotate-secret`);
    receiver.secrets.push(secret);
    await operate('PATCH', path, { description: 'books', status: 'disabled' });
    await expectCopies();
    await operate('PATCH', path, { status: 'enabled' });
    await openTraderIn(2);
    await deliverAll(endpoint, [2]);
    expect(receiver.types).toEqual(['deposit.completed']);
    await operate('DELETE', path);
    await expectCopies();
  });

  it('that is gone for the events of one ledger is switched off for all, and told of once', async () => {
    const [gone, other] = [new Receiver(), new Receiver()];
    const endpoint = await subscribeOperator(gone, { types: ['deposit.completed'] });
    const standing = await subscribeOperator(other, { types: ['endpoint.disabled'] });
    gone.answer = () => new Response(null, { status: 410 });
    await openTraderIn(1);
    await deliverAll(endpoint, [1]);
    const shown = await operate<{ webhookEndpoint: EndpointBody }>('GET', `${PATH}/${endpoint.id}`);
    expect(shown.webhookEndpoint).toMatchObject({ id: endpoint.id, status: 'disabled', reason: 'gone' });
    for (const ledger of [1, 2]) await copyEndpoints(env, ledger);
    await expectCopies();
    for (const ledger of ledgers) {
      await asOperator('POST', `${PATH}/${standing.id}/replay?ledger=${ledger}`, { after: 0 });
      await runAlarm(inLedger(standing, ledger));
    }
    expect(other.received.map(({ event }) => event.data)).toEqual([
      { webhookEndpoint: { id: endpoint.id, url: gone.url, reason: 'gone' } },
    ]);
  });

  it('is copied by a ledger’s keeper where the copy was not confirmed', async () => {
    const isCopy = (text: string) => text.includes('insert into \\"webhook_endpoints\\"') && !text.includes('audit');
    const lost = aroundBatches('before', 2, fail(CONNECTION_LOST), isCopy);
    await subscribeOperator(new Receiver(), { description: 'late' });
    lost.restore();
    expect(lost.state.injected).toBe(2);
    for (const ledger of [1, 2]) await copyEndpoints(env, ledger);
    await expectCopies();
  });

  it('shows its deliveries of each ledger, and sends the events of one again, or one of them', async () => {
    const receiver = new Receiver();
    const endpoint = await subscribeOperator(receiver, { types: ['deposit.completed'] });
    await Promise.all(ledgers.map(openTraderIn));
    await deliverAll(endpoint);
    for (const ledger of ledgers) {
      const page = await asOperator('GET', `${PATH}/${endpoint.id}/deliveries?ledger=${ledger}`);
      const { deliveries } = await json<{ deliveries: { eventId: string }[] }>(page);
      expect(deliveries.map(({ eventId }) => eventId)).toEqual([receiver.ids[ledger]]);
    }
    const replayed = await asOperator('POST', `${PATH}/${endpoint.id}/replay?ledger=2`, { after: 0 });
    expect((await json<{ webhookEndpoint: EndpointBody }>(replayed)).webhookEndpoint.id).toBe(endpoint.id);
    await runAlarm(inLedger(endpoint, 2));
    expect(receiver.ids.at(-1)).toBe(receiver.ids[2]);
    const resend = (ledger: number) =>
      asOperator('POST', `${PATH}/${endpoint.id}/resend?ledger=${ledger}`, { eventId: receiver.ids[1] });
    expect([(await resend(1)).status, (await resend(2)).status]).toEqual([200, 404]);
    expect(receiver.ids.at(-1)).toBe(receiver.ids[1]);
    for (const path of ['deliveries?ledger=3', 'deliveries?ledger=x']) {
      const refused = await asOperator('GET', `${PATH}/${endpoint.id}/${path}`);
      const { code, errors } = await json<ProblemBody>(refused);
      expect([refused.status, code, errors?.[0]?.pointer]).toEqual([400, 'invalid_request', 'ledger']);
    }
  });
});

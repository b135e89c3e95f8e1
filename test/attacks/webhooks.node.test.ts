import { afterAll, expect, it } from 'vitest';
import type { WebhookEndpoint } from '../../clients/bureau-client/src/index.ts';
import { type Client, must } from '../support/client.ts';
import { LoopbackReceiver } from '../support/node/exchange/loopback-receiver.ts';
import { waitFor } from '../support/wait-for.ts';
import { openExchange } from '../support/node/exchange/open-exchange.ts';

/** What somebody gains by webhook endpoints: of another's account, and against a host that never asked for events. */

const SCOPES = { scopes: ['read', 'trade', 'webhooks'] } as const;
const ENDPOINTS = '/api/v1/webhook-endpoints';

const receivers: LoopbackReceiver[] = [];
const { operator } = await openExchange();
afterAll(() => {
  for (const receiver of receivers) receiver.stop();
});

const send = <T>(client: Client, method: string, path: string, body?: object): Promise<T> =>
  must<T>(client.send({ method, path, body }));

/** Has the events of a client's account sent to a receiver of its own. */
async function subscribe(client: Client): Promise<{ readonly receiver: LoopbackReceiver; readonly id: string }> {
  const receiver = await LoopbackReceiver.start((response) => response.writeHead(204).end());
  receivers.push(receiver);
  const made = await send<{ webhookEndpoint: WebhookEndpoint }>(client, 'POST', ENDPOINTS, { url: receiver.url });
  return { receiver, id: made.webhookEndpoint.id };
}

const typesAt = ({ bodies }: LoopbackReceiver) => bodies.map(({ body }) => (JSON.parse(body) as { type: string }).type);

it('a thief’s endpoint is sent nothing after the key that made it was revoked', async () => {
  const holder = await operator.openClient({ USDT: '1000' }, SCOPES);
  const thief = await operator.createClient(holder.accountId, SCOPES);
  const own = await subscribe(holder);
  const stolen = await subscribe(thief);
  await holder.trade({ value: '10' });
  await waitFor(() => expect([...typesAt(own.receiver), ...typesAt(stolen.receiver)]).toHaveLength(2));
  await operator.operate('DELETE', `/accounts/${holder.accountId}/api-keys/${thief.keyId}`);
  const { webhookEndpoint } = await send<{ webhookEndpoint: WebhookEndpoint }>(
    holder,
    'GET',
    `${ENDPOINTS}/${stolen.id}`,
  );
  expect(webhookEndpoint).toMatchObject({ status: 'disabled', reason: 'key_revoked' });
  await holder.trade({ value: '10' });
  await waitFor(() => expect(typesAt(own.receiver)).toHaveLength(4));
  expect(typesAt(own.receiver)).toEqual(['order.filled', 'key.revoked', 'endpoint.disabled', 'order.filled']);
  expect(typesAt(stolen.receiver)).toEqual(['order.filled']);
});

it('ten replays and fifty tests send a host no more than about one event a second', async () => {
  const EVENTS = 30;
  const client = await operator.openClient({ USDT: '1000' }, SCOPES);
  const { receiver, id } = await subscribe(client);
  for (let placed = 0; placed < EVENTS; placed += 1) await client.trade({ value: '10' });
  await waitFor(() => expect(receiver.bodies.length).toBe(EVENTS));
  const begun_ms = Date.now();
  for (let replays = 0; replays < 10; replays += 1) {
    await send(client, 'POST', `${ENDPOINTS}/${id}/replay`, { after: 0 });
    // Until the endpoint is done, or waits.
    await waitFor(async () => {
      const path = `${ENDPOINTS}/${id}/deliveries`;
      const { nextAttemptAt } = await send<{ nextAttemptAt: string | null }>(client, 'GET', path);
      expect(nextAttemptAt === null || Date.parse(nextAttemptAt) > Date.now() + 1_000).toBe(true);
    });
  }
  const tests = await Promise.allSettled(
    Array.from({ length: 50 }, () => send(client, 'POST', `${ENDPOINTS}/${id}/test`, {})),
  );
  expect(tests.some(({ status }) => status === 'rejected')).toBe(true);
  const seconds = Math.ceil((Date.now() - begun_ms) / 1_000);
  // What an endpoint has at first and at most is 60.
  expect(receiver.bodies.length).toBeLessThanOrEqual(EVENTS + 60 + seconds);
});

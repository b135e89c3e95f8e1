import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, LoopbackReceiver } from '../../support/node/exchange/loopback-receiver.ts';
import { waitFor } from '../../support/wait-for.ts';
import { openExchange } from '../../support/node/exchange/open-exchange.ts';

/** Real receivers on loopback, and the exchange as it is deployed: what one receiver does, no other one notices. */

const HUGE = Buffer.alloc(5_000_000, 'x');

/** When the exchange ends the connection of a failure that is answered without end. */
const closed = Promise.withResolvers<void>();

/** What a receiver may do to its sender. */
const answers = {
  good: (response) => response.writeHead(204).end(),
  hanging: () => undefined,
  redirecting: (response) => response.writeHead(302, { Location: '/stolen' }).end(),
  huge: (response) => response.writeHead(200).end(HUGE),
  lying: (response) => {
    response.writeHead(200, { 'Content-Length': '1000' });
    response.flushHeaders();
    // Long enough for the headers to arrive.
    setTimeout(() => response.socket?.destroy(), 50);
  },
  endless: (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 50);
    response.on('close', () => clearInterval(timer));
  },
  failing: (response) => {
    response.writeHead(500);
    const timer = setInterval(() => response.write('no room '), 50);
    response.on('close', () => {
      clearInterval(timer);
      closed.resolve();
    });
  },
  rude: (_response, request) => request.socket.destroy(),
} as const satisfies Record<string, Answer>;

type Name = keyof typeof answers;

const { operator } = await openExchange({ site: true });
const client = await operator.openClient({ USDT: '1000' }, { scopes: ['read', 'trade', 'webhooks'] });
const receivers = new Map<Name, LoopbackReceiver>();
const secrets = new Map<Name, string>();

beforeAll(async () => {
  for (const name of Object.keys(answers) as Name[]) {
    const receiver = await LoopbackReceiver.start(answers[name]);
    receivers.set(name, receiver);
    const made = await client.post('/api/v1/webhook-endpoints', { url: receiver.url });
    expect(made.status).toBe(201);
    secrets.set(name, ((await made.json()) as { secret: string }).secret);
  }
});

afterAll(() => {
  for (const receiver of receivers.values()) receiver.stop();
});

const ORDERS = 5;

function verified(name: Name): number[] {
  const webhook = new Webhook(secrets.get(name) ?? '');
  return (receivers.get(name)?.bodies ?? []).map(
    ({ body, headers }) => (webhook.verify(body, headers) as { readonly sequence: number }).sequence,
  );
}

it('a receiver that hangs, redirects, lies, sends without end or breaks off delays no other one', async () => {
  for (let placed = 0; placed < ORDERS; placed += 1) await client.trade({ value: '10' });
  // The first event is the deposit of its funds, from before there was an endpoint.
  const all = Array.from({ length: ORDERS }, (_, at) => at + 2);
  await waitFor(() => {
    for (const name of ['good', 'huge', 'endless', 'lying'] as const) expect(verified(name), name).toEqual(all);
    for (const name of ['hanging', 'redirecting', 'failing', 'rude'] as const) {
      // The first order is tried, and those behind it wait.
      expect(new Set(verified(name)), name).toEqual(new Set([2]));
    }
  });
  expect(receivers.get('redirecting')?.paths).not.toContain('/stolen');
  await closed.promise;
});

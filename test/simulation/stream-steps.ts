import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { reachAccountStream } from '../../src/events/reach-stream.ts';
import type { Event } from '../../src/events/event.ts';
import type { Draw } from '../support/draw.ts';
import { queryAll } from '../support/db/open-in-ledger.ts';
import { recordOf } from '../support/events/feed.ts';
import type { Trader } from '../support/exchange.ts';
import { CONNECTION_LOST, abort, aroundBatches, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { ACCOUNT_STREAM, StreamClient, upgrade } from '../support/streams/stream-client.ts';
import type { ModelAccount, SeenEvent } from './model.ts';
import { must } from './must.ts';
import { readingKey } from './event-steps.ts';
import type { World } from './world.ts';

/** What happens to a client of a stream in one step. */
const modes = { listens: 6, is_cut: 3, object_sleeps: 3, object_reset: 2, d1_lost: 2 } as const;

const objectOf = ({ id }: ModelAccount) => env.ACCOUNT_STREAM.getByName(id);

/** Has a client of a stream listen, while its socket is cut, its object sleeps or dies, or the database does not answer. */
export async function stepStream(world: World, draw: Draw): Promise<void> {
  const account = draw.pick(world.model.accounts.filter(({ reader }) => reader !== null));
  const mode = draw.weigh(modes);
  world.count('faults', `stream_${mode}`, mode === 'listens' ? 0 : 1);
  const { client } = account.stream;
  if (mode === 'is_cut') client?.socket.close(1000);
  if (mode === 'object_sleeps') {
    // One that sleeps already cannot be evicted.
    await runInDurableObject(objectOf(account), () => undefined);
    await evictDurableObject(objectOf(account), { webSockets: 'hibernate' } as never);
  }
  if (mode === 'object_reset') await abort(objectOf(account));
  if (mode === 'is_cut' || mode === 'object_reset') account.stream.client = undefined;
  const isRead = (text: string) => text.includes('from \\"listeners\\"');
  const injection = mode === 'd1_lost' ? aroundBatches('before', 1, fail(CONNECTION_LOST), isRead) : undefined;
  const before = account.stream.seen.length;
  await follow(account, readingKey(account));
  injection?.restore();
  world.count('operations', 'event over a stream', account.stream.seen.length - before);
}

/** Connects where the client is not connected, has the object woken as the keeper does, and notes what came. */
async function follow({ id, stream }: ModelAccount, trader: Trader | undefined): Promise<void> {
  if (!stream.client && trader) {
    const headers = { Authorization: `Bearer ${trader.token}` };
    const { webSocket } = await upgrade(ACCOUNT_STREAM, headers);
    if (!webSocket) return;
    stream.client = new StreamClient(webSocket, ACCOUNT_STREAM);
    const after = stream.seen.length;
    stream.client.send({ method: 'subscribe', params: { channel: 'events', after } });
    await stream.client.next().catch(() => undefined);
  }
  const { client } = stream;
  if (!client) return;
  await reachAccountStream(env, id).wake(id);
  await client.fence();
  if (!client.closed) client.send({ method: 'ack', params: { sequence: client.events.at(-1)?.sequence ?? 0 } });
  for (const event of client.takeEvents()) {
    must(event.sequence === stream.seen.length + 1, 'a stream is out of order', event, stream.seen.length);
    stream.seen.push({ sequence: event.sequence, type: event.type, subject: subjectOf(event) });
  }
  if (client.closed) stream.client = undefined;
}

function subjectOf(event: Event): string {
  const record = recordOf(event);
  return String(record['id'] ?? record['accountId']);
}

/** What each client saw equals the outbox: every event once, in order, of the same type and about the same record. */
export async function checkStreams(world: World): Promise<void> {
  for (const account of world.model.accounts) {
    const trader = readingKey(account);
    if (!account.reader || !trader) continue;
    const told = await queryAll<SeenEvent>(
      'SELECT sequence, type, subject FROM events WHERE account_id = ? ORDER BY sequence',
      account.id,
    );
    for (let tries = 0; tries < 20 && account.stream.seen.length < told.length; tries += 1) {
      await follow(account, trader);
    }
    const { seen } = account.stream;
    const differing = told.find(({ sequence, type, subject }, place) => {
      const saw = seen[place];
      return saw?.sequence !== sequence || saw.type !== type || saw.subject !== subject;
    });
    must(seen.length === told.length && !differing, 'a client saw', seen.length, 'of', told.length, differing);
  }
}

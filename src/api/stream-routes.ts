import type { Context } from 'hono';
import { admit, describeAdmission } from '../access/admit.ts';
import { nameAnonymousCaller } from '../access/anonymous-caller.ts';
import { type KeyEnvironment, presentKey, readCallerIp } from '../access/authenticate.ts';
import { createKeyArea, createPublicArea } from '../access/operations.ts';
import { reachAccountStream } from '../events/reach-stream.ts';
import { type RequestContext, type WrittenAnswer, factsOf, sendProblem } from '../http/area.ts';
import { refuse } from '../http/answer.ts';
import type { Admission } from '../keys/record.ts';
import { nameShard, reachShard } from '../markets/reach-shard.ts';
import { OPENING, type Opening } from '../streams/stream-object.ts';

const answer = { 101: 'The socket is open: its messages are in the AsyncAPI document' } as const;

const text =
  'A WebSocket. The messages are in the [AsyncAPI document](/api/v1/asyncapi.json), and [the guide](/docs/guides/streams) shows them.';

export const marketStream = createPublicArea('Markets');

marketStream.add({
  operationId: 'openMarketStream',
  path: '/api/v1/stream',
  summary: 'Tickers and status as they change',
  description: `${text} Needs no key; if one is sent, each subscription counts in its read bucket. 20 sockets an address.`,
  answer,
  refusals: ['invalid_request', 'rate_limited'],
  handle: async (c) => {
    if (!isUpgrade(c)) return sendProblem(c, notUpgraded);
    const address = nameAnonymousCaller(readCallerIp(c)).caller;
    const name = nameShard(c.env, address);
    const presented = c.req.header('Authorization') === undefined ? undefined : await presentKey(c);
    const key = presented?.ok ? describeAdmission(c, presented.value, null) : null;
    return open(c, reachShard(c.env, name), { name, key, address });
  },
});

export const accountStream = createKeyArea('Events');

accountStream.add({
  operationId: 'openAccountStream',
  path: '/api/v1/account/stream',
  scope: 'read',
  summary: 'What happens to the account, as it happens',
  description: `${text} The events of GET /api/v1/events, each once, in order and without a gap, with the balances after them. Connect again with the number of the last one as \`after\`, and nothing is missed. 5 sockets a key.`,
  answer,
  refusals: ['rate_limited'],
  handle: async (c: Context<KeyEnvironment>) => {
    // First, so that a client whose socket does not open learns by a plain request whether its key is the reason.
    const admitted = await admit(c, 'read', 'read');
    if (!admitted.ok) return sendProblem(c, admitted);
    if (!isUpgrade(c)) return sendProblem(c, notUpgraded);
    const name = admitted.value;
    const address = nameAnonymousCaller(readCallerIp(c)).caller;
    const key = describeAdmission(c, c.get('key'), 'read');
    return open(c, reachAccountStream(c.env, name), { name, key, address });
  },
});

function isUpgrade(c: RequestContext): boolean {
  return c.req.header('Upgrade')?.toLowerCase() === 'websocket';
}

const notUpgraded = refuse('invalid_request', 'This is a WebSocket: send Upgrade: websocket.');

/** Hands a socket to its object, which tells nobody else's of it: the request is made anew. */
async function open(
  c: RequestContext,
  object: Pick<DurableObjectStub, 'fetch'>,
  { name, key, address }: { readonly name: string; readonly key: Admission | null; readonly address: string },
): Promise<WrittenAnswer> {
  const { requestId, url, path } = factsOf(c);
  const opening: Opening = { name, key, address, requestId, origin: URL.parse(url)?.origin ?? '', path };
  const headers = { Upgrade: 'websocket', [OPENING]: JSON.stringify(opening) };
  const opened = await object.fetch('https://stream', { headers });
  const { status, webSocket } = opened;
  const sent = new Response(webSocket ? null : opened.body, { status, webSocket, headers: opened.headers });
  sent.headers.set('X-Request-Id', requestId);
  return sent as WrittenAnswer;
}

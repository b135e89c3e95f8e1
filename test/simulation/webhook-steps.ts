import { reachSender, wakeBehind } from '../../src/events/webhooks/reach-sender.ts';
import { ENDPOINTS, Receiver, createManager, runAlarm, senderOf, subscribe } from '../support/events/receiver.ts';
import { ledgerOf } from '../../src/db/database.ts';
import { databaseOfId } from '../support/db/open-in-ledger.ts';
import { CONNECTION_LOST, abort, aroundBatches, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import type { Draw } from '../support/draw.ts';
import type { ModelAccount, ModelWebhook } from './model.ts';
import { must } from './must.ts';
import type { World } from './world.ts';

/** How often an alarm is run at most until everything is delivered. */
const MAX_ALARMS = 50;

/** What a receiver does with the deliveries of one step. */
const modes = { takes: 6, unavailable: 2, breaks: 2, redirects: 1, dies_after_one: 3, d1_lost: 2, falters: 3 } as const;

/** Has the events of an account sent to a receiver from now on: those after a number. */
export async function openWebhook(accountId: string, after: number): Promise<ModelWebhook> {
  const manager = await createManager(accountId);
  const receiver = new Receiver();
  return { manager, receiver, endpoint: await subscribe(manager, receiver), after, isOff: false };
}

/** Has an endpoint send, while its receiver fails, its object dies or the database does not answer. */
export async function stepWebhook(world: World, draw: Draw): Promise<void> {
  const account = draw.pick(world.model.accounts.filter(({ webhook }) => webhook !== null));
  const { webhook } = account;
  if (!webhook) return;
  await perhapsSwitchOn(account);
  const mode = draw.weigh(modes);
  world.count('faults', `webhook_${mode}`, mode === 'takes' ? 0 : 1);
  let calls = 0;
  webhook.receiver.answer = async () => {
    calls += 1;
    if (mode === 'breaks' || (mode === 'falters' && calls % 3 === 0)) throw new Error('the connection broke');
    if (mode === 'dies_after_one' && calls === 2) await abort(senderOf(webhook.endpoint));
    return new Response(null, { status: mode === 'unavailable' ? 503 : mode === 'redirects' ? 307 : 204 });
  };
  const injection = mode === 'd1_lost' ? aroundBatches('before', 1, fail(CONNECTION_LOST)) : undefined;
  await wakeBehind(env, ledgerOf(env, account.id), world.now_ms).catch(() => undefined);
  await runAlarm(webhook.endpoint).catch(() => undefined);
  injection?.restore();
  world.count('operations', 'delivery', calls);
  await noteEnd(world, account);
  checkReceived(account);
}

/** An endpoint that failed for five days is off, and the account is told. */
async function noteEnd(world: World, { id, webhook }: ModelAccount): Promise<void> {
  if (!webhook || webhook.isOff) return;
  const query = databaseOfId(id).prepare('SELECT status FROM webhook_endpoints WHERE id = ?').bind(webhook.endpoint.id);
  if ((await query.first('status')) === 'enabled') return;
  webhook.isOff = true;
  world.model.tell(id, 'endpoint.disabled', webhook.endpoint.id);
  world.count('faults', 'webhook_switched_off');
}

/** A frozen account cannot change its endpoints. */
async function perhapsSwitchOn({ frozen, webhook }: ModelAccount): Promise<void> {
  if (!webhook?.isOff || frozen) return;
  const path = `${ENDPOINTS}/${webhook.endpoint.id}`;
  const { status } = await webhook.manager.send({ method: 'PATCH', path, body: { status: 'enabled' } });
  must(status === 200, 'an endpoint is not switched on again', status);
  webhook.isOff = false;
}

/** What came is what the model expects, in order and without a gap; only an event that was not noted comes again. */
function checkReceived({ id, reader, webhook }: ModelAccount): number {
  let newest = webhook?.after ?? 0;
  for (const { event } of webhook?.receiver.taken ?? []) {
    must(event.sequence === newest + 1 || event.sequence === newest, 'a delivery is out of order', event, newest);
    must(event.id === `evt_${id}_${event.sequence}`, 'a delivery has another id', event);
    newest = event.sequence;
    const expected = reader?.expected[newest - 1];
    must(expected?.type === event.type, 'a delivery is', event, 'instead of', expected);
  }
  return newest;
}

/** Up to which number the events of an account are sent: those that came after a freeze follow when it is over. */
function lastDue({ frozen, reader, webhook }: ModelAccount): number {
  const expected = reader?.expected ?? [];
  if (!frozen) return expected.length;
  return Math.max(webhook?.after ?? 0, expected.findLastIndex(({ type }) => type === 'account.frozen') + 1);
}

/** Every receiver gets everything that it has not got yet, each event once by its id. */
export async function checkWebhooks(world: World): Promise<void> {
  for (const account of world.model.accounts) {
    const { webhook, reader } = account;
    if (!webhook || !reader || (webhook.isOff && account.frozen)) continue;
    await perhapsSwitchOn(account);
    webhook.receiver.answer = () => new Response(null, { status: 204 });
    for (let alarms = 0; alarms < MAX_ALARMS && checkReceived(account) < lastDue(account); alarms += 1) {
      await reachSender(env, webhook.endpoint.id).retry({ accountId: account.id, id: webhook.endpoint.id }, 0);
      await runAlarm(webhook.endpoint);
    }
    const received = checkReceived(account);
    must(received === lastDue(account), 'deliveries are missing', received, lastDue(account));
  }
}

import type { Context } from 'hono';
import { type AppEnvironment, type OperationKind, createAreaOf } from '../../http/area.ts';
import {
  type EndpointAction,
  type EndpointOwner,
  type EndpointRow,
  type EndpointRules,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  endpointNotFound,
  listEndpoints,
  readEndpoint,
  rotateSecret,
  setBack,
  showEndpoint,
} from './endpoint.ts';
import { type EndpointSchemas, EndpointSecret, ReplayEvents } from './endpoint-schemas.ts';
import { z } from '@hono/zod-openapi';
import { type Outcome, accept } from '../../http/answer.ts';
import { moveToLedger } from '../../db/record-id.ts';
import { jsonBody } from '../../http/request.ts';
import { RecordPath, Timestamp } from '../../http/wire-types.ts';
import { reachSender } from './reach-sender.ts';
import { Delivery, ResendEvent } from './delivery-log.ts';
import { readSpan, refuseAfter } from '../read-events.ts';
import { Sequence } from '../event.ts';

/** An owner of endpoints who makes a request. */
export interface AdmittedOwner extends EndpointOwner {
  /** Called after a change: tells whoever keeps a copy of it. */
  tell(action: EndpointAction): Promise<unknown>;
}

/** Where the routes of webhook endpoints are, who may use them, and whose endpoints they are about. */
export interface EndpointSurface {
  readonly path: string;
  /** What the ids of the operations end with, so that they differ between two surfaces. */
  readonly operationSuffix: string;
  /** How the descriptions name who has the endpoints: `An account`. */
  readonly ownerName: string;
  /** What operations have in common that read, or that change something, without or with a body. */
  kindOf(isChange: boolean, hasBody: boolean): OperationKind;
  readonly schemas: EndpointSchemas;
  readonly rules: EndpointRules;
  /** The query of routes about deliveries, and which ledger's it asks for: for an owner whose events are in several. */
  readonly deliveries?: { readonly query: z.ZodObject; readonly ledgerOf: (c: Context) => number | undefined };
  /**
   * Admits a request about the owner's endpoints, or about what is sent of the events of one `ledger`. Refuses with one
   * of the refusals of its kind, and with `invalid_request` a ledger that does not exist.
   */
  admit(c: Context, ledger?: number): Promise<Outcome<AdmittedOwner>>;
}

/** The routes of a surface: of its owners' endpoints, and of what is sent to them. */
export function createEndpointArea(surface: EndpointSurface) {
  const area = createAreaOf(({ method, request }) => surface.kindOf(method !== undefined, request?.body !== undefined));
  addOwnerRoutes(area, surface);
  addOneRoutes(area, surface);
  addDeliveryRoutes(area, surface);
  return area;
}

type EndpointArea = ReturnType<typeof createAreaOf<AppEnvironment>>;

/**
 * A path that names one endpoint of who asks, or its copy in the ledger that is asked for. An unknown one and another
 * owner's are `not_found`.
 */
function anEndpoint(surface: EndpointSurface, ledgerOf?: (c: Context) => number | undefined) {
  return {
    params: RecordPath,
    find: async (_: unknown, { id }: { readonly id: string }, c: Context): Promise<Outcome<FoundEndpoint>> => {
      const ledger = ledgerOf?.(c);
      const owner = await surface.admit(c, ledger);
      if (!owner.ok) return owner;
      const { database, listenerId } = owner.value;
      const row = await readEndpoint(database, listenerId, ledger === undefined ? id : moveToLedger(id, ledger));
      return row ? accept({ owner: owner.value, row }) : endpointNotFound;
    },
  };
}

/** An endpoint, and its owner, who asks about it. */
interface FoundEndpoint {
  readonly owner: AdmittedOwner;
  readonly row: EndpointRow;
}

/** What operations have in common that send one event at once. */
const sending = { answer: 'How the attempt ended', body: { delivery: Delivery }, refusals: ['rate_limited'] } as const;

async function sendNow(c: Context<AppEnvironment>, { accountId, id }: EndpointRow, eventId?: string) {
  const delivery = await reachSender(c.env, id).sendNow({ accountId, id }, eventId);
  return delivery.ok ? accept({ delivery: delivery.value }) : delivery;
}

/** The answer of operations about one endpoint. */
const oneEndpoint = ({ schemas }: EndpointSurface) => ({ webhookEndpoint: schemas.WebhookEndpoint });

function addOwnerRoutes(area: EndpointArea, surface: EndpointSurface): void {
  area.add({
    operationId: `createWebhookEndpoint${surface.operationSuffix}`,
    method: 'post',
    path: surface.path,
    summary: 'Have events sent to an address',
    description: `Every event from now on is sent to the address by POST, signed by the Standard Webhooks specification: \`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\`. Events come in order and at least once; the same event always has the same \`webhook-id\`. Any 2xx within 15 seconds takes it; a redirect does not. Otherwise it is sent again after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours, or later where \`Retry-After\` asks for it. An endpoint that answers 410 is switched off, and one that fails for five days. The secret is shown this once. ${surface.ownerName} has ten endpoints at most, each with an address of its own.`,
    request: { body: jsonBody(surface.schemas.CreateEndpoint) },
    answer: { 201: 'The endpoint, and the secret that signs' },
    body: { ...oneEndpoint(surface), secret: EndpointSecret },
    refusals: ['invalid_state'],
    handle: async (c) => {
      const owner = await surface.admit(c);
      if (!owner.ok) return owner;
      const created = await createEndpoint(owner.value, c.req.valid('json'), surface.rules, Date.now());
      if (!created.ok) return created;
      await owner.value.tell('create_webhook_endpoint');
      return accept({ webhookEndpoint: showEndpoint(created.value.row), secret: created.value.secret });
    },
  });

  area.add({
    operationId: `listWebhookEndpoints${surface.operationSuffix}`,
    path: surface.path,
    summary: 'The addresses that events are sent to',
    description: 'All webhook endpoints, oldest first, at most ten. Secrets are not shown.',
    answer: 'All of them',
    body: { webhookEndpoints: z.array(surface.schemas.WebhookEndpoint) },
    handle: async (c) => {
      const owner = await surface.admit(c);
      return owner.ok ? accept({ webhookEndpoints: (await listEndpoints(owner.value)).map(showEndpoint) }) : owner;
    },
  });
}

function addOneRoutes(area: EndpointArea, surface: EndpointSurface): void {
  const common = { of: anEndpoint(surface), body: oneEndpoint(surface) };
  area.add({
    operationId: `getWebhookEndpoint${surface.operationSuffix}`,
    path: `${surface.path}/{id}`,
    summary: 'One webhook endpoint',
    description: 'An endpoint by its id. One that belongs to somebody else is not found.',
    ...common,
    answer: 'The endpoint',
    handle: (_, { row }) => accept({ webhookEndpoint: showEndpoint(row) }),
  });

  area.add({
    operationId: `changeWebhookEndpoint${surface.operationSuffix}`,
    method: 'patch',
    path: `${surface.path}/{id}`,
    summary: 'Change an endpoint, or switch it off or on',
    description:
      'What is left out stays. An endpoint that is switched on again is sent what happened since its last delivery, as far as it is kept. The secret stays the same.',
    ...common,
    request: { body: jsonBody(surface.schemas.ChangeEndpoint) },
    answer: 'The endpoint as it is now',
    refusals: ['invalid_state'],
    handle: async (c, { owner, row }) => {
      const changed = await changeEndpoint(owner, row.id, c.req.valid('json'), surface.rules);
      if (!changed.ok) return changed;
      await owner.tell('change_webhook_endpoint');
      const name = { accountId: row.accountId, id: row.id };
      if (changed.value.status === 'enabled') await reachSender(c.env, row.id).retry(name, row.delivered);
      return accept({ webhookEndpoint: showEndpoint(changed.value) });
    },
  });

  area.add({
    operationId: `deleteWebhookEndpoint${surface.operationSuffix}`,
    method: 'delete',
    path: `${surface.path}/{id}`,
    summary: 'Send nothing more to an address',
    description: 'Deletes the endpoint, its secret and the list of its deliveries.',
    ...common,
    answer: 'The endpoint as it was',
    handle: async (c, { owner, row }) => {
      const deleted = await deleteEndpoint(owner, row);
      if (!deleted.ok) return deleted;
      await owner.tell('delete_webhook_endpoint');
      await reachSender(c.env, row.id).forget();
      return accept({ webhookEndpoint: showEndpoint(row) });
    },
  });

  area.add({
    operationId: `rotateWebhookSecret${surface.operationSuffix}`,
    method: 'post',
    path: `${surface.path}/{id}/rotate-secret`,
    summary: 'Get a new secret for an endpoint',
    description:
      'For 24 hours each delivery is signed with both secrets, so a receiver that knows either accepts it. The new secret is shown this once.',
    of: common.of,
    answer: 'The endpoint and its new secret',
    body: { ...common.body, secret: EndpointSecret },
    handle: async (_, { owner, row }) => {
      const rotated = await rotateSecret(owner, row, surface.rules, Date.now());
      if (!rotated.ok) return rotated;
      await owner.tell('rotate_webhook_secret');
      return accept({ webhookEndpoint: showEndpoint(rotated.value.row), secret: rotated.value.secret });
    },
  });

  area.add({
    operationId: `testWebhookEndpoint${surface.operationSuffix}`,
    method: 'post',
    path: `${surface.path}/{id}/test`,
    summary: 'Send one event that says nothing',
    description:
      'Sends an `endpoint.test` at once, also to an endpoint that is switched off, and answers with what the receiver said. It takes no number and is not sent again. Many tests in a minute are refused.',
    of: common.of,
    ...sending,
    handle: (c, { row }) => sendNow(c, row),
  });
}

function addDeliveryRoutes(area: EndpointArea, surface: EndpointSurface): void {
  const query = surface.deliveries && { query: surface.deliveries.query };
  const of = anEndpoint(surface, surface.deliveries?.ledgerOf);

  area.add({
    operationId: `resendEvent${surface.operationSuffix}`,
    method: 'post',
    path: `${surface.path}/{id}/resend`,
    summary: 'Send one event again',
    description:
      'Sends one event again at once, out of its order and under its old id, and answers with what the receiver said. How far the endpoint is stays, and so does the next attempt. An event that is no longer kept, that came after a freeze, or of a type that the endpoint is not sent is not found. Nothing is sent to an endpoint that is switched off. Many in a minute are refused, with tests.',
    of,
    request: { ...query, body: jsonBody(ResendEvent) },
    ...sending,
    refusals: ['invalid_state', ...sending.refusals],
    handle: (c, { row }) => sendNow(c, row, c.req.valid('json').eventId),
  });

  area.add({
    operationId: `replayEvents${surface.operationSuffix}`,
    method: 'post',
    path: `${surface.path}/{id}/replay`,
    summary: 'Send events again from a number on',
    description:
      'Every kept event with a higher number than `after` is sent again, in order and under its old id, and then what comes next. An attempt that waits is not waited for. What is sent again goes out at one event a second, after the first ten to sixty: to look far back, read the feed.',
    of,
    request: { ...query, body: jsonBody(ReplayEvents) },
    answer: 'The endpoint',
    body: oneEndpoint(surface),
    refusals: ['events_expired'],
    handle: async (c, { owner, row }) => {
      const span = await readSpan(owner.database, owner.listenerId);
      const { after = span.since } = c.req.valid('json');
      const refused = refuseAfter('/after', after, span);
      if (refused) return refused;
      const replayed = await setBack(owner, row, after);
      if (!replayed.ok) return replayed;
      await reachSender(c.env, row.id).replay({ accountId: row.accountId, id: row.id }, after, span.newest);
      return accept({ webhookEndpoint: showEndpoint(row) });
    },
  });

  area.add({
    operationId: `listWebhookDeliveries${surface.operationSuffix}`,
    path: `${surface.path}/{id}/deliveries`,
    summary: 'The newest attempts of an endpoint',
    description:
      'The last hundred attempts, newest first. `setAside` lists events that the receiver refused three times while it took a later one; they are not sent again by themselves. A replay, or a resend that is taken, ends that. `deliveredTo` is the number up to which events are done with, `nextAttemptAt` the time of the next attempt while one is waited for.',
    of,
    request: { ...query },
    answer: 'The attempts, and how far the endpoint is',
    body: {
      deliveries: z.array(Delivery),
      setAside: z.array(Delivery),
      deliveredTo: Sequence,
      nextAttemptAt: Timestamp.nullable(),
    },
    handle: async (c, { row }) => {
      const { deliveries, setAside, delivered, nextAttempt_ms } = await reachSender(c.env, row.id).read();
      const nextAttemptAt = nextAttempt_ms === null ? null : new Date(nextAttempt_ms).toISOString();
      return accept({ deliveries, setAside, deliveredTo: delivered ?? row.delivered, nextAttemptAt });
    },
  });
}

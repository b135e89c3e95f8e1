import { createRoute, z } from '@hono/zod-openapi';
import { authenticate, authenticateJson } from '../access/authenticate.ts';
import {
  ChangeEndpoint,
  CreateEndpoint,
  WebhookEndpoint,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  showEndpoint,
} from '../events/webhooks/endpoint.ts';
import { reachSender } from '../events/webhooks/reach-sender.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { RecordPath } from '../http/wire-types.ts';
import { ledgerNumberOf, newRecordId } from '../ledger/record-id.ts';
import { tellLanes } from '../lane/tell-lanes.ts';
import {
  ENDPOINTS_PATH,
  admitEndpoint,
  admitHolder,
  endpointRefusals,
  endpointRules,
  endpointSecurity,
  oneEndpoint,
  oneEndpointWithSecret,
} from './admit-endpoint.ts';

export const webhooks = createArea();

webhooks.openapi(
  createRoute({
    operationId: 'createWebhookEndpoint',
    method: 'post',
    path: ENDPOINTS_PATH,
    tags: ['Events'],
    summary: 'Have events sent to an address',
    description:
      'Every event from now on is sent to the address by POST, signed by the Standard Webhooks specification: `webhook-id`, `webhook-timestamp`, `webhook-signature`. Events come in order and at least once; the same event always has the same `webhook-id`. Any 2xx within 15 seconds takes it; a redirect does not. Otherwise it is sent again after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours, or later where `Retry-After` asks for it. An endpoint that answers 410 is switched off, and one that fails for five days. The secret is shown this once. An account has ten endpoints at most, each with an address of its own.',
    security: endpointSecurity,
    middleware: authenticateJson('webhooks'),
    request: { body: jsonBody(CreateEndpoint) },
    responses: {
      201: { description: 'The endpoint, and the secret that signs', content: oneEndpointWithSecret },
      ...problemResponses(...bodyRefusals, 'invalid_state', ...endpointRefusals),
    },
  }),
  async (c) => {
    const holder = await admitHolder(c);
    if (!holder.ok) return sendProblem(c, holder);
    const { accountId, database } = holder.value;
    const now_ms = Date.now();
    const name = { accountId, id: newRecordId(now_ms, ledgerNumberOf(accountId)), now_ms };
    const made = await createEndpoint(database, name, c.req.valid('json'), endpointRules);
    if (!made.ok) return sendProblem(c, made);
    await tellLanes(c.env, accountId, Date.now());
    return c.json({ webhookEndpoint: showEndpoint(made.value.row), secret: made.value.secret }, 201);
  },
);

webhooks.openapi(
  createRoute({
    operationId: 'listWebhookEndpoints',
    method: 'get',
    path: ENDPOINTS_PATH,
    tags: ['Events'],
    summary: 'The addresses that events are sent to',
    description: 'All webhook endpoints of the account, oldest first, at most ten. Secrets are not shown.',
    security: endpointSecurity,
    middleware: authenticate('webhooks'),
    responses: {
      200: {
        description: 'All of them',
        content: jsonContent(z.object({ webhookEndpoints: z.array(WebhookEndpoint) })),
      },
      ...problemResponses(...endpointRefusals),
    },
  }),
  async (c) => {
    const holder = await admitHolder(c);
    if (!holder.ok) return sendProblem(c, holder);
    const rows = await listEndpoints(holder.value.database, holder.value.accountId);
    return c.json({ webhookEndpoints: rows.map(showEndpoint) }, 200);
  },
);

webhooks.openapi(
  createRoute({
    operationId: 'getWebhookEndpoint',
    method: 'get',
    path: `${ENDPOINTS_PATH}/{id}`,
    tags: ['Events'],
    summary: 'One webhook endpoint',
    description: 'An endpoint of the account by its id; another account’s is not found.',
    security: endpointSecurity,
    middleware: authenticate('webhooks'),
    request: { params: RecordPath },
    responses: {
      200: { description: 'The endpoint', content: oneEndpoint },
      ...problemResponses('not_found', ...endpointRefusals),
    },
  }),
  async (c) => {
    const found = await admitEndpoint(c, c.req.valid('param').id);
    if (!found.ok) return sendProblem(c, found);
    return c.json({ webhookEndpoint: showEndpoint(found.value.row) }, 200);
  },
);

webhooks.openapi(
  createRoute({
    operationId: 'changeWebhookEndpoint',
    method: 'patch',
    path: `${ENDPOINTS_PATH}/{id}`,
    tags: ['Events'],
    summary: 'Change an endpoint, or switch it off or on',
    description:
      'What is left out stays. An endpoint that is switched on again is sent what happened since its last delivery, as far as it is kept. The secret stays the same.',
    security: endpointSecurity,
    middleware: authenticateJson('webhooks'),
    request: { params: RecordPath, body: jsonBody(ChangeEndpoint) },
    responses: {
      200: { description: 'The endpoint as it is now', content: oneEndpoint },
      ...problemResponses(...bodyRefusals, 'not_found', 'invalid_state', ...endpointRefusals),
    },
  }),
  async (c) => {
    const found = await admitEndpoint(c, c.req.valid('param').id);
    if (!found.ok) return sendProblem(c, found);
    const { accountId, database, row } = found.value;
    const name = { accountId, id: row.id, now_ms: Date.now() };
    const changed = await changeEndpoint(database, name, c.req.valid('json'), endpointRules);
    if (!changed.ok) return sendProblem(c, changed);
    await tellLanes(c.env, accountId, Date.now());
    if (changed.value.status === 'enabled') {
      await reachSender(c.env, row.id).retry({ accountId, id: row.id }, row.delivered);
    }
    return c.json({ webhookEndpoint: showEndpoint(changed.value) }, 200);
  },
);

webhooks.openapi(
  createRoute({
    operationId: 'deleteWebhookEndpoint',
    method: 'delete',
    path: `${ENDPOINTS_PATH}/{id}`,
    tags: ['Events'],
    summary: 'Send nothing more to an address',
    description: 'Deletes the endpoint, its secret and the list of its deliveries.',
    security: endpointSecurity,
    middleware: authenticate('webhooks'),
    request: { params: RecordPath },
    responses: {
      200: { description: 'The endpoint as it was', content: oneEndpoint },
      ...problemResponses('not_found', ...endpointRefusals),
    },
  }),
  async (c) => {
    const found = await admitEndpoint(c, c.req.valid('param').id);
    if (!found.ok) return sendProblem(c, found);
    const { accountId, database, row } = found.value;
    await deleteEndpoint(database, row, Date.now());
    await tellLanes(c.env, accountId, Date.now());
    await reachSender(c.env, row.id).forget();
    return c.json({ webhookEndpoint: showEndpoint(row) }, 200);
  },
);

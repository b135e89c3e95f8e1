import { createRoute, z } from '@hono/zod-openapi';
import { authenticate, authenticateJson } from '../access/authenticate.ts';
import { Sequence } from '../events/event.ts';
import { readSpan, refuseAfter } from '../events/read-events.ts';
import { Delivery } from '../events/webhooks/delivery-log.ts';
import { endpointNotFound, noteProgress, rotateSecret, showEndpoint } from '../events/webhooks/endpoint.ts';
import { reachSender } from '../events/webhooks/reach-sender.ts';
import { bodyRefusals, createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { jsonBody } from '../http/json-body.ts';
import { RecordPath, Timestamp } from '../http/wire-types.ts';
import {
  ENDPOINTS_PATH,
  admitEndpoint,
  endpointRefusals,
  endpointRules,
  endpointSecurity,
  oneEndpoint,
  oneEndpointWithSecret,
} from './admit-endpoint.ts';

export const webhookDeliveries = createArea();

const ReplayEvents = z
  .strictObject({
    after: z.number().int().min(0).openapi({ description: 'Events with a higher number are sent again', example: 12 }),
  })
  .openapi('ReplayEvents');

webhookDeliveries.openapi(
  createRoute({
    operationId: 'rotateWebhookSecret',
    method: 'post',
    path: `${ENDPOINTS_PATH}/{id}/rotate-secret`,
    tags: ['Events'],
    summary: 'Get a new secret for an endpoint',
    description:
      'For 24 hours each delivery is signed with both secrets, so a receiver that knows either accepts it. The new secret is shown this once.',
    security: endpointSecurity,
    middleware: authenticate('webhooks'),
    request: { params: RecordPath },
    responses: {
      200: { description: 'The endpoint and its new secret', content: oneEndpointWithSecret },
      ...problemResponses('not_found', ...endpointRefusals),
    },
  }),
  async (c) => {
    const found = await admitEndpoint(c, c.req.valid('param').id);
    if (!found.ok) return sendProblem(c, found);
    const { row, secret } = await rotateSecret(found.value.database, found.value.row, Date.now(), endpointRules);
    return c.json({ webhookEndpoint: showEndpoint(row), secret }, 200);
  },
);

webhookDeliveries.openapi(
  createRoute({
    operationId: 'testWebhookEndpoint',
    method: 'post',
    path: `${ENDPOINTS_PATH}/{id}/test`,
    tags: ['Events'],
    summary: 'Send one event that says nothing',
    description:
      'Sends an `endpoint.test` at once, also to an endpoint that is switched off, and answers with what the receiver said. It takes no number and is not sent again.',
    security: endpointSecurity,
    middleware: authenticate('webhooks'),
    request: { params: RecordPath },
    responses: {
      200: { description: 'How the attempt ended', content: jsonContent(z.object({ delivery: Delivery })) },
      ...problemResponses('not_found', ...endpointRefusals),
    },
  }),
  async (c) => {
    const found = await admitEndpoint(c, c.req.valid('param').id);
    if (!found.ok) return sendProblem(c, found);
    const { accountId, row } = found.value;
    const delivery = await reachSender(c.env, row.id).sendTest({ accountId, id: row.id });
    return delivery ? c.json({ delivery }, 200) : sendProblem(c, endpointNotFound);
  },
);

webhookDeliveries.openapi(
  createRoute({
    operationId: 'replayEvents',
    method: 'post',
    path: `${ENDPOINTS_PATH}/{id}/replay`,
    tags: ['Events'],
    summary: 'Send events again from a number on',
    description:
      'Every kept event with a higher number than `after` is sent again, in order and under its old id, and then what comes next. An attempt that waits is not waited for.',
    security: endpointSecurity,
    middleware: authenticateJson('webhooks'),
    request: { params: RecordPath, body: jsonBody(ReplayEvents) },
    responses: {
      200: { description: 'The endpoint', content: oneEndpoint },
      ...problemResponses(...bodyRefusals, 'not_found', 'events_expired', ...endpointRefusals),
    },
  }),
  async (c) => {
    const found = await admitEndpoint(c, c.req.valid('param').id);
    if (!found.ok) return sendProblem(c, found);
    const { accountId, database, row } = found.value;
    const { after } = c.req.valid('json');
    const span = await readSpan(database, accountId);
    const refused = refuseAfter('/after', after, span);
    if (refused) return sendProblem(c, refused);
    await noteProgress(database, accountId, row.id, { delivered: after, dueAt: 0 });
    await reachSender(c.env, row.id).replay({ accountId, id: row.id }, after);
    return c.json({ webhookEndpoint: showEndpoint(row) }, 200);
  },
);

webhookDeliveries.openapi(
  createRoute({
    operationId: 'listWebhookDeliveries',
    method: 'get',
    path: `${ENDPOINTS_PATH}/{id}/deliveries`,
    tags: ['Events'],
    summary: 'The newest attempts of an endpoint',
    description:
      'The last hundred attempts, newest first. `setAside` lists events that the receiver refused three times while it took a later one; they are not sent again by themselves. `deliveredTo` is the number up to which events are done with, `nextAttemptAt` the time of the next attempt while one is waited for.',
    security: endpointSecurity,
    middleware: authenticate('webhooks'),
    request: { params: RecordPath },
    responses: {
      200: {
        description: 'The attempts, and how far the endpoint is',
        content: jsonContent(
          z.object({
            deliveries: z.array(Delivery),
            setAside: z.array(Delivery),
            deliveredTo: Sequence,
            nextAttemptAt: Timestamp.nullable(),
          }),
        ),
      },
      ...problemResponses('not_found', ...endpointRefusals),
    },
  }),
  async (c) => {
    const found = await admitEndpoint(c, c.req.valid('param').id);
    if (!found.ok) return sendProblem(c, found);
    const { row } = found.value;
    const { deliveries, setAside, delivered, nextAttempt_ms } = await reachSender(c.env, row.id).read();
    const nextAttemptAt = nextAttempt_ms === null ? null : new Date(nextAttempt_ms).toISOString();
    return c.json({ deliveries, setAside, deliveredTo: delivered ?? row.delivered, nextAttemptAt }, 200);
  },
);

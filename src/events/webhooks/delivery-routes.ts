import { createRoute, z } from '@hono/zod-openapi';
import { type Area, bodyRefusals, jsonContent, problemResponses } from '../../http/area.ts';
import { jsonBody } from '../../http/json-body.ts';
import { accept } from '../../http/refusal.ts';
import { RecordPath, Timestamp } from '../../http/wire-types.ts';
import { Sequence } from '../event.ts';
import { readSpan, refuseAfter } from '../read-events.ts';
import { Delivery } from './delivery-log.ts';
import { type EndpointRow, rotateSecret, setBack, showEndpoint } from './endpoint.ts';
import { describeAnswers } from './endpoint-routes.ts';
import { ReplayEvents } from './endpoint-schemas.ts';
import { type AdmittedOwner, type EndpointSurface, answerEndpoint } from './endpoint-surface.ts';
import { reachSender } from './reach-sender.ts';

/** Adds the routes about what is sent to an endpoint: its secret, a test, a replay, and the list of deliveries. */
export function addDeliveryRoutes(area: Area, surface: EndpointSurface): void {
  addSecret(area, surface);
  addTest(area, surface);
  addReplay(area, surface);
  addDeliveries(area, surface);
}

function addSecret(area: Area, surface: EndpointSurface): void {
  const { oneEndpointWithSecret } = describeAnswers(surface);
  area.openapi(
    createRoute({
      operationId: `rotateWebhookSecret${surface.operationSuffix}`,
      method: 'post',
      path: `${surface.path}/{id}/rotate-secret`,
      tags: ['Events'],
      summary: 'Get a new secret for an endpoint',
      description:
        'For 24 hours each delivery is signed with both secrets, so a receiver that knows either accepts it. The new secret is shown this once.',
      security: surface.security,
      middleware: surface.authenticate.change,
      request: { params: RecordPath },
      responses: {
        200: { description: 'The endpoint and its new secret', content: oneEndpointWithSecret },
        ...problemResponses('not_found', ...surface.refusals),
      },
    }),
    (c) =>
      answerEndpoint(surface, c, c.req.valid('param').id, async (owner, found) => {
        const rotated = await rotateSecret(owner, found, surface.rules, Date.now());
        if (!rotated.ok) return rotated;
        await owner.tell('rotate_webhook_secret');
        return accept({ webhookEndpoint: showEndpoint(rotated.value.row), secret: rotated.value.secret });
      }),
  );
}

function addTest(area: Area, surface: EndpointSurface): void {
  area.openapi(
    createRoute({
      operationId: `testWebhookEndpoint${surface.operationSuffix}`,
      method: 'post',
      path: `${surface.path}/{id}/test`,
      tags: ['Events'],
      summary: 'Send one event that says nothing',
      description:
        'Sends an `endpoint.test` at once, also to an endpoint that is switched off, and answers with what the receiver said. It takes no number and is not sent again. Many tests in a minute are refused.',
      security: surface.security,
      middleware: surface.authenticate.change,
      request: { params: RecordPath },
      responses: {
        200: { description: 'How the attempt ended', content: jsonContent(z.object({ delivery: Delivery })) },
        ...problemResponses('not_found', ...surface.refusals),
      },
    }),
    (c) =>
      answerEndpoint(surface, c, c.req.valid('param').id, async (_owner, row) => {
        const delivery = await reachSender(c.env, row.id).sendTest({ accountId: row.accountId, id: row.id });
        return delivery.ok ? accept({ delivery: delivery.value }) : delivery;
      }),
  );
}

/** The query of a route about deliveries, if it has any. */
const queryOf = ({ deliveries }: EndpointSurface) => (deliveries ? { query: deliveries.query } : {});

function addReplay(area: Area, surface: EndpointSurface): void {
  const { oneEndpoint } = describeAnswers(surface);
  area.openapi(
    createRoute({
      operationId: `replayEvents${surface.operationSuffix}`,
      method: 'post',
      path: `${surface.path}/{id}/replay`,
      tags: ['Events'],
      summary: 'Send events again from a number on',
      description:
        'Every kept event with a higher number than `after` is sent again, in order and under its old id, and then what comes next. An attempt that waits is not waited for. What is sent again goes out at one event a second, after the first ten to sixty: to look far back, read the feed.',
      security: surface.security,
      middleware: surface.authenticate.changeJson,
      request: { params: RecordPath, ...queryOf(surface), body: jsonBody(ReplayEvents) },
      responses: {
        200: { description: 'The endpoint', content: oneEndpoint },
        ...problemResponses(...bodyRefusals, 'not_found', 'events_expired', ...surface.refusals),
      },
    }),
    (c) => {
      const replay = async (owner: AdmittedOwner, row: EndpointRow) => {
        const { after } = c.req.valid('json');
        const span = await readSpan(owner.database, owner.listenerId);
        const refused = refuseAfter('/after', after, span);
        if (refused) return refused;
        const replayed = await setBack(owner, row, after);
        if (!replayed.ok) return replayed;
        await reachSender(c.env, row.id).replay({ accountId: row.accountId, id: row.id }, after, span.newest);
        return accept({ webhookEndpoint: showEndpoint(row) });
      };
      return answerEndpoint(surface, c, c.req.valid('param').id, replay, surface.deliveries?.ledgerOf(c));
    },
  );
}

function addDeliveries(area: Area, surface: EndpointSurface): void {
  area.openapi(
    createRoute({
      operationId: `listWebhookDeliveries${surface.operationSuffix}`,
      method: 'get',
      path: `${surface.path}/{id}/deliveries`,
      tags: ['Events'],
      summary: 'The newest attempts of an endpoint',
      description:
        'The last hundred attempts, newest first. `setAside` lists events that the receiver refused three times while it took a later one; they are not sent again by themselves. `deliveredTo` is the number up to which events are done with, `nextAttemptAt` the time of the next attempt while one is waited for.',
      security: surface.security,
      middleware: surface.authenticate.read,
      request: { params: RecordPath, ...queryOf(surface) },
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
        ...problemResponses(
          ...(surface.deliveries ? (['invalid_request'] as const) : []),
          'not_found',
          ...surface.refusals,
        ),
      },
    }),
    (c) => {
      const show = async (_owner: AdmittedOwner, row: EndpointRow) => {
        const { deliveries, setAside, delivered, nextAttempt_ms } = await reachSender(c.env, row.id).read();
        const nextAttemptAt = nextAttempt_ms === null ? null : new Date(nextAttempt_ms).toISOString();
        return accept({ deliveries, setAside, deliveredTo: delivered ?? row.delivered, nextAttemptAt });
      };
      return answerEndpoint(surface, c, c.req.valid('param').id, show, surface.deliveries?.ledgerOf(c));
    },
  );
}

import { createRoute, z } from '@hono/zod-openapi';
import { type Area, bodyRefusals, jsonContent, problemResponses } from '../../http/area.ts';
import { jsonBody } from '../../http/json-body.ts';
import { accept } from '../../http/refusal.ts';
import { RecordPath } from '../../http/wire-types.ts';
import { changeEndpoint, createEndpoint, deleteEndpoint, listEndpoints, showEndpoint } from './endpoint.ts';
import { EndpointSecret } from './endpoint-schemas.ts';
import { type EndpointSurface, answerEndpoint, answerOwner } from './endpoint-surface.ts';
import { reachSender } from './reach-sender.ts';

/** The answers that several routes of a surface give, for the document. */
export function describeAnswers({ schemas }: EndpointSurface) {
  const webhookEndpoint = schemas.WebhookEndpoint;
  return {
    oneEndpoint: jsonContent(z.object({ webhookEndpoint })),
    oneEndpointWithSecret: jsonContent(z.object({ webhookEndpoint, secret: EndpointSecret })),
  };
}

/** Adds the routes that make, show, change and delete the endpoints of a surface's owners. */
export function addEndpointRoutes(area: Area, surface: EndpointSurface): void {
  addCreation(area, surface);
  addReads(area, surface);
  addChanges(area, surface);
}

function addCreation(area: Area, surface: EndpointSurface): void {
  const { oneEndpointWithSecret } = describeAnswers(surface);
  area.openapi(
    createRoute({
      operationId: `createWebhookEndpoint${surface.operationSuffix}`,
      method: 'post',
      path: surface.path,
      tags: ['Events'],
      summary: 'Have events sent to an address',
      description: `Every event from now on is sent to the address by POST, signed by the Standard Webhooks specification: \`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\`. Events come in order and at least once; the same event always has the same \`webhook-id\`. Any 2xx within 15 seconds takes it; a redirect does not. Otherwise it is sent again after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours, or later where \`Retry-After\` asks for it. An endpoint that answers 410 is switched off, and one that fails for five days. The secret is shown this once. ${surface.ownerName} has ten endpoints at most, each with an address of its own.`,
      security: surface.security,
      middleware: surface.authenticate.changeJson,
      request: { body: jsonBody(surface.schemas.CreateEndpoint) },
      responses: {
        201: { description: 'The endpoint, and the secret that signs', content: oneEndpointWithSecret },
        ...problemResponses(...bodyRefusals, 'invalid_state', ...surface.refusals),
      },
    }),
    (c) =>
      answerOwner(surface, c, 201, async (owner) => {
        const made = await createEndpoint(owner, c.req.valid('json'), surface.rules, Date.now());
        if (!made.ok) return made;
        await owner.tell('create_webhook_endpoint');
        return accept({ webhookEndpoint: showEndpoint(made.value.row), secret: made.value.secret });
      }),
  );
}

function addReads(area: Area, surface: EndpointSurface): void {
  const { oneEndpoint } = describeAnswers(surface);
  area.openapi(
    createRoute({
      operationId: `listWebhookEndpoints${surface.operationSuffix}`,
      method: 'get',
      path: surface.path,
      tags: ['Events'],
      summary: 'The addresses that events are sent to',
      description: 'All webhook endpoints, oldest first, at most ten. Secrets are not shown.',
      security: surface.security,
      middleware: surface.authenticate.read,
      responses: {
        200: {
          description: 'All of them',
          content: jsonContent(z.object({ webhookEndpoints: z.array(surface.schemas.WebhookEndpoint) })),
        },
        ...problemResponses(...surface.refusals),
      },
    }),
    (c) =>
      answerOwner(surface, c, 200, async (owner) =>
        accept({ webhookEndpoints: (await listEndpoints(owner)).map(showEndpoint) }),
      ),
  );

  area.openapi(
    createRoute({
      operationId: `getWebhookEndpoint${surface.operationSuffix}`,
      method: 'get',
      path: `${surface.path}/{id}`,
      tags: ['Events'],
      summary: 'One webhook endpoint',
      description: 'An endpoint by its id. One that belongs to somebody else is not found.',
      security: surface.security,
      middleware: surface.authenticate.read,
      request: { params: RecordPath },
      responses: {
        200: { description: 'The endpoint', content: oneEndpoint },
        ...problemResponses('not_found', ...surface.refusals),
      },
    }),
    (c) =>
      answerEndpoint(surface, c, c.req.valid('param').id, async (_owner, row) =>
        accept({ webhookEndpoint: showEndpoint(row) }),
      ),
  );
}

function addChanges(area: Area, surface: EndpointSurface): void {
  const { oneEndpoint } = describeAnswers(surface);
  area.openapi(
    createRoute({
      operationId: `changeWebhookEndpoint${surface.operationSuffix}`,
      method: 'patch',
      path: `${surface.path}/{id}`,
      tags: ['Events'],
      summary: 'Change an endpoint, or switch it off or on',
      description:
        'What is left out stays. An endpoint that is switched on again is sent what happened since its last delivery, as far as it is kept. The secret stays the same.',
      security: surface.security,
      middleware: surface.authenticate.changeJson,
      request: { params: RecordPath, body: jsonBody(surface.schemas.ChangeEndpoint) },
      responses: {
        200: { description: 'The endpoint as it is now', content: oneEndpoint },
        ...problemResponses(...bodyRefusals, 'not_found', 'invalid_state', ...surface.refusals),
      },
    }),
    (c) =>
      answerEndpoint(surface, c, c.req.valid('param').id, async (owner, row) => {
        const changed = await changeEndpoint(owner, row.id, c.req.valid('json'), surface.rules);
        if (!changed.ok) return changed;
        await owner.tell('change_webhook_endpoint');
        const name = { accountId: row.accountId, id: row.id };
        if (changed.value.status === 'enabled') await reachSender(c.env, row.id).retry(name, row.delivered);
        return accept({ webhookEndpoint: showEndpoint(changed.value) });
      }),
  );

  area.openapi(
    createRoute({
      operationId: `deleteWebhookEndpoint${surface.operationSuffix}`,
      method: 'delete',
      path: `${surface.path}/{id}`,
      tags: ['Events'],
      summary: 'Send nothing more to an address',
      description: 'Deletes the endpoint, its secret and the list of its deliveries.',
      security: surface.security,
      middleware: surface.authenticate.change,
      request: { params: RecordPath },
      responses: {
        200: { description: 'The endpoint as it was', content: oneEndpoint },
        ...problemResponses('not_found', ...surface.refusals),
      },
    }),
    (c) =>
      answerEndpoint(surface, c, c.req.valid('param').id, async (owner, row) => {
        const deleted = await deleteEndpoint(owner, row);
        if (!deleted.ok) return deleted;
        await owner.tell('delete_webhook_endpoint');
        await reachSender(c.env, row.id).forget();
        return accept({ webhookEndpoint: showEndpoint(row) });
      }),
  );
}

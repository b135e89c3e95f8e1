import { type RouteConfig, z } from '@hono/zod-openapi';
import type { JSONValue } from 'hono/utils/types';
import { answerJson, accept } from '../http/answer.ts';
import { type Area, send } from '../http/area.ts';
import { type DocumentFrame, type OpenApiDocument, buildDocument } from '../http/document/build-document.ts';
import { answerThroughEdge } from '../http/edge-cache.ts';
import { clientFrame, operatorFrame } from './api-document-frames.ts';
import { drawStreamDocument } from './stream-document.ts';
import { createPublicArea } from '../access/operations.ts';
import { createOperatorArea } from '../operator/operations.ts';

/** How long an older document may be shown after a deployment, the only time when it changes. */
const LIFETIME_MS = 300_000;

const OpenApi = z
  .looseObject({ openapi: z.string().openapi({ example: '3.1.0' }) })
  .openapi('OpenApi', { description: 'An OpenAPI 3.1 document' });

const AsyncApi = z
  .looseObject({ asyncapi: z.string().openapi({ example: '3.0.0' }) })
  .openapi('AsyncApi', { description: 'An AsyncAPI 3.0 document' });

/** The documents of the interface, each of the routes below its path. */
export interface ApiDocuments {
  readonly client: OpenApiDocument;
  readonly operator: OpenApiDocument;
}

export interface DocumentTag {
  readonly name: string;
  readonly description: string;
}

/** Makes both documents from the registered routes. `furtherTags` are of the operator's, beside those of its frame. */
export function drawDocuments(
  registry: { readonly definitions: readonly { readonly type: string; readonly route?: RouteConfig }[] },
  furtherTags: readonly DocumentTag[] = [],
): ApiDocuments {
  const routes = registry.definitions.flatMap(({ route }) => route ?? []);
  const draw = (prefix: string, frame: DocumentFrame) =>
    buildDocument(
      routes.filter(({ path }) => path.startsWith(prefix)),
      frame,
    );
  const tags = [...operatorFrame.tags, ...furtherTags];
  return { client: draw('/api/', clientFrame), operator: draw('/operator/', { ...operatorFrame, tags }) };
}

/**
 * The routes that serve the documents. `registry` is the whole application's, which is complete only when a request
 * comes; the documents are then made once, since they never change.
 */
export function documentRoutes(
  registry: () => Parameters<typeof drawDocuments>[0],
  furtherTags?: readonly DocumentTag[],
): readonly Area[] {
  let drawn: ApiDocuments | undefined;
  const documents = () => (drawn ??= drawDocuments(registry(), furtherTags));

  const client = createPublicArea('Exchange');
  client.add({
    operationId: 'getOpenApi',
    path: '/api/v1/openapi.json',
    summary: 'This document',
    description: 'The interface as OpenAPI 3.1, made of the schemas that validate requests.',
    answer: 'The document of the running version',
    body: OpenApi,
    isCacheable: true,
    handle: (c) =>
      answerThroughEdge(c, 'openapi', async () => {
        const body = documents().client as object as { openapi: string; [member: string]: JSONValue };
        return accept({ body, lifetime_ms: LIFETIME_MS });
      }),
  });

  client.add({
    operationId: 'getAsyncApi',
    path: '/api/v1/asyncapi.json',
    summary: 'The streams',
    description: 'The messages of the WebSockets as AsyncAPI 3.0, made of the schemas that check them.',
    answer: 'The document of the running version',
    body: AsyncApi,
    isCacheable: true,
    handle: (c) =>
      answerThroughEdge(c, 'asyncapi', async () => {
        const body = drawStreamDocument() as object as { asyncapi: string; [member: string]: JSONValue };
        return accept({ body, lifetime_ms: LIFETIME_MS });
      }),
  });

  const operator = createOperatorArea('Settings');
  operator.add({
    operationId: 'getOperatorOpenApi',
    path: '/operator/v1/openapi.json',
    duty: 'know_interface',
    summary: 'This document',
    description: 'The operator’s API as OpenAPI 3.1, with any of the three tokens, or signed in.',
    answer: 'The document of the running version',
    body: OpenApi,
    handle: (c) => send(c, answerJson(200, documents().operator)),
  });

  return [client, operator];
}

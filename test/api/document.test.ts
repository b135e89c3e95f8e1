import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import released from '../../docs/openapi.released.json?raw';
import { type Document, listOperations, listParameters } from '../../scripts/openapi/document.ts';
import { findBreaks } from '../../scripts/openapi/find-breaks.ts';
import { drawDocuments } from '../../src/api/api-document.ts';
import { app, createApp } from '../../src/app.ts';
import { problems } from '../../src/http/problems.ts';
import { sandboxRoutes } from '../../src/sandbox/operator-routes.ts';
import type { Schema } from '../../scripts/openapi/flatten-schema.ts';
import { closeSchema } from '../support/document/closed-schema.ts';
import { asOperator, json, openTrader, send } from '../support/exchange.ts';
import { expectMessage, streamDocument } from '../support/streams/documented-message.ts';
import { env } from '../support/runtime/test-env.ts';

interface StreamMessage {
  readonly name: string;
  readonly examples: readonly { readonly payload: unknown }[];
}

interface StreamChannel {
  readonly address: string;
  readonly messages: object;
}

const drawn = drawDocuments(createApp([sandboxRoutes]).openAPIRegistry, [sandboxRoutes.tag]);
const documents = { client: drawn.client as unknown as Document, operator: drawn.operator as unknown as Document };

const operations = Object.values(documents).flatMap((document) =>
  listOperations(document).map(({ path, method, operation }) => ({
    document,
    operation,
    name: `${method.toUpperCase()} ${path}`,
  })),
);

const write = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`;

/** `npm run openapi` writes the committed copies. */
describe('the committed copy', () => {
  it('of the clients’ document equals what the code generates', async () => {
    await expect(write(documents.client)).toMatchFileSnapshot('../../docs/openapi.json');
  });

  it('of the streams’ document equals what the code generates, and its examples fit its schemas', async () => {
    await expect(write(streamDocument)).toMatchFileSnapshot('../../docs/asyncapi.json');
    for (const { examples, name } of Object.values(streamDocument.components.messages) as StreamMessage[]) {
      const { address } =
        Object.values<StreamChannel>(streamDocument.channels).find((one) => name in one.messages) ?? {};
      for (const { payload } of examples) expectMessage(address ?? '', payload);
    }
  });

  it('of the operator’s document equals what the code generates', async () => {
    await expect(write(documents.operator)).toMatchFileSnapshot('../../docs/openapi.operator.json');
  });
});

describe('the document that the exchange serves', () => {
  it('is the clients’ document at /api/v1, public, and cached for five minutes', async () => {
    const response = await send('/api/v1/openapi.json');
    expect(await response.json()).toEqual(JSON.parse(write(documents.client)));
    expect(response.headers.get('Cache-Control')).toMatch(/^public, max-age=(299|300)$/);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
  });

  it('is the operator’s document at /operator/v1, for each of the operator’s tokens and nobody else, without the sandbox’s part', async () => {
    const served = await json<Document>(await asOperator('GET', '/openapi.json'));
    const production = drawDocuments(app.openAPIRegistry).operator;
    expect(served).toEqual(JSON.parse(write(production)));
    expect(write(served)).not.toMatch(/sandbox/i);
    const { paths = {} } = documents.operator;
    const common = Object.keys(paths).filter((path) => !path.startsWith('/operator/v1/sandbox/'));
    expect(Object.keys(served.paths ?? {})).toEqual(common);
    expect(Object.keys(paths).length - common.length).toBe(2);
    const { DEPOSIT_TOKEN, AUDITOR_TOKEN } = env as unknown as Record<string, string>;
    for (const token of [DEPOSIT_TOKEN, AUDITOR_TOKEN]) {
      const response = await send('/operator/v1/openapi.json', { headers: { Authorization: `Bearer ${token}` } });
      expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'no-store']);
    }
    expect((await (await openTrader()).get('/operator/v1/openapi.json')).status).toBe(401);
  });

  it('contains no operation of the other document', () => {
    for (const path of Object.keys(documents.client.paths ?? {})) expect(path).toMatch(/^\/api\/v1\//);
    for (const path of Object.keys(documents.operator.paths ?? {})) expect(path).toMatch(/^\/operator\/v1\//);
    expect(write(documents.client)).not.toMatch(/operator_token|insufficient_role|operatorToken/);
  });
});

describe.each(operations)('$name', ({ document, operation }) => {
  it('has an id, a summary, a description, and one tag that the document explains', () => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(operation.summary).toMatch(/^[A-Z].+[^.]$/);
    expect(operation.description?.length).toBeGreaterThan(20);
    expect(document.tags?.map(({ name }) => name)).toContain(operation.tags?.[0]);
    expect(operation.tags).toHaveLength(1);
  });

  it('describes every parameter, with a valid example', () => {
    for (const { name, description, schema, example } of listParameters(operation, document)) {
      expect(description, name).toBeTruthy();
      expectValid(schema, example, document);
    }
  });

  it('shows a valid example of every body, with declared fields only', () => {
    const bodies = [operation.requestBody, ...Object.values(operation.responses ?? {})];
    for (const { schema, example, examples } of bodies.flatMap((body) => Object.values(body?.content ?? {}))) {
      const shown = examples ? Object.values(examples).map((one) => exampleOf(document, one.$ref)) : [example];
      expect(shown.length).toBeGreaterThan(0);
      for (const value of shown) expectValid(schema, value, document);
    }
  });

  it('shows an example of every error code that it may give, with the code’s status', () => {
    for (const [status, { content }] of Object.entries(operation.responses ?? {})) {
      for (const [code, { $ref }] of Object.entries(content?.['application/problem+json']?.examples ?? {})) {
        expect(exampleOf(document, $ref)).toMatchObject({ code, status: Number(status) });
      }
    }
  });
});

function exampleOf({ components }: Document, reference = ''): unknown {
  return components?.examples?.[reference.split('/').at(-1) ?? '']?.value;
}

function expectValid(schema: Schema | undefined, value: unknown, { components }: Document): void {
  expect([schema, value]).not.toContain(undefined);
  const closed = closeSchema(schema ?? {}, components?.schemas ?? {});
  expect(new Validator(closed, '2020-12').validate(value).errors, JSON.stringify(value)).toEqual([]);
}

describe('the documented example of an answer that is the same for every caller', () => {
  it.each(['/api/v1/assets', '/api/v1/exchange-info', '/api/v1/status'])('matches what %s answers', async (path) => {
    const content = documents.client.paths?.[path]?.['get']?.responses?.['200']?.content?.['application/json'];
    const { serverTime: _serverTime, ...example } = (content?.example ?? {}) as Record<string, unknown>;
    expect(example).not.toEqual({});
    // The tests run without a spread.
    const expected: unknown = JSON.parse(JSON.stringify(example).replace('"spreadBps":20', '"spreadBps":0'));
    expect(await json(await send(path))).toEqual(includes(expected));
  });
});

/**
 * Matches a value that contains at least `part`: the example shows one member of each list, and everything but the
 * time.
 */
function includes(part: unknown): unknown {
  if (Array.isArray(part)) return expect.arrayContaining(part.map(includes));
  if (typeof part !== 'object' || part === null) return part;
  const fields = Object.entries(part).map(([name, value]) => [name, includes(value)] as const);
  return expect.objectContaining(Object.fromEntries(fields));
}

describe('the documents together', () => {
  it('give every operation a different id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('show every error code of the table except method_not_allowed', () => {
    const shown = Object.values(documents).flatMap(({ components }) => Object.keys(components?.examples ?? {}));
    const codes = new Set(shown.map((name) => name.replace('_in_path', '')));
    expect(Object.keys(problems).filter((code) => !codes.has(code))).toEqual(['method_not_allowed']);
  });

  it('document symbol_not_supported as 404 in a path and as 422 in an order', () => {
    const { paths = {} } = documents.client;
    expect(paths['/api/v1/markets/{symbol}']?.['get']?.responses?.['404']?.description).toContain(
      'symbol_not_supported',
    );
    expect(paths['/api/v1/orders']?.['post']?.responses?.['422']?.description).toContain('symbol_not_supported');
  });
});

/**
 * The breaking changes that were made on purpose. Fields that the exchange does not know are now refused, because
 * clients lost money when they were ignored. The pattern of a code now allows more, which the comparison cannot tell
 * from allowing less.
 */
const decided = [
  'POST /api/v1/wallet/withdrawals body: other fields are no longer taken',
  'POST /api/v1/wallet/withdrawals body/totpCode: the pattern changed',
  'POST /api/v1/orders body: other fields are no longer taken',
];

describe('the released document', () => {
  it('stays compatible: existing clients go on working while the major version is the same', () => {
    const before = JSON.parse(released) as Document;
    const majorOf = ({ info }: Document) => info?.version.split('.')[0];
    const mayBreak = majorOf(before) !== majorOf(documents.client);
    const breaks = findBreaks(before, documents.client);
    expect(mayBreak ? [] : breaks.filter((what) => !decided.includes(what))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Document } from '../../scripts/openapi/document.ts';
import { findBreaks } from '../../scripts/openapi/find-breaks.ts';
import type { Schema } from '../../scripts/openapi/flatten-schema.ts';

const Name: Schema = { type: 'string', pattern: '^[a-z]+$', minLength: 1, maxLength: 8 };

interface Parts {
  readonly request?: Schema;
  readonly response?: Schema;
  readonly parameters?: readonly object[];
  readonly operation?: object;
  readonly component?: Schema;
  readonly responses?: object;
  readonly headers?: object;
}

const request: Schema = {
  type: 'object',
  properties: {
    side: { type: 'string', enum: ['BUY', 'SELL'] },
    name: Name,
    count: { type: 'integer', minimum: 1, maximum: 9 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 0, maxItems: 4 },
  },
  required: ['side'],
};

const response: Schema = { $ref: '#/components/schemas/Thing' };

const component: Schema = {
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid' },
    name: Name,
    count: { type: 'integer' },
    state: { type: 'string', enum: ['OPEN', 'DONE'] },
    parts: { type: 'array', items: { type: 'object', properties: { name: Name }, required: ['name'] } },
  },
  required: ['id', 'name', 'parts'],
};

const limit = { name: 'limit', in: 'query', required: false, schema: { type: 'integer', maximum: 200, default: 50 } };
const headers = {
  Location: { $ref: '#/components/headers/Location' },
  Note: { required: false, schema: { type: 'string' } },
};

function documentOf(parts: Parts = {}): Document {
  return {
    paths: {
      '/things': {
        post: {
          operationId: 'makeThing',
          security: [{ apiKey: ['trade'] }],
          parameters: parts.parameters ?? [limit],
          requestBody: { required: false, content: { 'application/json': { schema: parts.request ?? request } } },
          responses: {
            201: {
              headers: (parts.headers ?? headers) as never,
              content: { 'application/json': { schema: parts.response ?? response } },
            },
            422: { content: { 'application/problem+json': { schema: { type: 'object' } } } },
            ...parts.responses,
          },
          ...parts.operation,
        },
      },
    },
    components: {
      schemas: { Thing: parts.component ?? component },
      headers: { Location: { required: true, schema: { type: 'string' } } },
    },
  };
}

const released = documentOf();
const breaksOf = (parts: Parts) => findBreaks(released, documentOf(parts));

function withField(schema: Schema, name: string, field: Schema | undefined): Schema {
  const { [name]: _before, ...others } = schema.properties ?? {};
  return { ...schema, properties: field ? { ...others, [name]: field } : others };
}

const requestWith = (name: string, field: Schema | undefined) => ({ request: withField(request, name, field) });
const responseWith = (name: string, field: Schema | undefined) => ({ component: withField(component, name, field) });

describe('nothing breaks', () => {
  it('when nothing changes', () => {
    expect(findBreaks(released, released)).toEqual([]);
  });

  it.each<[string, Parts]>([
    ['a new optional field of a request', requestWith('note', { type: 'string' })],
    ['a new field of a response', responseWith('note', { type: 'string' })],
    ['a new value of a request’s enumeration', requestWith('side', { type: 'string', enum: ['BUY', 'SELL', 'SWAP'] })],
    ['a new value of a response’s enumeration', responseWith('state', { type: 'string', enum: ['OPEN', 'X'] })],
    ['a wider type of a request', requestWith('count', { type: ['number', 'null'] })],
    ['a narrower type of a response', responseWith('count', { type: 'integer', maximum: 5 })],
    ['wider bounds of a request', requestWith('name', { ...Name, minLength: 0, maxLength: 9 })],
    ['a field of a request that is no longer required', { request: { ...request, required: [] } }],
    [
      'a field of a response that is now always present',
      { component: { ...component, required: ['id', 'name', 'parts', 'count'] } },
    ],
    ['a new optional parameter', { parameters: [limit, { name: 'cursor', in: 'query', schema: { type: 'string' } }] }],
    ['a new status', { responses: { 409: {} } }],
    ['a new header', { headers: { ...headers, ETag: { schema: { type: 'string' } } } }],
    ['an operation that needs no key any more', { operation: { security: [{}, { apiKey: [] }] } }],
    ['a component written out', { response: component }],
    ['a component composed of parts', { response: { allOf: [{ $ref: '#/components/schemas/Thing' }, {}] } }],
  ])('by %s', (_what, parts) => {
    expect(breaksOf(parts)).toEqual([]);
  });

  it('by a new operation', () => {
    const { post } = released.paths?.['/things'] ?? {};
    expect(findBreaks(released, { ...released, paths: { ...released.paths, '/more': { post } } })).toEqual([]);
  });
});

describe('a break is named:', () => {
  const body = 'POST /things body';
  const answer = 'POST /things 201';
  const bodyNow = { required: true, content: { 'application/json': { schema: request } } };
  const day = { name: 'day', in: 'query', required: true, schema: { type: 'string' } };
  const strings: Schema = { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 0, maxItems: 4 };
  const nameless: Schema = { type: 'array', items: { type: 'object', properties: {} } };
  const withNote = withField(request, 'note', { type: 'string' });

  it.each<[expected: string, Parts]>([
    [`${body}/name: the field was removed`, requestWith('name', undefined)],
    [`${answer}/count: the field was removed`, responseWith('count', undefined)],
    [`${answer}/parts[]/name: the field was removed`, responseWith('parts', nameless)],
    [`${body}/name: the field is required now`, { request: { ...request, required: ['side', 'name'] } }],
    [`${body}/note: the field is required now`, { request: { ...withNote, required: ['side', 'note'] } }],
    [`${answer}/name: the field may be missing now`, { component: { ...component, required: ['id', 'parts'] } }],
    [`${body}/name: the type was narrowed`, requestWith('name', { ...Name, type: 'integer' })],
    [`${answer}/count: the type was widened`, responseWith('count', { type: ['integer', 'null'] })],
    [`${answer}/count: the type was widened`, responseWith('count', { type: 'number' })],
    [`${answer}/count: the type was widened`, responseWith('count', {})],
    [`${body}/side: the value SELL is no longer taken`, requestWith('side', { type: 'string', enum: ['BUY'] })],
    [`${body}/tags[]: the value any other is no longer taken`, requestWith('tags', strings)],
    [`${body}/name: the pattern changed`, requestWith('name', { ...Name, pattern: '^a$' })],
    [`${answer}/id: the format changed`, responseWith('id', { type: 'string', format: 'uri' })],
    [`${body}/name: minLength rose`, requestWith('name', { ...Name, minLength: 2 })],
    [`${body}/count: maximum fell`, requestWith('count', { type: 'integer', minimum: 1, maximum: 8 })],
    [`${body}/side: maxLength fell`, requestWith('side', { type: 'string', enum: ['BUY', 'SELL'], maxLength: 3 })],
    [`${body}: other fields are no longer taken`, { request: { ...request, additionalProperties: false } }],
    ['POST /things ?limit: the parameter was removed', { parameters: [] }],
    ['POST /things ?limit: maximum fell', { parameters: [{ ...limit, schema: { ...limit.schema, maximum: 100 } }] }],
    [
      'POST /things ?limit: the default changed',
      { parameters: [{ ...limit, schema: { ...limit.schema, default: 20 } }] },
    ],
    ['POST /things ?limit: the parameter is required now', { parameters: [{ ...limit, required: true }] }],
    ['POST /things ?day: the parameter is required now', { parameters: [limit, day] }],
    [`${body}: it is required now`, { operation: { requestBody: bodyNow } }],
    ['POST /things 422: the status was removed', { operation: { responses: { 201: {} } } }],
    [
      'POST /things 422: the content type application/problem+json was removed',
      { responses: { 422: { content: { 'application/json': {} } } } },
    ],
    [`${answer}: the header Location was removed`, { headers: { Note: headers.Note } }],
    [
      `${answer}: the header Location may be missing now`,
      { headers: { ...headers, Location: { required: false, schema: { type: 'string' } } } },
    ],
    ['POST /things: the operation id changed', { operation: { operationId: 'x' } }],
    ['POST /things: it needs another scope or key', { operation: { security: [{ apiKey: ['withdraw'] }] } }],
    [`${body}: alternatives came or went`, { request: { ...request, oneOf: [{ required: ['name'] }] } }],
  ])('%s', (expected, parts) => {
    expect(breaksOf(parts)).toContain(expected);
  });

  it('an operation removed', () => {
    expect(findBreaks(released, { paths: {} })).toEqual(['POST /things: the operation was removed']);
  });

  it('an API key for an operation that was public', () => {
    const open = documentOf({ operation: { security: [{}, { apiKey: [] }] } });
    const closed = documentOf({ operation: { security: [{ apiKey: [] }] } });
    expect(findBreaks(open, closed)).toEqual(['POST /things: it needs another scope or key']);
  });

  it('an alternative that is no longer accepted, or that did not occur before', () => {
    const of = (...types: string[]): Schema => ({ oneOf: types.map((type) => ({ type })) });
    const [one, two] = [of('string'), of('string', 'integer')];
    expect(findBreaks(documentOf({ request: two }), documentOf({ request: one }))).toEqual([
      `${body}: an alternative changed`,
    ]);
    expect(findBreaks(documentOf({ response: one }), documentOf({ response: two }))).toEqual([
      `${answer}: an alternative changed`,
    ]);
    expect(findBreaks(documentOf({ request: one }), documentOf({ request: two }))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { buildDocument } from '../../src/http/document/build-document.ts';
import { describeProblems } from '../../src/http/document/problem-responses.ts';
import { createRoute, z } from '@hono/zod-openapi';
import { type SentRequest, findFault, listOperations } from '../support/document/documented.ts';

const Part = z.object({ name: z.string().openapi({ example: 'a' }) }).openapi('Part');
const Whole = Part.extend({ parts: z.array(Part), one: z.union([Part, z.null()]) }).openapi('Whole');

const operations = listOperations(
  buildDocument(
    [
      createRoute({
        operationId: 'makeWhole',
        method: 'post',
        path: '/things/{id}',
        tags: [],
        security: [{ apiKey: [] }],
        request: {
          params: z.object({ id: z.string().openapi({ example: '1' }) }),
          body: { content: { 'application/json': { schema: z.object({ size: z.enum(['S', 'M']) }) } } },
        },
        responses: {
          200: { description: 'ok', content: { 'application/json': { schema: z.object({ whole: Whole }) } } },
          ...describeProblems(['rate_limited', 'insufficient_balance', 'daily_limit_exceeded']),
        },
      }),
    ],
    { info: { title: 'x', version: '1' }, securitySchemes: {}, publicSecurity: [] },
  ),
);

const whole = { name: 'w', parts: [{ name: 'a' }], one: { name: 'b' } };
const problem = {
  type: 'https://bureau.test/errors/insufficient_balance',
  title: 't',
  status: 422,
  detail: 'd',
  instance: '/things/1',
  code: 'insufficient_balance',
  requestId: 'r',
  retryable: false,
};
const rates = {
  RateLimit: '"read-minute";r=119;t=60, "read-day";r=4999;t=43200',
  'RateLimit-Policy': '"read-minute";q=120;w=60, "read-day";q=5000;w=86400',
  'X-RateLimit-Limit': '120',
  'X-RateLimit-Remaining': '119',
  'X-RateLimit-Reset': '1795262460',
};

interface Sent extends Partial<SentRequest> {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly answer?: unknown;
}

function judge({ status = 200, headers = {}, answer = { whole }, ...request }: Sent): Promise<string | undefined> {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  const all = { 'X-Request-Id': 'r', 'Content-Type': type, ...(status < 400 && rates), ...headers };
  const sent = Object.entries(all).flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []));
  const response = new Response(JSON.stringify(answer), { status, headers: sent });
  return findFault({ method: 'POST', path: '/things/1', ...request }, response, operations);
}

describe('the check of a response against the document', () => {
  it('accepts a response that matches', async () => {
    expect(await judge({})).toBeUndefined();
    expect(await judge({ answer: { whole: { ...whole, one: null } } })).toBeUndefined();
    expect(await judge({ status: 422, answer: problem })).toBeUndefined();
    const limit = { ...problem, code: 'daily_limit_exceeded', limit: '1', used: '1', remaining: '0' };
    expect(await judge({ status: 422, answer: limit })).toBeUndefined();
  });

  it.each([
    ['at the top', { whole, extra: 1 }],
    ['beside a composition', { whole: { ...whole, extra: 1 } }],
    ['in a list', { whole: { ...whole, parts: [{ name: 'a', extra: 1 }] } }],
    ['behind a choice', { whole: { ...whole, one: { name: 'b', extra: 1 } } }],
  ])('finds a field that is not declared, %s', async (_where, answer) => {
    expect(await judge({ answer })).toContain('"extra"');
  });

  it('finds a missing field and a field of another type', async () => {
    expect(await judge({ answer: {} })).toContain('"whole"');
    expect(await judge({ answer: { whole: { ...whole, name: 1 } } })).toContain('string');
  });

  it('finds a status that is not declared', async () => {
    expect(await judge({ status: 409, answer: problem })).toBe('the status is not documented');
  });

  it('finds a code of another operation or status, and a member that belongs to another code', async () => {
    expect(await judge({ status: 422, answer: { ...problem, code: 'order_rejected' } })).toContain('code');
    expect(await judge({ status: 422, answer: { ...problem, code: 'rate_limited' } })).toContain('code');
    expect(await judge({ status: 422, answer: { ...problem, orderId: '1' } })).toContain('"orderId"');
  });

  it('finds a missing header and a header in another form', async () => {
    expect(await judge({ headers: { 'X-Request-Id': undefined } })).toBe('the header X-Request-Id is missing');
    expect(await judge({ headers: { RateLimit: undefined } })).toBe('the header RateLimit is missing');
    expect(await judge({ headers: { 'X-RateLimit-Limit': 'many' } })).toContain('the header X-RateLimit-Limit is many');
    const limited = { status: 429, answer: { ...problem, code: 'rate_limited', status: 429 } };
    expect(await judge(limited)).toBe('the header Retry-After is missing');
    expect(await judge({ ...limited, headers: { 'Retry-After': '1' } })).toBeUndefined();
  });

  it('finds a content type that is not declared', async () => {
    const fault = 'the content type text/plain is not documented';
    expect(await judge({ headers: { 'Content-Type': 'text/plain' } })).toBe(fault);
  });

  it('finds a request that was accepted although the document forbids it', async () => {
    expect(await judge({ body: '{"size":"S"}' })).toBeUndefined();
    expect(await judge({ body: '{"size":"XL"}' })).toContain('the request was taken');
    expect(await judge({ body: '{"size":"XL"}', status: 422, answer: problem })).toBeUndefined();
  });

  it('expects 404 for an unknown path, and 405 with Allow for a method that the path does not have', async () => {
    const missing = { ...problem, code: 'not_found', status: 404 };
    expect(await judge({ path: '/nothing', status: 404, answer: missing })).toBeUndefined();
    expect(await judge({ path: '/nothing' })).toBe('no operation: expected 404');
    expect(await judge({ path: '/nothing', status: 404, answer: problem })).toContain('not_found');
    const other = { method: 'DELETE', status: 405, answer: { ...problem, code: 'method_not_allowed', status: 405 } };
    expect(await judge(other)).toBe('the header Allow is missing');
    expect(await judge({ ...other, headers: { Allow: 'POST' } })).toBeUndefined();
  });
});

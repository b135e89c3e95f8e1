import { describe, expect, it } from 'vitest';
import { answerJson, answerProblem, toResponse, refuse } from '../../src/http/answer.ts';
import { type ProblemCode, type ProblemDefinition, problems } from '../../src/http/problems.ts';

const path = '/api/v1/orders';
const facts = { requestId: 'request-1', url: `https://bureau.test${path}`, path };
const codes = Object.keys(problems) as ProblemCode[];
const table: Record<string, ProblemDefinition> = problems;

function bodyOf(answer: { readonly body: string }): Record<string, unknown> {
  return JSON.parse(answer.body) as Record<string, unknown>;
}

describe('a problem', () => {
  it('has the fields of RFC 9457 and those of Bureau, and no others', () => {
    const answer = answerProblem(refuse('insufficient_balance', 'Too little BTC.'), facts);
    expect(answer.status).toBe(422);
    expect(answer.headers).toEqual({ 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' });
    expect(bodyOf(answer)).toEqual({
      type: 'https://bureau.test/errors/insufficient_balance',
      title: 'Balance too small',
      status: 422,
      detail: 'Too little BTC.',
      instance: '/api/v1/orders',
      code: 'insufficient_balance',
      requestId: 'request-1',
      retryable: false,
    });
  });

  it.each(codes)('has the status, title and retryability of the one table: %s', (code) => {
    const answer = answerProblem(refuse(code, 'detail'), facts);
    const { status, title, retryable = false } = table[code] ?? {};
    expect(answer.status).toBe(status);
    expect(bodyOf(answer)).toMatchObject({
      status,
      title,
      retryable,
      code,
      type: `https://bureau.test/errors/${code}`,
    });
  });

  it('lists every invalid field', () => {
    const errors = [{ pointer: '/value', code: 'wrong_format', detail: 'is not a plain decimal string' }] as const;
    expect(bodyOf(answerProblem(refuse('invalid_request', 'no', { errors }), facts))).toMatchObject({ errors });
  });

  it('has the members that its code defines', () => {
    const refusal = refuse('outcome_unknown', 'open', { members: { orderId: 'order-1' } });
    expect(bodyOf(answerProblem(refusal, facts))).toMatchObject({ orderId: 'order-1', code: 'outcome_unknown' });
  });

  it('says how to authenticate on every 401 (RFC 6750), and only there', () => {
    for (const code of codes) {
      const challenge = answerProblem(refuse(code, 'detail'), facts).headers['WWW-Authenticate'];
      if (table[code]?.status !== 401) expect(challenge).toBeUndefined();
      else expect(challenge).toBe(code === 'missing_api_key' ? 'Bearer' : 'Bearer error="invalid_token"');
    }
  });

  it('says when to retry if that is known, also when it is zero', () => {
    const retryAfter = (retryAfterSeconds?: number) => {
      const more = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
      return answerProblem(refuse('rate_limited', 'wait', more), facts).headers['Retry-After'];
    };
    expect([retryAfter(), retryAfter(0), retryAfter(17)]).toEqual([undefined, '0', '17']);
  });

  it('is 404 for a symbol in the path, and 422 for one in a body', () => {
    const inPath = answerProblem(refuse('symbol_not_supported', 'none', { inPath: true }), facts);
    expect([inPath.status, bodyOf(inPath)['status']]).toEqual([404, 404]);
    const inBody = answerProblem(refuse('symbol_not_supported', 'none'), facts);
    expect([inBody.status, bodyOf(inBody)['status']]).toEqual([422, 422]);
  });

  it('keeps its status in a path when the table has no other one for paths', () => {
    expect(answerProblem(refuse('invalid_cursor', 'no', { inPath: true }), facts).status).toBe(400);
  });
});

describe('the table of problems', () => {
  it('has stable codes in snake case', () => {
    for (const code of codes) expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
  });

  it('stores for replays only decisions about the request itself: 422 or 403', () => {
    const kept = codes.filter((code) => table[code]?.kept);
    expect(kept).toContain('insufficient_balance');
    for (const code of kept) expect([403, 422]).toContain(table[code]?.status);
  });

  it('calls no stored code retryable, because the same request would get the same answer', () => {
    expect(codes.filter((code) => table[code]?.kept && table[code].retryable)).toEqual([]);
  });
});

describe('an answer', () => {
  it('is JSON, with its own headers', () => {
    expect(answerJson(201, { id: 1 }, { Location: '/orders/1' })).toEqual({
      status: 201,
      headers: { 'Content-Type': 'application/json', Location: '/orders/1' },
      body: '{"id":1}',
    });
  });

  it('becomes the response byte for byte, with the headers that were set before', async () => {
    const response = toResponse(answerJson(201, { note: 'ż😀' }, { Location: '/orders/1' }), { 'X-Request-Id': 'r' });
    expect(response.status).toBe(201);
    expect(response.headers.get('Location')).toBe('/orders/1');
    expect(response.headers.get('X-Request-Id')).toBe('r');
    expect(await response.text()).toBe('{"note":"ż😀"}');
  });
});

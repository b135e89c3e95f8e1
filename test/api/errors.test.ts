import { createExecutionContext } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { app } from '../../src/app.ts';
import { ORDER, type ProblemBody, json, openTrader, send } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';

async function expectProblem(response: Response, status: number, code: string): Promise<void> {
  expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  const problem = await json<ProblemBody & Record<string, unknown>>(response);
  expect([response.status, problem.status, problem.code]).toEqual([status, status, code]);
  expect(problem['type']).toMatch(new RegExp(`^https://bureau.test/errors/${code}$`));
  expect(problem['requestId']).toBe(response.headers.get('X-Request-Id'));
  expect(typeof problem['retryable']).toBe('boolean');
  expect(typeof problem['title']).toBe('string');
  expect(typeof problem['detail']).toBe('string');
}

describe('an error is problem+json from the one table of errors (RFC 9457)', () => {
  it('for an unknown route', async () => {
    await expectProblem(await send('/api/v1/nothing'), 404, 'not_found');
    await expectProblem(await send('/'), 404, 'not_found');
    await expectProblem(await send('/operator/v1/nothing'), 404, 'not_found');
  });

  it('for a wrong method, with the allowed methods', async () => {
    const response = await send('/api/v1/orders', { method: 'DELETE' });
    expect(response.headers.get('Allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'POST']);
    await expectProblem(response, 405, 'method_not_allowed');
    await expectProblem(await send('/api/v1/markets/tickers', { method: 'POST' }), 405, 'method_not_allowed');
  });

  it.each(['{', '', 'null x', '{"coin":}'])('for a body that is not JSON: %j', async (body) => {
    const trader = await openTrader();
    await expectProblem(await trader.post('/api/v1/orders', body), 400, 'invalid_request');
  });

  it.each(['null', '[]', '"x"', '1'])('for JSON that is not an object: %s', async (body) => {
    const trader = await openTrader();
    await expectProblem(await trader.post('/api/v1/orders', body), 400, 'invalid_request');
  });

  it('for a body of another media type', async () => {
    const trader = await openTrader();
    const headers = { 'Content-Type': 'text/plain' };
    await expectProblem(await trader.post('/api/v1/orders', ORDER, headers), 415, 'unsupported_media_type');
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    await expectProblem(await trader.post('/api/v1/orders', 'coin=BTC', form), 415, 'unsupported_media_type');
  });

  it('for a body over 16 KiB, with or without a Content-Length', async () => {
    const trader = await openTrader();
    const large = JSON.stringify({ ...ORDER, padding: 'x'.repeat(16 * 1024) });
    await expectProblem(await trader.post('/api/v1/orders', large), 413, 'payload_too_large');
    const stream = new Response(large).body;
    const streamed = await send('/api/v1/orders', {
      method: 'POST',
      headers: { Authorization: `Bearer ${trader.token}`, 'Content-Type': 'application/json' },
      body: stream,
    });
    await expectProblem(streamed, 413, 'payload_too_large');
    const fitting = JSON.stringify(ORDER).padEnd(16 * 1024);
    await expectProblem(await trader.post('/api/v1/orders', fitting), 422, 'insufficient_balance');
  });

  it('for a body that breaks off while it is sent, which has no effect', async () => {
    const trader = await openTrader({ USDT: '100' });
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(JSON.stringify(ORDER).slice(0, -1))),
      pull: (controller) => controller.error(new Error('the client is gone')),
    });
    const headers = { Authorization: `Bearer ${trader.token}`, 'Content-Type': 'application/json' };
    const request = new Request('https://bureau.test/api/v1/orders', { method: 'POST', headers, body: broken });
    await expectProblem(await app.fetch(request, env, createExecutionContext()), 400, 'invalid_request');
    expect((await trader.balances())['USDT']).toBe('100');
  });

  it('for an invalid Host, in which case its type is a relative URL', async () => {
    const request = new Request('https://bureau.test/api/v1/nothing?x');
    Object.defineProperty(request, 'url', { value: 'http://a b/api/v1/nothing?x' });
    const response = await app.fetch(request, env, createExecutionContext());
    expect(response.status).toBe(404);
    const { type, instance, code } = await json<Record<string, unknown>>(response);
    expect({ type, instance, code }).toEqual({
      type: '/errors/not_found',
      instance: '/api/v1/nothing',
      code: 'not_found',
    });
  });

  it('for a request target that is not a path, with the same request id in header and body', async () => {
    const request = new Request('https://bureau.test/', { method: 'OPTIONS' });
    Object.defineProperty(request, 'url', { value: '*' });
    const response = await app.fetch(request, env, createExecutionContext());
    expect(response.status).toBe(404);
    const { requestId } = await json<Record<string, unknown>>(response);
    expect(response.headers.get('X-Request-Id')).toBe(requestId);
  });

  it.each(['Basic abc', 'Bearer', 'Bearer a b'])(
    'for an Authorization header without a key, even where no key is needed: %j',
    async (authorization) => {
      for (const path of ['/api/v1/markets/tickers', '/api/v1/time', '/api/v1/account/api-key']) {
        await expectProblem(await send(path, { headers: { Authorization: authorization } }), 401, 'missing_api_key');
      }
    },
  );
});

describe('X-Request-Id', () => {
  it('is on every response, and a client’s own id is echoed', async () => {
    expect((await send('/api/v1/markets/tickers')).headers.get('X-Request-Id')).toMatch(/^\S{1,128}$/);
    const own = 'a-client/7:42';
    const response = await send('/api/v1/nothing', { headers: { 'X-Request-Id': own } });
    expect(response.headers.get('X-Request-Id')).toBe(own);
  });

  it.each(['x'.repeat(129), 'with blank', 'ümlaut'])(
    'replaces a client’s id that is not 1 to 128 visible ASCII characters: %s',
    async (own) => {
      const response = await send('/api/v1/markets/tickers', { headers: { 'X-Request-Id': own } });
      expect(response.headers.get('X-Request-Id')).not.toBe(own);
    },
  );
});

describe('when several refusals apply', () => {
  it('the answer is the first of: key, scope, media type, size, body, Idempotency-Key, rules, balance', async () => {
    const trader = await openTrader();
    const reader = await openTrader({}, { scopes: ['read'] });
    const long = { 'Idempotency-Key': 'x'.repeat(256) };
    const unknown = { ...ORDER, coin: 'XRP', value: '0.0000001' };
    await expectProblem(await send('/api/v1/orders', { method: 'POST', body: '{' }), 401, 'missing_api_key');
    await expectProblem(
      await reader.post('/api/v1/orders', '{', { 'Content-Type': 'text/plain' }),
      403,
      'insufficient_scope',
    );
    await expectProblem(
      await trader.post('/api/v1/orders', '{', { 'Content-Type': 'text/plain' }),
      415,
      'unsupported_media_type',
    );
    await expectProblem(await trader.post('/api/v1/orders', { ...ORDER, side: 'x' }, long), 400, 'invalid_request');
    await expectProblem(await trader.post('/api/v1/orders', unknown, long), 400, 'invalid_idempotency_key');
    await expectProblem(await trader.post('/api/v1/orders', unknown), 422, 'symbol_not_supported');
    await expectProblem(await trader.order({ ...ORDER, value: '0.0000001' }), 422, 'precision_exceeded');
    await expectProblem(await trader.order({ ...ORDER, value: '0.1' }), 422, 'amount_below_minimum');
    await expectProblem(await trader.order(ORDER), 422, 'insufficient_balance');
  });
});

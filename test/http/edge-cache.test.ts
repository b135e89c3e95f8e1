import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { Hono } from 'hono';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppEnvironment } from '../../src/http/area.ts';
import { type CacheableBody, answerThroughEdge, recentAnswers } from '../../src/http/edge-cache.ts';
import { type Outcome, accept, refuse } from '../../src/http/answer.ts';
import { env } from '../support/runtime/test-env.ts';

let key = '';
let made = 0;
let outcome: () => Outcome<CacheableBody> = () => accept({ body: { made }, lifetime_ms: 30_000 });

const app = new Hono<AppEnvironment>().get('*', (c) => {
  c.header('X-RateLimit-Remaining', c.req.header('X-Remaining') ?? 'none');
  return answerThroughEdge(c, key, () => {
    made++;
    return Promise.resolve(outcome());
  });
});

async function ask(init: RequestInit = {}, path = '/'): Promise<Response> {
  const context = createExecutionContext();
  const response = await app.fetch(new Request(`https://bureau.test${path}`, init), env, context);
  await waitOnExecutionContext(context);
  return response;
}

beforeEach(() => {
  key = crypto.randomUUID();
  made = 0;
  outcome = () => accept({ body: { made }, lifetime_ms: 30_000 });
});

describe('an answer through the edge cache', () => {
  it('is made once and given again from the cache', async () => {
    expect(await (await ask()).json()).toEqual({ made: 1 });
    const again = await ask();
    expect(await again.json()).toEqual({ made: 1 });
    expect(again.headers.get('Content-Type')).toBe('application/json');
    expect(made).toBe(1);
  });

  it('is given again from the isolate for a second, and after that from the cache', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const match = vi.spyOn(caches.default, 'match');
    await ask();
    vi.setSystemTime(Date.now() + 999);
    const [tag, text] = [(await ask()).headers.get('ETag'), await (await ask()).text()];
    expect(match).toHaveBeenCalledOnce();
    vi.setSystemTime(Date.now() + 1);
    const fromCache = await ask();
    expect(match).toHaveBeenCalledTimes(2);
    expect([fromCache.headers.get('ETag'), await fromCache.text()]).toEqual([tag, text]);
    // What came from the cache is kept for a second as well.
    await ask();
    expect(match).toHaveBeenCalledTimes(2);
    expect(made).toBe(1);
  });

  it('does not depend on the caller’s URL', async () => {
    await ask({}, '/a?x=1');
    await ask({}, '/b?y=2');
    expect(made).toBe(1);
  });

  it('may be cached by the client for the rest of its lifetime', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    outcome = () => accept({ body: {}, lifetime_ms: 2_900 });
    expect((await ask()).headers.get('Cache-Control')).toBe('public, max-age=2');
    vi.setSystemTime(Date.now() + 1_000);
    expect((await ask()).headers.get('Cache-Control')).toBe('public, max-age=1');
    expect(made).toBe(1);
  });

  it('is made again when its lifetime is over, whatever the cache says', async () => {
    outcome = () => accept({ body: { made }, lifetime_ms: 1_200 });
    await ask();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_201 });
    expect(await (await ask()).json()).toEqual({ made: 2 });
  });

  it('is not cached when its lifetime is already over', async () => {
    outcome = () => accept({ body: { made }, lifetime_ms: -5 });
    expect((await ask()).headers.get('Cache-Control')).toBe('public, max-age=0');
    expect(await (await ask()).json()).toEqual({ made: 2 });
  });

  it('never contains another request’s headers', async () => {
    expect((await ask({ headers: { 'X-Remaining': '7' } })).headers.get('X-RateLimit-Remaining')).toBe('7');
    expect((await ask()).headers.get('X-RateLimit-Remaining')).toBe('none');
    expect(made).toBe(1);
  });

  it('has the same strong tag from the cache as at first', async () => {
    const tag = (await ask()).headers.get('ETag');
    expect(tag).toMatch(/^"[\w-]{43}"$/);
    expect((await ask()).headers.get('ETag')).toBe(tag);
  });

  it.each([
    ['the tag', (tag: string) => tag],
    ['the weakened tag', (tag: string) => `W/${tag}`],
    ['a list with the tag', (tag: string) => `"other", ${tag}`],
    ['a star', () => '*'],
  ])('is 304 without a body for a client that sends %s (RFC 9110, section 13.1.2)', async (_case, write) => {
    const tag = (await ask()).headers.get('ETag') ?? '';
    const response = await ask({ headers: { 'If-None-Match': write(tag) } });
    expect(response.status).toBe(304);
    expect(await response.text()).toBe('');
    expect(response.headers.get('ETag')).toBe(tag);
    expect(response.headers.get('Cache-Control')).toMatch(/^public, max-age=/);
  });

  it('is complete for a client that sends another tag', async () => {
    await ask();
    expect((await ask({ headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });

  it('has no body for HEAD, and the same headers (RFC 9110, section 9.3.2)', async () => {
    await ask();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const [whole, head] = [await ask(), await ask({ method: 'HEAD' })];
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(whole.headers));
  });

  it('ignores a Range', async () => {
    await ask();
    expect((await ask({ headers: { Range: 'bytes=0-1' } })).status).toBe(200);
  });
});

it('a refusal is never kept', async () => {
  outcome = () => refuse('upstream_unavailable', 'down');
  const response = await ask();
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([502, 'no-store']);
  outcome = () => accept({ body: { made }, lifetime_ms: 30_000 });
  expect(await (await ask()).json()).toEqual({ made: 2 });
});

it('an answer says where it came from, and is kept under the exchange’s own host', async () => {
  const put = vi.spyOn(caches.default, 'put');
  const sourceOf = async () => (await ask()).headers.get('X-Edge-Cache');
  const first = await sourceOf();
  const second = await sourceOf();
  recentAnswers.forgetAll();
  expect([first, second, await sourceOf()]).toEqual(['miss', 'isolate', 'hit']);
  expect(put.mock.calls.map(([place]) => new URL(new Request(place).url).host)).toEqual(['bureau.test']);
});

it('an edge cache that fails is logged, and every client gets its answer', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const match = vi.spyOn(caches.default, 'match').mockRejectedValue(new Error('no cache'));
  const put = vi.spyOn(caches.default, 'put').mockRejectedValue(new Error('no cache'));
  expect((await ask()).headers.get('X-Edge-Cache')).toBe('failed');
  recentAnswers.forgetAll();
  expect((await ask()).status).toBe(200);
  const events = log.mock.calls.map(([line]) => (JSON.parse(String(line)) as { event: string }).event);
  expect(events).toEqual(Array.from({ length: 4 }, () => 'edge_cache_failed'));
  expect([made, match.mock.calls.length, put.mock.calls.length]).toEqual([2, 2, 2]);
});

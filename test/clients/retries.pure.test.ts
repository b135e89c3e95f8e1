import { describe, expect, it } from 'vitest';
import { BureauClient, BureauConnectionError, BureauError } from '../../clients/bureau-client/src/index.ts';
import { type Step, answer, breakOff, hang, play, refuse } from '../support/played-network.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '100' } as const;
const FILLED = { order: { id: 'first' } };

/** What a call rejects with. */
async function faultOf<T extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never) => T,
): Promise<T> {
  const fault = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(fault instanceof kind)) throw new Error('rejected with something else', { cause: fault });
  return fault;
}

describe('one intent', () => {
  it('has one Idempotency-Key, and the same words, in all its attempts', async () => {
    const { client, sent } = play([
      breakOff,
      refuse('outcome_unknown', 504, true),
      refuse('service_unavailable', 503, true),
      () => answer(FILLED, 201),
    ]);
    expect(await client.placeOrder(ORDER)).toEqual(FILLED);
    expect(sent).toHaveLength(4);
    expect(new Set(sent.map((request) => JSON.stringify(request))).size).toBe(1);
    expect(sent[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('has a key of its own, and another intent another', async () => {
    const { client, sent } = play([() => answer(FILLED, 201), () => answer(FILLED, 201)]);
    await client.placeOrder(ORDER);
    await client.placeOrder(ORDER);
    expect(sent[0]?.key).not.toBe(sent[1]?.key);
  });

  it('uses the caller’s key, and names the key when it fails', async () => {
    const { client, sent } = play([breakOff, breakOff]);
    const fault = await faultOf(
      client.placeOrder(ORDER, { idempotencyKey: 'mine', attempts: 2 }),
      BureauConnectionError,
    );
    expect(sent.map(({ key }) => key)).toEqual(['mine', 'mine']);
    expect([fault.idempotencyKey, fault.attempts, (fault.cause as Error).message]).toEqual([
      'mine',
      2,
      'connection lost',
    ]);
  });
});

describe('what is sent again', () => {
  it('is nothing that is not retryable', async () => {
    const { client, sent } = play([refuse('insufficient_balance', 422, false)]);
    const error = await faultOf(client.placeOrder(ORDER), BureauError);
    expect([error.code, error.status, error.retryable, error.requestId]).toEqual([
      'insufficient_balance',
      422,
      false,
      'r-1',
    ]);
    expect(sent).toHaveLength(1);
  });

  it('is a code of tomorrow that says that it is retryable', async () => {
    const { client, sent } = play([refuse('code_of_tomorrow', 418, true), () => answer({ balances: [] })]);
    await client.listBalances();
    expect(sent).toHaveLength(2);
  });

  it.each<[string, Step]>([
    ['a connection that broke', breakOff],
    ['a gateway’s own page', () => new Response('<html>', { status: 502 })],
    ['half an answer', () => new Response('{"balances":[', { status: 200 })],
    ['a limit of something between', () => new Response('slow down', { status: 429 })],
  ])('is what was lost to %s', async (_, step) => {
    const { client, sent } = play([step, () => answer({ balances: [] })]);
    expect(await client.listBalances()).toEqual({ balances: [] });
    expect(sent).toHaveLength(2);
  });

  it.each([302, 403])('is not what something between decided with %i', async (status) => {
    const { client, sent } = play([() => new Response(null, { status })]);
    const fault = await faultOf(client.listBalances(), BureauConnectionError);
    expect(fault.message).toContain(`status ${status}`);
    expect(sent).toHaveLength(1);
  });
});

describe('how long it waits', () => {
  it('doubles a span of which a random part is waited, up to its cap', async () => {
    const steps = Array.from({ length: 8 }, () => breakOff);
    const { client, slept } = play(steps, { random: 0.5 });
    await faultOf(client.listBalances({ attempts: 8 }), BureauConnectionError);
    expect(slept).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 4_000]);
  });

  it('is what Retry-After asks for, and a random part on top', async () => {
    const { client, slept } = play(
      [
        refuse('rate_limited', 429, true, { 'Retry-After': '7' }),
        refuse('rate_limited', 429, true, {
          Date: 'Sat, 21 Nov 2026 12:00:00 GMT',
          'Retry-After': 'Sat, 21 Nov 2026 12:00:03 GMT',
        }),
        () => answer({ balances: [] }),
      ],
      { random: 0.5 },
    );
    await client.listBalances();
    expect(slept).toEqual([7_125, 3_250]);
  });

  it('is never past the end: a limit of a day is told at once', async () => {
    const { client, slept } = play([refuse('rate_limited', 429, true, { 'Retry-After': '3600' })]);
    const error = await faultOf(client.listBalances(), BureauError);
    expect([error.code, error.attempts, slept]).toEqual(['rate_limited', 1, []]);
  });

  it('ends after the attempts that are allowed, with the last refusal', async () => {
    const { client, sent } = play(Array.from({ length: 9 }, () => refuse('price_unavailable', 503, true)));
    const error = await faultOf(client.placeOrder(ORDER), BureauError);
    expect([error.code, error.retryable, error.attempts, sent.length]).toEqual(['price_unavailable', true, 5, 5]);
    expect(error.idempotencyKey).toBe(sent[0]?.key);
  });

  it('gives up an attempt that hangs, and tries again', async () => {
    const { client, slept, sent } = play([hang, () => answer(FILLED, 201)]);
    expect(await client.placeOrder(ORDER, { timeoutMs: 300 })).toEqual(FILLED);
    expect(slept).toEqual([300, 0]);
    expect(sent[0]).toEqual(sent[1]);
  });

  it('lets no attempt last longer than the whole call', async () => {
    const { client, slept } = play([hang, hang, hang]);
    const fault = await faultOf(client.listBalances({ timeoutMs: 400, totalMs: 1_000 }), BureauConnectionError);
    expect(slept).toEqual([400, 0, 400, 0, 200]);
    expect((fault.cause as Error).name).toBe('TimeoutError');
  });
});

describe('the caller’s signal', () => {
  it('ends an attempt that is under way', async () => {
    const controller = new AbortController();
    const { client, sent } = play([
      () => {
        controller.abort(new Error('no more'));
        return hang();
      },
    ]);
    await expect(client.placeOrder(ORDER, { signal: controller.signal })).rejects.toThrow('no more');
    expect(sent).toHaveLength(1);
  });

  it('ends the wait between two', async () => {
    const controller = new AbortController();
    const { client, sent } = play([breakOff, () => answer({ balances: [] })], {
      whileWaiting: () => controller.abort(new Error('no more')),
    });
    await expect(client.listBalances({ signal: controller.signal })).rejects.toThrow('no more');
    expect(sent).toHaveLength(1);
  });

  it('that has ended already lets nothing leave', async () => {
    const { client, sent } = play([]);
    await expect(client.placeOrder(ORDER, { signal: AbortSignal.abort(new Error('no more')) })).rejects.toThrow(
      'no more',
    );
    expect(sent).toEqual([]);
  });
});

describe('what goes out', () => {
  it('is a key that no error repeats', async () => {
    const { client } = play([refuse('invalid_api_key', 401, false)]);
    const error = await faultOf(client.listBalances(), BureauError);
    expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toContain('bk_test_key');
    expect(JSON.stringify(client)).toBe('{}');
  });

  it('names the members of a code', async () => {
    const { client } = play([
      () =>
        answer(
          { code: 'daily_limit_exceeded', retryable: false, status: 422, detail: '', limit: '5000', used: '1' },
          422,
        ),
    ]);
    const withdrawal = { asset: 'BTC', network: 'BTC', amount: '1', address: 'x' } as const;
    const error = await faultOf(client.createWithdrawal(withdrawal), BureauError);
    expect([error.members.limit, error.members.used, error.errors]).toEqual(['5000', '1', []]);
  });

  it('is a default where an option is undefined, as in a program without types', async () => {
    const { client, sent } = play([breakOff, breakOff, breakOff, breakOff, breakOff, breakOff]);
    const options = { attempts: undefined, totalMs: undefined } as object;
    await faultOf(client.listBalances(options), BureauConnectionError);
    expect(sent).toHaveLength(5);
  });
});

describe('reading all pages of a list', () => {
  it('asks page by page, as rows are wanted, until there is no cursor', async () => {
    const asked: string[] = [];
    const pages: Record<string, unknown> = {
      '': { orders: [{ id: '4' }, { id: '3' }], nextCursor: 'a' },
      a: { orders: [], nextCursor: 'b' },
      b: { orders: [{ id: '1' }], nextCursor: null },
    };
    const client = new BureauClient({
      origin: 'https://bureau.test',
      fetch: (url) => {
        const { search, searchParams } = new URL(url);
        asked.push(search);
        return Promise.resolve(answer(pages[searchParams.get('cursor') ?? '']));
      },
    });
    const ids: string[] = [];
    for await (const { id } of client.orders({ pageSize: 2 })) {
      ids.push(id);
      if (id === '4') expect(asked).toEqual(['?limit=2']);
    }
    expect(ids).toEqual(['4', '3', '1']);
    expect(asked).toEqual(['?limit=2', '?limit=2&cursor=a', '?limit=2&cursor=b']);
  });
});

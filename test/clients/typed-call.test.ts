import { describe, expect, expectTypeOf, it } from 'vitest';
import { BureauClient, type ProblemCode, type operations } from '../../clients/bureau-client/src/index.ts';
import type { webhooks } from '../../clients/bureau-client/src/schema.d.ts';
import type { problems } from '../../src/http/problems.ts';
import { ORIGIN, openTrader, send } from '../support/exchange.ts';

/** The name of a type of event as an operation's: `security.totp_on` is `securityTotpOn`. */
type Camel<Name extends string> = Name extends `${infer Head}.${infer Tail}` | `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/**
 * The types that are generated from the committed document, compiled here and by the client's own compiler, in calls to
 * the real exchange.
 */
function connect(apiKey?: string): BureauClient {
  return new BureauClient({ origin: ORIGIN, apiKey, fetch: (url, init) => send(url.slice(ORIGIN.length), init) });
}

describe('a call with the types of the document', () => {
  it('places an order and reads it back', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const client = connect(trader.token);
    const placed = await client.call('post', '/api/v1/orders', {
      header: { 'Idempotency-Key': crypto.randomUUID() },
      body: { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '100' },
    });
    if (placed.status !== 201) throw new Error(`answered ${placed.status}`);
    const { order } = placed.body;
    const read = await client.call('get', '/api/v1/orders/{id}', { path: { id: order.id } });
    expect(read.status === 200 && read.body.order).toEqual(order);
    const page = await client.call('get', '/api/v1/orders', { query: { limit: 1 } });
    expect(page.status === 200 && [page.body.orders[0]?.executedPrice, page.body.nextCursor]).toEqual([
      order.executedPrice,
      null,
    ]);
  });

  it('has the error codes that a status may have', async () => {
    const { token } = await openTrader();
    const refused = await connect(token).call('post', '/api/v1/orders', {
      body: { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '100' },
    });
    if (refused.status !== 422) throw new Error(`answered ${refused.status}`);
    expect([refused.body.code, refused.body.retryable]).toEqual(['insufficient_balance', false]);
    // @ts-expect-error: a code that this operation never gives
    expect(refused.body.code === 'not_found').toBe(false);
  });

  it('needs no key and no options for a public operation', async () => {
    const tickers = await connect().call('get', '/api/v1/markets/tickers');
    if (tickers.status !== 200) throw new Error(`answered ${tickers.status}`);
    const price: string | undefined = tickers.body.tickers.find(({ symbol }) => symbol === 'BTC')?.price;
    expect(price).toMatch(/^\d+/);
  });

  it('returns 304 when nothing has changed', async () => {
    const client = connect();
    const first = await client.call('get', '/api/v1/assets');
    const again = await client.call('get', '/api/v1/assets', {
      header: { 'If-None-Match': first.headers.get('ETag') ?? '' },
    });
    expect([again.status, again.body]).toEqual([304, undefined]);
  });

  it('does not compile when it disagrees with the document', async () => {
    const client = connect();
    const wrong = [
      // @ts-expect-error: there is no such operation
      await client.call('post', '/api/v1/markets/tickers'),
      // @ts-expect-error: an order has a side
      await client.call('post', '/api/v1/orders', { body: { coin: 'BTC', mode: 'COIN_QTY', value: '1' } }),
      await client.call('post', '/api/v1/orders', {
        // @ts-expect-error: an amount is never a number
        body: { coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: 1 },
      }),
    ];
    expect(wrong.map(({ status }) => status as number)).toEqual([405, 401, 401]);
  });

  it('has every code of the table except those that no operation of the document gives', () => {
    type OfOperators =
      | 'approval_required'
      | 'insufficient_role'
      | 'invalid_operator_token'
      | 'invalid_origin'
      | 'supply_cap_exceeded';
    expectTypeOf<ProblemCode>().toEqualTypeOf<Exclude<keyof typeof problems, OfOperators | 'method_not_allowed'>>();
  });

  it('exists for every operation of the document, as a method with its name', async () => {
    // A socket is opened by `stream`.
    type Streams = 'openAccountStream' | 'openMarketStream';
    type Methods = keyof BureauClient | Streams | Camel<keyof webhooks>;
    expectTypeOf<Exclude<keyof operations, Methods>>().toEqualTypeOf<never>();
    const { paths } = (await connect().getOpenApi()) as unknown as {
      paths: Record<string, Record<string, { operationId?: string }>>;
    };
    const names = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    const methods = [...Object.getOwnPropertyNames(BureauClient.prototype), 'openAccountStream', 'openMarketStream'];
    expect(names.filter((name) => !methods.includes(name ?? ''))).toEqual([]);
    expect(names.length).toBeGreaterThan(15);
  });
});

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { ORDER, type OrderAnswer, type Trader, json, openTrader, expectCode } from '../support/exchange.ts';
import { CONNECTION_LOST, OVERLOADED, TIMED_OUT, abort, aroundBatches, fail } from '../support/runtime/faults.ts';
import { readEffects, sumOfBalances } from '../support/db/probes.ts';

/** A trader whose key, prices and settings are already loaded: the next batch that D1 gets is the order's. */
async function openWarmTrader(): Promise<Trader> {
  const trader = await openTrader({ USDT: '1000' });
  await trader.trade(ORDER);
  return trader;
}

async function expectOneOrder(trader: Trader, response: Response): Promise<void> {
  expect(response.status).toBe(201);
  const { order } = await json<OrderAnswer>(response);
  expect(await json(await trader.get(`/api/v1/orders/${order.id}`))).toEqual({ order });
  // One order loaded the key, the prices and the settings; the other is the order of the test.
  expect((await readEffects(trader.accountId)).orders).toBe(2);
  expect((await trader.balances())['USDT']).toBe('980');
  expect(await sumOfBalances()).toEqual([]);
}

const inStorage = ({ lane }: Trader, statement: string) =>
  runInDurableObject(lane, (_lane, { storage }) => storage.sql.exec(statement).toArray()[0] ?? {});

describe('an object that is aborted', () => {
  it('after the intent, before the batch: the retry executes the lost request once', async () => {
    const trader = await openWarmTrader();
    const fault = aroundBatches('before', 2, async () => {
      await abort(trader.lane);
      throw new Error(CONNECTION_LOST);
    });
    await expectCode(trader.order(ORDER, 'crash'), '504 outcome_unknown');
    expect(fault.state.injected).toBe(2);
    expect((await readEffects(trader.accountId)).orders).toBe(1);
    await expectOneOrder(trader, await trader.order(ORDER, 'crash'));
  });

  it('after the commit, before the answer is stored: the retry gets the order that was made', async () => {
    const trader = await openWarmTrader();
    const fault = aroundBatches('after', 1, () => abort(trader.lane));
    const response = await trader.order(ORDER, 'crash');
    expect(fault.state.injected).toBe(1);
    expect(response.headers.get('X-Idempotency-Replay')).toBe('true');
    const copy = response.clone();
    await expectOneOrder(trader, response);
    expect(await (await trader.order(ORDER, 'crash')).text()).toBe(await copy.text());
  });

  it('after the commit of an order without Idempotency-Key: the client gets outcome_unknown, not a failure', async () => {
    const trader = await openWarmTrader();
    aroundBatches('after', 1, () => abort(trader.lane));
    await expectCode(trader.order(ORDER), '504 outcome_unknown');
    expect((await readEffects(trader.accountId)).orders).toBe(2);
  });

  it('leaves an open intent, which the alarm completes with its answer without executing anything', async () => {
    const trader = await openWarmTrader();
    aroundBatches('after', 2, () => abort(trader.lane));
    await trader.order(ORDER, 'mended');
    const open = () => inStorage(trader, "SELECT answer FROM replays WHERE idempotency_key = 'mended'");
    await inStorage(trader, "UPDATE replays SET answer = NULL WHERE idempotency_key = 'mended'");
    expect(await open()).toEqual({ answer: null });
    expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
    expect(await open()).toEqual({ answer: expect.anything() });
    const replay = await trader.order(ORDER, 'mended');
    expect(replay.headers.get('X-Idempotency-Replay')).toBe('true');
    await expectOneOrder(trader, replay);
  });
});

it.each([
  ['a lost connection to D1 after the commit: the order is looked up and not sent again', 'after', CONNECTION_LOST],
  [
    'a lost connection to D1 before the commit: the batch is sent once more, under the same id',
    'before',
    CONNECTION_LOST,
  ],
  ['D1 that times out before it took effect: the order is looked up', 'before', TIMED_OUT],
  ['D1 that times out after it took effect: the order is looked up', 'after', TIMED_OUT],
] as const)('%s, and is made once', async (_, moment, message) => {
  const trader = await openWarmTrader();
  const fault = aroundBatches(moment, 1, fail(message));
  await expectOneOrder(trader, await trader.order(ORDER, 'lost'));
  expect(fault.state.injected).toBe(1);
});

it('a lost connection to D1 that lasts ends in outcome_unknown with the order’s id, under which the retry settles it', async () => {
  const trader = await openWarmTrader();
  const fault = aroundBatches('before', 9, fail(CONNECTION_LOST));
  const { orderId } = await expectCode(trader.order(ORDER, 'lost'), '504 outcome_unknown');
  fault.restore();
  const second = await trader.order(ORDER, 'lost');
  expect((await json<OrderAnswer>(second.clone())).order.id).toBe(orderId);
  await expectOneOrder(trader, second);
});

describe('D1 that refuses the batch because it is overloaded', () => {
  it('leads to 503 with Retry-After and no row, and the same Idempotency-Key may be tried again', async () => {
    const trader = await openWarmTrader();
    aroundBatches('before', 1, fail(OVERLOADED));
    const response = await trader.order(ORDER, 'overload');
    await expectCode(response, '503 service_unavailable');
    expect(response.headers.get('Retry-After')).toBe('1');
    expect((await readEffects(trader.accountId)).orders).toBe(1);
    const retry = await trader.order(ORDER, 'overload');
    expect(retry.headers.get('X-Idempotency-Replay')).toBeNull();
    await expectOneOrder(trader, retry);
  });
});

describe('an object that is evicted between two requests', () => {
  it('keeps its replays and its buckets', async () => {
    const trader = await openTrader({ USDT: '1000' }, { rateLimits: { trade: { perMinute: 30, perDay: 500 } } });
    const first = await (await trader.order(ORDER, 'kept')).text();
    await evictDurableObject(trader.lane);
    const replay = await trader.order(ORDER, 'kept');
    expect(await replay.text()).toBe(first);
    expect(replay.headers.get('X-Idempotency-Replay')).toBe('true');
    expect(replay.headers.get('X-RateLimit-Remaining')).toBe('28');
  });

  it('keeps the count of an order without an Idempotency-Key as well', async () => {
    const trader = await openTrader({ USDT: '1000' }, { rateLimits: { trade: { perMinute: 30, perDay: 500 } } });
    await trader.order(ORDER);
    await evictDurableObject(trader.lane);
    expect((await trader.order(ORDER)).headers.get('X-RateLimit-Remaining')).toBe('28');
  });
});

describe('the alarm', () => {
  it('is set once, for a day after the oldest replay expires, and deletes what has expired, however often it fires', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await trader.order(ORDER, 'one');
    await trader.order(ORDER, 'two');
    const alarm_ms = await runInDurableObject(trader.lane, (_lane, state) => state.storage.getAlarm());
    const { oldest } = await inStorage(trader, 'SELECT min(received_at) AS oldest FROM replays');
    expect(alarm_ms).toBe(Number(oldest) + 2 * 86_400_000);

    const fire = async () => {
      expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
      return (await inStorage(trader, 'SELECT count(*) AS rows FROM replays'))['rows'];
    };
    expect(await fire()).toBe(2);
    await inStorage(trader, "UPDATE replays SET received_at = received_at - 86400000 WHERE idempotency_key = 'one'");
    expect([await fire(), await fire()]).toEqual([1, 1]);
  });

  it('is set for the stored refusal of a key that has nothing else', async () => {
    const trader = await openTrader();
    await expectCode(await trader.order({ ...ORDER, value: '10.1234567' }, 'refused'), '422 precision_exceeded');
    expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
  });

  it.each(['before', 'after'] as const)(
    'that fires twice while an order’s batch is held %s D1 has it causes no second order and no other answer',
    async (moment) => {
      const trader = await openTrader({ USDT: '1000' });
      await trader.order(ORDER, 'earlier');
      const reached = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      aroundBatches(moment, 1, () => {
        reached.resolve();
        return held.promise;
      });
      const ordering = trader.order(ORDER, 'beside');
      await reached.promise;
      expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
      expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
      held.resolve();
      const response = await ordering;
      const replay = await trader.order(ORDER, 'beside');
      expect(response.headers.get('Location')).toBe(replay.headers.get('Location'));
      expect([response.status, replay.headers.get('X-Idempotency-Replay')]).toEqual([201, 'true']);
      await expectOneOrder(trader, replay);
    },
  );
});

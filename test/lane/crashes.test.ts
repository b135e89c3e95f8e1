import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type OrderAnswer, type ProblemBody, type Trader, json, openTrader, expectCode } from '../support/exchange.ts';
import { CONNECTION_LOST, OVERLOADED, TIMED_OUT, abort, aroundBatches, fail } from '../support/runtime/faults.ts';
import { readEffects, sumOfBalances } from '../support/db/probes.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

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

afterEach(() => void vi.restoreAllMocks());

describe('an object that is aborted', () => {
  it('after the intent, before the batch: the retry executes the lost request once', async () => {
    const trader = await openWarmTrader();
    const fault = aroundBatches('before', 2, async () => {
      await abort(trader.lane);
      throw new Error(CONNECTION_LOST);
    });
    const first = await trader.order(ORDER, 'crash');
    await expectCode(first, '504 outcome_unknown');
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
    const response = await trader.order(ORDER);
    await expectCode(response, '504 outcome_unknown');
    expect((await readEffects(trader.accountId)).orders).toBe(2);
  });

  it('leaves an open intent, which the alarm completes with its answer without executing anything', async () => {
    const trader = await openWarmTrader();
    aroundBatches('after', 2, () => abort(trader.lane));
    await trader.order(ORDER, 'mended');
    const open = () =>
      runInDurableObject(
        trader.lane,
        (_lane, state) =>
          state.storage.sql.exec('SELECT answer FROM replays WHERE idempotency_key = ?', 'mended').one()['answer'],
      );
    await runInDurableObject(trader.lane, (_lane, state) => {
      state.storage.sql.exec("UPDATE replays SET answer = NULL WHERE idempotency_key = 'mended'");
    });
    expect(await open()).toBeNull();
    expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
    expect(await open()).not.toBeNull();
    const replay = await trader.order(ORDER, 'mended');
    expect(replay.headers.get('X-Idempotency-Replay')).toBe('true');
    await expectOneOrder(trader, replay);
  });
});

describe('a lost connection to D1', () => {
  it('after the commit: the order is looked up and not sent again', async () => {
    const trader = await openWarmTrader();
    aroundBatches('after', 1, fail(CONNECTION_LOST));
    await expectOneOrder(trader, await trader.order(ORDER, 'lost'));
  });

  it('before the commit: the batch is sent once more, under the same id', async () => {
    const trader = await openWarmTrader();
    const fault = aroundBatches('before', 1, fail(CONNECTION_LOST));
    await expectOneOrder(trader, await trader.order(ORDER, 'lost'));
    expect(fault.state.injected).toBe(1);
  });

  it('that lasts ends in outcome_unknown with the order’s id, and the retry settles it under that id', async () => {
    const trader = await openWarmTrader();
    const fault = aroundBatches('before', 9, fail(CONNECTION_LOST));
    const first = await trader.order(ORDER, 'lost');
    const problem = await json<ProblemBody>(first);
    expect([first.status, problem.code]).toEqual([504, 'outcome_unknown']);
    fault.restore();
    const second = await trader.order(ORDER, 'lost');
    expect((await json<OrderAnswer>(second.clone())).order.id).toBe(problem.orderId);
    await expectOneOrder(trader, second);
  });
});

describe('D1 that times out on the batch', () => {
  it.each(['before', 'after'] as const)(
    '%s it took effect: the order is looked up, and is made once',
    async (moment) => {
      const trader = await openWarmTrader();
      const fault = aroundBatches(moment, 1, fail(TIMED_OUT));
      await expectOneOrder(trader, await trader.order(ORDER, 'late'));
      expect(fault.state.injected).toBe(1);
    },
  );
});

describe('D1 that refuses the batch because it is overloaded', () => {
  it('leads to 503 with Retry-After and no row, and the same Idempotency-Key may be tried again', async () => {
    const trader = await openWarmTrader();
    const fault = aroundBatches('before', 1, fail(OVERLOADED));
    const response = await trader.order(ORDER, 'overload');
    await expectCode(response, '503 service_unavailable');
    expect(response.headers.get('Retry-After')).toBe('1');
    expect((await readEffects(trader.accountId)).orders).toBe(1);
    fault.restore();
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
    const { oldest } = await runInDurableObject(trader.lane, (_lane, state) =>
      state.storage.sql.exec<{ oldest: number }>('SELECT min(received_at) AS oldest FROM replays').one(),
    );
    expect(alarm_ms).toBe(oldest + 2 * 86_400_000);

    const rows = () =>
      runInDurableObject(
        trader.lane,
        (_lane, state) => state.storage.sql.exec<{ n: number }>('SELECT count(*) AS n FROM replays').one().n,
      );
    expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
    expect(await rows()).toBe(2);
    await runInDurableObject(trader.lane, (_lane, state) => {
      state.storage.sql.exec("UPDATE replays SET received_at = received_at - 86400000 WHERE idempotency_key = 'one'");
    });
    expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
    expect(await rows()).toBe(1);
    expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
    expect(await rows()).toBe(1);
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

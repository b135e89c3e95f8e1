import { reachHub } from '../../src/markets/read-hub.ts';
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { KeyLane } from '../../src/lane/key-lane.ts';
import { LedgerGate } from '../../src/orders/gate.ts';
import { Replays } from '../../src/lane/once.ts';
import { PriceHub } from '../../src/markets/price-hub.ts';
import {
  CONNECTION_LOST,
  OVERLOADED,
  type Batch,
  type Moment,
  abort,
  aroundBatch,
  fail,
} from '../support/runtime/faults.ts';
import { ledgerGate } from '../support/gate.ts';
import { env } from '../support/runtime/test-env.ts';
import type { Trader } from '../support/exchange.ts';
import type { World } from './world.ts';

export interface Injection {
  count(): number;
  remove(): void;
}

/** How a fault that took effect may change an answer. */
export type Tolerance =
  /** Not at all: the client notices nothing. */
  | 'none'
  | 'turned_away'
  | 'unknown_without'
  /** 504, whether it happened or not. */
  | 'unknown_either';

export interface Fault {
  readonly name: string;
  /** With and without an Idempotency-Key, because without one nobody repeats the request. */
  readonly tolerance: readonly [withKey: Tolerance, withoutKey: Tolerance];
  inject(world: World, trader: Trader): Promise<Injection> | Injection;
}

/** A fault of D1, which needs no account. */
export interface DatabaseFault extends Fault {
  inject(): Injection;
}

const MANY = 9;

function injectAroundBatch(batch: Batch, moment: Moment, times: number, inject: () => Promise<void> | void): Injection {
  const { state, restore } = aroundBatch(batch, moment, times, inject);
  return { count: () => state.injected, remove: restore };
}

/**
 * The faults of D1: the connection is lost before or after the commit, once or many times, or D1 is overloaded. If an
 * intent is `kept`, a lasting loss leaves the outcome unknown.
 */
export function failDatabase(batch: Batch, kept: boolean): DatabaseFault[] {
  const faults: [name: string, moment: Moment, times: number, tolerance: Tolerance, message?: string][] = [
    ['lost_before', 'before', 1, 'none'],
    ['lost_after', 'after', 1, 'none'],
    ['down_before', 'before', MANY, kept ? 'unknown_without' : 'turned_away'],
    ['down_after', 'after', MANY, 'none'],
    ['overloaded', 'before', 1, 'turned_away', OVERLOADED],
  ];
  return faults.map(([name, moment, times, tolerance, message = CONNECTION_LOST]) => ({
    name: `d1_${name}_${batch}`,
    tolerance: [tolerance, tolerance],
    inject: () => injectAroundBatch(batch, moment, times, fail(message)),
  }));
}

/** Resets a lane at one of its steps, at the first try or at every one. */
function abortAt(name: string, times: number, inject: Fault['inject']): Fault {
  return { name, tolerance: [times === 1 ? 'none' : 'unknown_either', 'unknown_either'], inject };
}

const moments = ['before', 'after'] as const;

/** Resets a lane before a batch, which then never arrives, and after it. */
function abortAround(batch: Batch, times: number): Fault[] {
  return moments.map((moment) =>
    abortAt(`abort_${moment}_${batch}${times > 1 ? '_twice' : ''}`, times, (_world, trader) =>
      injectAroundBatch(batch, moment, times, async () => {
        await abort(trader.lane);
        if (moment === 'before') throw new Error(CONNECTION_LOST);
      }),
    ),
  );
}

function abortAroundCall(name: string, times: number, prototype: object, method: string, moment: Moment): Fault {
  return abortAt(`abort_${moment}_${name}${times > 1 ? '_twice' : ''}`, times, (_world, trader) =>
    injectAroundCall(prototype, method, moment, times, () => abort(trader.lane)),
  );
}

/** Calls `inject` around the next calls of a method. */
function injectAroundCall(
  prototype: object,
  method: string,
  moment: Moment,
  times: number,
  inject: () => Promise<void>,
): Injection {
  let injected = 0;
  const target = prototype as Record<string, (...values: unknown[]) => unknown>;
  const original = target[method];
  const injectOnce = async () => {
    if (injected >= times) return;
    injected += 1;
    await inject();
  };
  const spy = vi.spyOn(target, method).mockImplementation(async function around(this: unknown, ...values) {
    if (moment === 'before') await injectOnce();
    const result: unknown = await original?.apply(this, values);
    if (moment === 'after') await injectOnce();
    return result;
  });
  return { count: () => injected, remove: () => spy.mockRestore() };
}

/** Resets the lane when its storage is synced: the intent is durable from then on. */
function abortAtSync(moment: Moment, times: number): Fault {
  return abortAt(`abort_${moment}_sync${times > 1 ? '_twice' : ''}`, times, async (_world, trader) => {
    const storage = await runInDurableObject(
      trader.lane,
      (_lane, state) => Object.getPrototypeOf(state.storage) as object,
    );
    return abortAroundCall('sync', times, storage, 'sync', moment).inject(_world, trader);
  });
}

/** Resets the lane when it stores an answer for its replay, at once or late. */
function abortAtRemember(): Fault {
  return abortAt('abort_at_remember', 1, async (_world, trader) => {
    let injected = 0;
    const state = await runInDurableObject(trader.lane, (_lane, ctx) => ctx);
    const target = Replays.prototype as unknown as Record<string, (...values: unknown[]) => unknown>;
    const spies = ['remember', 'rememberLate'].map((method) => {
      const original = target[method];
      return vi.spyOn(target, method).mockImplementation(function around(this: unknown, ...values) {
        const kept = original?.apply(this, values);
        // The reset throws.
        injected += 1;
        if (injected === 1) state.abort('reset by the test');
        return kept;
      });
    });
    return { count: () => injected, remove: () => spies.forEach((spy) => spy.mockRestore()) };
  });
}

function gateOf({ accountId }: Trader) {
  return ledgerGate(ledgerNumberOf(accountId));
}

/** Resets the ledger's gate at every step of an order. After one reset the lane looks the order up and calls again. */
function abortGate(times: number): Fault[] {
  const tolerance: Fault['tolerance'] = times === 1 ? ['none', 'none'] : ['unknown_either', 'unknown_either'];
  const suffix = times > 1 ? '_twice' : '';
  const calls = [
    ['order', LedgerGate.prototype, 'placeOrder'],
    ['prices', PriceHub.prototype, 'snapshot'],
  ] as const;
  return moments.flatMap((moment) => [
    ...calls.map(([name, prototype, method]): Fault => ({
      name: `gate_abort_${moment}_${name}${suffix}`,
      tolerance,
      inject: (_world, trader) => injectAroundCall(prototype, method, moment, times, () => abort(gateOf(trader))),
    })),
    {
      name: `gate_abort_${moment}_batch${suffix}`,
      tolerance,
      inject: (_world, trader) =>
        injectAroundBatch('order', moment, times, async () => {
          await abort(gateOf(trader));
          if (moment === 'before') throw new Error(CONNECTION_LOST);
        }),
    },
  ]);
}

const common = (times: number): Fault[] => [
  abortAroundCall('snapshot', times, PriceHub.prototype, 'snapshot', 'before'),
  abortAtSync('before', times),
  abortAtSync('after', times),
];

/** Resets of the lane and of the gate at every step of an order. */
export const orderAborts: readonly Fault[] = [1, 2].flatMap((times) => [
  abortAtRemember(),
  abortAroundCall('admission', times, KeyLane.prototype, 'execute', 'before'),
  ...common(times),
  ...moments.map((moment) => abortAroundCall('gate', times, LedgerGate.prototype, 'placeOrder', moment)),
  ...abortAround('order', times),
  ...abortGate(times),
]);

/** The reset of a lane at every step of a withdrawal. */
export const withdrawalAborts: readonly Fault[] = [1, 2].flatMap((times) => [
  abortAtRemember(),
  abortAroundCall('admission', times, KeyLane.prototype, 'execute', 'before'),
  ...common(times),
  ...(['facts', 'debit', 'deposit', 'settle'] as const).flatMap((batch) => abortAround(batch, times)),
]);

/** What is done beside a request, and has happened once it is done. */
export const HAPPENED: Injection = { count: () => 1, remove: () => undefined };

const companion = (name: string, act: (world: World, trader: Trader) => Promise<void> | void): Fault => ({
  name,
  tolerance: ['none', 'none'],
  inject: async (world, trader) => {
    await act(world, trader);
    return HAPPENED;
  },
});

/** Events during a request that must not change its result. */
export const companions: readonly Fault[] = [
  companion('alarm_beside', (world, trader) => void world.after.push(runDurableObjectAlarm(trader.lane))),
  companion('gate_aborted', (_world, trader) => abort(gateOf(trader))),
  companion('hub_aborted', () => abort(reachHub(env))),
];

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
  const lost = fail(CONNECTION_LOST);
  const both = (tolerance: Tolerance): Fault['tolerance'] => [tolerance, tolerance];
  const unless: Tolerance = kept ? 'unknown_without' : 'turned_away';
  return [
    {
      name: `d1_lost_before_${batch}`,
      tolerance: both('none'),
      inject: () => injectAroundBatch(batch, 'before', 1, lost),
    },
    {
      name: `d1_lost_after_${batch}`,
      tolerance: both('none'),
      inject: () => injectAroundBatch(batch, 'after', 1, lost),
    },
    {
      name: `d1_down_before_${batch}`,
      tolerance: both(unless),
      inject: () => injectAroundBatch(batch, 'before', MANY, lost),
    },
    {
      name: `d1_down_after_${batch}`,
      tolerance: both('none'),
      inject: () => injectAroundBatch(batch, 'after', MANY, lost),
    },
    {
      name: `d1_overloaded_${batch}`,
      tolerance: both('turned_away'),
      inject: () => injectAroundBatch(batch, 'before', 1, fail(OVERLOADED)),
    },
  ];
}

/** Resets a lane at one of its steps, at the first try or at every one. */
function abortAt(name: string, times: number, inject: Fault['inject']): Fault {
  return { name, tolerance: [times === 1 ? 'none' : 'unknown_either', 'unknown_either'], inject };
}

function abortAround(batch: Batch, moment: Moment, times: number): Fault {
  return abortAt(`abort_${moment}_${batch}${times > 1 ? '_twice' : ''}`, times, (_world, trader) =>
    injectAroundBatch(batch, moment, times, async () => {
      await abort(trader.lane);
      // What a dead object has not sent yet never arrives.
      if (moment === 'before') throw new Error(CONNECTION_LOST);
    }),
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
    const inject = () => {
      if (injected >= 1) return;
      injected += 1;
      state.abort('reset by the test');
    };
    const { remember, rememberLate } = Replays.prototype;
    const spies = [
      vi.spyOn(Replays.prototype, 'remember').mockImplementation(function around(this: Replays, ...values) {
        const standing = remember.apply(this, values);
        inject();
        return standing;
      }),
      vi.spyOn(Replays.prototype, 'rememberLate').mockImplementation(function around(this: Replays, ...values) {
        rememberLate.apply(this, values);
        inject();
      }),
    ];
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
  const moments = ['before', 'after'] as const;
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
  abortAroundCall('gate', times, LedgerGate.prototype, 'placeOrder', 'before'),
  abortAroundCall('gate', times, LedgerGate.prototype, 'placeOrder', 'after'),
  abortAround('order', 'before', times),
  abortAround('order', 'after', times),
  ...abortGate(times),
]);

/** The reset of a lane at every step of a withdrawal. */
export const withdrawalAborts: readonly Fault[] = [1, 2].flatMap((times) => [
  abortAtRemember(),
  abortAroundCall('admission', times, KeyLane.prototype, 'execute', 'before'),
  ...common(times),
  abortAround('facts', 'before', times),
  abortAround('facts', 'after', times),
  abortAround('debit', 'before', times),
  abortAround('debit', 'after', times),
  abortAround('deposit', 'before', times),
  abortAround('deposit', 'after', times),
  abortAround('settle', 'before', times),
  abortAround('settle', 'after', times),
]);

/** Events during a request that must not change its result. */
export const companions: readonly Fault[] = [
  {
    name: 'alarm_beside',
    tolerance: ['none', 'none'],
    inject: (world, trader) => {
      const ran = runDurableObjectAlarm(trader.lane);
      world.after.push(ran);
      return { count: () => 1, remove: () => undefined };
    },
  },
  {
    name: 'gate_aborted',
    tolerance: ['none', 'none'],
    inject: async (_world, trader) => {
      await abort(gateOf(trader));
      return { count: () => 1, remove: () => undefined };
    },
  },
  {
    name: 'hub_aborted',
    tolerance: ['none', 'none'],
    inject: async () => {
      await abort(reachHub(env));
      return { count: () => 1, remove: () => undefined };
    },
  },
];

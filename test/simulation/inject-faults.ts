import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';
import { KeyLane } from '../../src/lane/key-lane.ts';
import { LedgerGate } from '../../src/lane/ledger-gate.ts';
import { Replays } from '../../src/lane/replays.ts';
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

/** A fault that is ready to strike. */
export interface Armed {
  /** How often it struck. */
  struck(): number;
  /** Takes it back. */
  disarm(): void;
}

/** What a fault that struck may make of an answer. */
export type Leeway =
  /** Nothing: the caller notices no fault. */
  | 'none'
  /** Turned away with 503, and nothing happened. */
  | 'turned_away'
  /** 504, and nothing happened. */
  | 'unknown_without'
  /** 504, whether it happened or not. */
  | 'unknown_either';

export interface Strike {
  readonly name: string;
  /** With and without an Idempotency-Key, since without one nobody repeats the request. */
  readonly leeway: readonly [withKey: Leeway, withoutKey: Leeway];
  arm(world: World, trader: Trader): Promise<Armed> | Armed;
}

/** One that D1 brings, whoever asks. */
export interface DatabaseStrike extends Strike {
  arm(): Armed;
}

const MANY = 9;

function armBatch(batch: Batch, moment: Moment, times: number, strike: () => Promise<void> | void): Armed {
  const { state, restore } = aroundBatch(batch, moment, times, strike);
  return { struck: () => state.struck, disarm: restore };
}

/**
 * D1 as it fails: the connection lost before and after the commit, once or for long, and the query turned away. Where an
 * intent is `kept`, a loss that lasts leaves the outcome open.
 */
export function failDatabase(batch: Batch, kept: boolean): DatabaseStrike[] {
  const lost = fail(CONNECTION_LOST);
  const both = (leeway: Leeway): Strike['leeway'] => [leeway, leeway];
  const unless: Leeway = kept ? 'unknown_without' : 'turned_away';
  return [
    { name: `d1_lost_before_${batch}`, leeway: both('none'), arm: () => armBatch(batch, 'before', 1, lost) },
    { name: `d1_lost_after_${batch}`, leeway: both('none'), arm: () => armBatch(batch, 'after', 1, lost) },
    { name: `d1_down_before_${batch}`, leeway: both(unless), arm: () => armBatch(batch, 'before', MANY, lost) },
    { name: `d1_down_after_${batch}`, leeway: both('none'), arm: () => armBatch(batch, 'after', MANY, lost) },
    {
      name: `d1_overloaded_${batch}`,
      leeway: both('turned_away'),
      arm: () => armBatch(batch, 'before', 1, fail(OVERLOADED)),
    },
  ];
}

/** The reset of a lane at one of its steps, once or at every try. */
function abortAt(name: string, times: number, arm: Strike['arm']): Strike {
  return { name, leeway: [times === 1 ? 'none' : 'unknown_either', 'unknown_either'], arm };
}

function abortAround(batch: Batch, moment: Moment, times: number): Strike {
  return abortAt(`abort_${moment}_${batch}${times > 1 ? '_twice' : ''}`, times, (_world, trader) =>
    armBatch(batch, moment, times, async () => {
      await abort(trader.lane);
      // Whatever a dead object had not sent yet never arrives.
      if (moment === 'before') throw new Error(CONNECTION_LOST);
    }),
  );
}

/** Resets the lane around one of its own methods, or of another object's, from inside the call. */
function abortAroundCall(name: string, times: number, prototype: object, method: string, moment: Moment): Strike {
  return abortAt(`abort_${moment}_${name}${times > 1 ? '_twice' : ''}`, times, (_world, trader) =>
    armCall(prototype, method, moment, times, () => abort(trader.lane)),
  );
}

/** Lets something happen around the next calls of a method. */
function armCall(prototype: object, method: string, moment: Moment, times: number, strike: () => Promise<void>): Armed {
  let struck = 0;
  const target = prototype as Record<string, (...values: unknown[]) => unknown>;
  const original = target[method];
  const strikeOnce = async () => {
    if (struck >= times) return;
    struck += 1;
    await strike();
  };
  const spy = vi.spyOn(target, method).mockImplementation(async function around(this: unknown, ...values) {
    if (moment === 'before') await strikeOnce();
    const result: unknown = await original?.apply(this, values);
    if (moment === 'after') await strikeOnce();
    return result;
  });
  return { struck: () => struck, disarm: () => spy.mockRestore() };
}

/** The lane's storage as it is synced: the intent is durable from then on. */
function abortAtSync(moment: Moment, times: number): Strike {
  return abortAt(`abort_${moment}_sync${times > 1 ? '_twice' : ''}`, times, async (_world, trader) => {
    const storage = await runInDurableObject(
      trader.lane,
      (_lane, state) => Object.getPrototypeOf(state.storage) as object,
    );
    return abortAroundCall('sync', times, storage, 'sync', moment).arm(_world, trader);
  });
}

/** The reset in the very call that keeps an answer for its replay, written at once or late. */
function abortAtRemember(): Strike {
  return abortAt('abort_at_remember', 1, async (_world, trader) => {
    let struck = 0;
    const state = await runInDurableObject(trader.lane, (_lane, ctx) => ctx);
    const strike = () => {
      if (struck >= 1) return;
      struck += 1;
      state.abort('reset by the test');
    };
    const { remember, rememberLate } = Replays.prototype;
    const spies = [
      vi.spyOn(Replays.prototype, 'remember').mockImplementation(function around(this: Replays, ...values) {
        const standing = remember.apply(this, values);
        strike();
        return standing;
      }),
      vi.spyOn(Replays.prototype, 'rememberLate').mockImplementation(function around(this: Replays, ...values) {
        rememberLate.apply(this, values);
        strike();
      }),
    ];
    return { struck: () => struck, disarm: () => spies.forEach((spy) => spy.mockRestore()) };
  });
}

/** The reset of the ledger's gate at every step of an order: once, it is the lane that looks and calls again. */
function abortGate(times: number): Strike[] {
  const leeway: Strike['leeway'] = times === 1 ? ['none', 'none'] : ['unknown_either', 'unknown_either'];
  const suffix = times > 1 ? '_twice' : '';
  const moments = ['before', 'after'] as const;
  const calls = [
    ['order', LedgerGate.prototype, 'placeOrder'],
    ['prices', PriceHub.prototype, 'snapshot'],
  ] as const;
  return moments.flatMap((moment) => [
    ...calls.map(([name, prototype, method]): Strike => ({
      name: `gate_abort_${moment}_${name}${suffix}`,
      leeway,
      arm: () => armCall(prototype, method, moment, times, () => abort(ledgerGate())),
    })),
    {
      name: `gate_abort_${moment}_batch${suffix}`,
      leeway,
      arm: () =>
        armBatch('order', moment, times, async () => {
          await abort(ledgerGate());
          if (moment === 'before') throw new Error(CONNECTION_LOST);
        }),
    },
  ]);
}

const common = (times: number): Strike[] => [
  abortAroundCall('snapshot', times, PriceHub.prototype, 'snapshot', 'before'),
  abortAtSync('before', times),
  abortAtSync('after', times),
];

/** The reset of a lane at every step of an order, and of the gate. */
export const orderAborts: readonly Strike[] = [1, 2].flatMap((times) => [
  abortAtRemember(),
  abortAroundCall('admission', times, KeyLane.prototype, 'placeOrder', 'before'),
  ...common(times),
  abortAroundCall('gate', times, LedgerGate.prototype, 'placeOrder', 'before'),
  abortAroundCall('gate', times, LedgerGate.prototype, 'placeOrder', 'after'),
  abortAround('order', 'before', times),
  abortAround('order', 'after', times),
  ...abortGate(times),
]);

/** The reset of a lane at every step of a withdrawal. */
export const withdrawalAborts: readonly Strike[] = [1, 2].flatMap((times) => [
  abortAtRemember(),
  abortAroundCall('admission', times, KeyLane.prototype, 'withdraw', 'before'),
  ...common(times),
  abortAround('facts', 'before', times),
  abortAround('facts', 'after', times),
  abortAround('debit', 'before', times),
  abortAround('debit', 'after', times),
  abortAround('settle', 'before', times),
  abortAround('settle', 'after', times),
]);

/** What happens beside a request and must change nothing of it. */
export const companions: readonly Strike[] = [
  {
    name: 'alarm_beside',
    leeway: ['none', 'none'],
    arm: (world, trader) => {
      const ran = runDurableObjectAlarm(trader.lane);
      world.after.push(ran);
      return { struck: () => 1, disarm: () => undefined };
    },
  },
  {
    name: 'gate_aborted',
    leeway: ['none', 'none'],
    arm: async () => {
      await abort(ledgerGate());
      return { struck: () => 1, disarm: () => undefined };
    },
  },
  {
    name: 'hub_aborted',
    leeway: ['none', 'none'],
    arm: async () => {
      await abort(env.PRICE_HUB.getByName('hub'));
      return { struck: () => 1, disarm: () => undefined };
    },
  },
];

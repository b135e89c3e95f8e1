// @runtime three-ledgers
import { runInDurableObject } from 'cloudflare:test';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLedger } from '../../src/db/database.ts';
import { watchLoss } from '../../src/dealing/watch-loss.ts';
import { PriceHub } from '../../src/markets/price-hub.ts';
import { ObjectState } from '../../src/platform/objects.ts';
import type { HouseMove } from '../../src/reconciliation/compose-moves.ts';
import { DaySums } from '../../src/reconciliation/day-sums.ts';
import { operate } from '../support/exchange.ts';
import { listRowsIn, sql } from '../support/db/sql.ts';
import { env } from '../support/runtime/test-env.ts';
import { lowestRecordId } from '../../src/db/record-id.ts';

/** A sale of a coin by the house at a price of nothing: in USDT it costs what the coin is worth. */
function loseCoins(atoms: string, transfer = 1): HouseMove {
  return {
    kind: 'settlement',
    transfer,
    id: lowestRecordId(Date.now()),
    ended_ms: null,
    coin: 'BTC',
    coinChange: `-${atoms}`,
    usdtChange: '0',
    middle: '6500000000000',
    feeAsset: null,
    fee: '0',
    asideAsset: null,
    asideChange: '0',
  };
}

/** The duty of a ledger's keeper, with sums and a memory of its own. */
function watchIn<T>(ledger: number, use: (sums: DaySums, watch: () => Promise<unknown>) => Promise<T>): Promise<T> {
  return runInDurableObject(env.KEY_LANE.getByName(crypto.randomUUID()), (_instance, { storage }) => {
    const sums = new DaySums(storage.sql);
    const state = new ObjectState(storage.sql);
    const database = openLedger(env, ledger);
    const note = () => Promise.reject(new Error('nothing is noted'));
    return use(sums, async () => watchLoss.run({ bindings: env, ledger, database, state, sums, note }));
  });
}

const isHalted = async (ledger = 0) => {
  const [row] = await listRowsIn<{ halted: number }>(ledger, 'SELECT trading_halted AS halted FROM settings');
  return row?.halted === 1;
};

const { snapshot } = PriceHub.prototype;

/** Answers with another price of BTC. */
function movePrice(usdt: bigint): void {
  vi.spyOn(PriceHub.prototype, 'snapshot').mockImplementation(async function asked(this: PriceHub, wanted) {
    const answer = await snapshot.call(this, wanted);
    const { BTC } = answer.markets;
    if (!BTC.agreed) throw new Error('there is no price to move');
    return {
      ...answer,
      markets: { ...answer.markets, BTC: { ...BTC, agreed: { ...BTC.agreed, price: usdt * 10n ** 8n } } },
    };
  });
}

beforeAll(async () => {
  await operate('PATCH', '/settings', { dailyLoss: '3000' });
});

afterEach(() => operate('PATCH', '/settings', { tradingHalted: false }));

describe('a loss of a day', () => {
  it('halts trading in every ledger when it is more than a ledger’s part, and the audit says why', () =>
    watchIn(1, async (sums, watch) => {
      movePrice(65_000n);
      // Each of three ledgers has a third.
      sums.add({ orders: [], moves: [loseCoins('1500000')], payments: [] }, 0, 1);
      await watch();
      expect(await isHalted(0)).toBe(false);
      sums.add({ orders: [], moves: [loseCoins('40000', 2)], payments: [] }, 1, 2);
      await watch();
      expect([await isHalted(0), await isHalted(1), await isHalted(2)]).toEqual([true, true, true]);
      const row = await sql("SELECT detail FROM audit WHERE target = 'trading' ORDER BY id DESC").first<string>(
        'detail',
      );
      expect(JSON.parse(row ?? '{}')).toEqual({ reason: 'ledger 1 has lost 1001 USDT today, and 1000 are allowed' });
    }));

  it('is also that of a position which nobody trades, by the move of its price', () =>
    watchIn(0, async (sums, watch) => {
      movePrice(65_000n);
      const bought = { ...loseCoins('100000000'), coinChange: '100000000', usdtChange: '-65000000000' };
      sums.add({ orders: [], moves: [bought], payments: [] }, 0, 1);
      await watch();
      movePrice(64_001n);
      await watch();
      expect(await isHalted()).toBe(false);
      movePrice(63_999n);
      await watch();
      expect(await isHalted()).toBe(true);
    }));

  it('may be as much again after the halt was lifted, and begins with each day', () =>
    watchIn(0, async (sums, watch) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
      movePrice(65_000n);
      sums.add({ orders: [], moves: [loseCoins('2000000')], payments: [] }, 0, 1);
      await watch();
      expect(await isHalted()).toBe(true);
      await operate('PATCH', '/settings', { tradingHalted: false });
      await watch();
      sums.add({ orders: [], moves: [loseCoins('1500000', 2)], payments: [] }, 1, 2);
      await watch();
      expect(await isHalted()).toBe(false);
      sums.add({ orders: [], moves: [loseCoins('100000', 3)], payments: [] }, 2, 3);
      await watch();
      expect(await isHalted()).toBe(true);
      await operate('PATCH', '/settings', { tradingHalted: false });
      vi.setSystemTime(Date.now() + 86_400_000);
      sums.add({ orders: [], moves: [loseCoins('1500000', 4)], payments: [] }, 3, 4);
      await watch();
      expect(await isHalted()).toBe(false);
      sums.add({ orders: [], moves: [loseCoins('40000', 5)], payments: [] }, 4, 5);
      await watch();
      expect(await isHalted()).toBe(true);
    }));

  it('halts nothing where no bound is set', async () => {
    await operate('PATCH', '/settings', { dailyLoss: null });
    await watchIn(0, async (sums, watch) => {
      movePrice(65_000n);
      sums.add({ orders: [], moves: [loseCoins('900000000')], payments: [] }, 0, 1);
      await watch();
      expect(await isHalted()).toBe(false);
    });
    await operate('PATCH', '/settings', { dailyLoss: '3000' });
  });
});

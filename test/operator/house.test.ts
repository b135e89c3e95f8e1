import { runInDurableObject } from 'cloudflare:test';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { reachKeeper } from '../../src/reconciliation/reach-keeper.ts';
import type { FilledOrder } from '../../src/reconciliation/rounding.ts';
import { newRecordId, timestampOfRecord } from '../../src/db/record-id.ts';
import { DaySums, spreadOf } from '../../src/reconciliation/day-sums.ts';
import { NO_PROFIT } from '../../src/reconciliation/profit-of-day.ts';
import { mergePositions } from '../../src/reconciliation/position-of-day.ts';
import { parseAmount } from '../../src/money/amounts.ts';
import { type House, describeHouse } from '../../src/operator/house.ts';
import { type Trader, asOperator, openTrader, operate } from '../support/exchange.ts';
import { NEXT, expectRefused } from '../support/db/raw-ledger.ts';
import { coverAll } from '../support/db/house-money.ts';
import { runKeeper, tradeAll } from '../support/reconciliation.ts';
import { countRowsRead } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';

import { sql, listRows } from '../support/db/sql.ts';

type Shown = Omit<House, 'assets'> & { readonly assets: readonly Record<string, string | null>[] };

const read = async () => (await operate<{ house: Shown }>('GET', '/house')).house;
const assetOf = (house: Shown, asset: string) => house.assets.find((one) => one['asset'] === asset) ?? {};

async function countOwed(asset: string): Promise<number> {
  const sum = `SELECT sum(amount) AS owed FROM balances WHERE asset = ? AND account NOT LIKE 'house:%'`;
  return (await sql(sum, asset).first<number>('owed')) ?? 0;
}

describe('GET /operator/v1/house', () => {
  let trader: Trader;
  beforeAll(async () => {
    trader = await openTrader({ USDT: '10000', BTC: '0.5' });
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.02' });
    await trader.takeOut();
    await asOperator('PATCH', '/settings', {
      reviewThreshold: '1',
      exposure: { BTC: '0.05' },
      supplyCaps: { BTC: '1' },
    });
    await trader.takeOut({ amount: '20' });
    await asOperator('PATCH', '/settings', { reviewThreshold: null });
  });

  it('owes clients exactly what their balances add up to', async () => {
    const house = await read();
    expect(house.assets).toHaveLength(9);
    expect(assetOf(house, 'BTC')['owedToClients']).toBe('0.52');
    expect(Number(assetOf(house, 'BTC')['owedToClients']) * 1e8).toBe(await countOwed('BTC'));
    expect(Math.round(Number(assetOf(house, 'USDT')['owedToClients']) * 1e6)).toBe(await countOwed('USDT'));
  });

  it('shows inventory, what is in flight, fees, and how much of the limits is used', async () => {
    const house = await read();
    expect(assetOf(house, 'BTC')).toMatchObject({
      inventory: '-0.02',
      exposure: '0.05',
      exposureUsed: '0.4',
      custodyShouldHold: '0.5',
      supplyCap: '1',
      supplyCapUsed: '0.5',
    });
    expect(assetOf(house, 'USDT')).toMatchObject({ inFlight: '21', feesEarned: '1', exposureUsed: '0', price: '1' });
    for (const asset of house.assets) {
      const sum = ['owedToClients', 'inFlight', 'inTransit', 'feesEarned', 'inventory'].map((name) =>
        Number(asset[name] ?? 0),
      );
      expect(sum.reduce((total, one) => total + one, 0)).toBeCloseTo(Number(asset['custodyShouldHold']), 5);
    }
  });

  it('values the inventory at the firm price, all of it', async () => {
    const house = await read();
    const { price, inventoryUsdValue } = assetOf(house, 'BTC');
    expect(Number(inventoryUsdValue)).toBeCloseTo(-0.02 * Number(price), 4);
    const values = house.assets.map((asset) => Number(asset['inventoryUsdValue']));
    expect(Number(house.inventoryUsdValue)).toBeCloseTo(
      values.reduce((sum, one) => sum + one, 0),
      4,
    );
  });

  it('has no value without a firm price, and none that is made up', () => {
    const positions = new Map([['house:liquidity BTC', { amount: -1n, floor: 0n, capital: 0n }]]);
    const nothing = {
      snapshot: undefined,
      custodian: undefined,
      profit: undefined,
      coinTerms: {},
      now_ms: 0,
    };
    const house = describeHouse({ ...nothing, answers: [{ ledger: 0, answer: positions }] });
    expect(house.inventoryUsdValue).toBeNull();
    expect(house.assets.find(({ asset }) => asset === 'BTC')).toMatchObject({
      inventoryUsdValue: null,
      price: null,
      exposureUsed: null,
      owedToClients: '0.00000001',
    });
    expect(house.assets.find(({ asset }) => asset === 'ETH')).toMatchObject({ inventoryUsdValue: '0', inventory: '0' });
  });

  it.each([
    ['that answers without saying what it holds', null, 'unknown', null],
    ['that says it', '1.5', 'covered', new Date(60_000).toISOString()],
  ] as const)('has the time of a custodian’s report of one %s', (_which, held, cover, at) => {
    const custodian = {
      firstAskedAt: 0,
      answeredAt: 60_000,
      oldestPayoutAt: null,
      assets: { BTC: { held, cover, shortfalls: 0 } },
    };
    const facts = {
      answers: [],
      snapshot: undefined,
      custodian,
      profit: undefined,
      coinTerms: {},
      now_ms: 90_000,
    };
    const house = describeHouse(facts);
    expect(house.custodyAnsweredAt).toBe(at);
    expect(house.assets.find(({ asset }) => asset === 'BTC')).toMatchObject({
      custodyHolds: held,
      custodyCovers: cover,
    });
  });

  it('shows the positions of each day over all ledgers: a coin’s netted, and all coins’ worth added up', () => {
    const day = '2026-11-21';
    const one = { day, coin: 'BTC', position: '-30000000', value: '-18000000' } as const;
    const positions = mergePositions([
      one,
      { ...one, position: '10000000', value: '6000000' },
      { day, coin: 'ETH', position: '100000000', value: '3000000' },
      { day: '2026-11-20', coin: 'ETH', position: '100000000', value: null },
    ]);
    const facts = { answers: [], snapshot: undefined, custodian: undefined, profit: undefined, coinTerms: {} };
    const house = describeHouse({ ...facts, positions, now_ms: Date.parse(day) });
    expect(house.positionsByDay).toHaveLength(31);
    expect(house.positionsByDay?.slice(0, 3)).toEqual([
      {
        day,
        usdValue: '15',
        coins: [
          { coin: 'BTC', position: '-0.2', usdValue: '-12' },
          { coin: 'ETH', position: '1', usdValue: '3' },
        ],
      },
      { day: '2026-11-20', usdValue: null, coins: [{ coin: 'ETH', position: '1', usdValue: null }] },
      { day: '2026-11-19', usdValue: '0', coins: [] },
    ]);
  });

  it('reads the house’s own rows and no client’s', async () => {
    expect(await countRowsRead(() => asOperator('GET', '/house'))).toBeLessThan(60);
  });

  it('owes clients as much as before, and their balances, whatever is hedged, set aside or at venues', async () => {
    const owed = async () => {
      const house = await read();
      return ['BTC', 'USDT'].map((asset) => Math.round(Number(assetOf(house, asset)['owedToClients']) * 1e8));
    };
    const before = await owed();
    await coverAll();
    const house = await read();
    for (const name of ['hedging', 'atVenues']) expect(Number(assetOf(house, 'USDT')[name]), name).toBeGreaterThan(0);
    expect(await owed()).toEqual(before);
    expect(await owed()).toEqual([await countOwed('BTC'), (await countOwed('USDT')) * 100]);
  });
});

describe('the spread earned', () => {
  beforeAll(async () => {
    await asOperator('PATCH', '/settings', { exposure: { BTC: '100' }, supplyCaps: { BTC: '1000' } });
  });

  /** What the orders in the database earned, by day and coin, in exact fractions: an order's is rounded down. */
  async function sumOrders(): Promise<Map<string, { orders: number; atoms: bigint }>> {
    const results = await listRows<
      Record<'id' | 'coin' | 'side' | 'middle' | 'amount' | 'usdt', string>
    >(`SELECT id, coin, side, CAST(middle_price AS TEXT) AS middle, CAST(coin_amount AS TEXT) AS amount,
         CAST(usdt_amount AS TEXT) AS usdt FROM orders`);
    const sums = new Map<string, { orders: number; atoms: bigint }>();
    for (const { id, coin, side, middle, amount, usdt } of results) {
      // Both prices and amounts of coins have 8 decimals, amounts of USDT have 6.
      const worth = BigInt(middle) * BigInt(amount);
      const earned = BigInt(usdt) * 10n ** 10n - worth;
      const exact = side === 'BUY' ? earned : -earned;
      const down = exact >= 0n ? exact / 10n ** 10n : -((-exact + 10n ** 10n - 1n) / 10n ** 10n);
      const name = `${timestampOfRecord(id).slice(0, 10)} ${coin}`;
      const sum = sums.get(name) ?? { orders: 0, atoms: 0n };
      sums.set(name, { orders: sum.orders + 1, atoms: sum.atoms + down });
    }
    return sums;
  }

  const shown = async () =>
    new Map(
      ((await read()).spreadEarned ?? []).map(({ day, coin, orders, usdt }) => [
        `${day} ${coin}`,
        { orders, atoms: parseAmount(usdt, 6) },
      ]),
    );

  it('is by day and coin, to the atom, what the orders of that day earned', async () => {
    await asOperator('PATCH', '/settings', { spreadBps: 37 });
    const trader = await openTrader({ USDT: '100000', BTC: '1', ETH: '5', DOGE: '9000' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    for (const hours of [0, 24, 24]) {
      vi.setSystemTime(Date.now() + hours * 3_600_000);
      await tradeAll(trader);
      await trader.trade({ coin: 'DOGE', side: 'SELL', mode: 'USDT_AMOUNT', value: '7.654321' });
      await runKeeper();
      expect(await shown()).toEqual(await sumOrders());
    }
    const sums = [...(await shown()).values()];
    expect(sums.length).toBeGreaterThanOrEqual(9);
    for (const { atoms = 0n } of sums) expect(atoms).toBeGreaterThan(0n);
    // However often the keeper reads the journal, and from its beginning.
    await runKeeper(() => reachKeeper(env, 0).beginAnew());
    await runKeeper();
    await runKeeper();
    expect(await shown()).toEqual(await sumOrders());
    vi.setSystemTime(Date.now() + 31 * 86_400_000);
    expect(await shown()).toEqual(new Map());
  });

  const order = (change: Partial<FilledOrder>): FilledOrder => ({
    accountId: 'a',
    id: newRecordId(Date.UTC(2026, 10, 21)),
    coin: 'BTC',
    side: 'BUY',
    price: '100000000',
    coinAmount: '100000000',
    usdtAmount: '1010000',
    middle: '100000000',
    transfer: 1,
    ...change,
  });

  it.each([
    ['a buy above the middle', {}, 10_000n],
    ['a sale below it', { side: 'SELL', usdtAmount: '990000' }, 10_000n],
    ['a buy, rounded down', { coinAmount: '100000001' }, 9_999n],
    ['a sale, rounded down', { side: 'SELL', usdtAmount: '990000', coinAmount: '99999999' }, 9_999n],
    ['an order from before middles were stored', { middle: null }, undefined],
  ] as const)('of %s', (_what, change, earned) => {
    expect(spreadOf(order(change))).toBe(earned);
  });

  it('counts each order once, also when a slice is read again', () =>
    runInDurableObject(env.KEY_LANE.getByName('spread'), (_instance, { storage }) => {
      const sums = new DaySums(storage.sql);
      const add = (orders: FilledOrder[], after: number, to: number) =>
        sums.add({ orders, moves: [], payments: [] }, after, to);
      const orders = [1, 3, 5].map((transfer) => order({ transfer }));
      add(orders.slice(0, 2), 0, 4);
      add(orders, 0, 6);
      add(orders, 4, 6);
      const day = { day: '2026-11-21', coin: 'BTC', ...NO_PROFIT, orders: 3, spread: '30000' };
      expect(sums.listProfit('2026-11-21')).toEqual([day]);
      expect(sums.listProfit('2026-11-22')).toEqual([]);
      expect(() => add([], 7, 8)).toThrow('was not counted');
      sums.forget();
      add(orders, 0, 6);
      expect(sums.listProfit('')).toMatchObject([{ orders: 3 }]);
    }));

  it('is never negative: the database refuses an order on the wrong side of the middle', async () => {
    const { accountId } = await openTrader({ USDT: '100', BTC: '1' });
    const place = (side: string, middle: string) =>
      sql(
        `INSERT INTO orders (account_id, id, coin, side, executed_price, coin_amount, usdt_amount, status, price_round,
           key_id, first_transfer, middle_price, admitted_at, price_as_of)
         SELECT ?, ?, 'BTC', ?, 5000000000000, 10000, 5000000, 'COMPLETED', price_round,
           (SELECT id FROM api_keys WHERE account_id = ?1), ${NEXT}, ${middle}, 0, 0
         FROM balances WHERE account = 'house:liquidity' AND asset = 'BTC'`,
        accountId,
        newRecordId(Date.now()),
        side,
      );
    const wrong = [
      ['BUY', '5000000000001'],
      ['SELL', '4999999999999'],
      ['BUY', '0'],
      ['BUY', '-1'],
    ] as const;
    for (const [side, middle] of wrong) await expectRefused('side of the middle price', place(side, middle));
    for (const side of ['BUY', 'SELL']) await place(side, '5000000000000').run();
  });
});

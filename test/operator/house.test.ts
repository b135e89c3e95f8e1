import { beforeAll, describe, expect, it } from 'vitest';
import { describeHouse } from '../../src/operator/house.ts';
import { type Trader, asOperator, json, openTrader } from '../support/exchange.ts';
import { countRowsRead } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';
import { readTaken, withdraw } from '../support/withdrawals/withdrawals.ts';

interface Shown {
  readonly house: {
    readonly inventoryUsdValue: string | null;
    readonly assets: readonly Record<string, string | null>[];
  };
}

const read = async () => (await json<Shown>(await asOperator('GET', '/house'))).house;
const assetOf = (house: Shown['house'], asset: string) => house.assets.find((one) => one['asset'] === asset) ?? {};

/** The sum of all clients' balances of an asset, counted one by one. */
async function countOwed(asset: string): Promise<number> {
  const sum = `SELECT sum(amount) AS owed FROM balances WHERE asset = ? AND account NOT LIKE 'house:%'`;
  return (await env.DB.prepare(sum).bind(asset).first<number>('owed')) ?? 0;
}

describe('GET /operator/v1/house', () => {
  let trader: Trader;
  beforeAll(async () => {
    trader = await openTrader({ USDT: '10000', BTC: '0.5' });
    await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.02' });
    await readTaken(await withdraw(trader));
    await asOperator('PATCH', '/settings', {
      reviewThreshold: '1',
      exposure: { BTC: '0.05' },
      supplyCaps: { BTC: '1' },
    });
    await readTaken(await withdraw(trader, { amount: '20' }));
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
      const sum = ['owedToClients', 'inFlight', 'feesEarned', 'inventory'].map((name) => Number(asset[name] ?? 0));
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
    const positions = new Map([['house:liquidity BTC', { amount: -1n, floor: 0n }]]);
    const house = describeHouse(positions, undefined, undefined, 0);
    expect(house.inventoryUsdValue).toBeNull();
    expect(house.assets.find(({ asset }) => asset === 'BTC')).toMatchObject({
      inventoryUsdValue: null,
      price: null,
      exposureUsed: null,
      owedToClients: '0.00000001',
    });
    expect(house.assets.find(({ asset }) => asset === 'ETH')).toMatchObject({ inventoryUsdValue: '0', inventory: '0' });
  });

  it('reads the house’s own rows and no client’s', async () => {
    expect(await countRowsRead(() => asOperator('GET', '/house'))).toBeLessThan(60);
  });
});

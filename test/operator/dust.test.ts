import { afterEach, describe, expect, it } from 'vitest';
import { type Trader, openTrader, operate } from '../support/exchange.ts';
import { type DatabaseCost, holdWakingsThroughout, measureDatabase } from '../support/runtime/meter.ts';
import type { DustSum } from '../../src/deposits/list-dust.ts';
import { reportDeposit, reportFor } from '../support/deposits.ts';
import { sql } from '../support/db/sql.ts';

holdWakingsThroughout();

type Report = Awaited<ReturnType<typeof reportDollars>>;

/** A report of USDC on Polygon, where a deposit needs 128 confirmations, more than on any other network. */
const reportDollars = (trader: Trader, amount: string, change: object = {}) =>
  reportFor(trader, { network: 'POLYGON', asset: 'USDC', amount, ...change });

const send = (report: Report, confirmations: number, failed = false) =>
  reportDeposit({ ...report, confirmations, failed });

async function sendEachBlock(report: Report, blocks: number): Promise<DatabaseCost> {
  await send(report, 1);
  return measureDatabase(async () => {
    for (let block = 2; block <= blocks; block += 1) await send(report, block);
  });
}

const countAudits = (id: string) => sql('SELECT count(*) AS n FROM audit WHERE target = ?', id).first('n');

async function readDust(asset: string, network: string): Promise<DustSum | undefined> {
  const { dust } = await operate<{ dust: DustSum[] }>('GET', '/deposits/dust');
  return dust.find((sum) => sum.asset === asset && sum.network === network);
}

async function setMinimums(depositMinimums: Record<string, Record<string, string>>): Promise<void> {
  await operate('PATCH', '/settings', { depositMinimums });
}

afterEach(() => setMinimums({}));

describe('dust', () => {
  it('that is reported for every block writes one row, and one row of the audit', async () => {
    const trader = await openTrader();
    const report = await reportDollars(trader, '0.000001');
    const cost = await sendEachBlock(report, 128);
    expect(cost.databaseRowsWritten).toBe(0);
    const { id, ...dust } = await send(report, 129);
    expect(dust).toMatchObject({ accountId: trader.accountId, status: 'QUARANTINED', reason: 'below_minimum' });
    expect(await countAudits(id)).toBe(1);
    expect((await trader.balances())['USDC']).toBe('0');
    expect(await trader.feed()).toEqual([]);
  });

  it('ends at the minimum: an amount of the minimum is credited, and one atom less is not', async () => {
    const trader = await openTrader();
    const below = await send(await reportDollars(trader, '0.999999999999999999'), 128);
    expect(below).toMatchObject({ status: 'QUARANTINED', reason: 'below_minimum' });
    expect((await send(await reportDollars(trader, '1'), 128)).status).toBe('COMPLETED');
    expect((await trader.balances())['USDC']).toBe('1');
  });

  it('is decided by the operator’s minimum for that asset on that network', async () => {
    const trader = await openTrader();
    await setMinimums({ USDC: { POLYGON: '20' } });
    expect((await send(await reportDollars(trader, '19.999999'), 128)).reason).toBe('below_minimum');
    expect((await send(await reportDollars(trader, '19.999999', { network: 'BASE' }), 20)).status).toBe('COMPLETED');
    await setMinimums({ USDC: { POLYGON: '0' } });
    expect((await send(await reportDollars(trader, '0.000001'), 128)).status).toBe('COMPLETED');
    expect((await send(await reportDollars(trader, '0.000000999'), 128)).reason).toBe('below_minimum');
  });

  it('is decided by the first report, however the minimum changes later', async () => {
    const trader = await openTrader();
    const [small, waiting] = [await reportDollars(trader, '0.5'), await reportDollars(trader, '2')];
    await send(small, 1);
    await send(waiting, 1);
    await setMinimums({ USDC: { POLYGON: '0.1' } });
    expect(await send(small, 128)).toMatchObject({ status: 'QUARANTINED', reason: 'below_minimum' });
    await setMinimums({ USDC: { POLYGON: '10' } });
    expect((await send(waiting, 128)).status).toBe('COMPLETED');
    expect((await trader.balances())['USDC']).toBe('2');
  });

  it('to an unknown address is quarantined as unknown, and is not in the sums of dust', async () => {
    const trader = await openTrader();
    const before = await readDust('USDC', 'POLYGON');
    const address = '0x52908400098527886E0F7030069857D2E4169EE7';
    expect((await send(await reportDollars(trader, '0.1', { address }), 1)).reason).toBe('unknown_address');
    expect(await readDust('USDC', 'POLYGON')).toEqual(before);
  });
});

describe('the sums of dust', () => {
  it('are exact for each asset and network, and count parallel reports of a deposit once', async () => {
    const trader = await openTrader();
    await setMinimums({ ETH: { BASE: '20' } });
    const amounts = ['0.000000000000000001', '0.999999999999999999', '19.5', '7', '0.000000001'];
    for (const amount of amounts) {
      const report = await reportDollars(trader, amount, { asset: 'ETH', network: 'BASE' });
      await Promise.all([send(report, 1), send(report, 1)]);
    }
    expect(await readDust('ETH', 'BASE')).toEqual({
      asset: 'ETH',
      network: 'BASE',
      deposits: 5,
      amount: '27.500000001',
    });
    expect(await readDust('ETH', 'OPTIMISM')).toBeUndefined();
  });

  it('do not contain a deposit that was reverted, which ends FAILED', async () => {
    const trader = await openTrader();
    const place = { asset: 'USDT', network: 'AVAX' };
    const [kept, reverted] = [await reportDollars(trader, '0.25', place), await reportDollars(trader, '0.5', place)];
    await send(kept, 1);
    await send(reverted, 1);
    expect(await readDust('USDT', 'AVAX')).toMatchObject({ deposits: 2, amount: '0.75' });
    const { id, status } = await send(reverted, 2, true);
    expect([status, await countAudits(id)]).toEqual(['FAILED', 2]);
    expect(await readDust('USDT', 'AVAX')).toMatchObject({ deposits: 1, amount: '0.25' });
    await send(kept, 1, true);
    expect(await readDust('USDT', 'AVAX')).toBeUndefined();
  });
});

describe('a report of a deposit', () => {
  it('is written when it changes the status, and at no other time', async () => {
    const trader = await openTrader();
    const report = await reportDollars(trader, '5');
    const cost = await sendEachBlock(report, 127);
    expect(cost.databaseRowsWritten).toBe(0);
    const [shown] = await trader.feed();
    expect(shown?.['status']).toBe('PENDING');
    expect(await send(report, 127)).toMatchObject({ status: 'PENDING', confirmations: 127 });
    const credited = await send(report, 128);
    expect(credited).toMatchObject({ status: 'COMPLETED', confirmations: 128 });
    const after = await measureDatabase(() => send(report, 400));
    // One round trip to the directory, and one to the ledger.
    expect([after.databaseTrips, after.databaseRowsWritten]).toEqual([2, 0]);
    expect(await send(report, 401)).toEqual(credited);
    expect(await countAudits(credited.id)).toBe(2);
  });

  it('to an unknown address writes once', async () => {
    const trader = await openTrader();
    const address = '0x52908400098527886E0F7030069857D2E4169EE7';
    const report = await reportDollars(trader, '5', { address });
    expect((await sendEachBlock(report, 20)).databaseRowsWritten).toBe(0);
  });

  it('that the supply cap holds back writes nothing while it is held', async () => {
    const trader = await openTrader();
    const change = async (cap: string) => await operate('PATCH', '/settings', { supplyCaps: { LTC: cap } });
    await change('1');
    const report = await reportFor(trader, { network: 'LTC', asset: 'LTC', amount: '2' });
    const { id } = await send(report, 6);
    for (let confirmations = 7; confirmations < 12; confirmations += 1) {
      expect((await send(report, confirmations)).reason).toBe('supply_cap');
    }
    expect(await countAudits(id)).toBe(1);
    await change('10000000');
    expect((await send(report, 12)).status).toBe('COMPLETED');
    expect(await countAudits(id)).toBe(2);
  });
});

describe('the database', () => {
  async function reportDust(): Promise<string> {
    return (await send(await reportDollars(await openTrader(), '0.5'), 1)).id;
  }

  it('refuses to credit a deposit that was too small, and to call one too small later', async () => {
    const trader = await openTrader();
    const { id: waiting } = await send(await reportDollars(trader, '5'), 1);
    const update = (set: string, id: string) => sql(`UPDATE deposits SET ${set} WHERE id = ?`, id).run();
    const credited = `status = 'COMPLETED', reason = NULL, transfer = (SELECT coalesce(max(id), 0) + 1 FROM transfers)`;
    await expect(update(credited, await reportDust())).rejects.toThrow('never credited');
    await expect(update("reason = 'supply_cap'", await reportDust())).rejects.toThrow('never credited');
    await expect(update("status = 'QUARANTINED', reason = 'below_minimum'", waiting)).rejects.toThrow('first report');
  });

  it('refuses to write a report that changes no status', async () => {
    const update = sql('UPDATE deposits SET confirmations = 2 WHERE id = ?', await reportDust());
    await expect(update.run()).rejects.toThrow('guard: ');
  });
});

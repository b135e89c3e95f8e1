import { describe, expect, it } from 'vitest';
import type { Role } from '../../src/db/role.ts';
import { ReportDeposit, reportDeposit } from '../../src/deposits/report-deposit.ts';
import { reportFor } from '../support/deposits.ts';
import { type Trader, openTrader } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';
import { expectWholeLedger } from '../support/db/probes.ts';
import { atOnce } from '../support/at-once.ts';

/** Of everything else these tests credit, nothing is of this asset, so the sum of 24 hours is their own. */
const ASSET = 'AVAX';
const BOUND = { [ASSET]: '10' };
const DAY_MS = 86_400_000;

let now_ms = Date.now();
/** How many reports were answered with a deposit that two watchers had reported. */
let seconded = 0;

/** A report to an account's address, as a watcher with one of the two tokens sends it. */
async function reportOf(trader: Trader, amount: string, changes: object = {}) {
  const report = ReportDeposit.parse(await reportFor(trader, { network: ASSET, amount, ...changes }));
  return async (role: Extract<Role, 'deposits' | 'watcher'>, other: Partial<ReportDeposit> = {}) => {
    const reported = await reportDeposit(
      env,
      { ...report, ...other },
      () => Promise.resolve(1n),
      { role, now_ms },
      BOUND,
    );
    if (!reported.ok) throw new Error(reported.code);
    const { status, agreedBy } = reported.value.deposit;
    expect(agreedBy === null).toBe(status !== 'COMPLETED');
    if (agreedBy === 2) seconded += 1;
    return status;
  };
}

describe('a deposit above the bound of one watcher', () => {
  it('is credited only when a second watcher has reported the same, whichever reports first', async () => {
    const trader = await openTrader();
    const [early, late] = [await reportOf(trader, '10.5'), await reportOf(trader, '11')];
    expect(await early('deposits')).toBe('PENDING');
    expect(await early('deposits')).toBe('PENDING');
    expect(await early('watcher')).toBe('PENDING');
    expect(await early('deposits')).toBe('COMPLETED');
    expect(await late('watcher')).toBe('PENDING');
    expect(await late('deposits')).toBe('COMPLETED');
    expect(seconded).toBe(2);
    expect((await trader.balances())[ASSET]).toBe('21.5');
    await expectWholeLedger();
  });

  it.each([
    ['another amount', { amount: '12.5' }],
    ['another address', { address: '0x52908400098527886E0F7030069857D2E4169EE7' }],
    ['too few confirmations', { confirmations: 1 }],
    ['that it failed', { failed: true }],
  ])('is not credited when the second watcher reports %s', async (_, other) => {
    const trader = await openTrader();
    const report = await reportOf(trader, '12');
    expect(await report('deposits')).toBe('PENDING');
    await report('watcher', other).catch(() => undefined);
    expect(await report('deposits')).toBe('PENDING');
  });

  it('is never credited or failed by the second watcher alone', async () => {
    const trader = await openTrader();
    const report = await reportOf(trader, '0.5');
    expect(await report('watcher')).toBe('PENDING');
    expect(await report('watcher', { failed: true })).toBe('PENDING');
    expect((await trader.balances())[ASSET] ?? '0').toBe('0');
  });
});

describe('deposits on the word of one watcher', () => {
  it('are credited up to the bound in any 24 hours together, also when all arrive at once', async () => {
    now_ms += 2 * DAY_MS;
    const trader = await openTrader();
    const reports = await atOnce(12, () => reportOf(trader, '2'));
    const states = await Promise.all(reports.map((report) => report('deposits')));
    expect(states.filter((status) => status === 'COMPLETED')).toHaveLength(5);
    const waiting = reports[states.indexOf('PENDING')];
    now_ms += DAY_MS - 1;
    expect(await waiting?.('deposits')).toBe('PENDING');
    now_ms += 2;
    expect(await waiting?.('deposits')).toBe('COMPLETED');
  });

  it('count from when they are credited, not from their first report', async () => {
    now_ms += 2 * DAY_MS;
    const trader = await openTrader();
    const reports = await atOnce(8, () => reportOf(trader, '2'));
    for (const report of reports) expect(await report('deposits', { confirmations: 1 })).toBe('PENDING');
    now_ms += 2 * DAY_MS;
    const states = await Promise.all(reports.map((report) => report('deposits')));
    expect(states.filter((status) => status === 'COMPLETED')).toHaveLength(5);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import type { Trader } from '../support/exchange.ts';
import { aroundBatches } from '../support/faults.ts';
import { countRowsRead } from '../support/meter.ts';
import {
  SMALL,
  allOk,
  finishPass,
  invariantOf,
  makeActivity,
  readReconciliation,
  statusesOf,
  step,
} from '../support/reconciliation.ts';
import { env } from '../support/test-env.ts';

const SMALL_ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1.234567' };

let traders: Trader[];
beforeAll(async () => {
  traders = await makeActivity(3);
});

async function count(table: string): Promise<string> {
  return String(await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>('n'));
}

describe('a pass', () => {
  it('over everything that moves money finds every invariant kept, in one step where all fits', async () => {
    const found = await finishPass();
    expect(statusesOf(found)).toEqual(allOk);
    expect([found.status, found.violations, found.steps]).toEqual(['ok', [], 1]);
  });

  it('looks at every row, in as many slices as it takes', async () => {
    const whole = await finishPass();
    const sliced = await finishPass(SMALL);
    expect(sliced.steps).toBeGreaterThanOrEqual(30);
    expect(sliced.invariants).toEqual(whole.invariants);
    const checked = (name: Parameters<typeof invariantOf>[1]) => invariantOf(sliced, name).figures['checked'];
    expect(checked('journal_has_no_gap')).toBe(await count('transfers'));
    expect(checked('balances_match_transfers')).toBe(await count('balances'));
    expect(checked('rounding_favours_house')).toBe(await count('orders'));
    expect(checked('withdrawals_paid_once')).toBe(await count('withdrawals'));
    expect(checked('withdrawals_within_limit')).toBe(await count('withdrawals'));
    expect(checked('addresses_have_one_owner')).toBe(await count('addresses'));
    const records = await Promise.all(['orders', 'deposits', 'withdrawals', 'settlements'].map(count));
    expect(checked('records_match_transfers')).toBe(String(records.map(Number).reduce((sum, one) => sum + one)));
  });

  it('says what is owed of each asset, to the atom', async () => {
    const { figures } = invariantOf(await finishPass(), 'debts_within_caps');
    const { results } = await env.DB.prepare(
      `SELECT asset, CAST(sum(amount) AS TEXT) AS atoms FROM balances
       WHERE account NOT LIKE 'house:%' AND asset IN ('USDT', 'BTC') GROUP BY asset ORDER BY asset`,
    ).all<{ atoms: string }>();
    const scales = [8, 6];
    const owed = results.map(({ atoms }, asset) => Number(atoms) / 10 ** (scales[asset] ?? 0));
    expect([figures['BTC'], figures['USDT']].map((one) => Number((one as Record<string, string>)['owed']))).toEqual(
      owed,
    );
  });

  it('gives no false alarm while trades go on between its slices and beside them', async () => {
    const [trader] = traders;
    const found = await finishPass(SMALL, async () => {
      await trader?.trade(SMALL_ORDER);
    });
    expect(statusesOf(found)).toEqual(allOk);
    expect(Number(invariantOf(found, 'journal_has_no_gap').figures['checked'])).toBeGreaterThan(150);

    const { pass } = (await readReconciliation()).progress;
    while ((await readReconciliation()).progress.pass === pass) {
      await Promise.all([step({ transfers: 50, rows: 20 }), ...traders.map((one) => one.trade(SMALL_ORDER))]);
    }
    expect((await readReconciliation()).violations).toEqual([]);
  });

  it('moves on by one of two steps that are taken at once', async () => {
    const before = await readReconciliation();
    const outcomes = await Promise.all([step(SMALL), step(SMALL)]);
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['guarded', 'stands']);
    const { progress } = await readReconciliation();
    expect(Number(progress.transfersRead)).toBe(Number(before.progress.transfersRead) + SMALL.transfers);
    expect(statusesOf(await finishPass())).toEqual(allOk);
  });

  it('gives no false alarm where more is traded than a slice holds before a step can look', async () => {
    while ((await step(SMALL)).kind === 'stands') {
      const { transfersRead, transfers } = (await readReconciliation()).progress;
      if (Number(transfers) - Number(transfersRead) <= SMALL.transfers) break;
    }
    const trade = async () => {
      for (let traded = 0; traded < 4; traded += 1) await traders[0]?.trade(SMALL_ORDER);
    };
    const flood = aroundBatches('before', 1, trade, (text) => text.includes('FROM reconciled_balances'));
    expect(await step(SMALL)).toEqual({ kind: 'stands', isBehind: true });
    flood.restore();
    expect(flood.state.struck).toBe(1);
    expect(statusesOf(await finishPass())).toEqual(allOk);
    expect((await readReconciliation()).violations).toEqual([]);
  });

  it('waits with its checks while the journal is ahead of it, and says so', async () => {
    expect(await step(SMALL)).toEqual({ kind: 'stands', isBehind: true });
    const { progress } = await readReconciliation();
    expect(progress.transfersRead).toBe('5');
    expect(new Set(Object.values(progress.checks))).toEqual(new Set(['waiting']));
    await finishPass();
  });
});

describe('a step', () => {
  it('reads as many rows however many there are', async () => {
    const limits = { transfers: 20, rows: 10 };
    const costs = async () => {
      const read: number[] = [];
      const { pass } = (await readReconciliation()).progress;
      while ((await readReconciliation()).progress.pass === pass) read.push(await countRowsRead(() => step(limits)));
      return Math.max(...read);
    };
    const before = await costs();
    traders.push(...(await makeActivity(6)));
    const after = await costs();
    // What is in a slice differs a little; how much is outside of it does not count.
    expect(after).toBeLessThan(before * 1.1);
  });
});

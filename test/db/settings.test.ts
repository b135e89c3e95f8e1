// @runtime three-ledgers
import { afterEach, describe, expect, it } from 'vitest';
import { reportFindings } from '../../src/reconciliation/violations.ts';
import { keepSettings } from '../../src/db/copy-settings.ts';
import { openLedger } from '../../src/db/database.ts';
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { type ProblemBody, asOperator, json, send, expectCode, ORDER } from '../support/exchange.ts';
import { forgetSettings } from '../support/gate.ts';
import { openTraderIn } from '../support/db/open-in-ledger.ts';
import { runKeeper } from '../support/reconciliation.ts';
import { emptyEdgeCache } from '../support/runtime/edge-cache.ts';
import { CONNECTION_LOST, aroundBatches, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { sqlIn } from '../support/db/sql.ts';

const ledgers = [0, 1, 2] as const;
const patch = (change: Record<string, unknown>) => asOperator('PATCH', '/settings', change);

const readRows = () =>
  Promise.all(ledgers.map((ledger) => sqlIn(ledger, 'SELECT * FROM settings').first())) as Promise<
    Record<string, unknown>[]
  >;

/** Of each ledger whether trading and withdrawals are halted: `10` is a halt of trading alone. */
const haltsOf = async () =>
  (await readRows()).map(({ trading_halted, withdrawals_halted }) => [trading_halted, withdrawals_halted].join(''));

const readStatus = async () => {
  await emptyEdgeCache();
  return json<Record<string, string>>(await send('/api/v1/status'));
};

/** What a pass does that finds an invariant of this ledger broken. Returns the violation's id. */
async function breakLedger(ledger: number): Promise<string> {
  const finding = { invariant: 'journal_has_no_gap', example: { transfer: '7' } } as const;
  const own = { database: openLedger(env, ledger), ledger };
  await reportFindings(own, [finding], 1, Date.now());
  const violation = await sqlIn(ledger, 'SELECT id FROM reconciliation_violations WHERE cleared_at IS NULL').first<{
    id: string;
  }>();
  return violation?.id ?? '';
}

/** The batch that writes a copy, recognised by its text: it looks for violations before it lifts a halt. */
const isCopy = (text: string) => text.includes('update \\"settings\\"') && text.includes('reconciliation_violations');

const clear = (id: string) =>
  asOperator('POST', `/reconciliation/violations/${id}/clear`, { reason: 'a test broke it' });

const lift = () => patch({ tradingHalted: false, withdrawalsHalted: false });

const keepAll = async () => {
  for (const ledger of ledgers) await keepSettings(env, ledger, Date.now());
};

afterEach(async () => {
  await forgetSettings();
  expect((await lift()).status).toBe(200);
  expect(await haltsOf()).toEqual(['00', '00', '00']);
});

describe('a change of the settings', () => {
  it('holds in every ledger, with a row of its audit', async () => {
    const change = {
      spreadBps: 37,
      allowlistMode: 'strict',
      reviewThreshold: '90071992547.409931',
      pausedNetworks: ['TRC20'],
      fees: { USDT: { TRC20: '2' } },
      fallbackPrices: { BTC: '64000' },
      approvalAbove: { BTC: '3' },
    };
    expect((await patch(change)).status).toBe(200);
    const [original, ...copies] = await readRows();
    expect(original).toMatchObject({ spread_bps: 37, allowlist_mode: 'strict' });
    for (const [at, copy] of copies.entries()) expect(copy).toEqual({ ...original, ledger: at + 1 });
    const threshold = await sqlIn(2, 'SELECT CAST(review_threshold AS TEXT) AS t FROM settings').first('t');
    expect(threshold).toBe('90071992547409931');
    const row = await sqlIn(1, 'SELECT role, action FROM audit ORDER BY id DESC LIMIT 1').first();
    expect(row).toEqual({ role: 'reconciliation', action: 'copy_settings' });
    await patch({ spreadBps: 0, allowlistMode: 'off', reviewThreshold: null, pausedNetworks: [], approvalAbove: {} });
  });

  it('is written to a copy once', async () => {
    await patch({ spreadBps: 12 });
    const count = () => sqlIn(1, 'SELECT count(*) AS n FROM audit').first('n');
    const before = await count();
    await keepAll();
    expect(await count()).toBe(before);
    await patch({ spreadBps: 0 });
  });

  it('halts trading in every ledger, at its own gate', async () => {
    const traders = await Promise.all(ledgers.map(openTraderIn));
    expect((await patch({ tradingHalted: true })).status).toBe(200);
    for (const trader of traders) {
      const refused = await trader.post('/api/v1/orders', ORDER);
      expect((await json<ProblemBody>(refused)).code).toBe('trading_halted');
    }
  });

  it('that a ledger did not confirm is refused as not confirmed, and finished by that ledger’s keeper', async () => {
    aroundBatches('before', 1, fail(CONNECTION_LOST), isCopy);
    const answer = await patch({ tradingHalted: true });
    await expectCode(answer, '503 service_unavailable');
    const open = (await haltsOf()).findIndex(([trading]) => trading === '0');
    expect([1, 2]).toContain(open);
    expect((await readStatus())['trading']).toBe('HALTED');
    await keepSettings(env, open, Date.now());
    expect((await haltsOf()).map(([trading]) => trading)).toEqual(['1', '1', '1']);
  });

  it('is never replaced by an older copy that arrives later', async () => {
    await patch({ spreadBps: 5 });
    const older = sqlIn(1, 'UPDATE settings SET spread_bps = 4, revision = revision - 1');
    await expect(older.run()).rejects.toThrow('guard: settings_overtaken');
    const again = sqlIn(1, 'UPDATE settings SET spread_bps = 6');
    await again.run();
    await keepSettings(env, 1, Date.now());
    expect((await readRows()).map(({ spread_bps }) => spread_bps)).toEqual([5, 5, 5]);
    await patch({ spreadBps: 0 });
  });
});

describe('a violation in one ledger', () => {
  it.each(ledgers)(
    'halts ledger %i in its batch, and the others after it; the status is halted at once',
    async (ledger) => {
      const id = await breakLedger(ledger);
      expect(ledgerNumberOf(id)).toBe(ledger);
      expect((await haltsOf()).map(([trading]) => trading)).toEqual(
        ledgers.map((other) => (other === ledger ? '1' : '0')),
      );
      expect(await readStatus()).toMatchObject({ status: 'HALTED', trading: 'HALTED', withdrawals: 'HALTED' });
      await keepSettings(env, ledger, Date.now());
      expect(await haltsOf()).toEqual(['11', '11', '11']);
      expect((await clear(id)).status).toBe(200);
    },
  );

  it('stays halted everywhere until it is cleared, whatever is lifted meanwhile', async () => {
    const id = await breakLedger(2);
    // Before its keeper has told the others, nothing there is halted, and lifting must be refused all the same.
    const refused = await lift();
    await expectCode(refused, '409 invalid_state');
    await keepAll();
    expect(await haltsOf()).toEqual(['11', '11', '11']);
    await sqlIn(0, 'UPDATE settings SET trading_halted = 0, revision = revision + 1').run();
    await keepSettings(env, 0, Date.now());
    expect((await haltsOf())[2]).toBe('11');
    await keepSettings(env, 2, Date.now());
    expect(await haltsOf()).toEqual(['11', '11', '11']);
    expect((await clear(id)).status).toBe(200);
    expect((await haltsOf())[2]).toBe('11');
  });

  it('is told to the others by the ledger’s keeper', async () => {
    const id = await breakLedger(0);
    await runKeeper();
    expect(await haltsOf()).toEqual(['11', '11', '11']);
    expect((await clear(id)).status).toBe(200);
  });

  it('stays halted in its own ledger when no other could be told before it was cleared', async () => {
    const id = await breakLedger(1);
    expect((await clear(id)).status).toBe(200);
    await keepAll();
    expect((await haltsOf())[1]).toBe('11');
    expect((await readStatus())['trading']).toBe('HALTED');
  });

  it('stays halted in its own ledger when its copy is mended without a later change', async () => {
    const id = await breakLedger(1);
    expect((await clear(id)).status).toBe(200);
    await sqlIn(1, 'UPDATE settings SET spread_bps = 6').run();
    await keepSettings(env, 1, Date.now());
    const [original, copy] = await readRows();
    expect(copy?.['spread_bps']).toBe(original?.['spread_bps']);
    expect(await haltsOf()).toEqual(['00', '11', '00']);
  });
});

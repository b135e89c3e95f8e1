import { createScheduledController } from 'cloudflare:test';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import entry from '../../src/index.ts';
import { invariants } from '../../src/reconciliation/invariants.ts';
import { PASS_INTERVAL_MS } from '../../src/reconciliation/reconciler.ts';
import type { Reconciliation } from '../../src/operator/reconciliation.ts';
import { type Trader, asOperator, json, openTrader, operate, expectCode } from '../support/exchange.ts';
import { CONNECTION_LOST, OVERLOADED, abort, aroundBatch, aroundBatches, fail } from '../support/runtime/faults.ts';
import { databaseInternals } from '../support/runtime/meter.ts';
import { ORDER, allOk, keeper, makeActivity, reopen, runKeeper, statusesOf } from '../support/reconciliation.ts';
import { forgetSettings } from '../support/gate.ts';
import { env } from '../support/runtime/test-env.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';
import { sql } from '../support/db/sql.ts';
import { insertRow } from '../support/db/raw-ledger.ts';

let trader: Trader;
/** An account without addresses. */
let bare: Trader;
beforeAll(async () => {
  [trader] = (await makeActivity(2)) as [Trader];
  bare = await openTrader();
});

const logged: Record<string, string>[] = [];
beforeEach(() => {
  logged.length = 0;
  vi.spyOn(console, 'error').mockImplementation((line) => logged.push(JSON.parse(String(line))));
});

const PATH = '/reconciliation';

async function read(response: Response | Promise<Response>): Promise<Reconciliation> {
  const answer = await response;
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await json<{ reconciliation: Reconciliation }>(answer)).reconciliation;
}

/** Runs the work of every minute, as the platform does. */
function runSchedule(): Promise<void> {
  return runKeeper(() => entry.scheduled(createScheduledController({ cron: '* * * * *' }), env));
}

const readReconciliation = () => read(asOperator('GET', PATH));

const runPass = () => read(asOperator('POST', `${PATH}/run`));

/** Gives another account's address to an account. This breaks one invariant and moves no money. */
async function breakInvariant(): Promise<void> {
  const address = `(SELECT address FROM addresses WHERE account_id = '${trader.accountId}' AND network = 'ETH')`;
  await insertRow('addresses', { account_id: bare.accountId, network: 'DOGE', address }).run();
}

/** Removes the address again, without a trace. */
async function mend(): Promise<void> {
  const trigger = 'addresses_are_not_deleted';
  const text = await sql('SELECT sql FROM sqlite_master WHERE name = ?', trigger).first<string>('sql');
  await env.DB.batch([
    sql(`DROP TRIGGER ${trigger}`),
    sql('DELETE FROM addresses WHERE account_id = ?', bare.accountId),
    sql(text ?? ''),
  ]);
}

describe('the reconciliation', () => {
  it('is pending until a first pass is complete, and then shows every invariant with its figures', async () => {
    const before = await read(asOperator('GET', PATH));
    expect(before.status).toBe('pending');
    expect(before.invariants.map(({ name }) => name)).toEqual(invariants);
    expect(new Set(before.invariants.map(({ status }) => status))).toEqual(new Set(['pending']));
    expect(before.lastPass).toBeNull();
    expect(await read(asOperator('GET', PATH))).toEqual(before);

    const after = await read(asOperator('POST', `${PATH}/run`));
    expect(after.status).toBe('ok');
    expect(statusesOf(after)).toEqual(allOk);
    expect(after.lastPass).toMatchObject({ pass: 1 });
    for (const { name, figures, examples } of after.invariants) {
      // The history is too short for a complete link, between one ledger and itself nothing moves, and there is no venue.
      const isAbsent = ['history_unchanged', 'payments_have_both_sides', 'hedges_sent_once'].includes(name);
      if (!isAbsent) expect(Number(figures['checked']), name).toBeGreaterThan(0);
      expect([figures['broken'], examples], name).toEqual(['0', []]);
    }
    expect(await read(asOperator('GET', PATH))).toEqual(after);
  });

  it('reads new transfers every minute, and starts a pass an hour after the start of the last one', async () => {
    const before = await readReconciliation();
    await trader.trade(ORDER);
    await runSchedule();
    const after = await readReconciliation();
    expect(Number(after.progress.transfersRead)).toBe(Number(before.progress.transfersRead) + 2);
    expect(after.progress.pass).toBe(before.progress.pass);
    stopClock();
    // The stopped clock may be half a minute behind.
    moveClock(PASS_INTERVAL_MS + 30_000);
    await runSchedule();
    expect((await readReconciliation()).progress.pass).toBe(before.progress.pass + 1);
    await runSchedule();
    expect((await readReconciliation()).progress.pass).toBe(before.progress.pass + 1);
    vi.useRealTimers();
    expect(logged).toEqual([]);
  });

  it('goes on when the sweep of withdrawals fails', async () => {
    await trader.trade(ORDER);
    const { transfersRead } = (await readReconciliation()).progress;
    const internals = databaseInternals();
    const forward = internals._send;
    vi.spyOn(internals, '_send').mockImplementation(async function look(this: unknown, ...values: unknown[]) {
      if (JSON.stringify(values[1]).includes('update \\"withdrawals\\" set \\"asks\\"'))
        throw new Error(CONNECTION_LOST);
      return forward.apply(this as never, values);
    });
    await runKeeper();
    vi.restoreAllMocks();
    expect(logged.map(({ event }) => event)).toEqual(['sweep_failed']);
    expect(Number((await readReconciliation()).progress.transfersRead)).toBe(Number(transfersRead) + 2);
  });

  it('stops no withdrawal when it fails, and goes on from where it was', async () => {
    const unsettled = aroundBatch('settle', 'before', 1, fail(CONNECTION_LOST));
    const taken = await trader.takeOut({}, 'unsettled');
    unsettled.restore();
    expect(taken.status).toBe('PROCESSING');
    logged.length = 0;

    const { transfersRead } = (await readReconciliation()).progress;
    const fault = aroundBatches('before', 1, fail(CONNECTION_LOST), (text) => text.includes('no record explains it'));
    stopClock();
    moveClock(60_000);
    await runKeeper();
    vi.useRealTimers();
    fault.restore();
    expect(logged.map(({ event }) => event)).toEqual(['reconciliation_failed']);
    expect((await readReconciliation()).progress.transfersRead).toBe(transfersRead);
    expect((await trader.readWithdrawal(taken.id)).status).toBe('COMPLETED');
    await runKeeper();
    expect(Number((await readReconciliation()).progress.transfersRead)).toBe(Number(transfersRead) + 3);
  });

  it('continues from where it was after its object was reset', async () => {
    const before = await readReconciliation();
    await abort(keeper());
    expect(await readReconciliation()).toEqual(before);
  });

  it('answers 503 when D1 does not answer, and shows no progress that was not made', async () => {
    const before = await readReconciliation();
    const fault = aroundBatches('before', 1, fail(CONNECTION_LOST), (text) => text.includes('no record explains it'));
    await expectCode(asOperator('POST', `${PATH}/run`), '503 service_unavailable');
    fault.restore();
    expect(await readReconciliation()).toEqual(before);
    logged.length = 0;
  });
});

describe('a broken invariant', () => {
  it('halts trading and withdrawals at once, until the violation is cleared and the halts are lifted', async () => {
    await trader.trade(ORDER);
    await breakInvariant();
    await runPass();

    const found = await read(asOperator('GET', PATH));
    expect([found.status, found.violations.length]).toEqual(['broken', 1]);
    const [violation] = found.violations;
    expect(violation).toMatchObject({ invariant: 'addresses_have_one_owner' });
    // One for the account that got the address, and one for its owner, who has it on seven networks.
    const counts = violation?.examples.map(({ networks }) => String(networks).split(' ').length);
    expect(counts?.toSorted()).toEqual([1, 7]);
    expect(logged.map(({ event }) => event)).toEqual(['invariant_broken']);
    expect(logged[0]?.['violations']).toContain(violation?.id);

    await expectCode(trader.order(ORDER), '503 trading_halted');
    await expectCode(trader.withdraw(), '503 withdrawals_suspended');
    const audit = await sql('SELECT role, action FROM audit WHERE target = ?', violation?.id).all();
    expect(audit.results).toEqual([{ role: 'reconciliation', action: 'halt' }]);

    for (const change of [
      { tradingHalted: false },
      { withdrawalsHalted: false },
      { tradingHalted: false, withdrawalsHalted: false, spreadBps: 7 },
    ]) {
      const { detail } = await expectCode(asOperator('PATCH', '/settings', change), '409 invalid_state');
      expect(detail).toContain('Clear the violation before you lift the halt.');
    }
    const kept = await operate<{ settings: unknown }>('GET', '/settings');
    expect(kept.settings).toMatchObject({ tradingHalted: true, withdrawalsHalted: true, spreadBps: 0 });
    await operate('PATCH', '/settings', { spreadBps: 0 });

    await mend();
    const clear = `${PATH}/violations/${violation?.id}/clear`;
    const cleared = await read(asOperator('POST', clear, { reason: 'it was a test’s' }));
    expect([cleared.status, cleared.violations]).toEqual(['pending', []]);
    await expectCode(trader.order(ORDER), '503 trading_halted');
    await operate('PATCH', '/settings', { tradingHalted: false });
    // The gate may hold settings of some seconds ago.
    await forgetSettings();
    expect((await trader.order(ORDER)).status).toBe(201);
    await expectCode(trader.withdraw(), '503 withdrawals_suspended');
    await reopen();
    expect((await trader.withdraw()).status).toBe(201);
    expect((await runPass()).status).toBe('ok');

    const query = `SELECT role, action, detail FROM audit WHERE target = ? AND action = 'clear_violation'`;
    const row = await sql(query, violation?.id).first<Record<string, string>>();
    expect(row).toMatchObject({ role: 'operator' });
    expect(JSON.parse(row?.['detail'] ?? '')).toEqual({
      invariant: 'addresses_have_one_owner',
      because: 'it was a test’s',
    });
  });

  it('halts once however often it is found, and again when it is found after it was cleared', async () => {
    await breakInvariant();
    await runPass();
    await runPass();
    const [first, ...others] = (await readReconciliation()).violations;
    expect(others).toEqual([]);
    expect(logged).toHaveLength(1);

    await reopen();
    // Clearing has the keeper begin a pass by itself, which may find it first.
    await runPass();
    const [second] = (await readReconciliation()).violations;
    expect(second?.id).not.toBe(first?.id);
    expect(logged).toHaveLength(2);
    await expectCode(trader.order(ORDER), '503 trading_halted');
    await mend();
    await reopen();
    expect(statusesOf(await runPass())).toEqual(allOk);
  });

  it('halts when D1’s answer is lost, and in the next pass when D1 refused the batch', async () => {
    for (const [moment, message] of [
      ['after', CONNECTION_LOST],
      ['before', OVERLOADED],
    ] as const) {
      await breakInvariant();
      const fault = aroundBatches(moment, 1, fail(message), (text) => text.includes('reconciliation_violations'));
      await expectCode(asOperator('POST', `${PATH}/run`), '503 service_unavailable');
      fault.restore();
      await runPass();
      expect((await readReconciliation()).violations).toHaveLength(1);
      await expectCode(trader.order(ORDER), '503 trading_halted');
      await mend();
      await reopen();
    }
    expect(statusesOf(await runPass())).toEqual(allOk);
  });

  it('is searched for again as soon as it was cleared, without the pause between two passes', async () => {
    await breakInvariant();
    const { violations, progress } = await runPass();
    await asOperator('POST', `${PATH}/violations/${violations[0]?.id}/clear`, { reason: 'too early' });
    await runKeeper();
    const found = await readReconciliation();
    expect(found.progress.pass).toBe(progress.pass + 1);
    expect(found.violations).toHaveLength(1);
    await mend();
    await reopen();
    await runPass();
  });
});

describe('a history that an operator accepts', () => {
  it('starts anew, with a row of the audit that says who accepted it and what was forgotten', async () => {
    const accepted = await read(asOperator('POST', `${PATH}/history/accept`, { reason: 'restored to noon' }));
    expect(accepted.progress.transfersRead).toBe('0');
    expect(accepted.history).toEqual({ transfers: null, audit: null });
    const row = await sql("SELECT role, detail FROM audit WHERE action = 'accept_history'").first<{
      role: string;
      detail: string;
    }>();
    expect(row?.role).toBe('operator');
    expect(JSON.parse(row?.detail ?? '')).toEqual({
      because: 'restored to noon',
      forgotten: { transfers: null, audit: null },
    });
    expect(statusesOf(await runPass())).toEqual(allOk);
  });
});

describe('clearing a violation', () => {
  it('is refused for an unknown violation, a second time, and without a reason', async () => {
    await breakInvariant();
    await runPass();
    await mend();
    const [violation] = (await readReconciliation()).violations;
    const clear = (id: string | undefined, body: unknown) => asOperator('POST', `${PATH}/violations/${id}/clear`, body);
    await expectCode(clear('01a1fcca-895a-7000-b43c-11f474a4f8d5', { reason: 'x' }), '404 not_found');
    await expectCode(clear(violation?.id, { reason: '' }), '400 invalid_request');
    await expectCode(clear(violation?.id, {}), '400 invalid_request');
    expect((await readReconciliation()).violations).toHaveLength(1);
    await read(clear(violation?.id, { reason: 'x' }));
    await expectCode(clear(violation?.id, { reason: 'y' }), '409 invalid_state');
    await reopen();
    await runPass();
  });
});

import { runInDurableObject } from 'cloudflare:test';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { sweepWithdrawals } from '../../src/withdrawals/pay-out.ts';
import { type Trader, asOperator, openTrader } from '../support/exchange.ts';
import { abort } from '../support/runtime/faults.ts';
import { reopen, runKeeper } from '../support/reconciliation.ts';
import { env } from '../support/runtime/test-env.ts';
import { readTriggers, runWithout } from '../support/db/triggers.ts';
import { openWarmTrader, useWithdrawalFaults } from '../support/withdrawals/withdrawal-faults.ts';
import {
  OUTSIDE,
  expectProblem,
  listOwn,
  moveClock,
  readOwn,
  readTaken,
  resetSettings,
  setSettings,
  stopClock,
  withdraw,
} from '../support/withdrawals/withdrawals.ts';
import { databaseOfId } from '../support/db/open-in-ledger.ts';

const MINUTE_MS = 60_000;

const { submittedIds, injectFault, expectInFlight } = useWithdrawalFaults();

const sweepAfter = (minutes: number) => {
  const now_ms = Date.now() + minutes * MINUTE_MS;
  return sweepWithdrawals({ database: openDatabase(env.DB), ledgers: env, custody: sandboxCustody, now: () => now_ms });
};

const setStatus = async ({ accountId }: Trader, status: 'active' | 'frozen') => {
  expect((await asOperator('PATCH', `/accounts/${accountId}`, { status })).status).toBe(200);
};

/** What stops payouts, and the answer to an operator who approves one. */
const stops = [
  ['a halt', () => setSettings({ withdrawalsHalted: true }), 503, 'withdrawals_suspended'],
  ['a paused network', () => setSettings({ pausedNetworks: ['TRC20'] }), 503, 'withdrawals_suspended'],
  ['a freeze', (trader: Trader) => setStatus(trader, 'frozen'), 403, 'account_frozen'],
] as const;

async function lift(trader: Trader): Promise<void> {
  await resetSettings();
  await setStatus(trader, 'active');
}

/** Makes a withdrawal that the custodian has never heard of, and returns its id. */
async function leaveUnseen(trader: Trader): Promise<string> {
  const fault = injectFault('debit', 'after', 1, () => abort(trader.lane));
  await expectProblem(await withdraw(trader), 504, 'outcome_unknown');
  fault.restore();
  return (await listOwn(trader))[0]?.id ?? '';
}

afterEach(resetSettings);

describe.each(stops)('%s', (_name, stop, status, code) => {
  it('stops the sweep from submitting what the custodian has never seen; look-ups go on, and later it is paid once', async () => {
    const trader = await openWarmTrader();
    const id = await leaveUnseen(trader);
    await stop(trader);
    expect([await sweepAfter(1), await sweepAfter(5)]).toEqual([1, 1]);
    expect(sandboxCustody.lookup).toHaveBeenCalledTimes(2);
    expect(submittedIds()).toEqual([]);
    expect(await readOwn(trader, id)).toMatchObject({ status: 'PROCESSING', txHash: null });
    await expectInFlight(51_000_000n);

    await lift(trader);
    await sweepAfter(60);
    expect(submittedIds()).toEqual([id]);
    expect(await readOwn(trader, id)).toMatchObject({ status: 'COMPLETED' });
    await expectInFlight(0n);
  });

  it('still stops the sweep when it comes during the sweep’s look-up', async () => {
    const trader = await openWarmTrader();
    await leaveUnseen(trader);
    vi.mocked(sandboxCustody.lookup).mockImplementationOnce(async () => {
      await stop(trader);
      return { kind: 'never_seen' };
    });
    await sweepAfter(1);
    expect(submittedIds()).toEqual([]);
    await lift(trader);
    await sweepAfter(60);
    await expectInFlight(0n);
  });

  it('does not stop the settlement of what was paid before', async () => {
    const trader = await openWarmTrader();
    vi.mocked(sandboxCustody.submit).mockResolvedValueOnce({ kind: 'unknown' });
    const { id } = await readTaken(await withdraw(trader));
    await stop(trader);
    await sweepAfter(1);
    expect(await readOwn(trader, id)).toMatchObject({ status: 'COMPLETED' });
    await lift(trader);
    await expectInFlight(0n);
  });

  it('stops a submission that comes long after its debit', async () => {
    stopClock();
    const trader = await openWarmTrader();
    injectFault('debit', 'after', 1, async () => {
      moveClock(5_000);
      await stop(trader);
    });
    const { id, status: taken } = await readTaken(await withdraw(trader));
    expect([taken, submittedIds()]).toEqual(['PROCESSING', []]);
    await lift(trader);
    await sweepAfter(1);
    expect(submittedIds()).toEqual([id]);
    await expectInFlight(0n);
  });

  it('stops the retry of a withdrawal that the custodian has never seen', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('debit', 'after', 1, () => abort(trader.lane));
    // The request is retried at once, and its look-up gets no answer.
    vi.mocked(sandboxCustody.lookup).mockResolvedValueOnce({ kind: 'unknown' });
    const { id } = await readTaken(await withdraw(trader, {}, 'k'));
    fault.restore();
    await runInDurableObject(trader.lane, (_lane, state) => {
      state.storage.sql.exec('UPDATE replays SET answer = NULL');
    });
    await stop(trader);
    const told = await readTaken(await withdraw(trader, {}, 'k'));
    expect([told.id, told.status, submittedIds()]).toEqual([id, 'PROCESSING', []]);
    expect(sandboxCustody.lookup).toHaveBeenCalledTimes(2);
    await lift(trader);
    await sweepAfter(1);
    expect(submittedIds()).toEqual([id]);
    await expectInFlight(0n);
  });

  it('stops an approval: the operator gets the reason, and the withdrawal goes on waiting', async () => {
    await setSettings({ reviewThreshold: '10' });
    const trader = await openWarmTrader();
    const { id } = await readTaken(await withdraw(trader));
    const approve = () =>
      asOperator('POST', `/accounts/${trader.accountId}/withdrawals/${id}/approve`, { reason: 'known customer' });
    await stop(trader);
    await expectProblem(await approve(), status, code);
    expect([(await readOwn(trader, id)).status, submittedIds()]).toEqual(['PENDING', []]);
    await lift(trader);
    expect((await approve()).status).toBe(200);
    expect(submittedIds()).toEqual([id]);
    await expectInFlight(0n);
  });
});

it('a database write that fails before a payout leaves the payout unsubmitted', async () => {
  const trader = await openWarmTrader();
  await leaveUnseen(trader);
  const lost = injectFault('release', 'after', 1, () => {
    throw new Error('Network connection lost.');
  });
  await sweepAfter(1);
  expect([lost.state.injected, submittedIds()]).toEqual([1, []]);
  lost.restore();
  await sweepAfter(60);
  expect(submittedIds()).toHaveLength(1);
  await expectInFlight(0n);
});

it('a broken invariant stops the sweep of the same minute', async () => {
  const trader = await openWarmTrader();
  await leaveUnseen(trader);
  const triggers = (await readTriggers()).filter(({ name }) => name === 'balances_are_explained');
  const change = (by: number) =>
    runWithout(triggers, [
      databaseOfId(trader.accountId)
        .prepare(`UPDATE balances SET amount = amount + ${by} WHERE account = ? AND asset = 'USDT'`)
        .bind(trader.accountId),
    ]);
  await change(1);
  stopClock();
  moveClock(MINUTE_MS);
  await runKeeper();
  vi.useRealTimers();
  const settings = await env.DB.prepare('SELECT withdrawals_halted FROM settings').first('withdrawals_halted');
  expect([settings, submittedIds()]).toEqual([1, []]);
  expect(sandboxCustody.lookup).toHaveBeenCalledTimes(1);

  await change(-1);
  await reopen();
  await sweepAfter(60);
  expect(submittedIds()).toHaveLength(1);
  await expectInFlight(0n);
});

describe('an approval', () => {
  /** Makes a withdrawal of 50 USDT that waits for review. Returns its id and a function that approves it. */
  async function leavePending() {
    await setSettings({ reviewThreshold: '10' });
    const trader = await openTrader({ USDT: '1000' });
    const { id } = await readTaken(await withdraw(trader));
    const approve = () =>
      asOperator('POST', `/accounts/${trader.accountId}/withdrawals/${id}/approve`, { reason: 'known customer' });
    return { trader, id, approve };
  }

  const allow = (trader: Trader, address = OUTSIDE) =>
    asOperator('POST', `/accounts/${trader.accountId}/allowlist`, { network: 'TRC20', address, label: 'own' });

  it('needs a strict allowlist to hold the address', async () => {
    const { trader, id, approve } = await leavePending();
    await setSettings({ allowlistMode: 'strict' });
    await expectProblem(await approve(), 403, 'address_not_allowlisted');
    expect([(await readOwn(trader, id)).status, submittedIds()]).toEqual(['PENDING', []]);
    await allow(trader);
    expect((await approve()).status).toBe(200);
    expect(submittedIds()).toEqual([id]);
  });

  it('needs the address’s cooling period to be over', async () => {
    const { trader, id, approve } = await leavePending();
    await setSettings({ allowlistMode: 'strict' });
    await databaseOfId(trader.accountId)
      .prepare(
        "INSERT INTO allowlist (account_id, id, network, address, label, usable_at) VALUES (?, 'x', 'TRC20', ?, 'x', ?)",
      )
      .bind(trader.accountId, OUTSIDE, Date.now() + MINUTE_MS)
      .run();
    await expectProblem(await approve(), 403, 'address_not_allowlisted');
    expect([(await readOwn(trader, id)).status, submittedIds()]).toEqual(['PENDING', []]);
  });

  it('does not need an allowlist that was strict at the withdrawal and is off now', async () => {
    await setSettings({ reviewThreshold: '10', allowlistMode: 'strict' });
    const trader = await openTrader({ USDT: '1000' });
    await allow(trader);
    const { id } = await readTaken(await withdraw(trader));
    await databaseOfId(trader.accountId)
      .prepare('DELETE FROM allowlist WHERE account_id = ?')
      .bind(trader.accountId)
      .run();
    await setSettings({ allowlistMode: 'off' });
    const approved = await asOperator('POST', `/accounts/${trader.accountId}/withdrawals/${id}/approve`, {
      reason: 'known customer',
    });
    expect(approved.status).toBe(200);
  });

  it('is refused when the key was revoked after the withdrawal', async () => {
    const { trader, id, approve } = await leavePending();
    await asOperator('DELETE', `/accounts/${trader.accountId}/api-keys/${trader.keyId}`);
    const problem = await expectProblem(await approve(), 409, 'invalid_state');
    expect(problem.detail).toContain('revoked');
    expect(submittedIds()).toEqual([]);
    const rejected = await asOperator('POST', `/accounts/${trader.accountId}/withdrawals/${id}/reject`, {
      reason: 'stolen key',
    });
    expect(rejected.status).toBe(200);
  });

  it('is given although the key has expired or the limit was lowered since', async () => {
    const { trader, approve } = await leavePending();
    await databaseOfId(trader.keyId)
      .prepare('UPDATE api_keys SET expires_at = 1 WHERE id = ?')
      .bind(trader.keyId)
      .run();
    await databaseOfId(trader.accountId)
      .prepare('UPDATE accounts SET daily_withdrawal_limit = 0 WHERE id = ?')
      .bind(trader.accountId)
      .run();
    expect((await approve()).status).toBe(200);
  });
});

import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi, beforeEach } from 'vitest';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { sweepAt } from '../support/withdrawals/sweep-at.ts';
import { type Trader, operate, asOperator, expectCode } from '../support/exchange.ts';
import { abort } from '../support/runtime/faults.ts';
import { reopen, runKeeper } from '../support/reconciliation.ts';
import { env } from '../support/runtime/test-env.ts';
import { readTriggers, runWithout } from '../support/db/triggers.ts';
import { openWarmTrader, useWithdrawalFaults } from '../support/withdrawals/withdrawal-faults.ts';
import {
  OUTSIDE,
  listOwn,
  moveClock,
  resetSettings,
  setSettings,
  stopClock,
  review,
} from '../support/withdrawals/withdrawals.ts';
import { databaseOfId, runFor } from '../support/db/open-in-ledger.ts';

const MINUTE_MS = 60_000;
const TO_OUTSIDE = { network: 'TRC20', address: OUTSIDE };

const { submittedIds, injectFault, expectInFlight } = useWithdrawalFaults();

const sweepAfter = (minutes: number) => sweepAt(Date.now() + minutes * MINUTE_MS);

const setStatus = (status: 'active' | 'frozen') => operate('PATCH', `/accounts/${trader.accountId}`, { status });

let trader: Trader;
beforeEach(async () => {
  trader = await openWarmTrader();
});

/** What stops payouts, and the answer to an operator who approves one. */
const stops = [
  ['a halt', () => setSettings({ withdrawalsHalted: true }), 503, 'withdrawals_suspended'],
  ['a paused network', () => setSettings({ pausedNetworks: ['TRC20'] }), 503, 'withdrawals_suspended'],
  ['a freeze', () => setStatus('frozen'), 403, 'account_frozen'],
] as const;

async function lift(): Promise<void> {
  await resetSettings();
  await setStatus('active');
}

/** Makes a withdrawal that the custodian has never heard of, and returns its id. */
async function leaveUnseen(): Promise<string> {
  const fault = injectFault('debit', 'after', 1, () => abort(trader.lane));
  await expectCode(trader.withdraw(), '504 outcome_unknown');
  fault.restore();
  return (await listOwn(trader))[0]?.id ?? '';
}

describe.each(stops)('%s', (_name, stop, status, code) => {
  it('stops the sweep from submitting what the custodian has never seen; look-ups go on, and later it is paid once', async () => {
    const id = await leaveUnseen();
    await stop();
    expect([await sweepAfter(1), await sweepAfter(5)]).toEqual([1, 1]);
    expect(sandboxCustody.lookup).toHaveBeenCalledTimes(2);
    expect(submittedIds()).toEqual([]);
    expect(await trader.readWithdrawal(id)).toMatchObject({ status: 'PROCESSING', txHash: null });
    await expectInFlight(51_000_000n);

    await lift();
    await sweepAfter(60);
    expect(submittedIds()).toEqual([id]);
    expect(await trader.readWithdrawal(id)).toMatchObject({ status: 'COMPLETED' });
    await expectInFlight(0n);
  });

  it('still stops the sweep when it comes during the sweep’s look-up', async () => {
    await leaveUnseen();
    vi.mocked(sandboxCustody.lookup).mockImplementationOnce(async () => {
      await stop();
      return { kind: 'never_seen' };
    });
    await sweepAfter(1);
    expect(submittedIds()).toEqual([]);
    await lift();
    await sweepAfter(60);
    await expectInFlight(0n);
  });

  it('does not stop the settlement of what was paid before', async () => {
    vi.mocked(sandboxCustody.submit).mockResolvedValueOnce({ kind: 'unknown' });
    const { id } = await trader.takeOut();
    await stop();
    await sweepAfter(1);
    expect(await trader.readWithdrawal(id)).toMatchObject({ status: 'COMPLETED' });
    await lift();
    await expectInFlight(0n);
  });

  it('stops a submission that comes long after its debit', async () => {
    stopClock();
    injectFault('debit', 'after', 1, async () => {
      moveClock(5_000);
      await stop();
    });
    const { id, status: taken } = await trader.takeOut();
    expect([taken, submittedIds()]).toEqual(['PROCESSING', []]);
    await lift();
    await sweepAfter(1);
    expect(submittedIds()).toEqual([id]);
    await expectInFlight(0n);
  });

  it('stops the retry of a withdrawal that the custodian has never seen', async () => {
    injectFault('debit', 'after', 1, () => abort(trader.lane));
    // The request is retried at once, and its look-up gets no answer.
    vi.mocked(sandboxCustody.lookup).mockResolvedValueOnce({ kind: 'unknown' });
    const { id } = await trader.takeOut({}, 'k');
    await runInDurableObject(trader.lane, (_lane, state) => {
      state.storage.sql.exec('UPDATE replays SET answer = NULL');
    });
    await stop();
    const told = await trader.takeOut({}, 'k');
    expect([told.id, told.status, submittedIds()]).toEqual([id, 'PROCESSING', []]);
    expect(sandboxCustody.lookup).toHaveBeenCalledTimes(2);
    await lift();
    await sweepAfter(1);
    expect(submittedIds()).toEqual([id]);
    await expectInFlight(0n);
  });

  it('stops an approval: the operator gets the reason, and the withdrawal goes on waiting', async () => {
    await setSettings({ reviewThreshold: '10' });
    const { id } = await trader.takeOut();
    const approve = () => review(trader, id, 'approve');
    await stop();
    await expectCode(approve(), `${status} ${code}`);
    expect([(await trader.readWithdrawal(id)).status, submittedIds()]).toEqual(['PENDING', []]);
    await lift();
    expect((await approve()).status).toBe(200);
    expect(submittedIds()).toEqual([id]);
    await expectInFlight(0n);
  });
});

it('a database write that fails before a payout leaves the payout unsubmitted', async () => {
  await leaveUnseen();
  const lost = injectFault('release', 'after', 1, () => {
    throw new Error('Network connection lost.');
  });
  await sweepAfter(1);
  expect([lost.state.injected, submittedIds()]).toEqual([1, []]);
  await sweepAfter(60);
  expect(submittedIds()).toHaveLength(1);
  await expectInFlight(0n);
});

it('a broken invariant stops the sweep of the same minute', async () => {
  await leaveUnseen();
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
    const { id } = await trader.takeOut();
    return { id, approve: () => review(trader, id, 'approve') };
  }

  const allow = () => operate('POST', `/accounts/${trader.accountId}/allowlist`, { ...TO_OUTSIDE, label: 'own' });

  it('needs a strict allowlist to hold the address', async () => {
    const { id, approve } = await leavePending();
    await setSettings({ allowlistMode: 'strict' });
    await expectCode(approve(), '403 address_not_allowlisted');
    expect([(await trader.readWithdrawal(id)).status, submittedIds()]).toEqual(['PENDING', []]);
    await allow();
    expect((await approve()).status).toBe(200);
    expect(submittedIds()).toEqual([id]);
  });

  it('needs the address’s cooling period to be over', async () => {
    const { id, approve } = await leavePending();
    await setSettings({ allowlistMode: 'strict' });
    await runFor(
      trader.accountId,
      "INSERT INTO allowlist (account_id, id, network, address, label, usable_at) VALUES (?, 'x', 'TRC20', ?, 'x', ?)",
      trader.accountId,
      OUTSIDE,
      Date.now() + MINUTE_MS,
    );
    await expectCode(approve(), '403 address_not_allowlisted');
    expect([(await trader.readWithdrawal(id)).status, submittedIds()]).toEqual(['PENDING', []]);
  });

  it('does not need an allowlist that was strict at the withdrawal and is off now', async () => {
    await setSettings({ reviewThreshold: '10', allowlistMode: 'strict' });
    await allow();
    const { id } = await trader.takeOut();
    await runFor(trader.accountId, 'DELETE FROM allowlist WHERE account_id = ?', trader.accountId);
    await setSettings({ allowlistMode: 'off' });
    expect((await review(trader, id, 'approve')).status).toBe(200);
  });

  it('is refused when the key was revoked after the withdrawal', async () => {
    const { id, approve } = await leavePending();
    await asOperator('DELETE', `/accounts/${trader.accountId}/api-keys/${trader.keyId}`);
    const problem = await expectCode(approve(), '409 invalid_state');
    expect(problem.detail).toContain('revoked');
    expect(submittedIds()).toEqual([]);
    expect((await review(trader, id, 'reject')).status).toBe(200);
  });

  it('is given although the key has expired or the limit was lowered since', async () => {
    const { approve } = await leavePending();
    await runFor(trader.keyId, 'UPDATE api_keys SET expires_at = 1 WHERE id = ?', trader.keyId);
    await runFor(trader.accountId, 'UPDATE accounts SET daily_withdrawal_limit = 0 WHERE id = ?', trader.accountId);
    expect((await approve()).status).toBe(200);
  });
});

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { openTrader } from '../support/exchange.ts';
import { CONNECTION_LOST, abort } from '../support/runtime/faults.ts';
import { openWarmTrader, useWithdrawalFaults } from '../support/withdrawals/withdrawal-faults.ts';
import {
  expectProblem,
  expectWholeLedger,
  listOwn,
  readAttempts,
  readTaken,
  stopClock,
  switchOnTotp,
  withdraw,
} from '../support/withdrawals/withdrawals.ts';

const { submittedIds, injectFault, sweep, expectOnePayout, expectNothingTaken, expectInFlight } = useWithdrawalFaults();

describe('an object that is aborted', () => {
  it('before the intent: the retry executes the lost request once', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('facts', 'after', 2, () => abort(trader.lane));
    await expectProblem(await withdraw(trader, {}, 'crash'), 504, 'outcome_unknown');
    expect(fault.state.injected).toBe(2);
    await expectNothingTaken(trader);
    await expectOnePayout(trader, await withdraw(trader, {}, 'crash'));
  });

  it('after the intent, before the debit: the retry executes the lost request once', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('debit', 'before', 2, async () => {
      await abort(trader.lane);
      throw new Error(CONNECTION_LOST);
    });
    await expectProblem(await withdraw(trader, {}, 'crash'), 504, 'outcome_unknown');
    expect(fault.state.injected).toBe(2);
    await expectNothingTaken(trader);
    await expectOnePayout(trader, await withdraw(trader, {}, 'crash'));
  });

  it('after the debit, before the custodian is asked: the retry pays it once, under the same id', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('debit', 'after', 1, () => abort(trader.lane));
    const response = await withdraw(trader, {}, 'crash');
    expect(fault.state.injected).toBe(1);
    expect(response.headers.get('X-Idempotency-Replay')).toBe('true');
    await expectOnePayout(trader, response);
    const again = await withdraw(trader, {}, 'crash');
    expect(await again.text()).toBe(await response.text());
  });

  it('after the custodian paid, before the hash is recorded: it is found by the withdrawal’s id, and paid once', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('settle', 'before', 1, async () => {
      await abort(trader.lane);
      throw new Error(CONNECTION_LOST);
    });
    const response = await withdraw(trader, {}, 'crash');
    expect(fault.state.injected).toBe(1);
    await expectOnePayout(trader, response);
  });

  it('after the settlement, before the answer is stored: the retry gets what was settled', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('settle', 'after', 1, () => abort(trader.lane));
    const response = await withdraw(trader, {}, 'crash');
    expect(fault.state.injected).toBe(1);
    await expectOnePayout(trader, response);
    expect(await (await withdraw(trader, {}, 'crash')).text()).toBe(await response.text());
  });

  it('after the debit, without an Idempotency-Key: the client gets outcome_unknown, the money is held, and the sweep pays once', async () => {
    const trader = await openWarmTrader();
    injectFault('debit', 'after', 1, () => abort(trader.lane));
    await expectProblem(await withdraw(trader), 504, 'outcome_unknown');
    const [held] = await listOwn(trader);
    expect(held).toMatchObject({ status: 'PROCESSING', txHash: null });
    expect((await trader.balances())['USDT']).toBe('949');
    await expectInFlight(51_000_000n);

    await sweep();
    await sweep();
    expect(submittedIds()).toEqual([held?.id]);
    expect(await listOwn(trader)).toEqual([{ ...held, status: 'COMPLETED', txHash: expect.any(String) }]);
    await expectInFlight(0n);
  });

  it('leaves an open intent, which the alarm does not pay: the client’s retry pays it, and is a replay', async () => {
    const trader = await openWarmTrader();
    injectFault('debit', 'after', 1, () => abort(trader.lane));
    vi.spyOn(sandboxCustody, 'lookup').mockResolvedValueOnce({ kind: 'unknown' });
    const response = await withdraw(trader, {}, 'mended');
    expect((await readTaken(response.clone())).status).toBe('PROCESSING');
    await runInDurableObject(trader.lane, (_lane, state) => {
      state.storage.sql.exec('UPDATE replays SET answer = NULL');
    });
    expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
    expect(submittedIds()).toEqual([]);
    const replay = await withdraw(trader, {}, 'mended');
    expect(replay.headers.get('X-Idempotency-Replay')).toBe('true');
    const withdrawal = await readTaken(replay);
    expect(withdrawal.status).toBe('COMPLETED');
    expect(await listOwn(trader)).toEqual([withdrawal]);
    expect((await trader.balances())['USDT']).toBe('949');
    await expectWholeLedger();
  });

  it('uses one code: the retry needs none when the withdrawal was executed, and accepts the same one when not', async () => {
    stopClock();
    const trader = await openTrader({ USDT: '1000' });
    const authenticator = await switchOnTotp(trader.accountId);
    await trader.balances();
    const totpCode = await authenticator.code();
    const fault = injectFault('debit', 'before', 2, async () => {
      await abort(trader.lane);
      throw new Error(CONNECTION_LOST);
    });
    await expectProblem(await withdraw(trader, { totpCode }, 'crash'), 504, 'outcome_unknown');
    fault.restore();
    injectFault('debit', 'after', 1, () => abort(trader.lane));
    await expectOnePayout(trader, await withdraw(trader, { totpCode }, 'crash'));
    const step = Math.floor(Date.now() / 30_000);
    expect(await readAttempts(trader.accountId)).toEqual({ used_step: step, attempts: 0, locked_until: 0 });
  });
});

describe('the alarm', () => {
  it('that fires twice while the custodian is asked leads to one payment and one answer', async () => {
    const trader = await openWarmTrader();
    await trader.order({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1' }, 'earlier');
    const reached = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const sent = { kind: 'sent', txHash: 'ab'.repeat(32) } as const;
    vi.spyOn(sandboxCustody, 'submit').mockImplementationOnce(async () => {
      reached.resolve();
      await held.promise;
      return sent;
    });
    const withdrawing = withdraw(trader, {}, 'beside');
    await reached.promise;
    // Both find the intent without an answer, and leave it to the request that is in progress.
    const alarms = [runDurableObjectAlarm(trader.lane), runDurableObjectAlarm(trader.lane)];
    held.resolve();
    expect(await Promise.all(alarms)).toContain(true);
    const response = await withdrawing;
    const replay = await withdraw(trader, {}, 'beside');
    expect(response.headers.get('Location')).toBe(replay.headers.get('Location'));
    expect([response.status, replay.headers.get('X-Idempotency-Replay')]).toEqual([201, 'true']);
    const withdrawal = await readTaken(replay);
    expect(withdrawal).toMatchObject({ status: 'COMPLETED', txHash: sent.txHash });
    expect(await listOwn(trader)).toEqual([withdrawal]);
    expect(submittedIds().filter((id) => id === withdrawal.id)).toHaveLength(1);
    await expectInFlight(0n);
  });
});

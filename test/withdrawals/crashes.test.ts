import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { expectCode, type Trader } from '../support/exchange.ts';
import { CONNECTION_LOST, type Moment, abort } from '../support/runtime/faults.ts';
import { openWarmTrader, useWithdrawalFaults } from '../support/withdrawals/withdrawal-faults.ts';
import {
  expectWholeLedger,
  listOwn,
  readAttempts,
  readTaken,
  stopClock,
  switchOnTotp,
} from '../support/withdrawals/withdrawals.ts';

const { submittedIds, injectFault, sweep, expectOnePayout, expectNothingTaken, expectInFlight } = useWithdrawalFaults();

let trader: Trader;
beforeEach(async () => {
  trader = await openWarmTrader();
});

/** Resets the lane: before a batch, which then never arrives, or after it. */
function resetLane(moment: Moment) {
  return async () => {
    await abort(trader.lane);
    if (moment === 'before') throw new Error(CONNECTION_LOST);
  };
}

describe('an object that is aborted', () => {
  it.each([
    ['before the intent', 'facts', 'after'],
    ['after the intent, before the debit', 'debit', 'before'],
  ] as const)('%s: the retry executes the lost request once', async (_, batch, moment) => {
    const fault = injectFault(batch, moment, 2, resetLane(moment));
    await expectCode(trader.withdraw({}, 'crash'), '504 outcome_unknown');
    expect(fault.state.injected).toBe(2);
    await expectNothingTaken(trader);
    await expectOnePayout(trader, await trader.withdraw({}, 'crash'));
  });

  it.each([
    ['after the debit, before the custodian is asked: the retry pays it, under the same id', 'debit', 'after'],
    ['after the custodian paid, before the hash is recorded: it is found by the withdrawal’s id', 'settle', 'before'],
    ['after the settlement, before the answer is stored: the retry gets what was settled', 'settle', 'after'],
  ] as const)('%s, and it is paid once', async (_, batch, moment) => {
    const fault = injectFault(batch, moment, 1, resetLane(moment));
    const response = await trader.withdraw({}, 'crash');
    expect(fault.state.injected).toBe(1);
    if (batch === 'debit') expect(response.headers.get('X-Idempotency-Replay')).toBe('true');
    await expectOnePayout(trader, response);
    expect(await (await trader.withdraw({}, 'crash')).text()).toBe(await response.text());
  });

  it('after the debit, without an Idempotency-Key: the client gets outcome_unknown, the money is held, and the sweep pays once', async () => {
    injectFault('debit', 'after', 1, resetLane('after'));
    await expectCode(trader.withdraw(), '504 outcome_unknown');
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
    injectFault('debit', 'after', 1, resetLane('after'));
    vi.spyOn(sandboxCustody, 'lookup').mockResolvedValueOnce({ kind: 'unknown' });
    const response = await trader.withdraw({}, 'mended');
    expect((await readTaken(response.clone())).status).toBe('PROCESSING');
    await runInDurableObject(trader.lane, (_lane, state) => {
      state.storage.sql.exec('UPDATE replays SET answer = NULL');
    });
    expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
    expect(submittedIds()).toEqual([]);
    const replay = await trader.withdraw({}, 'mended');
    expect(replay.headers.get('X-Idempotency-Replay')).toBe('true');
    const withdrawal = await readTaken(replay);
    expect(withdrawal.status).toBe('COMPLETED');
    expect(await listOwn(trader)).toEqual([withdrawal]);
    expect((await trader.balances())['USDT']).toBe('949');
    await expectWholeLedger();
  });

  it('uses one code: the retry needs none when the withdrawal was executed, and accepts the same one when not', async () => {
    stopClock();
    const authenticator = await switchOnTotp(trader.accountId);
    const totpCode = await authenticator.code();
    const fault = injectFault('debit', 'before', 2, resetLane('before'));
    await expectCode(trader.withdraw({ totpCode }, 'crash'), '504 outcome_unknown');
    fault.restore();
    injectFault('debit', 'after', 1, resetLane('after'));
    await expectOnePayout(trader, await trader.withdraw({ totpCode }, 'crash'));
    const step = Math.floor(Date.now() / 30_000);
    expect(await readAttempts(trader.accountId)).toEqual({ used_step: step, attempts: 0, locked_until: 0 });
  });
});

it('the alarm that fires twice while the custodian is asked leads to one payment and one answer', async () => {
  await trader.order({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1' }, 'earlier');
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const sent = { kind: 'sent', txHash: 'ab'.repeat(32) } as const;
  vi.spyOn(sandboxCustody, 'submit').mockImplementationOnce(async () => {
    reached.resolve();
    await held.promise;
    return sent;
  });
  const withdrawing = trader.withdraw({}, 'beside');
  await reached.promise;
  // Both find the intent without an answer, and leave it to the request that is in progress.
  const alarms = [runDurableObjectAlarm(trader.lane), runDurableObjectAlarm(trader.lane)];
  held.resolve();
  expect(await Promise.all(alarms)).toContain(true);
  const response = await withdrawing;
  const replay = await trader.withdraw({}, 'beside');
  expect(response.headers.get('Location')).toBe(replay.headers.get('Location'));
  expect([response.status, replay.headers.get('X-Idempotency-Replay')]).toEqual([201, 'true']);
  const withdrawal = await readTaken(replay);
  expect(withdrawal).toMatchObject({ status: 'COMPLETED', txHash: sent.txHash });
  expect(await listOwn(trader)).toEqual([withdrawal]);
  expect(submittedIds().filter((id) => id === withdrawal.id)).toHaveLength(1);
  await expectInFlight(0n);
});

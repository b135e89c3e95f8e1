import { describe, expect, it } from 'vitest';
import { createKey } from '../support/exchange.ts';
import { CONNECTION_LOST, OVERLOADED, TIMED_OUT, fail } from '../support/runtime/faults.ts';
import { openWarmTrader, useWithdrawalFaults } from '../support/withdrawals/withdrawal-faults.ts';
import { expectProblem, readOwn, readTaken, withdraw } from '../support/withdrawals/withdrawals.ts';

const { submittedIds, injectFault, sweep, expectOnePayout, expectNothingTaken, expectInFlight } = useWithdrawalFaults();

describe('a lost connection to D1', () => {
  it('after the debit: the withdrawal is looked up and not sent again', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('debit', 'after', 1, fail(CONNECTION_LOST));
    await expectOnePayout(trader, await withdraw(trader, {}, 'lost'));
    expect(fault.state.injected).toBe(1);
  });

  it('before the debit: the batch is sent once more, under the same id', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('debit', 'before', 1, fail(CONNECTION_LOST));
    await expectOnePayout(trader, await withdraw(trader, {}, 'lost'));
    expect(fault.state.injected).toBe(1);
  });

  it('that lasts ends in outcome_unknown with the withdrawal’s id, and the retry settles it under that id', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('debit', 'before', 9, fail(CONNECTION_LOST));
    const problem = await expectProblem(await withdraw(trader, {}, 'lost'), 504, 'outcome_unknown');
    fault.restore();
    await expectNothingTaken(trader);
    const second = await withdraw(trader, {}, 'lost');
    expect((await readTaken(second.clone())).id).toBe(problem.withdrawalId);
    await expectOnePayout(trader, second);
  });

  it('before anything was read is service_unavailable, and the same Idempotency-Key may be tried again', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('facts', 'before', 1, fail(CONNECTION_LOST));
    const response = await withdraw(trader, {}, 'lost');
    expect(response.headers.get('Retry-After')).toBe('1');
    await expectProblem(response, 503, 'service_unavailable');
    expect(fault.state.injected).toBe(1);
    await expectNothingTaken(trader);
    await expectOnePayout(trader, await withdraw(trader, {}, 'lost'));
  });

  it('after the settlement: the answer is complete, read from the withdrawal’s row', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('settle', 'after', 1, fail(CONNECTION_LOST));
    await expectOnePayout(trader, await withdraw(trader, {}, 'lost'));
    expect(fault.state.injected).toBe(1);
  });

  it('before the settlement: the answer is PROCESSING, never an error, and the money stays held', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('settle', 'before', 1, fail(CONNECTION_LOST));
    const response = await withdraw(trader, {}, 'lost');
    expect(fault.state.injected).toBe(1);
    const withdrawal = await readTaken(response.clone());
    expect(withdrawal).toMatchObject({ status: 'PROCESSING', txHash: null });
    expect(await readOwn(trader, withdrawal.id)).toEqual(withdrawal);
    await expectInFlight(51_000_000n);
    expect((await trader.balances())['USDT']).toBe('949');
    expect(await (await withdraw(trader, {}, 'lost')).text()).toBe(await response.text());
    expect(submittedIds()).toEqual([withdrawal.id]);
    await sweep();
    expect((await readOwn(trader, withdrawal.id)).status).toBe('COMPLETED');
    expect(submittedIds()).toEqual([withdrawal.id]);
    await expectInFlight(0n);
  });
});

describe('D1 that times out on the debit', () => {
  it.each(['before', 'after'] as const)(
    '%s it took effect: the withdrawal is looked up, and is paid once',
    async (moment) => {
      const trader = await openWarmTrader();
      const fault = injectFault('debit', moment, 1, fail(TIMED_OUT));
      await expectOnePayout(trader, await withdraw(trader, {}, 'late'));
      expect(fault.state.injected).toBe(1);
    },
  );
});

describe('D1 that refuses the debit because it is overloaded', () => {
  it('leads to 503 with Retry-After and no row, and the same Idempotency-Key may be tried again', async () => {
    const trader = await openWarmTrader();
    const fault = injectFault('debit', 'before', 1, fail(OVERLOADED));
    const response = await withdraw(trader, {}, 'overload');
    expect(response.headers.get('Retry-After')).toBe('1');
    await expectProblem(response, 503, 'service_unavailable');
    await expectNothingTaken(trader);
    fault.restore();
    const retry = await withdraw(trader, {}, 'overload');
    expect(retry.headers.get('X-Idempotency-Replay')).toBeNull();
    expect((await readTaken(retry.clone())).status).toBe('COMPLETED');
    expect((await trader.balances())['USDT']).toBe('949');
  });
});

describe('a request that waits for D1', () => {
  it('delays no other key of the account', async () => {
    const trader = await openWarmTrader();
    const other = await createKey(trader.accountId);
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    injectFault('debit', 'before', 1, () => {
      reached.resolve();
      return held.promise;
    });
    const first = withdraw(trader);
    await reached.promise;
    expect((await withdraw(other)).status).toBe(201);
    held.resolve();
    expect((await first).status).toBe(201);
    expect((await trader.balances())['USDT']).toBe('898');
  });
});

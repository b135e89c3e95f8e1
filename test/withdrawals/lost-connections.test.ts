import { beforeEach, describe, expect, it } from 'vitest';
import { type Trader, createKey, expectCode } from '../support/exchange.ts';
import { CONNECTION_LOST, OVERLOADED, TIMED_OUT, fail } from '../support/runtime/faults.ts';
import { openWarmTrader, useWithdrawalFaults } from '../support/withdrawals/withdrawal-faults.ts';
import { readTaken } from '../support/withdrawals/withdrawals.ts';

const { submittedIds, injectFault, sweep, expectOnePayout, expectNothingTaken, expectInFlight } = useWithdrawalFaults();

let trader: Trader;
beforeEach(async () => {
  trader = await openWarmTrader();
});

it.each([
  ['a lost connection to D1 after the debit: the withdrawal is looked up and not sent again', 'debit', 'after'],
  ['a lost connection to D1 before the debit: the batch is sent once more, under the same id', 'debit', 'before'],
  ['a lost connection to D1 after the settlement: the answer is read from the row', 'settle', 'after'],
  ['D1 that times out before the debit took effect: the withdrawal is looked up', 'debit', 'before', TIMED_OUT],
  ['D1 that times out after the debit took effect: the withdrawal is looked up', 'debit', 'after', TIMED_OUT],
] as const)('%s, and is paid once', async (_name, batch, moment, message: string = CONNECTION_LOST) => {
  const fault = injectFault(batch, moment, 1, fail(message));
  await expectOnePayout(trader, await trader.withdraw({}, 'lost'));
  expect(fault.state.injected).toBe(1);
});

it.each([
  ['a lost connection to D1 before anything was read', 'facts', CONNECTION_LOST],
  ['D1 that refuses the debit because it is overloaded', 'debit', OVERLOADED],
] as const)(
  '%s leads to 503 and no row, and the same Idempotency-Key may be tried again',
  async (_, batch, message) => {
    const fault = injectFault(batch, 'before', 1, fail(message));
    const response = await trader.withdraw({}, 'lost');
    expect(response.headers.get('Retry-After')).toBe('1');
    await expectCode(response, '503 service_unavailable');
    expect(fault.state.injected).toBe(1);
    await expectNothingTaken(trader);
    const retry = await trader.withdraw({}, 'lost');
    expect(retry.headers.get('X-Idempotency-Replay')).toBeNull();
    await expectOnePayout(trader, retry);
  },
);

describe('a lost connection to D1', () => {
  it('that lasts ends in outcome_unknown with the withdrawal’s id, and the retry settles it under that id', async () => {
    const fault = injectFault('debit', 'before', 9, fail(CONNECTION_LOST));
    const problem = await expectCode(trader.withdraw({}, 'lost'), '504 outcome_unknown');
    fault.restore();
    await expectNothingTaken(trader);
    const second = await trader.withdraw({}, 'lost');
    expect((await readTaken(second.clone())).id).toBe(problem.withdrawalId);
    await expectOnePayout(trader, second);
  });

  it('before the settlement: the answer is PROCESSING, never an error, and the money stays held', async () => {
    const fault = injectFault('settle', 'before', 1, fail(CONNECTION_LOST));
    const response = await trader.withdraw({}, 'lost');
    expect(fault.state.injected).toBe(1);
    const withdrawal = await readTaken(response.clone());
    expect(withdrawal).toMatchObject({ status: 'PROCESSING', txHash: null });
    expect(await trader.readWithdrawal(withdrawal.id)).toEqual(withdrawal);
    await expectInFlight(51_000_000n);
    expect((await trader.balances())['USDT']).toBe('949');
    expect(await (await trader.withdraw({}, 'lost')).text()).toBe(await response.text());
    expect(submittedIds()).toEqual([withdrawal.id]);
    await sweep();
    expect((await trader.readWithdrawal(withdrawal.id)).status).toBe('COMPLETED');
    expect(submittedIds()).toEqual([withdrawal.id]);
    await expectInFlight(0n);
  });
});

it('a request that waits for D1 delays no other key of the account', async () => {
  const other = await createKey(trader.accountId);
  const held = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  injectFault('debit', 'before', 1, () => {
    reached.resolve();
    return held.promise;
  });
  const first = trader.withdraw();
  await reached.promise;
  expect((await other.withdraw()).status).toBe(201);
  held.resolve();
  expect((await first).status).toBe(201);
  expect((await trader.balances())['USDT']).toBe('898');
});

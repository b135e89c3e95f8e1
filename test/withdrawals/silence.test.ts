// @runtime outside
import { runDurableObjectAlarm } from 'cloudflare:test';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Trader, openTrader } from '../support/exchange.ts';
import { countPayments, sweep, useCustodian, withdrawFrom } from '../support/withdrawals/withdrawal-custodian.ts';

import { custodian } from '../support/withdrawals/custodian.ts';

const HOUR_MS = 3_600_000;

const { expectInFlight, expectHeld, expectPaid } = useCustodian();

let trader: Trader;
beforeEach(async () => {
  trader = await openTrader({ USDT: '100' });
});

describe('a custodian that pays and does not answer', () => {
  it.each(['error', 'reset', 'html', 'truncated', 'huge', 'redirect', 'silent_duplicate', 'never_seen'] as const)(
    'is PROCESSING, then found by the withdrawal’s id and paid once: %s',
    async (answer) => {
      const withdrawal = await withdrawFrom(trader, { method: 'PUT', act: 'pay', answer });
      expect(withdrawal).toMatchObject({ status: 'PROCESSING', txHash: null });
      await expectHeld(trader, withdrawal);
      expect(await sweep()).toBe(1);
      await expectPaid(trader, withdrawal);
      expect(await custodian.countRequests(withdrawal.id)).toEqual({ submissions: 1, lookups: 1 });
    },
  );

  it('is asked again by the sweep, and not by the lane’s alarm', async () => {
    const withdrawal = await withdrawFrom(trader, { method: 'PUT', act: 'pay', answer: 'error' });
    expect(await runDurableObjectAlarm(trader.lane)).toBe(true);
    expect(await custodian.countRequests(withdrawal.id)).toEqual({ submissions: 1, lookups: 0 });
    await sweep();
    await expectPaid(trader, withdrawal);
    expect(await custodian.countRequests(withdrawal.id)).toEqual({ submissions: 1, lookups: 1 });
  });

  it('has its payout settled once, however many look it up at the same time', async () => {
    const withdrawal = await withdrawFrom(trader, { method: 'PUT', act: 'pay', answer: 'error' });
    await Promise.all([sweep(), sweep(), sweep(), runDurableObjectAlarm(trader.lane)]);
    await expectPaid(trader, withdrawal);
  });

  it('and then answers that it is a duplicate has the withdrawal recorded as sent', async () => {
    const withdrawal = await withdrawFrom(trader, { method: 'PUT', act: 'pay', answer: 'duplicate' });
    expect(withdrawal.status).toBe('COMPLETED');
    await expectPaid(trader, withdrawal);
  });
});

describe('a custodian that does not know the payout', () => {
  it('because the submission never arrived gets it again under the same id, and pays once', async () => {
    const withdrawal = await withdrawFrom(trader, { method: 'PUT', act: 'nothing', answer: 'error' });
    await expectHeld(trader, withdrawal);
    await sweep();
    await expectPaid(trader, withdrawal);
    expect(await custodian.countRequests(withdrawal.id)).toEqual({ submissions: 2, lookups: 1 });
  });

  it('because it forgot the payout gets it again under the same id, and pays once', async () => {
    const withdrawal = await withdrawFrom(
      trader,
      { method: 'PUT', act: 'pay', answer: 'error' },
      { method: 'GET', answer: 'never_seen' },
    );
    await sweep();
    await expectPaid(trader, withdrawal);
    expect(await custodian.countRequests(withdrawal.id)).toEqual({ submissions: 2, lookups: 1 });
  });

  it('and goes on failing leaves the money held, however long it takes', async () => {
    const withdrawal = await withdrawFrom(trader, { times: null, act: 'nothing', answer: 'error' });
    for (const later_ms of [60_000, HOUR_MS, 24 * HOUR_MS, 365 * 24 * HOUR_MS]) {
      await sweep(later_ms);
      await runDurableObjectAlarm(trader.lane);
      await expectHeld(trader, withdrawal);
    }
    expect((await custodian.countRequests(withdrawal.id)).submissions).toBe(1);
    await custodian.reset();
    await sweep();
    await expectPaid(trader, withdrawal);
  });
});

describe('a custodian that accepts first', () => {
  it('leaves the withdrawal PROCESSING until it has paid', async () => {
    const withdrawal = await withdrawFrom(trader, { method: 'PUT', act: 'accept' });
    await sweep();
    await expectHeld(trader, withdrawal);
    await custodian.decide(withdrawal.id, 'pay');
    await sweep();
    await expectPaid(trader, withdrawal);
  });

  it('and changes the hash before it is recorded has the last hash recorded, and nothing is paid again', async () => {
    const withdrawal = await withdrawFrom(trader, { method: 'PUT', act: 'pay', answer: 'error' });
    await custodian.decide(withdrawal.id, 'rehash');
    await sweep();
    await expectPaid(trader, withdrawal);
  });

  it('and changes the hash after it was recorded leaves the withdrawal settled once', async () => {
    const withdrawal = await withdrawFrom(trader);
    await custodian.decide(withdrawal.id, 'rehash');
    await Promise.all([sweep(), runDurableObjectAlarm(trader.lane)]);
    expect(await trader.readWithdrawal(withdrawal.id)).toEqual(withdrawal);
    expect(await countPayments(withdrawal.id)).toBe(1);
    await expectInFlight(0n);
  });
});

import { type MockInstance, beforeEach, expect, vi } from 'vitest';
import { sandboxCustody } from '../../../src/custody/sandbox.ts';
import { type Trader, openTrader } from '../exchange.ts';
import { aroundBatch } from '../runtime/faults.ts';
import { sweepAt } from './sweep-at.ts';
import { expectWholeLedger, houseHolds, listOwn, readTaken } from './withdrawals.ts';

/**
 * Injects faults around withdrawals of the sandbox, and checks what was paid. Its hooks reset everything for each test.
 */
export function useWithdrawalFaults() {
  let submissions: MockInstance<typeof sandboxCustody.submit>;
  let inFlight: bigint;

  /** Every withdrawal that the custodian was asked to pay, once for each time. */
  const submittedIds = () => submissions.mock.calls.map(([payout]) => payout.withdrawalId);

  beforeEach(async () => {
    submissions = vi.spyOn(sandboxCustody, 'submit');
    const lookup = sandboxCustody.lookup.bind(sandboxCustody);
    // The sandbox's custodian has no memory of its own, so it gets one here.
    vi.spyOn(sandboxCustody, 'lookup').mockImplementation(async (payout) =>
      submittedIds().includes(payout.withdrawalId) ? lookup(payout) : { kind: 'never_seen' },
    );
    inFlight = await houseHolds('payouts');
  });
  return {
    submittedIds,
    injectFault: aroundBatch,
    /** Runs the scheduled sweep as if a minute had passed. */
    sweep: () => sweepAt(Date.now() + 60_000),
    /** Checks that the answer's withdrawal is the only one, was paid once, and cost 51 USDT once. */
    async expectOnePayout(trader: Trader, response: Response): Promise<void> {
      const withdrawal = await readTaken(response.clone());
      expect(withdrawal.status).toBe('COMPLETED');
      expect(await listOwn(trader)).toEqual([withdrawal]);
      expect(submittedIds()).toEqual([withdrawal.id]);
      expect((await trader.balances())['USDT']).toBe('949');
      expect(await houseHolds('payouts')).toBe(inFlight);
      await expectWholeLedger();
    },
    async expectNothingTaken(trader: Trader): Promise<void> {
      expect(await listOwn(trader)).toEqual([]);
      expect((await trader.balances())['USDT']).toBe('1000');
      expect(submittedIds()).toEqual([]);
    },
    /** Checks that this many atoms of USDT more are in house:payouts than when the test began. */
    async expectInFlight(atoms: bigint): Promise<void> {
      expect(await houseHolds('payouts')).toBe(inFlight + atoms);
      await expectWholeLedger();
    },
  };
}

/** A trader with 1,000 USDT whose key the lane knows. */
export async function openWarmTrader(): Promise<Trader> {
  const trader = await openTrader({ USDT: '1000' });
  await trader.balances();
  return trader;
}

import { afterEach, beforeEach, expect, vi } from 'vitest';
import { config } from '../../../src/env.ts';
import { chooseCustody } from '../../../src/providers.ts';
import type { Trader } from '../exchange.ts';
import type { CustodianProgramme } from '../node/custody/custodian-state.ts';
import { sweepAt } from './sweep-at.ts';
import { type WithdrawalAnswer, expectWholeLedger, houseHolds } from './withdrawals.ts';
import { ledgersUnderTest } from '../db/open-in-ledger.ts';
import { custodian } from './custodian.ts';

type WithdrawalBody = WithdrawalAnswer['withdrawal'];

/** What remains of 100 USDT after a withdrawal of 50 and its fee, and what is in house:payouts until it is settled. */
const LEFT = '49';
const HELD = 51_000_000n;

/** How much later than now the last sweep was. */
let ahead_ms = 0;

/**
 * Runs the scheduled sweep of open withdrawals in all ledgers, this much later than the last. By default all of them
 * are due again.
 */
export async function sweep(later_ms = 3_600_000): Promise<number> {
  ahead_ms += later_ms;
  return sweepAt(Date.now() + ahead_ms, ledgersUnderTest, chooseCustody(config));
}

export async function countPayments(id: string): Promise<number> {
  const payouts = (await custodian.listPayouts()).filter(({ payout }) => payout.withdrawalId === id);
  return payouts.reduce((sum, { payments }) => sum + payments, 0);
}

/** Withdraws 50 USDT with the Idempotency-Key "k", while the custodian treats its next requests as given. */
export async function withdrawFrom(trader: Trader, ...programmes: CustodianProgramme[]): Promise<WithdrawalBody> {
  for (const programme of programmes) await custodian.program(programme);
  return trader.takeOut({}, 'k');
}

/** Withdrawals from 100 USDT at the reference custodian. Its hooks reset everything before each test. */
export function useCustodian() {
  let inFlight: bigint;

  beforeEach(async () => {
    await custodian.reset();
    inFlight = await houseHolds('payouts');
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    expect(await custodian.listRejections()).toEqual([]);
    await custodian.reset();
    await sweep();
    await expectWholeLedger();
  });

  const expectInFlight = async (atoms: bigint) => expect(await houseHolds('payouts')).toBe(inFlight + atoms);
  return {
    expectInFlight,
    async expectHeld(trader: Trader, { id }: WithdrawalBody): Promise<void> {
      expect(await trader.readWithdrawal(id)).toMatchObject({ status: 'PROCESSING', txHash: null });
      expect((await trader.balances())['USDT']).toBe(LEFT);
      await expectInFlight(HELD);
    },
    /** Checks that it was paid once, with the hash that the custodian gave. */
    async expectPaid(trader: Trader, { id }: WithdrawalBody): Promise<void> {
      const [entry, ...others] = (await custodian.listPayouts()).filter(({ payout }) => payout.withdrawalId === id);
      expect([entry?.payments, others]).toEqual([1, []]);
      expect(await trader.readWithdrawal(id)).toMatchObject({ status: 'COMPLETED', txHash: entry?.txHash });
      expect((await trader.balances())['USDT']).toBe(LEFT);
      await expectInFlight(0n);
    },
    /** Checks that it was never paid, and that amount and fee were returned once. */
    async expectReturned(trader: Trader, { id }: WithdrawalBody): Promise<void> {
      expect(await countPayments(id)).toBe(0);
      expect(await trader.readWithdrawal(id)).toMatchObject({ status: 'FAILED', txHash: null });
      expect((await trader.balances())['USDT']).toBe('100');
      await expectInFlight(0n);
    },
  };
}

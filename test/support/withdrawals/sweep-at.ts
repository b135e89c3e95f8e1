import { openLedger } from '../../../src/db/database.ts';
import { sandboxCustody } from '../../../src/custody/sandbox.ts';
import { sweepWithdrawals } from '../../../src/withdrawals/pay-out.ts';
import { ledgersUnderTest } from '../db/open-in-ledger.ts';
import { env } from '../runtime/test-env.ts';

/** Runs the scheduled sweep of open withdrawals, in one ledger after the other. Returns how many it looked up. */
export async function sweepAt(now_ms: number, ledgers = ledgersUnderTest, custody = sandboxCustody): Promise<number> {
  let swept = 0;
  for (const ledger of ledgers) {
    swept += await sweepWithdrawals({ database: openLedger(env, ledger), ledgers: env, custody, now: () => now_ms });
  }
  return swept;
}

import { grantQuota } from '../../../src/ledger/quotas/grant-quota.ts';
import { type LimitedAccount, readQuotas } from '../../../src/ledger/quotas/read-quotas.ts';
import { numberLedger } from '../../../src/ledger/number-ledger.ts';
import { listLedgers, openLedger } from '../../../src/ledger/ledgers.ts';
import { FIRST_LEDGER, newRecordId } from '../../../src/ledger/record-id.ts';
import type { LedgerBindings } from '../../../src/platform/bindings.ts';

const limits: readonly LimitedAccount[] = ['house:custody', 'house:liquidity'];

/**
 * What an operator does with new databases: each takes its number, and every ledger an equal part of all supply caps and
 * exposures. With one ledger there is nothing to do.
 */
export async function shareLimits(bindings: LedgerBindings, now_ms: number): Promise<void> {
  const ledgers = listLedgers(bindings);
  const others = ledgers.filter((ledger) => ledger !== FIRST_LEDGER);
  for (const ledger of others) await numberLedger(openLedger(bindings, ledger), ledger, now_ms);
  if (others.length === 0) return;
  for (const account of limits) {
    const whole = await readQuotas(openLedger(bindings, FIRST_LEDGER), FIRST_LEDGER, account, now_ms);
    for (const [asset, { quota }] of whole) {
      for (const receiver of others) {
        const id = newRecordId(now_ms, FIRST_LEDGER);
        const grant = { id, giver: FIRST_LEDGER, receiver, account, asset, amount: quota / BigInt(ledgers.length) };
        const outcome = await grantQuota(bindings, grant, { role: 'operator', now_ms });
        if (outcome !== 'received') throw new Error(`the limit of ${asset} was not shared: ${outcome}`);
      }
    }
  }
}

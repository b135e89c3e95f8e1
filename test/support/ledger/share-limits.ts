import { grantQuota } from '../../../src/ledger/quotas/grant-quota.ts';
import { type LimitedAccount, readQuotas } from '../../../src/ledger/quotas/read-quotas.ts';
import { numberLedger } from '../../../src/ledger/number-ledger.ts';
import { listLedgers, openLedger } from '../../../src/ledger/ledgers.ts';
import { FIRST_LEDGER, newRecordId } from '../../../src/ledger/record-id.ts';
import type { LedgerBindings } from '../../../src/platform/bindings.ts';

/** So many further ledgers do not all get a part. */
const MANY = 7;

const limits: readonly LimitedAccount[] = ['house:custody', 'house:liquidity'];

/**
 * What an operator does with new databases: each takes its number, and every ledger an equal part of all supply caps and
 * exposures. Of many ledgers only the first, the second and the last get one, since each takes a tenth of a second. With
 * one ledger there is nothing to do.
 */
export async function shareLimits(bindings: LedgerBindings, now_ms: number): Promise<void> {
  const ledgers = listLedgers(bindings);
  const others = ledgers.filter((ledger) => ledger !== FIRST_LEDGER);
  for (const ledger of others) await numberLedger(openLedger(bindings, ledger), ledger, now_ms);
  const receivers = others.length < MANY ? others : others.filter((_, at) => [0, others.length - 1].includes(at));
  if (receivers.length === 0) return;
  for (const account of limits) {
    const whole = await readQuotas(openLedger(bindings, FIRST_LEDGER), FIRST_LEDGER, account, now_ms);
    for (const [asset, { quota }] of whole) {
      for (const receiver of receivers) {
        const id = newRecordId(now_ms, FIRST_LEDGER);
        const grant = {
          id,
          giver: FIRST_LEDGER,
          receiver,
          account,
          asset,
          amount: quota / BigInt(receivers.length + 1),
        };
        const outcome = await grantQuota(bindings, grant, { role: 'operator', now_ms });
        if (outcome !== 'received') throw new Error(`the limit of ${asset} was not shared: ${outcome}`);
      }
    }
  }
}

import type { LedgerBindings } from '../../platform/bindings.ts';
import { listLedgers } from '../ledgers.ts';
import { house } from '../transfers.ts';
import { finishGrants } from './grant-quota.ts';
import { evenOut } from './obtain-quota.ts';
import { findScarce } from './read-quotas.ts';

/**
 * What a ledger's keeper does about quotas, every minute: it finishes the grants that its ledger has given, and where more
 * than half of a supply cap's quota is used, it takes some from the ledger that can spare most. Quotas of the exposure are
 * moved by the operator alone; `keepInventory` moves what they are used for. With one ledger it does nothing. Throws when
 * a database fails.
 */
export async function keepQuotas(bindings: LedgerBindings, ledger: number, now_ms: number): Promise<void> {
  if (listLedgers(bindings).length === 1) return;
  await finishGrants(bindings, ledger, now_ms);
  const { scarce, all } = await findScarce(bindings, house.custody, ledger, now_ms);
  for (const asset of scarce) {
    await evenOut(bindings, { account: house.custody, asset }, ledger, all, { role: 'reconciliation', now_ms });
  }
}

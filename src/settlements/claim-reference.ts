import type { LedgerBindings } from '../platform/bindings.ts';
import { claimNames } from '../db/directory.ts';
import { directoryOf } from '../db/database.ts';

/**
 * Claims a reference for a ledger, so that no other settles a trade under it. Returns whether the ledger has it. Throws
 * when D1 fails.
 */
export async function claimReference(bindings: LedgerBindings, reference: string, ledger: number): Promise<boolean> {
  const holder = String(ledger);
  const [holds] = await claimNames(directoryOf(bindings), [{ kind: 'settlement', name: reference, holder }]);
  return holds === holder;
}

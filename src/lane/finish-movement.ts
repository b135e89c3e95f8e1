import type { LedgerBindings } from '../platform/bindings.ts';
import type { CommitOutcome } from '../ledger/commit.ts';
import type { FinishMovement, KnownHalf } from '../ledger/movements/check-movements.ts';
import { moveInventory } from '../ledger/movements/movement.ts';

/** Writes the missing half of a movement, of which one ledger has a half. */
export async function finishMovement(bindings: LedgerBindings, known: KnownHalf): ReturnType<FinishMovement> {
  const { id, half, asset, amount, ledger, peer } = known;
  const [from, to] = half === 'OUT' ? [ledger, peer] : [peer, ledger];
  return readEnd(await moveInventory(bindings, { id, asset, amount, from, to }));
}

function readEnd({ kind }: CommitOutcome): Awaited<ReturnType<FinishMovement>> {
  if (kind === 'committed') return 'finished';
  return kind === 'overloaded' || kind === 'unknown' ? 'unknown' : 'refused';
}

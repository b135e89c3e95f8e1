import type { LedgerBindings } from '../../platform/bindings.ts';
import type { Atoms } from '../../money/amounts.ts';
import type { Asset } from '../../money/assets.ts';
import { type CommitOutcome, commit } from '../commit.ts';
import type { Database } from '../database.ts';
import { openLedger } from '../ledgers.ts';
import { movements } from '../schema.ts';
import { type Transfer, house, nextTransfer } from '../transfers.ts';

/** An amount of one asset that leaves one ledger and comes into another. */
export interface Movement {
  /** The same in both ledgers. */
  readonly id: string;
  readonly asset: Asset;
  readonly amount: Atoms;
  /** The numbers of the two ledgers. */
  readonly from: number;
  readonly to: number;
}

/** Which of a movement's two rows: the one in the ledger that it leaves, or the one in the ledger that it reaches. */
export type Half = 'OUT' | 'IN';

/** The transfer of one half, between an owner in that ledger and `house:transit`. */
export function transferOfHalf({ id, asset, amount }: Movement, half: Half, owner: string): Transfer {
  const [debit, credit] = half === 'OUT' ? [owner, house.transit] : [house.transit, owner];
  return { debit, credit, asset, amount, kind: 'movement', reference: id };
}

/**
 * Moves a part of the inventory from one ledger to another: the out half first, which is refused where the house would
 * be short by more than half of that ledger's exposure, then the in half. Call it again with the same movement to
 * finish it; each half is written once. Returns how the half ended that could not be written, else `committed`. After
 * the out half the amount is in transit until the in half is written: the keeper of the giving ledger finishes it.
 */
export async function moveInventory(bindings: LedgerBindings, movement: Movement): Promise<CommitOutcome> {
  const out = await writeHalf(openLedger(bindings, movement.from), movement, 'OUT');
  if (out.kind !== 'committed' && out.kind !== 'exists') return out;
  const come = await writeHalf(openLedger(bindings, movement.to), movement, 'IN');
  return come.kind === 'exists' ? { kind: 'committed' } : come;
}

function writeHalf(database: Database, movement: Movement, half: Half): Promise<CommitOutcome> {
  const { id, asset, amount, from, to } = movement;
  const row = database.insert(movements).values({
    accountId: house.liquidity,
    id,
    half,
    asset,
    amount,
    ledger: half === 'OUT' ? from : to,
    peer: half === 'OUT' ? to : from,
    purpose: 'INVENTORY',
    transfer: nextTransfer(),
  });
  return commit(database, [row], [transferOfHalf(movement, half, house.liquidity)]);
}

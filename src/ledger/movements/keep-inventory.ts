import type { Atoms } from '../../money/amounts.ts';
import type { Asset } from '../../money/assets.ts';
import type { LedgerBindings } from '../../platform/bindings.ts';
import type { LedgerAnswer } from '../ask-ledgers.ts';
import { listLedgers } from '../ledgers.ts';
import { type Quota, type Quotas, findScarce } from '../quotas/read-quotas.ts';
import { newRecordId } from '../record-id.ts';
import { house } from '../transfers.ts';
import { moveInventory } from './movement.ts';

/** An amount that a ledger gives out of its inventory. */
export interface Gift {
  readonly ledger: number;
  readonly amount: Atoms;
}

/** Less than this part of the receiver's quota is not worth a movement. */
const LEAST_PART = 64n;

/**
 * What a ledger's keeper does about the inventory, every minute: of each asset of which more than half of the ledger's
 * quota of the exposure is used, it takes inventory from the ledger that is the furthest from half of its own, with at
 * most one movement. With one ledger it does nothing. Throws when a database fails, and when it is not known whether an
 * asset was moved: a movement with one half is then finished as every other is.
 */
export async function keepInventory(bindings: LedgerBindings, ledger: number, now_ms: number): Promise<void> {
  if (listLedgers(bindings).length === 1) return;
  const { scarce, all } = await findScarce(bindings, house.liquidity, ledger, now_ms);
  const unknown: Asset[] = [];
  for (const asset of scarce) {
    const gift = planInventory(ledger, asset, all);
    if (!gift) continue;
    const { ledger: from, amount } = gift;
    const { kind } = await moveInventory(bindings, { id: newRecordId(now_ms, from), asset, amount, from, to: ledger });
    // A refusal: orders have used the giver's inventory at the same moment. The next minute plans anew.
    if (kind !== 'committed' && kind !== 'guarded') unknown.push(asset);
  }
  if (unknown.length > 0) throw new Error(`inventory was perhaps not moved: ${unknown.join(', ')}`);
}

/**
 * From which ledger inventory of an asset comes, and how much: so much that both are as far from half of their quotas, and
 * never so much that more than half of the giver's own is used. So no movement makes its giver a receiver. `undefined` when
 * no ledger has enough to give. Pure.
 */
export function planInventory(ledger: number, asset: Asset, all: readonly LedgerAnswer<Quotas>[]): Gift | undefined {
  const standing = all.flatMap(({ ledger: number, answer }) => {
    const quota = answer?.get(asset);
    return quota ? [{ ledger: number, quota: quota.quota, spare: spareUntilHalf(quota) }] : [];
  });
  const own = standing.find((one) => one.ledger === ledger);
  const [richest] = standing
    .filter((one) => one.ledger !== ledger)
    .toSorted((one, other) =>
      one.spare === other.spare ? one.ledger - other.ledger : one.spare > other.spare ? -1 : 1,
    );
  if (!own || !richest) return undefined;
  const even = (richest.spare - own.spare) / 2n;
  const amount = even < richest.spare ? even : richest.spare;
  return amount > 0n && amount * LEAST_PART >= own.quota ? { ledger: richest.ledger, amount } : undefined;
}

/** How much a ledger can give before half of its quota is used; below zero when more is used already. */
function spareUntilHalf({ quota, room }: Quota): Atoms {
  return room - (quota + 1n) / 2n;
}

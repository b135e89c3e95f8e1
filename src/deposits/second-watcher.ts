import type { Database } from '../db/database.ts';
import { witnessedDeposits } from '../db/schema.ts';
import { type Asset, assets, scaleOf } from '../money/assets.ts';
import { floorAmount } from '../money/amounts.ts';
import { type ChainOutput, isOutput } from './deposit.ts';

/** By asset: the most that is credited in 24 hours on the word of one watcher. Assets without one have no bound. */
export type AgreedFrom = Readonly<Partial<Record<Asset, string>>>;

/** What a watcher says about an output; network, hash and address are in canonical form. */
interface Witnessed extends ChainOutput {
  readonly address: string;
  readonly asset: string;
  readonly amount: string;
  readonly confirmations: number;
}

/** Stores what the second watcher saw. It credits nothing by itself. Throws when D1 fails. */
export async function storeWitness(database: Database, seen: Witnessed): Promise<void> {
  const { network, txHash, outputIndex, address, asset, amount, confirmations } = seen;
  const stored = { address, asset, exactAmount: amount, confirmations };
  await database
    .insert(witnessedDeposits)
    .values({ network, txHash, outputIndex, ...stored })
    .onConflictDoUpdate({
      target: [witnessedDeposits.network, witnessedDeposits.txHash, witnessedDeposits.outputIndex],
      set: stored,
    });
}

/**
 * On whose word a deposit that has all its confirmations would be credited now; the database refuses it when one watcher's
 * is not enough. The second watcher's counts when it saw
 * the same with as many confirmations as the network needs. The bound is of the whole exchange; each ledger has an
 * equal share of it, in atoms; `null` is no bound. Throws when D1 fails.
 */
export async function readAgreement(
  database: Database,
  seen: Witnessed,
  agreedFrom: AgreedFrom,
  ledgers: number,
  now_ms: number,
) {
  const asset = seen.asset as Asset;
  const bound = agreedFrom[asset];
  if (bound === undefined) return { agreedBy: 1, creditedAt: now_ms, singleBound: null } as const;
  const singleBound = floorAmount(bound, scaleOf(asset)) / BigInt(ledgers);
  const [second] = await database.select().from(witnessedDeposits).where(isOutput(witnessedDeposits, seen));
  const needed = assets[asset].networks.find(({ network }) => network === seen.network)?.confirmations ?? Infinity;
  const isSame =
    second !== undefined &&
    second.address === seen.address &&
    second.asset === seen.asset &&
    floorAmount(second.exactAmount, 18) === floorAmount(seen.amount, 18) &&
    second.confirmations >= needed;
  return { agreedBy: isSame ? 2 : 1, creditedAt: now_ms, singleBound } as const;
}

import { type SQL, and, eq, gt, gte, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { LedgerBindings } from '../../platform/bindings.ts';
import { describeError, logFault } from '../../platform/log.ts';
import type { Atoms } from '../../money/amounts.ts';
import type { Asset } from '../../money/assets.ts';
import type { Database } from '../database.ts';
import { isDatabaseFault } from '../database-fault.ts';
import { listLedgers, openLedger } from '../ledgers.ts';
import type { Finding } from '../reconciliation/invariants.ts';
import { exactly, movements, transfers } from '../schema.ts';
import type { Half } from './movement.ts';

/** A half is finished when it is older than this, because the request that made it has then ended. */
const FINISHED_AFTER_MS = 15_000;

/** A half that is older than this must have its other half. */
const WHOLE_AFTER_MS = 60_000;

/** How many halves are compared with one other ledger at a time, how many times, and how many are finished. */
const HALVES_AT_ONCE = 100;
const MAX_ROUNDS = 10;
const MAX_FINISHED = 30;

/** For each other ledger, the number of the newest transfer up to which all halves have their other half there. */
export const MovementsPosition = z.record(z.string(), z.int());

export type MovementsPosition = z.output<typeof MovementsPosition>;

/** A half as its ledger has it. */
export interface KnownHalf {
  readonly accountId: string;
  readonly id: string;
  readonly half: Half;
  readonly asset: Asset;
  readonly amount: Atoms;
  /** The numbers of its own ledger and of the other half's. */
  readonly ledger: number;
  readonly peer: number;
  readonly purpose: (typeof movements.$inferSelect)['purpose'];
  /** The record that commanded it; `null` for the inventory. */
  readonly recordId: string | null;
  /** The number of its transfer, and when that was written. */
  readonly transfer: number;
  readonly ts: number;
}

/** Writes the missing half of a movement. `unknown`: a database did not say whether it did. May throw the same way. */
export type FinishMovement = (half: KnownHalf) => Promise<'finished' | 'refused' | 'unknown'>;

/** What a check found. */
export interface CheckedMovements {
  readonly next: MovementsPosition;
  /** How many halves were found to have their other half. */
  readonly whole: number;
  readonly findings: readonly Finding[];
}

/**
 * Compares the halves of a ledger that are new since `position` with those of the other ledgers, and finishes movements
 * of which the other half is missing. A half of more than a minute whose other half is certainly missing, or differs, is
 * a finding. Nothing is known while the other ledger does not answer: its halves are compared at the next check. What was
 * found whole is not read again. With one ledger nothing is read. Throws when D1 fails in the ledger itself.
 */
export async function checkMovements(
  bindings: LedgerBindings,
  ledger: number,
  position: MovementsPosition,
  finish: FinishMovement,
  now_ms: number,
): Promise<CheckedMovements> {
  const ledgers = listLedgers(bindings);
  if (ledgers.length === 1) return { next: position, whole: 0, findings: [] };
  const own = openLedger(bindings, ledger);
  const lost = await selectHalves(own, gte(movements.peer, ledgers.length));
  const findings = lost.map((half) => describe(half, 'its other ledger does not exist'));
  const next = { ...position };
  let whole = 0;
  let finishing = MAX_FINISHED;
  const finishSome: FinishMovement = async (half) => {
    if (finishing === 0) return 'unknown';
    finishing -= 1;
    return finish(half);
  };
  for (const peer of ledgers.filter((other) => other !== ledger)) {
    const peers = { own, peer: openLedger(bindings, peer), numbers: [ledger, peer] as const };
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const after = next[peer] ?? 0;
      const halves = await selectHalves(own, and(eq(movements.peer, peer), gt(movements.transfer, after)));
      const compared = await comparePeers(peers, halves, finishSome, now_ms);
      findings.push(...compared.findings);
      whole += compared.whole.length;
      next[peer] = compared.whole.at(-1)?.transfer ?? after;
      if (compared.whole.length < HALVES_AT_ONCE) break;
    }
  }
  return { next, whole, findings };
}

/** Two ledgers, and their numbers in this order. */
interface Peers {
  readonly own: Database;
  readonly peer: Database;
  readonly numbers: readonly [own: number, peer: number];
}

/** The halves up to the first one that is not whole, and the findings among the others. */
interface Compared {
  readonly whole: readonly KnownHalf[];
  readonly findings: readonly Finding[];
}

async function comparePeers(
  peers: Peers,
  halves: readonly KnownHalf[],
  finish: FinishMovement,
  now_ms: number,
): Promise<Compared> {
  if (halves.length === 0) return { whole: [], findings: [] };
  try {
    let others = await findHalves(peers.peer, halves);
    const alone = halves.filter(({ id, ts }) => !others.has(id) && now_ms - ts > FINISHED_AFTER_MS);
    const unknown = new Set<string>();
    for (const half of alone) {
      if (!(await isTried(finish, half))) unknown.add(half.id);
    }
    if (alone.length > 0) others = await findHalves(peers.peer, halves);
    const faults = halves.map((half) => findFault(half, others.get(half.id), peers.numbers));
    const firstFault = faults.findIndex((fault) => fault !== undefined);
    const findings = halves.flatMap((half, place) => {
      const fault = faults[place];
      const isOpen = !others.has(half.id) && (unknown.has(half.id) || now_ms - half.ts <= WHOLE_AFTER_MS);
      return fault === undefined || isOpen ? [] : [describe(half, fault)];
    });
    return { whole: firstFault < 0 ? halves : halves.slice(0, firstFault), findings };
  } catch (error) {
    logFault('movements_not_compared', { ledger: peers.numbers[1], error: describeError(error) });
    return { whole: [], findings: [] };
  }
}

/** Tries to finish a movement. Returns whether its ledgers answered. */
async function isTried(finish: FinishMovement, half: KnownHalf): Promise<boolean> {
  try {
    return (await finish(half)) !== 'unknown';
  } catch (error) {
    logFault('movement_not_finished', { movement: half.id, error: describeError(error) });
    return !isDatabaseFault(error);
  }
}

/** What is wrong with a half, beside its other half. */
function findFault(half: KnownHalf, other: KnownHalf | undefined, [own, peer]: Peers['numbers']): string | undefined {
  if (half.ledger !== own) return 'it names another ledger as its own';
  if (!other) return 'its other half is missing';
  const isPair =
    other.half !== half.half &&
    other.ledger === peer &&
    other.peer === own &&
    other.asset === half.asset &&
    other.amount === half.amount &&
    other.purpose === half.purpose &&
    other.recordId === half.recordId;
  return isPair ? undefined : 'its other half differs';
}

function describe({ id, half, asset, amount, ledger, peer }: KnownHalf, fault: string): Finding {
  const example = {
    movement: id,
    half,
    asset,
    amount: String(amount),
    ledger: String(ledger),
    peer: String(peer),
    fault,
  };
  return { invariant: 'movements_have_both_halves', example };
}

const halfColumns = {
  accountId: movements.accountId,
  id: movements.id,
  half: movements.half,
  asset: movements.asset,
  amount: exactly(movements.amount),
  ledger: movements.ledger,
  peer: movements.peer,
  purpose: movements.purpose,
  recordId: movements.recordId,
  transfer: movements.transfer,
};

/** The next halves that meet a condition, in the order of their transfers. Throws when D1 fails. */
function selectHalves(database: Database, condition: SQL | undefined): Promise<KnownHalf[]> {
  return database
    .select({ ...halfColumns, ts: transfers.ts })
    .from(movements)
    .innerJoin(transfers, eq(transfers.id, movements.transfer))
    .where(condition)
    .orderBy(movements.peer, movements.transfer)
    .limit(HALVES_AT_ONCE);
}

/** The halves of the same movements in another ledger, by the movements' ids. Throws when D1 fails. */
async function findHalves(database: Database, halves: readonly KnownHalf[]): Promise<ReadonlyMap<string, KnownHalf>> {
  const ids = JSON.stringify(halves.map(({ id }) => id));
  const found = await selectHalves(database, sql`${movements.id} IN (SELECT value FROM json_each(${ids}))`);
  return new Map(found.map((half) => [half.id, half]));
}

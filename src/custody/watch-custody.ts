import { and, asc, eq, sql } from 'drizzle-orm';
import { type Actor, insertAudit } from '../db/audit.ts';
import { commit } from '../db/commit.ts';
import { CustodyStanding, NEVER_ASKED } from '../db/custody-standing.ts';
import { type Database, listLedgers, openLedger } from '../db/database.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import { balances, exactly, settings, withdrawals } from '../db/schema.ts';
import { house } from '../db/transfers.ts';
import type { Atoms } from '../money/amounts.ts';
import { type Asset, assetSymbols } from '../money/assets.ts';
import { logFault } from '../platform/log.ts';
import type { ObjectState } from '../platform/objects.ts';
import type { Duty } from '../reconciliation/duty.ts';
import type { Custody } from './custody.ts';
import { type Due, judgeCover } from './judge-cover.ts';

/** So many complete reports in a row that are a shortfall halt withdrawals, where they may. */
const SHORTFALLS_THAT_HALT = 3;

export interface CustodySettings {
  readonly custody: Custody;
  /** Whether a lasting shortfall halts withdrawals. */
  readonly haltsOnShortfall: boolean;
}

/** What a look needs. */
export interface CustodyWatch extends CustodySettings {
  /** All ledgers', since the custodian holds everything together. */
  readonly databases: readonly Database[];
  readonly now: () => number;
}

/** What the keeper calls what it knows about the custodian. */
const STANDING = 'custody';

/** What a keeper knows about the custodian. */
export function readCustodyStanding(state: ObjectState): CustodyStanding {
  return CustodyStanding.catch(NEVER_ASKED).parse(state.read(STANDING));
}

/** Compares what the custodian holds with all ledgers together; the keeper of ledger 0 does it. */
export function compareHoldings(watching: CustodySettings): Duty {
  return {
    fault: 'custody_not_watched',
    run: async ({ bindings, ledger, state }) => {
      if (ledger !== FIRST_LEDGER) return;
      const databases = listLedgers(bindings).map((one) => openLedger(bindings, one));
      const watch = { databases, now: () => Date.now(), ...watching };
      state.write(STANDING, await watchCustody(watch, readCustodyStanding(state)));
    },
  };
}

/**
 * Asks the custodian what it holds, and returns what is known about it then. A shortfall is logged, and where it is to,
 * the third in a row halts withdrawals. Throws when D1 fails.
 */
export async function watchCustody(
  { databases, custody, haltsOnShortfall, now }: CustodyWatch,
  standing: CustodyStanding,
): Promise<CustodyStanding> {
  const firstAskedAt = standing.firstAskedAt ?? now();
  const due = await sumDue(databases);
  const [holdings, payouts] = await Promise.all([custody.holdings(), Promise.all(databases.map(readOldestPayout))]);
  const released = payouts.filter((at) => at !== null);
  const oldestPayoutAt = released.length > 0 ? Math.min(...released) : null;
  if (!holdings) return { ...standing, firstAskedAt, oldestPayoutAt };
  const answeredAt = now();
  const judged = judgeCover(holdings, due, await sumDue(databases), standing.assets, answeredAt);
  const short = assetSymbols.filter((asset) => judged[asset].cover === 'shortfall');
  if (short.length > 0) logFault('custody_shortfall', { assets: short.join() });
  const lasting = short.filter((asset) => judged[asset].shortfalls >= SHORTFALLS_THAT_HALT);
  if (haltsOnShortfall && lasting.length > 0) {
    await Promise.all(databases.map((database) => halt(database, lasting, answeredAt)));
  }
  return { firstAskedAt, answeredAt, oldestPayoutAt, assets: judged };
}

/** What custody has received less what it has paid, by all ledgers. */
async function sumDue(databases: readonly Database[]): Promise<Due> {
  const sums = new Map<Asset, Atoms>();
  for (const due of await Promise.all(databases.map(readDue))) {
    for (const [asset, amount] of due) sums.set(asset, (sums.get(asset) ?? 0n) + amount);
  }
  return sums;
}

async function readDue(database: Database): Promise<Due> {
  const rows = await database
    .select({ asset: balances.asset, amount: exactly(balances.amount) })
    .from(balances)
    .where(eq(balances.account, house.custody));
  return new Map(rows.map(({ asset, amount }) => [asset, -amount]));
}

/** When the oldest withdrawal that is PROCESSING was released. Word for word the condition of its index. */
async function readOldestPayout(database: Database): Promise<number | null> {
  const [row] = await database
    .select({ releasedAt: withdrawals.releasedAt })
    .from(withdrawals)
    .where(and(sql`${withdrawals.status} IN ('PENDING', 'PROCESSING')`, eq(withdrawals.status, 'PROCESSING')))
    .orderBy(asc(withdrawals.id))
    .limit(1);
  return row?.releasedAt ?? null;
}

/** Halts a ledger's withdrawals once: a halt that an operator has lifted since stays lifted until the next lasting shortfall. */
async function halt(database: Database, assets: readonly Asset[], now_ms: number): Promise<void> {
  const [standing] = await database.select({ isHalted: settings.withdrawalsHalted }).from(settings);
  if (standing?.isHalted) return;
  const actor: Actor = { role: 'reconciliation', now_ms };
  const isOpen = and(eq(settings.id, 1), eq(settings.withdrawalsHalted, false));
  const outcome = await commit(database, [
    insertAudit(database, actor, 'halt', 'custody', { shortfall: assets }),
    database.update(settings).set({ withdrawalsHalted: true }).where(isOpen),
  ]);
  if (outcome.kind !== 'committed') throw new Error(`withdrawals were not halted: ${outcome.kind}`);
}

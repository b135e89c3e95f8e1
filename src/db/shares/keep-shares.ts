import { type SQL, and, eq, inArray, sql } from 'drizzle-orm';
import type { LedgerBindings } from '../../platform/bindings.ts';
import { insertAudit } from '../audit.ts';
import { type CommitOutcome, commit } from '../commit.ts';
import { type Database, firstLedger, listLedgers, openLedger } from '../database.ts';
import { balances, settings } from '../schema.ts';
import { type LedgerStanding, type SharesPlan, findLimit, listUsed, readPlan, readStandings } from './read-shares.ts';
import { type Shares, limitedAccounts, limits, planNewLedger, sharesOf, withShares, writeShares } from './shares.ts';

/** The floor that a ledger's own copy of the shares gives a balance, as SQL. */
const floorOfShare = sql`-(SELECT own_shares.amount FROM own_shares
  WHERE own_shares.account = balances.account AND own_shares.asset = balances.asset)`;

const isLimited = inArray(balances.account, [...limitedAccounts]);

const isBelow = sql`${balances.floor} < ${floorOfShare}`;

const moveFloors = (database: Database, floor: SQL, condition: SQL) =>
  database.update(balances).set({ floor }).where(and(isLimited, condition));

/** The statement that lowers a ledger's floors to its shares, where it uses less; else as far as it can. */
export const lowerFloors = (database: Database) =>
  moveFloors(
    database,
    sql`min(${balances.amount}, ${floorOfShare})`,
    sql`${isBelow} AND ${balances.amount} > ${balances.floor}`,
  );

/** The statement that lowers a ledger's floors to its shares. The database refuses it where the ledger uses more. */
export const setLowerFloors = (database: Database) => moveFloors(database, floorOfShare, isBelow);

/** The statement that raises a ledger's floors to its shares, for a batch whose audit row names the revision. */
export const raiseFloors = (database: Database) =>
  moveFloors(database, floorOfShare, sql`${balances.floor} > ${floorOfShare}`);

/**
 * What changes in the settings of ledger 0 with other shares: they are the next revision. If something has changed since
 * the plan was read, the database refuses it with `settings_overtaken`.
 */
export function replaceShares({ revision }: SharesPlan, shares: Shares) {
  return { shares: writeShares(shares), revision: revision + 1 };
}

/**
 * Gives each ledger that has no share yet one of each limit: what the others do not use, and at most an equal part.
 * Nothing happens unless all ledgers answer. Throws when D1 fails.
 */
export async function shareWithNew(bindings: LedgerBindings, now_ms: number): Promise<void> {
  const count = listLedgers(bindings).length;
  if (count === 1) return;
  const plan = await readPlan(bindings);
  const isWhole = (shares: Shares) => limits.every((limit) => sharesOf(shares, limit).length >= count);
  if (isWhole(plan.shares)) return;
  const standings = await readStandings(bindings);
  let { shares } = plan;
  while (!isWhole(shares)) {
    for (const limit of limits) {
      const used = listUsed(standings, limit);
      if (!used) return;
      const own = sharesOf(shares, limit);
      if (own.length < count) shares = withShares(shares, limit, planNewLedger(own, used));
    }
  }
  const first = firstLedger(bindings);
  const outcome = await commit(first, [
    insertAudit(first, { role: 'reconciliation', now_ms }, 'share_limits', 'settings', { ledgers: count }),
    first.update(settings).set(replaceShares(plan, shares)).where(eq(settings.id, 1)),
    lowerFloors(first),
  ]);
  // The operator has changed something at the same moment: the next minute plans anew.
  if (outcome.kind === 'guarded' && outcome.guard === 'settings_overtaken') return;
  expectCommitted(outcome, 'limits were not shared');
}

/**
 * Brings the floors of some ledgers to their shares. A floor is lowered at once, as far as the ledger does not use it. It
 * is raised when every ledger has the present shares and none may use more than its own: so the sum of all floors never
 * passes the limits, and is lower until then. Returns whether all floors are the shares; the keepers go on each minute.
 * Throws when D1 fails.
 */
export async function settleShares(
  bindings: LedgerBindings,
  ledgers: readonly number[],
  now_ms: number,
): Promise<boolean> {
  const [plan, standings] = await Promise.all([readPlan(bindings), readStandings(bindings)]);
  const known = standings.flatMap(({ answer }) => answer ?? []);
  const above = known.filter((one) => differences(one, plan).some((difference) => difference < 0n));
  const lacking = known.filter((one) => differences(one, plan).some((difference) => difference > 0n));
  if (known.length < standings.length) return false;
  if (above.length > 0 || known.some(({ revision }) => revision !== plan.revision)) {
    const own = above.filter(({ ledger, revision }) => ledgers.includes(ledger) && revision === plan.revision);
    await Promise.all(own.map(({ ledger }) => lower(openLedger(bindings, ledger))));
    return false;
  }
  const raised = lacking.filter(({ ledger }) => ledgers.includes(ledger));
  await Promise.all(raised.map(({ ledger }) => raise(openLedger(bindings, ledger), ledger, plan, now_ms)));
  return raised.length === lacking.length;
}

async function lower(database: Database): Promise<void> {
  expectCommitted(await commit(database, [lowerFloors(database)]), 'a share was not lowered');
}

async function raise(database: Database, ledger: number, { revision }: SharesPlan, now_ms: number): Promise<void> {
  const outcome = await commit(database, [
    insertAudit(database, { role: 'reconciliation', now_ms }, 'raise_shares', 'settings', { revision }),
    raiseFloors(database),
  ]);
  expectCommitted(outcome, `the shares of ledger ${ledger} were not raised`);
}

function expectCommitted(outcome: CommitOutcome, fault: string): void {
  if (outcome.kind !== 'committed') throw new Error(`${fault}: ${outcome.kind}`);
}

/** By how much each of a ledger's shares is more than what it may use. */
const differences = (standing: LedgerStanding, { shares }: SharesPlan) =>
  limits.map((limit) => (sharesOf(shares, limit)[standing.ledger] ?? 0n) + (findLimit(standing, limit)?.floor ?? 0n));

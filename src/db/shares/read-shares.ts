import { inArray, sql } from 'drizzle-orm';
import type { Atoms } from '../../money/amounts.ts';
import type { LedgerBindings } from '../../platform/bindings.ts';
import { type LedgerAnswer, askLedgers } from '../ask-ledgers.ts';
import { type Database, firstLedger } from '../database.ts';
import { balances, exactly, settings } from '../schema.ts';
import { type Limit, type LimitedAccount, Shares, limitedAccounts } from './shares.ts';

/** The shares of all ledgers as ledger 0 has them, and the revision of the settings that they are of. */
export interface SharesPlan {
  readonly shares: Shares;
  readonly revision: number;
}

/** Reads the shares of the exchange. Throws when D1 fails. */
export async function readPlan(bindings: LedgerBindings): Promise<SharesPlan> {
  const [row] = await firstLedger(bindings)
    .select({ shares: settings.shares, revision: settings.revision })
    .from(settings);
  if (!row) throw new Error('the settings row is missing');
  return { shares: Shares.parse(JSON.parse(row.shares)), revision: row.revision };
}

/** How a ledger stands with a limit: its floor is what it may use, and the balance what it does. */
export interface LimitStanding extends Limit {
  readonly amount: Atoms;
  readonly floor: Atoms;
}

/** How a ledger stands with all limits, and the revision of its settings. */
export interface LedgerStanding {
  readonly ledger: number;
  readonly revision: number;
  readonly limits: readonly LimitStanding[];
}

/** Reads how a ledger stands with all limits. Throws when D1 fails. */
export async function readStanding(database: Database, ledger: number): Promise<LedgerStanding> {
  const [[row], rows] = await database.batch([
    database.select({ number: settings.ledger, revision: settings.revision }).from(settings),
    database
      .select({
        account: sql<LimitedAccount>`${balances.account}`.as('account'),
        asset: balances.asset,
        amount: exactly(balances.amount),
        floor: exactly(balances.floor),
      })
      .from(balances)
      .where(inArray(balances.account, [...limitedAccounts])),
  ]);
  if (!row) throw new Error('the settings row is missing');
  // One that has not taken its number yet has the limits of a ledger 0, and may use nothing.
  const limits = row.number === ledger ? rows : rows.map((limit) => ({ ...limit, floor: 0n }));
  return { ledger, revision: row.revision, limits };
}

/** Reads how all ledgers stand. One that does not answer is logged and has no answer. Throws when none answers. */
export function readStandings(bindings: LedgerBindings): Promise<LedgerAnswer<LedgerStanding>[]> {
  return askLedgers(bindings, readStanding);
}

/** What is used of a limit, in atoms, in the order of the ledgers; `undefined` unless each of them answered. Pure. */
export function listUsed(answers: readonly LedgerAnswer<LedgerStanding>[], limit: Limit): Atoms[] | undefined {
  const amounts = answers.map(({ answer }) => findLimit(answer, limit)?.amount);
  return amounts.every((amount) => amount !== undefined) ? amounts.map((amount) => usedOf(amount)) : undefined;
}

export function usedOf(amount: Atoms): Atoms {
  return amount < 0n ? -amount : 0n;
}

export function findLimit(standing: LedgerStanding | undefined, limit: Limit): LimitStanding | undefined {
  return standing?.limits.find(({ account, asset }) => account === limit.account && asset === limit.asset);
}

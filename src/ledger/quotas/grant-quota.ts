import { and, asc, eq, sql } from 'drizzle-orm';
import type { Asset } from '../../money/assets.ts';
import type { Atoms } from '../../money/amounts.ts';
import type { LedgerBindings } from '../../platform/bindings.ts';
import { type Actor, insertAudit } from '../audit.ts';
import { type CommitOutcome, commit } from '../commit.ts';
import type { Database } from '../database.ts';
import { openLedger } from '../ledgers.ts';
import { FIRST_LEDGER } from '../record-id.ts';
import { balances, exactly, quotaGrants, quotas } from '../schema.ts';
import type { LimitedAccount } from './read-quotas.ts';

/**
 * Quota that moves from one ledger to another; one of the two is ledger 0. It has a row in both, under the same id, and
 * each row changes that ledger's floor in its own transaction: the giver's first, so that the sum of all quotas is never
 * above the limit of the exchange.
 */
export interface Grant {
  readonly id: string;
  readonly giver: number;
  readonly receiver: number;
  readonly account: LimitedAccount;
  readonly asset: Asset;
  /** More than zero. */
  readonly amount: Atoms;
}

/**
 * How a grant ended. `refused`: the giver uses too much of its quota, and nothing changed. `open`: it is not known
 * whether the giver or the receiver has it; the giver's keeper finishes what the giver has.
 */
export type GrantOutcome = 'received' | 'refused' | 'open';

/** As many unfinished grants are finished at a time. */
const FINISHED_AT_ONCE = 50;

/** Makes a grant: lowers the giver's quota, then raises the receiver's. Each happens once under the grant's id. */
export async function grantQuota(bindings: LedgerBindings, grant: Grant, actor: Actor): Promise<GrantOutcome> {
  const given = await writeHalf(bindings, grant, grant.giver, actor);
  if (given.kind === 'floor') return 'refused';
  if (given.kind !== 'committed' && given.kind !== 'exists') return 'open';
  return (await passOn(bindings, grant, actor)) ? 'received' : 'open';
}

/**
 * Finishes grants that this ledger has given and whose receiver is not known to have them, oldest first. Throws when one
 * of them could not be finished.
 */
export async function finishGrants(bindings: LedgerBindings, ledger: number, now_ms: number): Promise<void> {
  const open = await openLedger(bindings, ledger)
    .select({
      id: quotaGrants.id,
      giver: quotaGrants.giver,
      receiver: quotaGrants.receiver,
      account: quotaGrants.account,
      asset: quotaGrants.asset,
      amount: exactly(quotaGrants.amount),
    })
    .from(quotaGrants)
    // The condition of the index, word for word.
    .where(sql`received = 0`)
    .orderBy(asc(quotaGrants.id))
    .limit(FINISHED_AT_ONCE);
  const left: string[] = [];
  for (const grant of open) {
    const isReceived = await passOn(bindings, grant, { role: 'reconciliation', now_ms });
    if (!isReceived) left.push(grant.id);
  }
  if (left.length > 0) throw new Error(`grants are not received: ${left.join(', ')}`);
}

/** Raises the receiver's quota, and notes that in the giver's row. Returns whether the receiver has it. */
async function passOn(bindings: LedgerBindings, grant: Grant, actor: Actor): Promise<boolean> {
  const received = await writeHalf(bindings, grant, grant.receiver, actor);
  if (received.kind !== 'committed' && received.kind !== 'exists') return false;
  const giver = openLedger(bindings, grant.giver);
  // If this is not confirmed, the keeper passes the grant on again, which changes nothing more.
  await commit(giver, [giver.update(quotaGrants).set({ received: true }).where(eq(quotaGrants.id, grant.id))]);
  return true;
}

/** Writes the row of one of the two ledgers, with its row of the audit. */
function writeHalf(bindings: LedgerBindings, grant: Grant, ledger: number, actor: Actor): Promise<CommitOutcome> {
  const database = openLedger(bindings, ledger);
  const { giver, receiver, account, asset, amount } = grant;
  const isReceiver = ledger === receiver;
  const change = isReceiver ? -amount : amount;
  const row = database.insert(quotaGrants).values({
    ...grant,
    floor: sql`(SELECT ${balances.floor} + ${inAtoms(change)} FROM ${balances}
      WHERE ${and(eq(balances.account, account), eq(balances.asset, asset))})`,
    given: ledger === FIRST_LEDGER ? sql`${readGiven(database, grant)} + ${inAtoms(change)}` : null,
    received: isReceiver,
  });
  const detail = { giver, receiver, account, asset, amount: amount.toString() };
  return commit(database, [insertAudit(database, actor, 'grant_quota', grant.id, detail), row]);
}

/** What ledger 0 has given to the other ledger and not got back, as SQL. */
function readGiven(first: Database, { giver, receiver, account, asset }: Grant) {
  const ledger = giver === FIRST_LEDGER ? receiver : giver;
  const given = first
    .select({ amount: quotas.amount })
    .from(quotas)
    .where(and(eq(quotas.account, account), eq(quotas.asset, asset), eq(quotas.ledger, ledger)));
  return sql`coalesce((${given}), 0)`;
}

function inAtoms(amount: Atoms) {
  return sql`CAST(${amount.toString()} AS INTEGER)`;
}

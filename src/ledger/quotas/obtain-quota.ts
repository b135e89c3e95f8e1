import type { Asset } from '../../money/assets.ts';
import type { Atoms } from '../../money/amounts.ts';
import type { LedgerBindings } from '../../platform/bindings.ts';
import type { LedgerAnswer } from '../ask-ledgers.ts';
import type { Actor } from '../audit.ts';
import { listLedgers } from '../ledgers.ts';
import { FIRST_LEDGER, newRecordId } from '../record-id.ts';
import { grantQuota } from './grant-quota.ts';
import { type Giver, type Taken, planEvening, planTaking } from './plan-taking.ts';
import { type LimitedAccount, type Quota, type Quotas, isHalfUsed, readAllQuotas } from './read-quotas.ts';

/** A limit of the exchange in one asset. */
export interface Limit {
  readonly account: LimitedAccount;
  readonly asset: Asset;
}

/**
 * Whether a ledger has the quota that it needs. `beyond_limit`: it would need more than the exchange has left. `not_yet`:
 * the exchange has it, and it has not come from other ledgers yet, or one of them does not answer.
 */
export type Obtained = 'obtained' | 'beyond_limit' | 'not_yet';

/**
 * Obtains room for an amount that a ledger is about to use and that its quota refused: from the ledgers that can spare
 * most, at least what is missing, and so much that it and the richest then have the same. With one ledger the quota is
 * the limit itself, and nothing is asked. Throws when no ledger answers.
 */
export async function obtainRoom(
  bindings: LedgerBindings,
  limit: Limit,
  ledger: number,
  amount: Atoms,
  actor: Actor,
): Promise<Obtained> {
  if (listLedgers(bindings).length === 1) return 'beyond_limit';
  const all = await readAllQuotas(bindings, limit.account, actor.now_ms, limit.asset);
  const own = quotaOf(all, ledger, limit.asset);
  if (!own) return 'not_yet';
  const missing = amount - own.room;
  if (missing <= 0n) return 'obtained';
  const givers = giversOf(all, ledger, limit.asset);
  const [even] = planEvening(own.room, givers);
  return take(bindings, limit, ledger, { all, givers, missing, wanted: even?.amount ?? 0n }, actor);
}

/**
 * Takes quota back into ledger 0, so that the limit of the whole exchange can become `lowered`. With one ledger there is
 * none to take back. Throws when no ledger answers.
 */
export async function takeBackFor(
  bindings: LedgerBindings,
  limit: Limit,
  lowered: Atoms,
  actor: Actor,
): Promise<Obtained> {
  if (listLedgers(bindings).length === 1) return 'beyond_limit';
  const all = await readAllQuotas(bindings, limit.account, actor.now_ms, limit.asset);
  const own = quotaOf(all, FIRST_LEDGER, limit.asset);
  if (!own) return 'not_yet';
  const missing = own.quota + own.given - lowered - own.spare;
  if (missing <= 0n) return 'obtained';
  const givers = giversOf(all, FIRST_LEDGER, limit.asset);
  return take(bindings, limit, FIRST_LEDGER, { all, givers, missing, wanted: missing }, actor);
}

/**
 * Sets a ledger's quota, of a ledger other than 0: ledger 0 gives it what it lacks, and gets what it has more.
 * `beyond_limit`: it uses more than that, or ledger 0 cannot spare so much. Throws when no ledger answers.
 */
export async function setQuota(
  bindings: LedgerBindings,
  limit: Limit,
  ledger: number,
  quota: Atoms,
  actor: Actor,
): Promise<Obtained> {
  const all = await readAllQuotas(bindings, limit.account, actor.now_ms, limit.asset);
  const own = quotaOf(all, ledger, limit.asset);
  if (!own) return 'not_yet';
  const missing = quota - own.quota;
  if (missing === 0n) return 'obtained';
  const [giver, receiver] = missing > 0n ? [FIRST_LEDGER, ledger] : [ledger, FIRST_LEDGER];
  const amount = missing > 0n ? missing : -missing;
  const spare = quotaOf(all, giver, limit.asset)?.spare;
  if (spare === undefined) return 'not_yet';
  if (amount > spare) return 'beyond_limit';
  const moved = await moveQuota(bindings, limit, receiver, [{ ledger: giver, amount }], actor);
  return moved === amount ? 'obtained' : 'not_yet';
}

/**
 * Evens out the room of a ledger that has used half of its quota with the ledger that can spare most. `all` is what the
 * ledgers answered.
 */
export async function evenOut(
  bindings: LedgerBindings,
  limit: Limit,
  ledger: number,
  all: readonly LedgerAnswer<Quotas>[],
  actor: Actor,
): Promise<void> {
  const own = quotaOf(all, ledger, limit.asset);
  if (!own || !isHalfUsed(own)) return;
  await moveQuota(bindings, limit, ledger, planEvening(own.room, giversOf(all, ledger, limit.asset)), actor);
}

/**
 * Moves quota to a ledger, by ledger 0: what others give comes there first. Returns how much the receiver is known to
 * have got; what is cut off on the way stays in ledger 0, or the keepers finish it.
 */
export async function moveQuota(
  bindings: LedgerBindings,
  limit: Limit,
  receiver: number,
  taken: readonly Taken[],
  actor: Actor,
): Promise<Atoms> {
  const grant = (giver: number, to: number, amount: Atoms) =>
    grantQuota(bindings, { id: newRecordId(actor.now_ms, giver), giver, receiver: to, ...limit, amount }, actor);
  let gathered = 0n;
  for (const { ledger, amount } of taken) {
    const isThere = ledger === FIRST_LEDGER || (await grant(ledger, FIRST_LEDGER, amount)) === 'received';
    if (isThere) gathered += amount;
  }
  if (receiver === FIRST_LEDGER || gathered === 0n) return gathered;
  return (await grant(FIRST_LEDGER, receiver, gathered)) === 'received' ? gathered : 0n;
}

/** What a ledger lacks and wants, and who could give it. */
interface Need {
  readonly all: readonly LedgerAnswer<Quotas>[];
  readonly givers: readonly Giver[];
  readonly missing: Atoms;
  readonly wanted: Atoms;
}

async function take(
  bindings: LedgerBindings,
  limit: Limit,
  receiver: number,
  { all, givers, missing, wanted }: Need,
  actor: Actor,
): Promise<Obtained> {
  const spare = givers.reduce((sum, giver) => sum + giver.spare, 0n);
  if (spare < missing && isWholeLimit(all, limit.asset)) return 'beyond_limit';
  const moved = await moveQuota(
    bindings,
    limit,
    receiver,
    planTaking(givers, wanted > missing ? wanted : missing),
    actor,
  );
  return moved >= missing ? 'obtained' : 'not_yet';
}

/** Whether all ledgers answered and none of the limit is on its way between them. */
function isWholeLimit(all: readonly LedgerAnswer<Quotas>[], asset: Asset): boolean {
  const answered = all.flatMap(({ answer }) => answer?.get(asset) ?? []);
  if (answered.length < all.length) return false;
  const [first, ...others] = answered;
  return first?.given === others.reduce((sum, { quota }) => sum + quota, 0n);
}

function quotaOf(all: readonly LedgerAnswer<Quotas>[], ledger: number, asset: Asset): Quota | undefined {
  return all.find((one) => one.ledger === ledger)?.answer?.get(asset);
}

/** What the other ledgers could give. */
function giversOf(all: readonly LedgerAnswer<Quotas>[], ledger: number, asset: Asset): Giver[] {
  return all.flatMap(({ ledger: other, answer }) => {
    const spare = other === ledger ? undefined : answer?.get(asset)?.spare;
    return spare === undefined ? [] : [{ ledger: other, spare }];
  });
}

import { eq } from 'drizzle-orm';
import type { LedgerBindings } from '../../platform/bindings.ts';
import { describeError, logFault } from '../../platform/log.ts';
import { type Outcome, overloaded } from '../../http/refusal.ts';
import { type Actor, insertAudit } from '../../ledger/audit.ts';
import { type CommitOutcome, commit } from '../../ledger/commit.ts';
import type { Database } from '../../ledger/database.ts';
import { openLedger } from '../../ledger/ledgers.ts';
import { newRecordId } from '../../ledger/record-id.ts';
import { accounts } from '../../ledger/schema.ts';
import { approvalRefusals, explain } from '../../ledger/explain.ts';
import { advanceHold } from './advance-hold.ts';
import { claimReference } from './claim-reference.ts';
import { refuseAccount } from './create-settlement.ts';
import { describeUnknown, explainRefusal, repeat, usedReference } from './explain-settlement.ts';
import { type HeldTrade, insertHold, selectHoldOf, transferOfHold } from './settlement-hold.ts';
import { type Settled, type Trade, parseSettlement, selectSettlement, showSettlement } from './settlement.ts';

/** Who asks for a trade, when, and which of its accounts was seen frozen, for the text of a refusal. */
interface Asked {
  readonly bindings: LedgerBindings;
  readonly trade: Trade;
  /** The database of the buyer. */
  readonly own: Database;
  readonly now_ms: number;
  readonly frozen: string | undefined;
}

/**
 * Settles a trade between accounts of two ledgers, whose numbers are given, with the answers of `settleTrade`. The
 * buyer's ledger holds the USDT; the seller's ledger then delivers, which makes the trade; then the buyer's ledger pays.
 * If the seller's ledger refuses, the USDT goes back. Without an answer it stays held: the same call again, or the
 * keeper, finishes it. Throws when D1 fails before anything was written.
 */
export async function settleAcross(
  bindings: LedgerBindings,
  trade: Trade,
  ledgers: { readonly buyer: number; readonly seller: number },
  actor: Actor,
): Promise<Outcome<Settled>> {
  const { buyer, seller, reference } = trade;
  const [own, peer] = [openLedger(bindings, ledgers.buyer), openLedger(bindings, ledgers.seller)];
  const [[buyers, settled, held], sellers] = await Promise.all([
    own.batch([selectStatus(own, buyer), selectSettlement(own, reference), selectHoldOf(own, reference)]),
    selectStatus(peer, seller),
  ]);
  if (!buyers[0]) return refuseAccount(buyer);
  if (!sellers[0]) return refuseAccount(seller);
  const frozen = [buyers[0], sellers[0]].find(({ status }) => status === 'frozen')?.id;
  const asked = { bindings, trade, own, now_ms: actor.now_ms, frozen };
  const standing = await goOn(asked, settled, held);
  if (standing) return standing;
  if (!(await claimReference(bindings, reference, ledgers.buyer))) return usedReference;
  // The seller's ledger would refuse it as well, but only after the USDT was taken.
  if (frozen !== undefined) return explainRefusal({ kind: 'guarded', guard: 'account_frozen' }, trade, frozen);

  const hold = drawHold(trade, [ledgers.buyer, ledgers.seller], actor.now_ms);
  const outcome = await commitHold(own, hold, actor);
  switch (outcome.kind) {
    case 'committed':
      return advanceHold(bindings, hold, actor.now_ms, frozen);
    case 'exists':
    case 'unknown':
      return lookUp(asked);
    case 'overloaded':
      return overloaded;
    case 'floor':
    case 'guarded':
      return explain(outcome, approvalRefusals) ?? explainRefusal(outcome, trade, frozen);
  }
}

const selectStatus = (database: Database, id: string) =>
  database.select({ id: accounts.id, status: accounts.status }).from(accounts).where(eq(accounts.id, id));

function drawHold(trade: Trade, [own, peer]: readonly [buyer: number, seller: number], now_ms: number): HeldTrade {
  return {
    ...trade,
    id: newRecordId(now_ms, own),
    usdtMovement: newRecordId(now_ms, peer),
    coinMovement: newRecordId(now_ms, own),
    status: 'HELD',
  };
}

function commitHold(database: Database, hold: HeldTrade, actor: Actor): Promise<CommitOutcome> {
  const audit = insertAudit(database, actor, 'settle_trade', hold.id, showSettlement(hold));
  return commit(database, [audit, insertHold(database, hold)], [transferOfHold(hold)]);
}

/** The answer where a settlement or a hold stands under the reference: a hold of the same trade is gone on with. */
async function goOn(
  { bindings, trade, now_ms, frozen }: Asked,
  settled: Awaited<ReturnType<typeof selectSettlement>>,
  [hold]: Awaited<ReturnType<typeof selectHoldOf>>,
): Promise<Outcome<Settled> | undefined> {
  const standing = parseSettlement(settled) ?? hold;
  if (!standing) return undefined;
  const same = repeat(standing, trade);
  return same.ok && standing === hold ? advanceHold(bindings, hold, now_ms, frozen) : same;
}

/** Reads what stands under the reference, after D1 reported that something does, or did not say whether it wrote. */
async function lookUp(asked: Asked): Promise<Outcome<Settled>> {
  const { reference } = asked.trade;
  try {
    const database = asked.own;
    const [settled, held] = await database.batch([
      selectSettlement(database, reference),
      selectHoldOf(database, reference),
    ]);
    return (await goOn(asked, settled, held)) ?? describeUnknown(asked.trade);
  } catch (error) {
    logFault('settlement_unreadable', { reference, error: describeError(error) });
    return describeUnknown(asked.trade);
  }
}

import type { LedgerBindings } from '../../platform/bindings.ts';
import { describeError, logFault } from '../../platform/log.ts';
import { type Outcome, type Refusal, accept } from '../../http/refusal.ts';
import { type CommitOutcome, commit } from '../../ledger/commit.ts';
import type { Database } from '../../ledger/database.ts';
import { ledgerOf } from '../../ledger/ledgers.ts';
import { type Movement, transferOfHalf } from '../../ledger/movements/movement.ts';
import { refuseMovement } from '../../ledger/movements/refuse-movement.ts';
import { ledgerNumberOf, timeOfRecord } from '../../ledger/record-id.ts';
import { settlements } from '../../ledger/schema.ts';
import { house, nextTransfer } from '../../ledger/transfers.ts';
import { QUOTE_ASSET } from '../../money/assets.ts';
import { describeUnknown, explainRefusal, notDelivered } from './explain-settlement.ts';
import { type HeldTrade, endHold, readHold, transferOfHold } from './settlement-hold.ts';
import type { Settled, SettledTrade } from './settlement.ts';

/** A trade is delivered within this time or not at all: statements look for a record's transfers a day from its id. */
const DELIVERED_WITHIN_MS = 82_800_000;

const tooLate = { kind: 'guarded', guard: 'movement_refused' } as const;

/**
 * Delivers a held trade in the seller's ledger, and then pays for it, or returns what was held. Repeating it is safe.
 * Returns the refusal of the seller's ledger, and `outcome_unknown` as long as a database does not answer. `frozen` is the
 * account of the trade that was seen frozen, for the refusal's text. Never rejects.
 */
export async function advanceHold(
  bindings: LedgerBindings,
  hold: HeldTrade,
  now_ms: number,
  frozen?: string,
): Promise<Outcome<Settled>> {
  try {
    const peer = ledgerOf(bindings, hold.usdtMovement);
    const isInTime = now_ms - timeOfRecord(hold.id) < DELIVERED_WITHIN_MS;
    const delivered = isInTime ? await deliver(peer, hold) : tooLate;
    switch (delivered.kind) {
      case 'committed':
      case 'exists':
        return await finish(bindings, hold);
      case 'overloaded':
      case 'unknown':
        return describeUnknown(hold);
      case 'floor':
      case 'guarded': {
        const arrival = await refuseMovement(peer, hold.usdtMovement);
        if (arrival === 'arrived') return await finish(bindings, hold);
        if (arrival === 'absent') return describeUnknown(hold);
        await giveBack(bindings, hold);
        return explainDelivery(delivered, hold, frozen);
      }
    }
  } catch (error) {
    logFault('settlement_not_advanced', { settlementId: hold.id, error: describeError(error) });
    return describeUnknown(hold);
  }
}

/** Writes the seller's row, whose trigger brings the USDT in and takes the coin out. From then on the trade is made. */
function deliver(database: Database, hold: HeldTrade): Promise<CommitOutcome> {
  const { buyer, seller, status: _status, ...terms } = hold;
  const row = database
    .insert(settlements)
    .values({ ...terms, accountId: seller, type: 'P2P_SELL', counterparty: buyer, firstTransfer: nextTransfer() });
  const { usdt, coins } = movementsOf(hold);
  return commit(database, [row], [transferOfHalf(usdt, 'IN', seller), transferOfHalf(coins, 'OUT', seller)]);
}

async function finish(bindings: LedgerBindings, hold: HeldTrade): Promise<Outcome<Settled>> {
  if (!(await payHold(bindings, hold))) return describeUnknown(hold);
  const { usdtMovement: _usdt, coinMovement: _coins, status: _status, ...settlement } = hold;
  return accept({ settlement: settlement satisfies SettledTrade, isNew: true });
}

/**
 * Pays for a trade that the seller's ledger has delivered: writes the buyer's row, whose trigger takes the USDT out and
 * brings the coin in. Returns whether it is known to be paid. Throws when D1 fails after the write, and when the buyer's
 * ledger refuses, which is a bug: nothing may stop a delivered trade.
 */
export async function payHold(bindings: LedgerBindings, hold: HeldTrade): Promise<boolean> {
  const database = ledgerOf(bindings, hold.id);
  const { usdt, coins } = movementsOf(hold);
  const transfers = [transferOfHalf(usdt, 'OUT', house.payouts), transferOfHalf(coins, 'IN', hold.buyer)];
  const outcome = await commit(database, [endHold(database, hold, 'PAID')], transfers);
  if (outcome.kind === 'committed') return true;
  if ((await readHold(database, hold.id))?.status === 'PAID') return true;
  if (outcome.kind === 'overloaded' || outcome.kind === 'unknown') return false;
  throw new Error(`the delivered trade ${hold.id} was not paid: ${outcome.kind}`);
}

/**
 * Returns what was held, once. If D1 does not confirm it, the keeper does it again: the refusal stands in the seller's
 * ledger.
 */
async function giveBack(bindings: LedgerBindings, hold: HeldTrade): Promise<void> {
  const database = ledgerOf(bindings, hold.id);
  const { debit, credit, ...moved } = transferOfHold(hold);
  const returned = { ...moved, debit: credit, credit: debit };
  const outcome = await commit(database, [endHold(database, hold, 'RETURNED')], [returned]);
  // A guard says that it was returned before.
  if (outcome.kind === 'committed' || outcome.kind === 'guarded') return;
  logFault('hold_not_returned', { settlementId: hold.id, outcome: outcome.kind });
}

/** Where the movement was refused before, the reason is not known any more. */
function explainDelivery(
  refusal: Extract<CommitOutcome, { kind: 'floor' | 'guarded' }>,
  hold: HeldTrade,
  frozen: string | undefined,
): Refusal {
  if (refusal.kind === 'guarded' && refusal.guard === 'movement_refused') return notDelivered;
  return explainRefusal(refusal, hold, frozen);
}

function movementsOf(hold: HeldTrade): { readonly usdt: Movement; readonly coins: Movement } {
  const [buyers, sellers] = [ledgerNumberOf(hold.coinMovement), ledgerNumberOf(hold.usdtMovement)];
  return {
    usdt: { id: hold.usdtMovement, asset: QUOTE_ASSET, amount: hold.usdtAmount, from: buyers, to: sellers },
    coins: { id: hold.coinMovement, asset: hold.coin, amount: hold.coinAmount, from: sellers, to: buyers },
  };
}

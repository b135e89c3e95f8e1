import type { LedgerBindings } from '../platform/bindings.ts';
import type { CommitOutcome } from '../ledger/commit.ts';
import { ledgerOf } from '../ledger/ledgers.ts';
import type { FinishMovement, KnownHalf } from '../ledger/movements/check-movements.ts';
import { moveInventory } from '../ledger/movements/movement.ts';
import { payHold } from '../trade/settlements/advance-hold.ts';
import { readHold } from '../trade/settlements/settlement-hold.ts';
import type { Custody } from '../wallet/custody/custody.ts';
import { payOut } from '../wallet/withdrawals/pay-out.ts';
import { findProcessingWithdrawal } from '../wallet/withdrawals/withdrawal.ts';

type Finished = Awaited<ReturnType<FinishMovement>>;

/** Writes the missing half of a movement, of which one ledger has a half. Throws when D1 fails. */
export function finishMovement(bindings: LedgerBindings, custody: Custody, known: KnownHalf): Promise<Finished> {
  switch (known.purpose) {
    case 'INVENTORY':
      return finishInventory(bindings, known);
    case 'WITHDRAWAL':
      return finishWithdrawal(bindings, custody, known);
    case 'SETTLEMENT':
      return finishSettlement(bindings, known);
  }
}

async function finishInventory(bindings: LedgerBindings, known: KnownHalf): Promise<Finished> {
  const { id, half, asset, amount, ledger, peer } = known;
  const [from, to] = half === 'OUT' ? [ledger, peer] : [peer, ledger];
  return readEnd(await moveInventory(bindings, { id, asset, amount, from, to }));
}

function readEnd({ kind }: CommitOutcome): Finished {
  if (kind === 'committed') return 'finished';
  return kind === 'overloaded' || kind === 'unknown' ? 'unknown' : 'refused';
}

/** The in half of a withdrawal comes first, and its ledger has it: then the withdrawal is paid. */
async function finishWithdrawal(ledgers: LedgerBindings, custody: Custody, { recordId }: KnownHalf): Promise<Finished> {
  const database = ledgerOf(ledgers, recordId ?? '');
  const row = await findProcessingWithdrawal(database, recordId ?? '');
  if (!row) return 'refused';
  const { status } = await payOut({ database, ledgers, custody, now: () => Date.now() }, row, false);
  return status === 'PROCESSING' ? 'unknown' : 'finished';
}

/** The seller's ledger has delivered: then the buyer's, which made the settlement's id, pays. */
async function finishSettlement(bindings: LedgerBindings, { recordId }: KnownHalf): Promise<Finished> {
  const hold = await readHold(ledgerOf(bindings, recordId ?? ''), recordId ?? '');
  if (hold?.status !== 'HELD') return 'refused';
  return (await payHold(bindings, hold)) ? 'finished' : 'unknown';
}

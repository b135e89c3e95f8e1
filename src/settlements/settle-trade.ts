import { inArray } from 'drizzle-orm';
import type { LedgerBindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';
import { type Outcome, type Refusal, accept, overloaded, refuse } from '../http/answer.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { type CommitOutcome, commit } from '../db/commit.ts';
import { type Database, directoryOf, findLedger } from '../db/database.ts';
import { claimNames } from '../db/directory.ts';
import { ledgerNumberOf, newRecordId } from '../db/record-id.ts';
import { accounts, settlements } from '../db/schema.ts';
import { type Transfer, house, nextTransfer } from '../db/transfers.ts';
import { approvalRefusals, explain } from '../db/explain.ts';
import { QUOTE_ASSET } from '../money/assets.ts';
import { type CreateSettlement, readTrade, refuseAccount } from './create-settlement.ts';
import {
  type Settled,
  type SettledTrade,
  type Trade,
  accountsOf,
  parseSettlement,
  selectSettlement,
  showSettlement,
} from './settlement.ts';
import { houseIsFull } from '../orders/batches.ts';
import { tradingHalted } from '../orders/plan.ts';

/**
 * Settles a trade at the amounts that its parties agreed on: USDT from buyer to seller, the coin from seller to buyer,
 * in one batch, once per reference; the same trade again is returned as it is. The reference is claimed in the
 * directory first, so that it is settled in one ledger only. The price is the operator's responsibility and is not
 * compared with the market. Refuses, in this order, with what `readTrade` refuses, `not_found`, `invalid_state` for
 * accounts of two ledgers and when the reference belongs to another trade, and, decided by the database in the batch
 * itself, `account_frozen`, `trading_halted`, `insufficient_balance`, `order_rejected` at the house's floor; with
 * `service_unavailable` when D1 was overloaded and nothing happened, and `outcome_unknown` when D1 does not say: repeat
 * the call to find out. Throws when D1 fails before anything was written.
 */
export async function settleTrade(
  bindings: LedgerBindings,
  wanted: CreateSettlement,
  actor: Actor,
): Promise<Outcome<Settled>> {
  const trade = readTrade(wanted);
  if (!trade.ok) return trade;
  const parties = accountsOf(trade.value);
  const [first = '', second = first] = parties;
  const [ledger, other] = [ledgerNumberOf(first), ledgerNumberOf(second)];
  const database = findLedger(bindings, first);
  if (!database) return refuseAccount(first);
  if (!findLedger(bindings, second)) return refuseAccount(second);
  if (ledger !== other) return ofTwoLedgers;
  const [known, earlier] = await database.batch([
    database.select({ id: accounts.id, status: accounts.status }).from(accounts).where(inArray(accounts.id, parties)),
    selectSettlement(database, trade.value.reference),
  ]);
  const missing = parties.find((account) => !known.some(({ id }) => id === account));
  if (missing !== undefined) return refuseAccount(missing);
  const standing = parseSettlement(earlier);
  if (standing) return repeat(standing, trade.value);

  const claim = { kind: 'settlement', name: trade.value.reference, holder: String(ledger) } as const;
  const [holder] = await claimNames(directoryOf(bindings), [claim]);
  if (holder !== claim.holder) return usedReference;
  const settlement: SettledTrade = { id: newRecordId(actor.now_ms, ledger), ...trade.value };
  const outcome = await commitSettlement(database, settlement, actor);
  switch (outcome.kind) {
    case 'committed':
      return accept({ settlement, isNew: true });
    case 'exists':
      return lookUp(database, settlement, usedReference);
    case 'unknown':
      return lookUp(database, settlement, describeUnknown(settlement));
    case 'overloaded':
      return overloaded;
    case 'floor':
    case 'guarded': {
      const refusal = explain(outcome, approvalRefusals);
      if (refusal) return refusal;
      const frozen = known.find(({ status }) => status === 'frozen')?.id;
      return explainRefusal(outcome, settlement, frozen);
    }
  }
}

const ofTwoLedgers = refuse(
  'invalid_state',
  'The accounts are in two ledgers. Settle between accounts of one, or pay one to the other by withdrawals.',
);

/** Writes the row of each account that takes part, and the two transfers, in one batch with the audit's row. */
function commitSettlement(database: Database, settlement: SettledTrade, actor: Actor): Promise<CommitOutcome> {
  const { buyer, seller, coin, coinAmount, usdtAmount } = settlement;
  const common = { kind: 'settlement', reference: settlement.id } as const;
  const record = database.insert(settlements).values(toRow(settlement));
  const audit = insertAudit(database, actor, 'settle_trade', settlement.id, showSettlement(settlement));
  const transfers: Transfer[] = [
    { ...common, debit: buyer, credit: seller, asset: QUOTE_ASSET, amount: usdtAmount },
    { ...common, debit: seller, credit: buyer, asset: coin, amount: coinAmount },
  ];
  return commit(database, [audit, record], transfers);
}

/**
 * The row of the buyer, or of the one account that trades with the house. From a buyer's row the database makes the
 * seller's.
 */
function toRow({ buyer, seller, ...terms }: SettledTrade) {
  const common = { ...terms, firstTransfer: nextTransfer() };
  return buyer === house.liquidity
    ? { ...common, accountId: seller, counterparty: buyer, type: 'QUICK_SELL' as const }
    : {
        ...common,
        accountId: buyer,
        counterparty: seller,
        type: seller === house.liquidity ? ('QUICK_BUY' as const) : ('P2P_BUY' as const),
      };
}

/**
 * Reads the settlement of the reference, after D1 reported that it exists or the outcome of the batch is unknown.
 * Returns `absent` where there is none.
 */
async function lookUp(database: Database, settlement: SettledTrade, absent: Refusal): Promise<Outcome<Settled>> {
  return tryOrLog('settlement_unreadable', { settlementId: settlement.id }, describeUnknown(settlement), async () => {
    const landed = parseSettlement(await selectSettlement(database, settlement.reference));
    if (!landed) return absent;
    return landed.id === settlement.id ? accept({ settlement, isNew: true }) : repeat(landed, settlement);
  });
}

const terms = ['buyer', 'seller', 'coin', 'coinAmount', 'usdtAmount'] as const;

/** The answer where a settlement stands under the reference: itself if it is the same trade. */
function repeat(standing: SettledTrade, wanted: Trade): Outcome<Settled> {
  if (terms.every((term) => standing[term] === wanted[term])) return accept({ settlement: standing, isNew: false });
  return usedReference;
}

const usedReference = refuse('invalid_state', 'Another trade was settled under this reference. Use a new one.');

/** Why the database refused a settlement. `frozen` is the account of the trade that was seen frozen. */
function explainRefusal(
  refusal: Extract<CommitOutcome, { kind: 'floor' | 'guarded' }>,
  trade: Trade,
  frozen: string | undefined,
): Refusal {
  if (refusal.kind === 'floor') {
    if (refusal.account === house.liquidity) return houseIsFull;
    const party = refusal.account === trade.buyer ? 'buyer' : 'seller';
    const detail = `The balance of ${refusal.asset} of the ${party}, account ${refusal.account}, is too small.`;
    return refuse('insufficient_balance', detail);
  }
  // The database checks one party after the other, so it finds a halt before it finds a frozen seller.
  const isFrozen = refusal.guard === 'trading_halted' && frozen !== undefined;
  if (refusal.guard === 'account_frozen' || isFrozen) {
    const whose = frozen === undefined ? 'An account of this trade' : `The account ${frozen}`;
    return refuse('account_frozen', `${whose} is frozen; nothing is settled for it.`);
  }
  if (refusal.guard === 'trading_halted') return tradingHalted;
  throw new Error(`a settlement met the guard ${refusal.guard}`);
}

function describeUnknown({ reference }: Trade) {
  return refuse(
    'outcome_unknown',
    'It is not known yet whether the trade was settled. Send it again with the same reference.',
    { retryAfterSeconds: 1, members: { reference } },
  );
}

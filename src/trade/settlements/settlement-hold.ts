import { and, asc, eq, lt, sql } from 'drizzle-orm';
import type { Database } from '../../ledger/database.ts';
import { lowestRecordId } from '../../ledger/record-id.ts';
import { exactly, settlementHolds } from '../../ledger/schema.ts';
import { type Transfer, house, nextTransfer } from '../../ledger/transfers.ts';
import { QUOTE_ASSET } from '../../money/assets.ts';
import type { SettledTrade } from './settlement.ts';

/** A trade between accounts of two ledgers, for which the buyer's ledger has taken the USDT out of the buyer's balance. */
export interface HeldTrade extends SettledTrade {
  /** The ids of the movements of the USDT and of the coin, each made for the ledger that it goes to. */
  readonly usdtMovement: string;
  readonly coinMovement: string;
  readonly status: 'HELD' | 'PAID' | 'RETURNED';
}

const columns = {
  id: settlementHolds.id,
  buyer: settlementHolds.accountId,
  seller: settlementHolds.counterparty,
  coin: settlementHolds.coin,
  coinAmount: exactly(settlementHolds.coinAmount),
  usdtAmount: exactly(settlementHolds.usdtAmount),
  reference: settlementHolds.reference,
  usdtMovement: settlementHolds.usdtMovement,
  coinMovement: settlementHolds.coinMovement,
  status: settlementHolds.status,
};

/** The statement that takes the USDT of a trade. */
export function insertHold(database: Database, { buyer, seller, ...hold }: HeldTrade) {
  return database
    .insert(settlementHolds)
    .values({ ...hold, accountId: buyer, counterparty: seller, takenTransfer: nextTransfer() });
}

/** The transfer that takes the USDT. */
export function transferOfHold({ id, buyer, usdtAmount }: HeldTrade): Transfer {
  const parties = { debit: buyer, credit: house.payouts };
  return { ...parties, asset: QUOTE_ASSET, amount: usdtAmount, kind: 'hold', reference: id };
}

/** The statement that ends a hold. The database refuses it for one that has ended. */
export function endHold(database: Database, { buyer, id }: HeldTrade, status: 'PAID' | 'RETURNED') {
  return database
    .update(settlementHolds)
    .set({ status, ...(status === 'RETURNED' && { returnedTransfer: nextTransfer() }) })
    .where(and(eq(settlementHolds.accountId, buyer), eq(settlementHolds.id, id)));
}

/** The query of the hold that stands under a reference, for a batch. */
export function selectHoldOf(database: Database, reference: string) {
  // Written out as in the index of references: SQLite would not use that index for a bound parameter.
  const stands = sql`${settlementHolds.status} <> 'RETURNED'`;
  return database
    .select(columns)
    .from(settlementHolds)
    .where(and(eq(settlementHolds.reference, reference), stands));
}

/** A hold by the id of its settlement. Throws when D1 fails. */
export async function readHold(database: Database, id: string): Promise<HeldTrade | undefined> {
  const [row] = await database.select(columns).from(settlementHolds).where(eq(settlementHolds.id, id));
  return row;
}

/** At most `count` holds that were made before a time and have not ended, the oldest first. Throws when D1 fails. */
export function listOpenHolds(database: Database, before_ms: number, count: number): Promise<HeldTrade[]> {
  return (
    database
      .select(columns)
      .from(settlementHolds)
      // The condition of the index, word for word.
      .where(and(sql`status = 'HELD'`, lt(settlementHolds.id, lowestRecordId(before_ms))))
      .orderBy(asc(settlementHolds.id))
      .limit(count)
  );
}

import { z } from '@hono/zod-openapi';
import { type SQL, and, asc, desc, eq, gt, lt, sql } from 'drizzle-orm';
import { type Answer, answerJson } from '../http/answer.ts';
import { ListQuery } from '../http/list.ts';
import { ClientOrderId, Decimal, Id, Timestamp } from '../http/wire-types.ts';
import { AssetFilter, type RecordList, TimeSpan, isListed } from '../db/record-list.ts';
import type { Database } from '../db/database.ts';
import { timestampOfRecord } from '../db/record-id.ts';
import { columnsOf, withdrawals } from '../db/schema.ts';
import { type Transfer, house } from '../db/transfers.ts';
import { scaleOf } from '../money/assets.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';

export const KeyId = Id.nullable().openapi({
  description: 'The API key that asked for it; null where none was recorded',
  example: '01a1e03f-2b17-7000-9c2e-5f0d8a61c7b3',
});

export const FailureReason = z.enum(['rejected', 'refused', 'settled']).nullable().openapi({
  description:
    'Why it is FAILED, else null: the operator’s review rejected it, the custodian refused it, or the operator settled it by hand',
  example: null,
});

/** The fields of a withdrawal for its holder and the operator. */
export const WithdrawalBase = z.object({
  id: Id,
  ts: Timestamp,
  status: z
    .enum(['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'])
    .openapi({ description: 'Waits for a review; with the custodian; paid; money back', example: 'COMPLETED' }),
  txHash: z.string().nullable().openapi({
    description: 'null until broadcast, and for one inside the exchange',
    example: '7c2b9a0de1c94d6c0f6f0a3ac4f4c9ad0e6b7d3d5c1e8f90a1b2c3d4e5f60718',
  }),
  fee: Decimal.openapi({ description: 'Charged on top of the amount', example: '1' }),
  amount: Decimal.openapi({ description: 'What the address receives', example: '50' }),
  asset: z.string().openapi({ description: 'Asset symbol', example: 'USDT' }),
  network: z.string().openapi({ example: 'TRC20' }),
  address: z.string().openapi({ description: 'In its canonical form', example: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' }),
  keyId: KeyId,
  note: z.string().nullable().openapi({
    description: 'What the exchange told the holder about a rejection, else null',
    example: null,
  }),
  clientOrderId: ClientOrderId.optional(),
});

/** A withdrawal on the wire (spec, "Withdrawal"). */
export const Withdrawal = WithdrawalBase.extend({ reason: FailureReason }).openapi('Withdrawal');

export type Withdrawal = z.output<typeof Withdrawal>;

/** A row of `withdrawals` without what only its batch writes. */
export type WithdrawalRow = Omit<
  typeof withdrawals.$inferSelect,
  | 'totpStep'
  | 'allowlistRequired'
  | 'dailyLimit'
  | 'asks'
  | 'nextAskAt'
  | 'takenTransfer'
  | 'paidTransfer'
  | 'returnedTransfer'
  | 'claimedBy'
  | 'claimedAt'
>;

/** Shows a withdrawal; its time is that of its id. */
export function showWithdrawal(row: WithdrawalRow): Withdrawal {
  return {
    id: row.id,
    ts: timestampOfRecord(row.id),
    status: row.status,
    txHash: row.txHash,
    fee: formatAmount(row.fee, scaleOf(row.asset)),
    amount: formatAmount(row.amount, scaleOf(row.asset)),
    asset: row.asset,
    network: row.network,
    address: row.address,
    keyId: row.keyId,
    reason: tellReason(row.reason),
    note: row.note,
    ...(row.clientOrderId !== null && { clientOrderId: row.clientOrderId }),
  };
}

/**
 * Why a withdrawal failed, as one of Bureau's own words. The custodian's text is only for the operator: it may name
 * systems, people or a suspicion that the holder must not know.
 */
export function tellReason(reason: string | null): z.output<typeof FailureReason> {
  if (reason === null || reason === 'rejected' || reason === 'settled') return reason;
  return 'refused';
}

/** The answer to a withdrawal that was accepted: 201, `Location`, and the withdrawal. */
export function answerWithdrawal(row: WithdrawalRow): Answer {
  const headers = { Location: `/api/v1/wallet/withdrawals/${row.id}` };
  return answerJson(201, { withdrawal: showWithdrawal(row) }, headers);
}

export const withdrawalColumns = columnsOf(withdrawals);

export function isRow({ accountId, id }: Pick<WithdrawalRow, 'accountId' | 'id'>) {
  return and(eq(withdrawals.accountId, accountId), eq(withdrawals.id, id));
}

async function findWithdrawal(database: Database, condition: SQL | undefined): Promise<WithdrawalRow | undefined> {
  const [row] = await database.select(withdrawalColumns).from(withdrawals).where(condition);
  return row;
}

/** One withdrawal of an account, or `undefined`. Throws when D1 fails. */
export function readWithdrawal(database: Database, accountId: string, id: string): Promise<WithdrawalRow | undefined> {
  return findWithdrawal(database, isRow({ accountId, id }));
}

/** The id of an account's withdrawal with a name of the client's, or `undefined`. Throws when D1 fails. */
export async function findNamed(database: Database, accountId: string, name: string): Promise<string | undefined> {
  const isNamed = and(eq(withdrawals.accountId, accountId), eq(withdrawals.clientOrderId, name));
  return (await findWithdrawal(database, isNamed))?.id;
}

/** The condition of the index `withdrawals_open`, word for word: otherwise SQLite does not use that index. */
const isOpen = sql`${withdrawals.status} IN ('PENDING', 'PROCESSING')`;

export const isProcessing = and(isOpen, eq(withdrawals.status, 'PROCESSING'));

/**
 * At most `count` withdrawals of all accounts in a state that is open, oldest first, newer than the id `after`, and older
 * than a time if one is given. Without it, rows whose clock ran ahead are listed too.
 */
export function selectOpenWithdrawals(
  database: Database,
  status: 'PENDING' | 'PROCESSING',
  committedBefore_ms: number | null,
  after: string | null,
  count: number,
) {
  const fits = and(
    isOpen,
    eq(withdrawals.status, status),
    committedBefore_ms === null ? undefined : lt(withdrawals.committedAt, committedBefore_ms),
    after === null ? undefined : gt(withdrawals.id, after),
  );
  return database.select(withdrawalColumns).from(withdrawals).where(fits).orderBy(asc(withdrawals.id)).limit(count);
}

/** The age at which the sweep first asks about a withdrawal. Until then the request that made it is still waiting. */
export const FIRST_ASK_MS = 30_000;

/** From then on the pause doubles, up to an hour. */
const ASK_PAUSE_MS = 60_000;
const MAX_ASK_PAUSE_MS = 3_600_000;

/**
 * Takes at most `count` withdrawals that are due to be asked about, the longest due first, and sets when each is due
 * next, in one statement. So two sweeps at once take different ones, and no withdrawal stays at the head of the queue.
 */
export function takeDueWithdrawals(database: Database, now_ms: number, count: number) {
  const pause_ms = sql`min(${MAX_ASK_PAUSE_MS}, ${ASK_PAUSE_MS} << min(${withdrawals.asks}, 6))`;
  // The condition of the index `withdrawals_to_ask` is written out, because SQLite does not see it in a parameter.
  const due = sql`SELECT account_id, id FROM withdrawals WHERE status = 'PROCESSING' AND next_ask_at <= ${now_ms}
    ORDER BY next_ask_at LIMIT ${count}`;
  return database
    .update(withdrawals)
    .set({ asks: sql`${withdrawals.asks} + 1`, nextAskAt: sql`${now_ms} + ${pause_ms}` })
    .where(sql`(account_id, id) IN (${due})`)
    .returning(withdrawalColumns);
}

/** The withdrawal of this id, of any account, while it is with the custodian. Throws when D1 fails. */
export function findProcessingWithdrawal(database: Database, id: string): Promise<WithdrawalRow | undefined> {
  return findWithdrawal(database, and(isProcessing, eq(withdrawals.id, id)));
}

/** The transfer of a part of a withdrawal that was taken, from the house's payouts on. */
export function transferOn({ id, asset }: WithdrawalRow, credit: string, amount: Atoms): Transfer {
  return { debit: house.payouts, credit, asset, amount, kind: 'withdrawal', reference: id };
}

/** The transfer that pays a withdrawal which its own batch completes; none for any other. */
export function payInside(row: WithdrawalRow): Transfer[] {
  return row.status === 'COMPLETED' && row.recipient !== null ? [transferOn(row, row.recipient, row.amount)] : [];
}

export const WithdrawalListQuery = ListQuery.extend({
  ...TimeSpan,
  clientOrderId: ClientOrderId.optional().openapi({ description: 'The one with this name' }),
  asset: AssetFilter,
  type: z
    .enum(['ONCHAIN_WITHDRAWAL', 'INTERNAL_WITHDRAWAL'])
    .optional()
    .openapi({ description: 'Paid on a chain, or to another account of this exchange', example: 'ONCHAIN_WITHDRAWAL' }),
  status: WithdrawalBase.shape.status
    .optional()
    .openapi({ description: 'Withdrawals in this state', example: 'COMPLETED' }),
});

type WithdrawalFilter = Omit<z.output<typeof WithdrawalListQuery>, keyof ListQuery>;

export const withdrawalList: RecordList<'withdrawals', WithdrawalRow, Withdrawal, WithdrawalFilter> = {
  name: 'withdrawals',
  tablesOf: () => [withdrawals],
  listRows: (database, accountId, filter, range, count) =>
    database
      .select(withdrawalColumns)
      .from(withdrawals)
      .where(isListed(withdrawals, accountId, filter, range))
      .orderBy(desc(withdrawals.id))
      .limit(count),
  show: showWithdrawal,
};

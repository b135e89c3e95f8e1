import { z } from '@hono/zod-openapi';
import { and, asc, desc, eq, lt, sql } from 'drizzle-orm';
import { type Answer, answerJson } from '../../http/answer.ts';
import { Decimal, Id, Timestamp } from '../../http/wire-types.ts';
import type { Database } from '../../ledger/database.ts';
import { timestampOfRecord } from '../../ledger/record-id.ts';
import { exactly, withdrawals } from '../../ledger/schema.ts';
import { type Asset, scaleOf } from '../../money/assets.ts';
import { type Atoms, formatAmount } from '../../money/amounts.ts';
import type { Network } from '../../money/networks.ts';

export type WithdrawalStatus = 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'FAILED';

/** A withdrawal on the wire (spec, "Withdrawal"). */
export const Withdrawal = z
  .object({
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
    address: z
      .string()
      .openapi({ description: 'In its canonical form', example: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' }),
  })
  .openapi('Withdrawal');

export type Withdrawal = z.output<typeof Withdrawal>;

/** A withdrawal as the ledger has it. */
export interface WithdrawalRow {
  readonly accountId: string;
  readonly id: string;
  readonly type: 'ONCHAIN_WITHDRAWAL' | 'INTERNAL_WITHDRAWAL';
  readonly asset: Asset;
  readonly network: Network;
  readonly address: string;
  readonly amount: Atoms;
  readonly fee: Atoms;
  readonly usdValue: Atoms;
  readonly status: WithdrawalStatus;
  readonly committedAt: number;
  readonly txHash: string | null;
  readonly reason: string | null;
}

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
  };
}

/** The answer to a withdrawal that was taken: 201, where it can be read, and the withdrawal. */
export function answerWithdrawal(row: WithdrawalRow): Answer {
  const headers = { Location: `/api/v1/wallet/withdrawals/${row.id}` };
  return answerJson(201, { withdrawal: showWithdrawal(row) }, headers);
}

const columns = {
  accountId: withdrawals.accountId,
  id: withdrawals.id,
  type: withdrawals.type,
  asset: withdrawals.asset,
  network: withdrawals.network,
  address: withdrawals.address,
  amount: exactly(withdrawals.amount),
  fee: exactly(withdrawals.fee),
  usdValue: exactly(withdrawals.usdValue),
  status: withdrawals.status,
  committedAt: withdrawals.committedAt,
  txHash: withdrawals.txHash,
  reason: withdrawals.reason,
};

/** One withdrawal of an account, or `undefined`. Throws when D1 fails. */
export async function readWithdrawal(
  database: Database,
  accountId: string,
  id: string,
): Promise<WithdrawalRow | undefined> {
  const [row] = await database
    .select(columns)
    .from(withdrawals)
    .where(and(eq(withdrawals.accountId, accountId), eq(withdrawals.id, id)));
  return row;
}

/** At most `count` withdrawals of an account, newest first, from below the id `before` on. Throws when D1 fails. */
export function listWithdrawals(
  database: Database,
  accountId: string,
  before: string | null,
  count: number,
): Promise<WithdrawalRow[]> {
  return database
    .select(columns)
    .from(withdrawals)
    .where(and(eq(withdrawals.accountId, accountId), before === null ? undefined : lt(withdrawals.id, before)))
    .orderBy(desc(withdrawals.id))
    .limit(count);
}

/** The condition of the index `withdrawals_open`, word for word: SQLite takes that index for nothing else. */
const isOpen = sql`${withdrawals.status} IN ('PENDING', 'PROCESSING')`;

/** At most `count` withdrawals of all accounts in a state that is open, oldest first. Throws when D1 fails. */
export function listOpenWithdrawals(
  database: Database,
  status: 'PENDING' | 'PROCESSING',
  committedBefore_ms: number,
  count: number,
): Promise<WithdrawalRow[]> {
  return database
    .select(columns)
    .from(withdrawals)
    .where(and(isOpen, eq(withdrawals.status, status), lt(withdrawals.committedAt, committedBefore_ms)))
    .orderBy(asc(withdrawals.committedAt))
    .limit(count);
}

import { z } from '@hono/zod-openapi';
import { Decimal, Id, Timestamp } from '../http/wire-types.ts';
import { timestampOfRecord } from '../db/record-id.ts';
import { type Asset, QUOTE_ASSET, scaleOf } from '../money/assets.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';
import { FailureReason, KeyId, tellReason } from '../withdrawals/withdrawal.ts';

/** One line of the activity feed (spec, "Transaction"). */
export const Transaction = z
  .object({
    id: Id.openapi({ description: 'The id of the order, deposit or withdrawal' }),
    ts: Timestamp,
    category: z.enum(['TRADE', 'DEPOSIT', 'WITHDRAWAL', 'P2P', 'QUICK_TRADE']),
    type: z.enum([
      'SPOT_BUY',
      'SPOT_SELL',
      'ONCHAIN_DEPOSIT',
      'INTERNAL_DEPOSIT',
      'ONCHAIN_WITHDRAWAL',
      'INTERNAL_WITHDRAWAL',
      'P2P_BUY',
      'P2P_SELL',
      'QUICK_BUY',
      'QUICK_SELL',
    ]),
    asset: z.string().openapi({ description: 'Asset symbol; for a trade the coin', example: 'BTC' }),
    amount: Decimal.openapi({ description: 'Without any fee', example: '0.002' }),
    fee: Decimal.optional().openapi({
      description: 'The fee of a withdrawal, in its asset, on top of the amount; absent where none was charged',
      example: '1',
    }),
    usdValue: Decimal.openapi({ description: 'At the time of the activity', example: '130' }),
    status: z.enum(['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED']),
    keyId: KeyId.openapi({ description: 'The API key that placed the order or requested the withdrawal; else null' }),
    reason: FailureReason.openapi({ description: 'Why a withdrawal FAILED; else null' }),
  })
  .openapi('Transaction');

export type Transaction = z.output<typeof Transaction>;

export interface TransactionRow {
  readonly id: string;
  readonly category: Transaction['category'];
  readonly type: Transaction['type'];
  readonly asset: Asset;
  readonly amount: Atoms;
  /** Zero where there is none. */
  readonly fee: Atoms;
  readonly usdValue: Atoms;
  readonly status: Transaction['status'];
  readonly keyId: string | null;
  readonly reason: string | null;
}

/** Shows one line of the feed. Amounts are positive; the type gives the direction. */
export function showTransaction(row: TransactionRow): Transaction {
  return {
    id: row.id,
    ts: timestampOfRecord(row.id),
    category: row.category,
    type: row.type,
    asset: row.asset,
    amount: formatAmount(row.amount, scaleOf(row.asset)),
    // The fee of a withdrawal that FAILED was given back.
    ...(row.fee > 0n && row.status !== 'FAILED' && { fee: formatAmount(row.fee, scaleOf(row.asset)) }),
    usdValue: formatAmount(row.usdValue, scaleOf(QUOTE_ASSET)),
    status: row.status,
    keyId: row.keyId,
    reason: tellReason(row.reason),
  };
}

import { z } from '@hono/zod-openapi';
import { Decimal, Id, Timestamp, showTime } from '../http/wire-types.ts';
import { showUsdt } from '../money/assets.ts';
import { WithdrawalBase, type WithdrawalRow, showWithdrawal } from './withdrawal.ts';

export const OperatorWithdrawal = WithdrawalBase.extend({
  accountId: Id,
  type: z.enum(['ONCHAIN_WITHDRAWAL', 'INTERNAL_WITHDRAWAL']),
  usdValue: Decimal.openapi({ description: 'At the time of the request', example: '50' }),
  committedAt: Timestamp,
  reason: z
    .string()
    .nullable()
    .openapi({ description: 'Why it failed; the custodian’s own words if it refused', example: 'rejected' }),
  held: z
    .object({ reason: z.string(), since: Timestamp })
    .nullable()
    .openapi({
      description:
        'What the custodian waits for before it pays, in its own words, and since when Bureau knows it; null when it does not wait. hot_wallet_low: its hot wallet needs coins',
      example: { reason: 'hot_wallet_low', since: '2026-11-21T12:00:00.000Z' },
    }),
}).openapi('OperatorWithdrawal');

export type OperatorWithdrawal = z.output<typeof OperatorWithdrawal>;

export function showToOperator(row: WithdrawalRow): OperatorWithdrawal {
  return {
    ...showWithdrawal(row),
    accountId: row.accountId,
    type: row.type,
    usdValue: showUsdt(row.usdValue),
    committedAt: showTime(row.committedAt),
    reason: row.reason,
    held:
      row.heldReason === null || row.heldSince === null
        ? null
        : { reason: row.heldReason, since: showTime(row.heldSince) },
  };
}

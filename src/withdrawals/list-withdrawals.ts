import { z } from '@hono/zod-openapi';
import { and, desc, eq } from 'drizzle-orm';
import { ListQuery } from '../http/list.ts';
import type { Database } from '../db/database.ts';
import { AssetFilter, type IdRange, type RecordList, TimeSpan, isWithin } from '../db/record-list.ts';
import { withdrawals } from '../db/schema.ts';
import { type Withdrawal, type WithdrawalRow, showWithdrawal, withdrawalColumns } from './withdrawal.ts';

export const WithdrawalListQuery = ListQuery.extend({
  ...TimeSpan,
  asset: AssetFilter,
  type: z
    .enum(['ONCHAIN_WITHDRAWAL', 'INTERNAL_WITHDRAWAL'])
    .optional()
    .openapi({ description: 'Paid on a chain, or to another account of this exchange', example: 'ONCHAIN_WITHDRAWAL' }),
  status: z
    .enum(['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'])
    .optional()
    .openapi({ description: 'Withdrawals in this state', example: 'COMPLETED' }),
});

type WithdrawalFilter = Omit<z.output<typeof WithdrawalListQuery>, keyof ListQuery>;

/** At most `count` withdrawals of an account that fit, newest first. Throws when D1 fails. */
function listWithdrawals(
  database: Database,
  accountId: string,
  { asset, type, status }: WithdrawalFilter,
  range: IdRange,
  count: number,
): Promise<WithdrawalRow[]> {
  return database
    .select(withdrawalColumns)
    .from(withdrawals)
    .where(
      and(
        eq(withdrawals.accountId, accountId),
        isWithin(withdrawals.id, range),
        asset && eq(withdrawals.asset, asset),
        type && eq(withdrawals.type, type),
        status && eq(withdrawals.status, status),
      ),
    )
    .orderBy(desc(withdrawals.id))
    .limit(count);
}

export const withdrawalList: RecordList<'withdrawals', WithdrawalRow, Withdrawal, WithdrawalFilter> = {
  name: 'withdrawals',
  tablesOf: () => [withdrawals],
  listRows: listWithdrawals,
  show: showWithdrawal,
};

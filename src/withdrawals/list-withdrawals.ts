import { z } from '@hono/zod-openapi';
import { desc } from 'drizzle-orm';
import { ListQuery } from '../http/list.ts';
import { AssetFilter, type RecordList, TimeSpan, isListed } from '../db/record-list.ts';
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

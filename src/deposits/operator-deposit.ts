import { z } from '@hono/zod-openapi';
import { type SQL, and, asc, eq, gt, sql } from 'drizzle-orm';
import { Id } from '../http/wire-types.ts';
import type { Database } from '../db/database.ts';
import { deposits } from '../db/schema.ts';
import { DepositBase, showDepositBase } from './account-deposit.ts';
import { isCreditable, isKeepable } from './decide-quarantine.ts';
import { type DepositRow, UNOWNED, depositColumns, quarantineDecisions, quarantineReasons } from './deposit.ts';

export const OperatorDeposit = DepositBase.extend({
  status: z.enum(['PENDING', 'COMPLETED', 'FAILED', 'QUARANTINED']),
  accountId: Id.nullable().openapi({ description: 'null when the address belongs to nobody here' }),
  exactAmount: z.string().nullable().openapi({
    description: 'Exactly what the chain moved; null for an internal deposit',
    example: '0.500000000000000001',
  }),
  outputIndex: z.number().int().nullable().openapi({ description: 'null for an internal deposit', example: 0 }),
  reason: z.enum(quarantineReasons).nullable().openapi({ description: 'Why it is quarantined', example: null }),
  remedies: z.array(z.enum(['raise_supply_cap', 'credit', 'keep'])).openapi({
    description:
      'What can be done with a quarantined deposit. raise_supply_cap: once the cap is high enough, the same report credits it. credit: to an account. keep: it stays in custody and is owed to nobody',
    example: [],
  }),
  decision: z.enum(quarantineDecisions).nullable().openapi({
    description: 'What became of a quarantined deposit; null while nobody has decided',
    example: null,
  }),
  creditAccountId: Id.nullable().openapi({
    description: 'The account that a quarantined deposit was credited to, else null',
    example: null,
  }),
  creditId: Id.nullable().openapi({
    description: 'The internal deposit by which that account received it, else null',
    example: null,
  }),
  reference: z
    .string()
    .nullable()
    .openapi({ description: 'The operator’s own name of a credit by hand, else null', example: null }),
  withdrawalId: Id.nullable().openapi({
    description: 'The withdrawal of another account that it was paid by, else null',
    example: null,
  }),
}).openapi('OperatorDeposit');

export type OperatorDeposit = z.output<typeof OperatorDeposit>;

export function showDepositToOperator(row: DepositRow): OperatorDeposit {
  return {
    ...showDepositBase(row),
    status: row.status,
    accountId: row.accountId === UNOWNED ? null : row.accountId,
    exactAmount: row.exactAmount,
    outputIndex: row.outputIndex,
    reason: row.reason,
    remedies: remediesOf(row),
    decision: row.decision,
    creditAccountId: row.creditAccount,
    creditId: row.creditId,
    reference: row.reference,
    withdrawalId: row.withdrawalId,
  };
}

function remediesOf(row: DepositRow): OperatorDeposit['remedies'] {
  return [
    ...(row.reason === 'supply_cap' && row.decision === null ? (['raise_supply_cap'] as const) : []),
    ...(isCreditable(row) ? (['credit'] as const) : []),
    ...(isKeepable(row) ? (['keep'] as const) : []),
  ];
}

/** The condition of the index `deposits_open`, word for word: otherwise SQLite does not use that index. */
const isOpen = sql`${deposits.status} IN ('PENDING', 'QUARANTINED') AND ${deposits.reason} IS NOT 'below_minimum' AND ${deposits.decision} IS NULL`;

/** At most `count` deposits of all accounts in a state that is open, oldest first, newer than the id `after`. */
export function selectOpenDeposits(
  database: Database,
  status: 'PENDING' | 'QUARANTINED',
  after: string | null,
  count: number,
): Promise<DepositRow[]> {
  return selectOldest(database, and(isOpen, eq(deposits.status, status)), after, count);
}

/** At most `count` quarantined deposits with this decision, oldest first, newer than the id `after`. */
export function selectDecidedDeposits(
  database: Database,
  decision: NonNullable<DepositRow['decision']>,
  after: string | null,
  count: number,
): Promise<DepositRow[]> {
  return selectOldest(database, eq(deposits.decision, decision), after, count);
}

function selectOldest(database: Database, condition: SQL | undefined, after: string | null, count: number) {
  const fits = and(condition, after === null ? undefined : gt(deposits.id, after));
  return database.select(depositColumns).from(deposits).where(fits).orderBy(asc(deposits.id)).limit(count);
}

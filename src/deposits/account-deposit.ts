import { z } from '@hono/zod-openapi';
import { type SQL, and, desc, eq, ne, sql } from 'drizzle-orm';
import { ListQuery } from '../http/list.ts';
import { Decimal, Id, Timestamp } from '../http/wire-types.ts';
import type { Database } from '../db/database.ts';
import { timestampOfRecord } from '../db/record-id.ts';
import { AssetFilter, type IdRange, type RecordList, TimeSpan, isListed } from '../db/record-list.ts';
import { deposits } from '../db/schema.ts';
import { QUOTE_ASSET, assets, scaleOf } from '../money/assets.ts';
import { formatAmount } from '../money/amounts.ts';
import { type DepositRow, depositColumns, findDeposit, isAsset, isDeposit, isOutput } from './deposit.ts';

/** The fields of a deposit for its holder and the operator. */
export const DepositBase = z.object({
  id: Id,
  ts: Timestamp,
  type: z
    .enum(['ONCHAIN_DEPOSIT', 'INTERNAL_DEPOSIT'])
    .openapi({ description: 'From a chain; or a credit, or a payment from another account of this exchange' }),
  asset: z.string().openapi({ description: 'Asset symbol', example: 'ETH' }),
  amount: Decimal.openapi({ description: 'What the account is credited', example: '0.5' }),
  usdValue: Decimal.openapi({ description: 'At the time of the deposit', example: '1500' }),
  network: z.string().nullable().openapi({ description: 'null for an internal deposit', example: 'ETH' }),
  address: z.string().nullable().openapi({
    description: 'The deposit address that received it; null for an internal deposit',
    example: '0x52908400098527886E0F7030069857D2E4169EE7',
  }),
  txHash: z.string().nullable().openapi({
    description: 'null for an internal deposit',
    example: '0x7c2b9a0de1c94d6c0f6f0a3ac4f4c9ad0e6b7d3d5c1e8f90a1b2c3d4e5f60718',
  }),
  confirmations: z.number().int().nullable().openapi({
    description: 'Those of the report that brought it into its present state; null for an internal deposit',
    example: 32,
  }),
  confirmationsNeeded: z.number().int().nullable().openapi({
    description: 'After which it is credited; null for an internal deposit',
    example: 32,
  }),
});

export const AccountDeposit = DepositBase.extend({
  status: z
    .enum(['PENDING', 'COMPLETED', 'FAILED'])
    .openapi({ description: 'Waits for confirmations; credited; reverted on its chain', example: 'COMPLETED' }),
}).openapi('AccountDeposit');

export type AccountDeposit = z.output<typeof AccountDeposit>;

/** What every reader is shown of a deposit. An asset that is not known here has no scale, and credits nothing. */
export function showDepositBase(row: DepositRow) {
  const listed = isAsset(row.asset) && assets[row.asset].networks.find(({ network }) => network === row.network);
  return {
    id: row.id,
    ts: timestampOfRecord(row.id),
    type: row.type,
    asset: row.asset,
    amount: isAsset(row.asset) ? formatAmount(row.amount, scaleOf(row.asset)) : '0',
    usdValue: formatAmount(row.usdValue, scaleOf(QUOTE_ASSET)),
    network: row.network,
    address: row.address,
    txHash: row.txHash,
    confirmations: row.confirmations,
    confirmationsNeeded: listed ? listed.confirmations : null,
  };
}

/** Shows a deposit to its holder, who is shown none that is quarantined. */
function showAccountDeposit(row: DepositRow): AccountDeposit {
  return { ...showDepositBase(row), status: row.status as AccountDeposit['status'] };
}

export const DepositListQuery = ListQuery.extend({
  ...TimeSpan,
  asset: AssetFilter,
  type: AccountDeposit.shape.type
    .optional()
    .openapi({ description: 'Deposits of this type', example: 'ONCHAIN_DEPOSIT' }),
  status: AccountDeposit.shape.status.optional().openapi({ description: 'Deposits in this state', example: 'PENDING' }),
});

export interface DepositFilter extends Omit<z.output<typeof DepositListQuery>, keyof ListQuery | 'status'> {
  readonly status?: DepositRow['status'] | undefined;
}

/** At most `count` deposits of an account that fit, newest first. Throws when D1 fails. */
export function listDeposits(
  database: Database,
  accountId: string,
  filter: DepositFilter,
  range: IdRange,
  count: number,
  isShown?: SQL,
): Promise<DepositRow[]> {
  const fits = and(isListed(deposits, accountId, filter, range), isShown);
  return database.select(depositColumns).from(deposits).where(fits).orderBy(desc(deposits.id)).limit(count);
}

/** Quarantined deposits are credited to nobody, so no holder is shown them. */
const isCreditable = ne(deposits.status, 'QUARANTINED');

export const depositList: RecordList<'deposits', DepositRow, AccountDeposit, DepositFilter> = {
  name: 'deposits',
  tablesOf: () => [deposits],
  listRows: (database, accountId, filter, range, count) =>
    listDeposits(database, accountId, filter, range, count, isCreditable),
  show: showAccountDeposit,
};

/**
 * The condition that finds a deposit that custody reported by its id: the audit of its first report names its output.
 */
export function isReported(id: string): SQL | undefined {
  const named = (part: 'network' | 'txHash' | 'outputIndex') =>
    sql`(SELECT detail ->> ${part} FROM audit WHERE target = ${id} AND action = 'report_deposit' LIMIT 1)`;
  const output = { network: named('network'), txHash: named('txHash'), outputIndex: named('outputIndex') };
  return and(eq(deposits.id, id), isOutput(deposits, output));
}

/** The deposit of this id that custody reported, whoever it belongs to, or `undefined`. Throws when D1 fails. */
export function readReportedDeposit(database: Database, id: string): Promise<DepositRow | undefined> {
  return findDeposit(database, isReported(id));
}

export const depositRecord = {
  name: 'deposit',
  readRow: (database: Database, accountId: string, id: string): Promise<DepositRow | undefined> =>
    findDeposit(database, and(isDeposit({ accountId, id }), isCreditable)),
  show: showAccountDeposit,
} as const;

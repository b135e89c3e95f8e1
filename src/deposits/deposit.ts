import { z } from '@hono/zod-openapi';
import { type SQL, and, eq } from 'drizzle-orm';
import { Decimal, Id, Timestamp } from '../http/wire-types.ts';
import type { Database } from '../db/database.ts';
import { timestampOfRecord } from '../db/record-id.ts';
import { columnsOf, deposits, type witnessedDeposits } from '../db/schema.ts';
import { type Transfer, house } from '../db/transfers.ts';
import { refuse } from '../http/answer.ts';
import { type Asset, QUOTE_ASSET, assets, scaleOf } from '../money/assets.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';
import type { Network } from '../money/networks.ts';

/** The owner of deposits whose address belongs to nobody here. */
export const UNOWNED = 'house:unowned';

/** Why a deposit is quarantined. Only `supply_cap` is ever tried again. */
export const quarantineReasons = deposits.reason.enumValues;

/** What the operator decided about a quarantined deposit. One that was kept may still be credited later. */
export const quarantineDecisions = deposits.decision.enumValues;

export type DepositRow = typeof deposits.$inferSelect;

type ChainField = 'network' | 'txHash' | 'outputIndex' | 'address' | 'exactAmount' | 'confirmations';

/** A row of `deposits` from a chain, or what is to become one. */
export type ChainDeposit = Omit<typeof deposits.$inferInsert, ChainField | 'type'> & {
  readonly [Field in ChainField]: NonNullable<DepositRow[Field]>;
};

export const Deposit = z
  .object({
    id: Id,
    ts: Timestamp,
    accountId: Id.nullable().openapi({ description: 'null when the address belongs to nobody here' }),
    network: z.string().openapi({ example: 'ETH' }),
    address: z.string().openapi({ example: '0x52908400098527886E0F7030069857D2E4169EE7' }),
    asset: z.string().openapi({ example: 'ETH' }),
    amount: z.string().openapi({ description: 'Exactly what the chain moved', example: '0.500000000000000001' }),
    creditAmount: Decimal.openapi({ description: 'What the account is credited when it completes', example: '0.5' }),
    usdValue: Decimal.openapi({ example: '1500' }),
    txHash: z.string().openapi({
      example: '0x7c2b9a0de1c94d6c0f6f0a3ac4f4c9ad0e6b7d3d5c1e8f90a1b2c3d4e5f60718',
    }),
    outputIndex: z.number().int().openapi({ example: 0 }),
    confirmations: z.number().int().openapi({
      description: 'While it is PENDING, those of this report; then those of the report that ended the wait',
      example: 12,
    }),
    status: z.enum(['PENDING', 'COMPLETED', 'FAILED', 'QUARANTINED']),
    reason: z.enum(quarantineReasons).nullable().openapi({
      description: 'Why it is quarantined',
    }),
    agreedBy: z.number().int().nullable().openapi({
      description: 'How many watchers had reported the same when it was credited: 1 or 2; null before',
      example: 2,
    }),
  })
  .openapi('Deposit');

export type Deposit = z.output<typeof Deposit>;

/** Whether a symbol that custody reported is an asset of this exchange. */
export function isAsset(symbol: string): symbol is Asset {
  return Object.hasOwn(assets, symbol);
}

export function showDeposit(row: ChainDeposit): Deposit {
  return {
    id: row.id,
    ts: timestampOfRecord(row.id),
    accountId: row.accountId === UNOWNED ? null : row.accountId,
    network: row.network,
    address: row.address,
    asset: row.asset,
    amount: row.exactAmount,
    creditAmount: isAsset(row.asset) ? formatAmount(row.amount, scaleOf(row.asset)) : '0',
    usdValue: formatAmount(row.usdValue, scaleOf(QUOTE_ASSET)),
    txHash: row.txHash,
    outputIndex: row.outputIndex,
    confirmations: row.confirmations,
    status: row.status,
    reason: row.reason ?? null,
    agreedBy: row.agreedBy ?? null,
  };
}

/** Where a deposit was seen. It is recorded once under this name. */
export interface ChainOutput {
  readonly network: Network;
  readonly txHash: string;
  readonly outputIndex: number;
}

export const depositColumns = columnsOf(deposits);

/** The deposit that meets a condition, or `undefined`. Throws when D1 fails. */
export async function findDeposit(database: Database, condition: SQL | undefined): Promise<DepositRow | undefined> {
  const [row] = await database.select(depositColumns).from(deposits).where(condition);
  return row;
}

export function isDeposit({ accountId, id }: Pick<DepositRow, 'accountId' | 'id'>) {
  return and(eq(deposits.accountId, accountId), eq(deposits.id, id));
}

/** Names an output in a table of outputs. Each part is compared by itself: SQLite would scan for three values in one. */
export function isOutput(
  table: typeof deposits | typeof witnessedDeposits,
  { network, txHash, outputIndex }: { readonly [Part in keyof ChainOutput]: ChainOutput[Part] | SQL },
) {
  return and(eq(table.network, network), eq(table.txHash, txHash), eq(table.outputIndex, outputIndex));
}

/** The deposit of one output of one transaction, or `undefined`. Throws when D1 fails. */
export async function readDeposit(database: Database, output: ChainOutput): Promise<ChainDeposit | undefined> {
  // A row that names an output has all of it: the table's CHECK says so.
  return (await findDeposit(database, isOutput(deposits, output))) as ChainDeposit | undefined;
}

/** The transfer that credits an account from custody, under the id of its deposit. */
export function creditFromCustody(accountId: string, reference: string, asset: Asset, amount: Atoms): Transfer {
  return { debit: house.custody, credit: accountId, asset, amount, kind: 'deposit', reference };
}

/** The refusal of a credit that custody may not owe. */
export function refuseSupply(asset: Asset) {
  return refuse('supply_cap_exceeded', `The credit would pass the most ${asset} that may be owed to clients.`);
}

import { z } from '@hono/zod-openapi';
import { eq, sql } from 'drizzle-orm';
import { Decimal } from '../http/wire-types.ts';
import { type Database, prepareOnce } from '../db/database.ts';
import { balances, exactly } from '../db/schema.ts';
import { type Asset, assetSymbols, scaleOf } from '../money/assets.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';

/** An account's balance of one asset (spec, "Balance"). */
export const Balance = z
  .object({ asset: z.string().openapi({ description: 'Asset symbol', example: 'BTC' }), amount: Decimal })
  .openapi('Balance');

export type Balance = z.output<typeof Balance>;

export const selectBalances = prepareOnce((database) =>
  database
    .select({ asset: balances.asset, amount: exactly(balances.amount) })
    .from(balances)
    .where(eq(balances.account, sql.placeholder('account')))
    .prepare(),
);

/** What an account holds of each asset, in the registry's order, zeros too. Throws when D1 fails. */
export async function readHoldings(
  database: Database,
  accountId: string,
): Promise<{ readonly asset: Asset; readonly amount: Atoms }[]> {
  return listHoldings(await selectBalances(database).all({ account: accountId }));
}

/** The rows of an account's balances, in the registry's order, zeros too. */
export function listHoldings(rows: readonly { readonly asset: string; readonly amount: Atoms }[]) {
  const held = new Map(rows.map((row) => [row.asset, row.amount]));
  return assetSymbols.map((asset) => ({ asset, amount: held.get(asset) ?? 0n }));
}

/** The balances of an account, as its holder sees them. Throws when D1 fails. */
export async function readBalances(database: Database, accountId: string): Promise<Balance[]> {
  const holdings = await readHoldings(database, accountId);
  return holdings.map(showBalance);
}

export function showBalance({ asset, amount }: { readonly asset: Asset; readonly amount: Atoms }): Balance {
  return { asset, amount: formatAmount(amount, scaleOf(asset)) };
}

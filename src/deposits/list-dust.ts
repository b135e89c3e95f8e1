import { z } from '@hono/zod-openapi';
import { gt } from 'drizzle-orm';
import { Decimal } from '../http/wire-types.ts';
import { type Database, listLedgers, openLedger } from '../db/database.ts';
import { columnsOf, dust } from '../db/schema.ts';
import { type Atoms, formatAmount } from '../money/amounts.ts';
import type { LedgerBindings } from '../platform/bindings.ts';

/** The sum of the deposits of an asset on a network that were too small to be credited. */
export const DustSum = z
  .object({
    asset: z.string().openapi({ example: 'USDC' }),
    network: z.string().openapi({ example: 'POLYGON' }),
    deposits: z.number().int().openapi({ description: 'How many', example: 129 }),
    amount: Decimal.openapi({ description: 'Exactly what the chain moved, in the asset', example: '0.000129' }),
  })
  .openapi('DustSum');

export type DustSum = z.output<typeof DustSum>;

/** Decimals of an exact amount; the database keeps them in two parts of nine. */
const DECIMALS = 18;
const BILLION: Atoms = 10n ** 9n;

/**
 * Every asset and network with such deposits, in the order of their names, over all ledgers. Throws when D1 fails in one.
 */
export async function listDust(bindings: LedgerBindings): Promise<DustSum[]> {
  const lists = await Promise.all(listLedgers(bindings).map((ledger) => readDust(openLedger(bindings, ledger))));
  const sums = new Map<string, Awaited<ReturnType<typeof readDust>>[number]>();
  for (const row of lists.flat()) {
    const name = `${row.asset} ${row.network}`;
    const before = sums.get(name) ?? { deposits: 0, exact: 0n };
    sums.set(name, { ...row, deposits: before.deposits + row.deposits, exact: before.exact + row.exact });
  }
  return [...sums]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { exact, ...row }]) => ({ ...row, amount: formatAmount(exact, DECIMALS) }));
}

/** `exact` is in units of the last of the `DECIMALS`. */
async function readDust(database: Database) {
  const rows = await database.select(columnsOf(dust)).from(dust).where(gt(dust.deposits, 0));
  return rows.map(({ units, billionths, quintillionths, ...row }) => ({
    ...row,
    exact: (units * BILLION + billionths) * BILLION + quintillionths,
  }));
}

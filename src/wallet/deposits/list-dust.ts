import { z } from '@hono/zod-openapi';
import { asc, gt } from 'drizzle-orm';
import { Decimal } from '../../http/wire-types.ts';
import type { Database } from '../../ledger/database.ts';
import { dust, exactly } from '../../ledger/schema.ts';
import { type Atoms, formatAmount } from '../../money/amounts.ts';

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

/** Every asset and network with such deposits, in the order of their names. Throws when D1 fails. */
export async function listDust(database: Database): Promise<DustSum[]> {
  const rows = await database
    .select({
      asset: dust.asset,
      network: dust.network,
      deposits: dust.deposits,
      units: exactly(dust.units),
      billionths: exactly(dust.billionths),
      quintillionths: exactly(dust.quintillionths),
    })
    .from(dust)
    .where(gt(dust.deposits, 0))
    .orderBy(asc(dust.asset), asc(dust.network));
  return rows.map(({ asset, network, deposits, units, billionths, quintillionths }) => ({
    asset,
    network,
    deposits,
    amount: formatAmount((units * BILLION + billionths) * BILLION + quintillionths, DECIMALS),
  }));
}

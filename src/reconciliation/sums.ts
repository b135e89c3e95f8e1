import { z } from 'zod';
import { type SumRow, joinParts } from './compose-sums.ts';

/** Sums of transfers by `<account> <asset>`: atoms as text, and the number of the newest transfer. */
export const Sums = z.record(z.string(), z.object({ atoms: z.string(), newest: z.int() }));

export type Sums = z.output<typeof Sums>;

/** Adds the sums of a slice to the sums before it. Pure. */
export function addSums(sums: Sums, rows: readonly SumRow[]): Sums {
  const added = { ...sums };
  for (const { account, asset, high, low, newest } of rows) {
    const before = added[nameOf(account, asset)];
    const atoms = BigInt(before?.atoms ?? 0) + joinParts(high, low);
    added[nameOf(account, asset)] = { atoms: atoms.toString(), newest: Math.max(before?.newest ?? 0, newest) };
  }
  return added;
}

/** A balance as D1 gives it, in atoms. */
export interface BalanceRow {
  readonly account: string;
  readonly asset: string;
  readonly amount: string;
  readonly floor: string;
  readonly lastTransfer: number;
}

/** A balance and the sum of its transfers (`explained`). */
export interface ComparedBalance {
  readonly account: string;
  readonly asset: string;
  /** `null` when transfers name a balance that does not exist. */
  readonly balance: bigint | null;
  readonly floor: bigint;
  readonly lastTransfer: number | null;
  readonly explained: bigint;
  readonly newest: number;
}

/** Pairs each balance with its sum. A balance without transfers and a sum without balance are included. Pure. */
export function compareSums(sums: Sums, rows: readonly BalanceRow[]): ComparedBalance[] {
  const byName = new Map(rows.map((row) => [nameOf(row.account, row.asset), row]));
  const names = new Set([...Object.keys(sums), ...byName.keys()]);
  return [...names].map((name) => {
    const [account = '', asset = ''] = name.split(' ');
    const row = byName.get(name);
    return {
      account,
      asset,
      balance: row ? BigInt(row.amount) : null,
      floor: BigInt(row?.floor ?? 0),
      lastTransfer: row?.lastTransfer ?? null,
      explained: BigInt(sums[name]?.atoms ?? 0),
      newest: sums[name]?.newest ?? 0,
    };
  });
}

function nameOf(account: string, asset: string): string {
  return `${account} ${asset}`;
}

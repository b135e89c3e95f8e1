import { z } from 'zod';
import { type SumRow, joinParts } from './compose-sums.ts';
import type { Differences, Finding, SliceResult } from './invariants.ts';

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

/** A balance of the house, and what its owner brought in of it. */
export interface HouseBalance extends BalanceRow {
  readonly capital: string;
}

/** A balance and the sum of its transfers (`explained`). */
export interface BalanceComparison {
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
export function compareSums(sums: Sums, rows: readonly BalanceRow[]): BalanceComparison[] {
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

/** Compares balances with the sum of their transfers and with their floors. Pure. */
export function judgeBalances(balances: readonly BalanceComparison[]): Pick<SliceResult, 'findings' | 'differences'> {
  const findings: Finding[] = [];
  let differences: Differences = {};
  for (const { account, asset, balance, floor, lastTransfer, explained, newest } of balances) {
    const amount = balance ?? 0n;
    if (amount !== explained || lastTransfer !== newest) {
      differences = addDifferences(differences, { [asset]: String(amount - explained) });
      const example = {
        account,
        asset,
        balance: balance === null ? 'missing' : balance.toString(),
        transfers: explained.toString(),
        lastTransfer: String(lastTransfer),
        newestTransfer: String(newest),
      };
      findings.push({ invariant: 'balances_match_transfers', example });
    }
    if (amount < floor) {
      const example = { account, asset, balance: amount.toString(), floor: floor.toString() };
      findings.push({ invariant: 'balances_above_floor', example });
    }
  }
  return { findings, differences };
}

/** The sum of differences, asset by asset. Pure. */
export function addDifferences(one: Differences, other: Differences): Differences {
  const sum: Record<string, string> = { ...one };
  for (const [asset, atoms] of Object.entries(other)) sum[asset] = String(BigInt(sum[asset] ?? 0) + BigInt(atoms));
  return sum;
}

import type { Finding } from './invariants.ts';
import type { ComparedBalance } from './sums.ts';

/** By how many atoms balances differ from the sum of their transfers, per asset, as text. */
export type Differences = Readonly<Record<string, string>>;

/** What the check of some balances found. */
export interface JudgedBalances {
  readonly findings: readonly Finding[];
  readonly differences: Differences;
}

/** Compares balances with the sum of their transfers and with their floors. Pure. */
export function judgeBalances(balances: readonly ComparedBalance[]): JudgedBalances {
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

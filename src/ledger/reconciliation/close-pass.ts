import { assetSymbols, scaleOf } from '../../money/assets.ts';
import { formatAmount } from '../../money/amounts.ts';
import { house } from '../transfers.ts';
import type { Untied } from './compose-ties.ts';
import type { Counts, Finding } from './invariants.ts';
import type { Differences } from './judge-balance.ts';
import type { BalanceRow } from './sums.ts';

/** What a pass says of each asset, as plain decimals. */
export type AssetFigures = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface Closing {
  readonly checked: Counts;
  readonly findings: readonly Finding[];
  /** The sum of all balances, and what is owed, by the invariant they belong to. */
  readonly figures: {
    readonly ledger_sums_to_zero: AssetFigures;
    readonly debts_within_caps: AssetFigures;
  };
}

/**
 * What can be said once every balance was compared with its records. A transfer is both sides, so transfers sum to zero, and the
 * balances of an asset come to the sum of their differences from them: no statement adds up every balance. What is
 * owed to clients is what is left of that sum without the house. Of an asset of which records and transfers do not agree
 * (`untied`) the differences are no sum of balances, so none is told. Pure.
 */
export function closePass(rows: readonly BalanceRow[], differences: Differences, untied: Untied): Closing {
  const findings: Finding[] = [];
  const sums: Record<string, Readonly<Record<string, string>>> = {};
  const debts: Record<string, Readonly<Record<string, string>>> = {};
  for (const asset of assetSymbols) {
    const write = (atoms: bigint) => formatAmount(atoms, scaleOf(asset));
    const own = rows.filter((row) => row.asset === asset);
    const isTied = !untied.includes(asset);
    const sum = isTied ? BigInt(differences[asset] ?? 0) : 0n;
    sums[asset] = { sum: isTied ? write(sum) : 'unknown' };
    if (sum !== 0n) findings.push({ invariant: 'ledger_sums_to_zero', example: { asset, sum: write(sum) } });

    const custody = own.find(({ account }) => account === house.custody);
    const liquidity = own.find(({ account }) => account === house.liquidity);
    const broughtIn = -BigInt(custody?.amount ?? 0);
    const cap = -BigInt(custody?.floor ?? 0);
    const exposure = -BigInt(liquidity?.floor ?? 0);
    const owed = sum - own.reduce((total, { amount }) => total + BigInt(amount), 0n);
    const figures = {
      owed: write(owed),
      broughtIn: write(broughtIn),
      supplyCap: write(cap),
      exposure: write(exposure),
    };
    debts[asset] = figures;
    // Clients may hold more than was brought in by as much as the house went short in selling to them.
    if (broughtIn > cap || owed > cap + exposure) {
      findings.push({ invariant: 'debts_within_caps', example: { asset, ...figures } });
    }
  }
  return {
    checked: { ledger_sums_to_zero: assetSymbols.length, debts_within_caps: assetSymbols.length },
    findings,
    figures: { ledger_sums_to_zero: sums, debts_within_caps: debts },
  };
}

import { assetSymbols, scaleOf } from '../money/assets.ts';
import { formatAmount } from '../money/amounts.ts';
import { VENUE_PREFIX, house } from '../db/transfers.ts';
import type { Counts, Differences, Finding, Invariant, SliceResult } from './invariants.ts';
import type { BalanceRow } from './sums.ts';

/** Figures of each asset by name, as plain decimals. */
export type AssetFigures = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Judges the two invariants that need all balances, at the end of a pass. `differences` is by how much balances differ
 * from their transfers. Each transfer debits as much as it credits, so all transfers sum to zero, and the sum of all
 * balances of an asset is the sum of these differences: no statement has to add up every balance. What is owed to
 * clients is that sum without the house's balances (`rows`). If records and transfers of an asset disagree (`untied`),
 * the differences do not give the sum, and it is reported as unknown. The figures are the sums, and what is owed. Pure.
 */
export function closePass(
  rows: readonly BalanceRow[],
  differences: Differences,
  untied: SliceResult['untied'],
): { checked: Counts; findings: Finding[]; figures: Partial<Record<Invariant, AssetFigures>> } {
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
    const movedIn = -BigInt(own.find(({ account }) => account === house.transit)?.amount ?? 0);
    const atVenues = -own
      .filter(({ account }) => account.startsWith(VENUE_PREFIX))
      .reduce((total, { amount }) => total + BigInt(amount), 0n);
    const owed = sum - own.reduce((total, { amount }) => total + BigInt(amount), 0n);
    const figures = {
      owed: write(owed),
      broughtIn: write(broughtIn),
      movedIn: write(movedIn),
      atVenues: write(atVenues),
      supplyCap: write(cap),
      exposure: write(exposure),
    };
    debts[asset] = figures;
    // Clients may hold more than they brought in: the house may be short of what it sold to them. What came from other
    // ledgers was brought in there, and what is at venues was bought there or sent there from custody.
    if (broughtIn > cap || owed > cap + exposure + movedIn + atVenues) {
      findings.push({ invariant: 'debts_within_caps', example: { asset, ...figures } });
    }
  }
  return {
    checked: { ledger_sums_to_zero: assetSymbols.length, debts_within_caps: assetSymbols.length },
    findings,
    figures: { ledger_sums_to_zero: sums, debts_within_caps: debts },
  };
}

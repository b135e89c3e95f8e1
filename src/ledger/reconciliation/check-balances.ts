import { sql } from 'drizzle-orm';
import { house } from '../transfers.ts';
import { type Check, cursorAfter } from './check.ts';
import type { Finding } from './invariants.ts';
import type { BalanceSum, Tail } from './tail.ts';

interface BalanceRow {
  readonly account: string;
  readonly asset: string;
  /** `null` where transfers name a balance that is not there. */
  readonly amount: string | null;
  readonly floor: string | null;
  readonly lastTransfer: number | null;
  /** What the pass has counted for it; `null` where it has found no transfer. */
  readonly high: string | null;
  readonly low: string | null;
  readonly countedTransfer: number | null;
}

/** Only these may be negative, down to their floor. */
const withFloor: readonly string[] = [house.custody, house.liquidity];

/**
 * Holds balances against the transfers that the pass has read: those that it has counted in `reconciled_balances`,
 * and those of the tail, which reaches the journal's end in the same transaction. So the two agree to the atom at any
 * moment, whatever is written between two slices.
 */
export const checkBalances: Check<BalanceRow> = {
  name: 'balances',

  query: ({ after: [account, asset], rows, pass }) => sql`
    WITH slice AS (
      SELECT account, asset FROM (
        SELECT account, asset FROM balances
        WHERE (account, asset) > (${account}, ${asset}) ORDER BY account, asset LIMIT ${rows})
      UNION
      SELECT account, asset FROM (
        SELECT account, asset FROM reconciled_balances
        WHERE (account, asset) > (${account}, ${asset}) ORDER BY account, asset LIMIT ${rows})
      ORDER BY account, asset LIMIT ${rows})
    SELECT slice.account, slice.asset, CAST(b.amount AS TEXT) AS amount, CAST(b.floor AS TEXT) AS floor,
      b.last_transfer AS lastTransfer, CAST(r.high AS TEXT) AS high, CAST(r.low AS TEXT) AS low,
      r.last_transfer AS countedTransfer
    FROM slice
    LEFT JOIN balances AS b ON b.account = slice.account AND b.asset = slice.asset
    LEFT JOIN reconciled_balances AS r ON r.account = slice.account AND r.asset = slice.asset AND r.pass = ${pass}
    ORDER BY slice.account, slice.asset`,

  judge: (rows, slice, tail) => {
    const findings: Finding[] = [];
    const differences: Record<string, bigint> = {};
    for (const row of rows) {
      const { account, asset } = row;
      const amount = BigInt(row.amount ?? 0);
      const explained = sumUp(row, tail);
      differences[asset] = (differences[asset] ?? 0n) + amount - explained.atoms;
      if (amount !== explained.atoms || row.lastTransfer !== explained.lastTransfer) {
        const example = {
          account,
          asset,
          balance: row.amount ?? 'missing',
          transfers: explained.atoms.toString(),
          lastTransfer: String(row.lastTransfer),
          newestTransfer: String(explained.lastTransfer),
        };
        findings.push({ invariant: 'balances_match_transfers', example });
      }
      const floor = withFloor.includes(account) ? BigInt(row.floor ?? 0) : 0n;
      if (amount < floor) {
        const example = { account, asset, balance: amount.toString(), floor: floor.toString() };
        findings.push({ invariant: 'balances_above_floor', example });
      }
    }
    return {
      next: cursorAfter(rows, slice, ({ account, asset }) => [account, asset]),
      checked: { balances_match_transfers: rows.length, balances_above_floor: rows.length },
      findings,
      differences,
    };
  },
};

function sumUp({ account, asset, high, low, countedTransfer }: BalanceRow, tail: Tail): BalanceSum {
  const newer = tail.sumOf(account, asset);
  return {
    atoms: (BigInt(high ?? 0) << 32n) + BigInt(low ?? 0) + (newer?.atoms ?? 0n),
    lastTransfer: newer?.lastTransfer ?? countedTransfer ?? 0,
  };
}

import { z } from 'zod';
import { composeAddresses, composeLimits } from './compose-accounts.ts';
import { type BalanceFault, composeBalances, joinParts } from './compose-sums.ts';
import { composeTies, judgeTies, readExamples } from './compose-ties.ts';
import { type Counts, NOTHING, type SliceResult } from './invariants.ts';
import { type Ledger, type RecordKind, countFitting } from './record-kind.ts';
import { type AccountRange, type Statement, composeOnce, onlyRow, readBatch } from './statement.ts';
import { judgeBalances } from './sums.ts';
import { LargeAccount, beginLarge, scanLargeAccount } from './scan-large-account.ts';

/** How far the scan of the accounts has come. */
export const AccountsPosition = z.object({
  /** The id of the next account, or a text that sorts before it. */
  from: z.string(),
  /**
   * The end of the next slice, which then has as many accounts as fit. It was measured together with the slice before.
   * `null` if it was not measured yet.
   */
  before: z.string().nullable(),
  /** An account with more records than a slice holds, of which a part is scanned. */
  large: LargeAccount.nullable(),
});

export type AccountsPosition = z.output<typeof AccountsPosition>;

export const ACCOUNTS_START: AccountsPosition = { from: '', before: null, large: null };

/** A text that sorts after the id of every account and after the house's names. */
const BEYOND_ALL = '~';

/**
 * Scans the next accounts, as many as together have at most `count` orders, and a share of it of each other kind.
 * Compares each record with its transfers and each balance with the legs of all its records, in one transaction, so
 * that a write in between cannot look like an error. A larger account is scanned in parts. Counts the transfers up to
 * number `head` that the records name. `next` is `null` after the last account. Throws when D1 fails.
 */
export async function scanAccounts(
  ledger: Ledger,
  position: AccountsPosition,
  count: number,
  head: number,
): Promise<SliceResult & { readonly next: AccountsPosition | null }> {
  if (position.large) {
    const scanned = await scanLargeAccount(ledger, position.large, count, head);
    // The scan goes on after this account.
    const next = scanned.next
      ? { ...position, large: scanned.next }
      : { from: endOf(position.large.accountId), before: null, large: null };
    return { ...scanned, next };
  }
  const { from, before } = position;
  if (before === null) {
    const { rows, duration_ms } = await readBatch(ledger.database, [composeMeasure(ledger.kinds, from, count)]);
    return { ...NOTHING, next: planSlice(from, rows[0]), duration_ms };
  }
  const { measured, ...scanned } = await scanRange(ledger, { from, before }, count, head);
  return { ...scanned, next: before === BEYOND_ALL ? null : planSlice(before, measured) };
}

/** Plans the slice that starts at an account. An account that is larger than a slice is scanned alone. */
function planSlice(from: string, rows: readonly MeasureRow[]): AccountsPosition {
  const { head, first, ...ends } = onlyRow(rows);
  const before =
    Object.values(ends)
      .filter((end) => end !== null)
      .toSorted()[0] ?? BEYOND_ALL;
  if (before === first) return { from, before: null, large: beginLarge(first, head ?? 0) };
  return { from, before, large: null };
}

/** A text that sorts after one account's id and before every other: '!' sorts before each character of an id. */
export function endOf(accountId: string): string {
  return `${accountId}!`;
}

/**
 * The next account, for each kind of row the first account that does not fit, and the number of the newest transfer.
 */
interface MeasureRow extends Readonly<
  Record<
    'first' | 'accounts' | 'orders' | 'deposits' | 'withdrawals' | 'settlements' | 'fundings' | 'hedge_moves',
    string | null
  >
> {
  readonly head: number | null;
}

function composeMeasure(kinds: readonly RecordKind[], from: string, count: number): Statement<MeasureRow> {
  return {
    text: composeOnce('measure', () => selectMeasure(kinds.map(({ name }) => name))),
    // Besides its records, an account has nine balances and twelve addresses, so fewer accounts fit than records.
    values: [from, Math.max(1, Math.floor(count / 6)), ...kinds.map((kind) => countFitting(kind, count))],
  };
}

function selectMeasure(tables: readonly string[]): string {
  // D1 allows five terms in a compound SELECT, so the lowest of them is found by a function.
  const firsts = [
    'SELECT min(id) FROM accounts WHERE id >= ?1',
    ...tables.map((table) => `SELECT min(account_id) FROM ${table} WHERE account_id >= ?1`),
  ];
  const first = `nullif(min(${firsts.map((query) => `coalesce((${query}), '${BEYOND_ALL}')`).join(', ')}), '${BEYOND_ALL}')`;
  const ends = tables.map(
    (table, at) => `(SELECT account_id FROM ${table} WHERE account_id >= ?1
      ORDER BY account_id, id LIMIT 1 OFFSET ?${at + 3}) AS ${table}`,
  );
  return `
    SELECT (SELECT max(id) FROM transfers) AS head,
      ${first} AS first,
      (SELECT id FROM accounts WHERE id >= ?1 ORDER BY id LIMIT 1 OFFSET ?2) AS accounts, ${ends.join(', ')}`;
}

async function scanRange(
  { database, kinds }: Ledger,
  range: AccountRange,
  count: number,
  head: number,
): Promise<SliceResult & { readonly measured: readonly MeasureRow[] }> {
  const counted: Statement<{ readonly balances: number }> = {
    text: `SELECT count(*) AS balances FROM balances
      WHERE account >= ?1 AND account < ?2 AND account NOT LIKE 'house:%'`,
    values: [range.from, range.before],
  };
  const { rows, duration_ms } = await readBatch(database, [
    composeBalances(kinds, range),
    counted,
    composeLimits(range),
    composeAddresses(range),
    composeMeasure(kinds, range.before, count),
    composeTies(kinds, range, head),
  ]);
  const [faults, balances, limits, addresses, measured, ties] = rows;
  const compared = judgeBalances(faults.map(readFault));
  const { balances: compares } = onlyRow(balances);
  const windows = onlyRow(limits);
  const owned = onlyRow(addresses);
  const judged = kinds.map((kind) => judgeTies(kind, ties));
  const own: Counts = {
    balances_match_transfers: compares,
    balances_above_floor: compares,
    withdrawals_within_limit: windows.checked,
    addresses_have_one_owner: owned.checked,
  };
  return {
    checked: addCounts([own, ...judged.map(({ checked }) => checked)]),
    findings: [
      ...compared.findings,
      ...readExamples('withdrawals_within_limit', windows.examples),
      ...readExamples('addresses_have_one_owner', owned.examples),
      ...judged.flatMap(({ findings }) => findings),
    ],
    differences: compared.differences,
    untied: judged.flatMap(({ untied }) => untied),
    legs: judged.reduce((sum, { legs }) => sum + legs, 0),
    measured,
    duration_ms,
  };
}

function readFault({ account, asset, balance, lastTransfer, high, low, newest }: BalanceFault) {
  return {
    account,
    asset,
    balance: balance === null ? null : BigInt(balance),
    // An account's floor is zero. The row is not trusted.
    floor: 0n,
    lastTransfer,
    explained: joinParts(high, low),
    newest: newest ?? 0,
  };
}

/** Adds up counts for each invariant. Pure. */
function addCounts(counts: readonly Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const one of counts) {
    for (const [invariant, checked] of Object.entries(one)) sum[invariant] = (sum[invariant] ?? 0) + checked;
  }
  return sum;
}

import type { RecordKind } from './record-kind.ts';
import { recordKinds } from './record-kinds.ts';
import { type AccountRange, type PartOfAccount, type Statement, selectRange } from './statement.ts';

/**
 * Sums are in two parts, high * 2^32 + low, so that no journal, however broken, overflows one.
 */
export const inParts = (amount: string) => `(${amount}) / 4294967296 AS high, (${amount}) % 4294967296 AS low`;

/** What two sums in parts come to. */
export function joinParts(high: string | null, low: string | null): bigint {
  return (BigInt(high ?? 0) << 32n) + BigInt(low ?? 0);
}

/** The legs of a kind in which the record's own account takes part: account, asset, sum in parts, number. */
function selectOwnLegs(kind: RecordKind, source: string): string {
  return kind.legs
    .flatMap(({ number, asset, amount, sign }) =>
      sign === undefined
        ? []
        : [
            `SELECT r.account_id AS account, ${asset} AS asset, ${inParts(`${sign} * (${amount})`)}, ${number} AS number
             FROM ${source} AS r WHERE ${number} IS NOT NULL`,
          ],
    )
    .join(' UNION ALL ');
}

export interface BalanceFault {
  readonly account: string;
  readonly asset: string;
  /** `null` where records name a balance that is not there. */
  readonly balance: string | null;
  readonly floor: string | null;
  readonly lastTransfer: number | null;
  readonly high: string;
  readonly low: string;
  readonly newest: number | null;
}

/**
 * Holds the balances of whole accounts against the legs of their records, each against its sum and its newest transfer.
 * Gives those that do not fit. D1 takes five terms of a compound SELECT, so those of each kind stand in one of their own.
 */
export function composeBalances({ from, before }: AccountRange): Statement {
  const legs = recordKinds.map((kind) => {
    const { text } = selectRange(kind.name, { from, before });
    return `SELECT account, asset, high, low, number, NULL AS amount, NULL AS floor, NULL AS last_transfer
      FROM (${selectOwnLegs(kind, text)})`;
  });
  return {
    text: `
      SELECT account, asset, CAST(max(amount) AS TEXT) AS balance, CAST(max(floor) AS TEXT) AS floor,
        max(last_transfer) AS lastTransfer, CAST(sum(high) AS TEXT) AS high, CAST(sum(low) AS TEXT) AS low,
        max(number) AS newest
      FROM (${legs.join(' UNION ALL ')}
        UNION ALL SELECT account, asset, 0, 0, NULL, amount, floor, last_transfer FROM balances
          WHERE account >= ?1 AND account < ?2 AND account NOT LIKE 'house:%')
      GROUP BY account, asset
      HAVING coalesce(max(amount), 0) <> sum(high) * 4294967296 + sum(low)
        OR coalesce(max(last_transfer), -1) <> coalesce(max(number), 0) OR max(amount) < 0`,
    values: [from, before],
  };
}

/** What transfers come to for one account and asset. */
export interface SumRow {
  readonly account: string;
  readonly asset: string;
  readonly high: string;
  readonly low: string;
  readonly newest: number;
}

/** Sums the legs of a part of one account, of transfers up to number `head`. */
export function composePartSums(kind: RecordKind, part: PartOfAccount, head: number): Statement {
  const { text, values } = selectRange(kind.name, part);
  return {
    text: `
      SELECT account, asset, CAST(sum(high) AS TEXT) AS high, CAST(sum(low) AS TEXT) AS low, max(number) AS newest
      FROM (${selectOwnLegs(kind, text)}) WHERE number <= ?4 GROUP BY account, asset`,
    values: [...values, head],
  };
}

/** What transfers of one asset moved between two balances; of a side that nobody asked for the name is empty. */
export interface MovedRow {
  readonly debit: string;
  readonly credit: string;
  readonly asset: string;
  readonly transfers: number;
  readonly high: string;
  readonly low: string;
  readonly newest: number;
}

/** Sums what the next `count` numbers of the journal did to balances that `who` picks, in one walk over them. */
export function composeMoved(after: number, count: number, who: JournalParties): Statement {
  const [isAsked, values] = who === 'house' ? [`GLOB 'house:*'`, []] : ['= ?3', [who.accountId]];
  return {
    text: `
      SELECT iif(debit ${isAsked}, debit, '') AS debit, iif(credit ${isAsked}, credit, '') AS credit, asset,
        count(*) AS transfers, CAST(sum(amount / 4294967296) AS TEXT) AS high,
        CAST(sum(amount % 4294967296) AS TEXT) AS low, max(id) AS newest
      FROM transfers WHERE id > ?1 AND id <= ?1 + ?2 GROUP BY 1, 2, 3`,
    values: [after, count, ...values],
  };
}

/** The house's own balances, or those of one account. */
export type JournalParties = 'house' | { readonly accountId: string };

function negate(part: string): string {
  return String(-BigInt(part));
}

/** What such rows did to each side that was asked for. Pure. */
export function readMoved(rows: readonly MovedRow[]): SumRow[] {
  return rows.flatMap(({ debit, credit, high, low, ...row }) => [
    ...(debit === '' ? [] : [{ ...row, account: debit, high: negate(high), low: negate(low) }]),
    ...(credit === '' ? [] : [{ ...row, account: credit, high, low }]),
  ]);
}

import type { RecordKind } from './record-kind.ts';
import {
  type AccountRange,
  type PartOfAccount,
  type Statement,
  composeOnce,
  selectRange,
  unionAll,
} from './statement.ts';

/**
 * The sum, from the sums of its two parts. An amount is high * 2^32 + low, and both are summed separately: no sum can
 * then overflow 64 bits.
 */
export function joinParts(high: string | null, low: string | null): bigint {
  return (BigInt(high ?? 0) << 32n) + BigInt(low ?? 0);
}

/**
 * The sums of the legs that move the balance of the record's own account: account, asset, the sum in two parts, and the
 * newest number. `isCounted` is SQL that is true for the numbers to sum. All legs of a kind are summed while its records
 * are read once, by account and by the assets of the legs together.
 */
function sumOwnLegs(kind: RecordKind, source: string, isCounted: (number: string) => string): string {
  const own = kind.legs.flatMap(({ sign, ...leg }) => (sign === undefined ? [] : [{ ...leg, sign }]));
  const sums = own.map(({ number, asset, amount, sign }, at) => {
    const [high, low] = ['/', '%'].map((part) => `sum(${sign} * (${amount}) ${part} 4294967296)`);
    const filter = `FILTER (WHERE ${isCounted(number)})`;
    return `${asset} AS asset${at}, ${high} ${filter} AS high${at}, ${low} ${filter} AS low${at},
      max(${number}) ${filter} AS number${at}`;
  });
  const assets = own.map((_, at) => `asset${at}`);
  const legs = own.map(
    (_, at) => `SELECT account, asset${at} AS asset, high${at} AS high, low${at} AS low, number${at} AS number
      FROM summed WHERE number${at} IS NOT NULL`,
  );
  return `
    WITH summed AS MATERIALIZED (
      SELECT r.account_id AS account, ${sums.join(', ')} FROM ${source} AS r GROUP BY ${['account', ...assets].join(', ')})
    ${legs.join(' UNION ALL ')}`;
}

/** Whether records of a kind move the balance of their own account. */
export function hasOwnLegs({ legs }: RecordKind): boolean {
  return legs.some(({ sign }) => sign !== undefined);
}

export interface BalanceFault {
  readonly account: string;
  readonly asset: string;
  /** `null` when records name a balance that does not exist. */
  readonly balance: string | null;
  readonly floor: string | null;
  readonly lastTransfer: number | null;
  readonly high: string;
  readonly low: string;
  readonly newest: number | null;
}

/**
 * Compares each balance of whole accounts with the sum of its records' legs and with the newest of their transfers, and
 * returns the balances that differ. D1 allows five terms in a compound SELECT, so the legs of each kind are a subquery.
 */
export function composeBalances(kinds: readonly RecordKind[], { from, before }: AccountRange): Statement<BalanceFault> {
  const compose = () => {
    const legs = kinds.filter(hasOwnLegs).map((kind) => {
      const { text } = selectRange(kind.name, { from, before });
      return `SELECT account, asset, high, low, number, NULL AS amount, NULL AS floor, NULL AS last_transfer
        FROM (${sumOwnLegs(kind, text, (number) => `${number} IS NOT NULL`)})`;
    });
    const own = `SELECT account, asset, 0, 0, NULL, amount, floor, last_transfer FROM balances
      WHERE account >= ?1 AND account < ?2 AND account NOT LIKE 'house:%'`;
    return `
      SELECT account, asset, CAST(max(amount) AS TEXT) AS balance, CAST(max(floor) AS TEXT) AS floor,
        max(last_transfer) AS lastTransfer, CAST(sum(high) AS TEXT) AS high, CAST(sum(low) AS TEXT) AS low,
        max(number) AS newest
      FROM (${unionAll([...legs, own])})
      GROUP BY account, asset
      HAVING coalesce(max(amount), 0) <> sum(high) * 4294967296 + sum(low)
        OR coalesce(max(last_transfer), -1) <> coalesce(max(number), 0) OR max(amount) < 0`;
  };
  return { text: composeOnce('balances', compose), values: [from, before] };
}

/** The sum of the transfers of one account and asset, in two parts, and the number of the newest. */
export interface SumRow {
  readonly account: string;
  readonly asset: string;
  readonly high: string;
  readonly low: string;
  readonly newest: number;
}

/** Sums the legs of a part of one account whose transfers have a number of at most `head`. */
export function composePartSums(kind: RecordKind, part: PartOfAccount, head: number): Statement<SumRow> {
  const { text, values } = selectRange(kind.name, part);
  const compose = () => `
    SELECT account, asset, CAST(sum(high) AS TEXT) AS high, CAST(sum(low) AS TEXT) AS low, max(number) AS newest
    FROM (${sumOwnLegs(kind, text, (number) => `${number} <= ?4`)}) GROUP BY account, asset`;
  return { text: composeOnce(`sums of ${kind.name}`, compose), values: [...values, head] };
}

/** The sum of the transfers of one asset between two accounts. A side that was not asked for has an empty name. */
export interface MovedRow extends Omit<SumRow, 'account'> {
  readonly debit: string;
  readonly credit: string;
  readonly transfers: number;
}

/** Sums the transfers among the next `count` numbers of the journal, by the accounts that `who` selects. */
export function composeMoved(after: number, count: number, who: JournalParties): Statement<MovedRow> {
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

/** The balances of the house, or those of one account. */
export type JournalParties = 'house' | { readonly accountId: string };

function negate(part: string): string {
  return String(-BigInt(part));
}

/** The change of each balance that was asked for. Pure. */
export function readMoved(rows: readonly MovedRow[]): SumRow[] {
  return rows.flatMap(({ debit, credit, high, low, ...row }) => [
    ...(debit === '' ? [] : [{ ...row, account: debit, high: negate(high), low: negate(low) }]),
    ...(credit === '' ? [] : [{ ...row, account: credit, high, low }]),
  ]);
}

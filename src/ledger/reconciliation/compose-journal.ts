import { filledOrderColumns } from './order-records.ts';
import type { RecordKind } from './record-kind.ts';
import { recordKinds } from './record-kinds.ts';
import { isLeg } from './compose-ties.ts';
import type { Statement } from './statement.ts';

/** The transfers after number ?1, up to number ?1 + ?2. */
const inSlice = 't.id > ?1 AND t.id <= ?1 + ?2';

/** The row of `composeEnds`. */
export interface EndsRow {
  /** The lowest and the highest number that the journal holds. */
  readonly first: number | null;
  readonly head: number | null;
}

/** Reads where the journal begins and ends. */
export function composeEnds(): Statement {
  return {
    text: 'SELECT (SELECT min(id) FROM transfers) AS first, (SELECT max(id) FROM transfers) AS head',
    values: [],
  };
}

/** The row of `composeGaps`. */
export interface GapsRow {
  readonly examples: string;
}

/** Reads where a number is missing after one that was walked, up to another: for journals that have too few. */
export function composeGaps(after: number, to: number): Statement {
  return {
    text: `
      SELECT json_group_array(json_object('after', before, 'next', id)) AS examples
      FROM (
        SELECT id, lag(id, 1, ?1) OVER (ORDER BY id) AS before FROM transfers
        WHERE id > ?1 AND id <= (SELECT min(id) FROM transfers WHERE id >= ?2))
      WHERE id <> before + 1`,
    values: [after, to],
  };
}

/** The row of `composeUnexplained`. */
export interface UnexplainedRow {
  readonly examples: string;
  /** Those of them that would pay or return a withdrawal once more than it says. */
  readonly payments: string;
  /** What these would move. */
  readonly assets: string;
}

/** Asks of each of the next transfers for the record that commands it, and for exactly that leg of it. */
export function composeUnexplained(after: number, count: number): Statement {
  const cases = recordKinds.map((kind) => `WHEN '${kind.kind}' THEN ${isExplained(kind)}`).join(' ');
  const example = `json_object('transfer', id, 'kind', kind, 'debit', debit, 'credit', credit, 'reference', reference,
    'fault', 'no record explains it')`;
  return {
    text: `
      SELECT json_group_array(${example}) AS examples, json_group_array(asset) AS assets,
        json_group_array(${example}) FILTER (
          WHERE kind = 'withdrawal' AND debit = 'house:payouts' AND credit <> 'house:fees'
            AND EXISTS (
              SELECT 1 FROM withdrawals AS w
              WHERE w.id = t.reference AND t.id IS NOT w.paid_transfer AND t.id IS NOT w.returned_transfer)) AS payments
      FROM transfers AS t WHERE ${inSlice} AND NOT CASE kind ${cases} ELSE 0 END`,
    values: [after, count],
  };
}

function isExplained(kind: RecordKind): string {
  const legs = kind.legs.map((leg) => `(t.id IS ${leg.number} AND ${isLeg(leg, kind, 't')})`);
  return `EXISTS (SELECT 1 FROM ${kind.name} AS r WHERE ${kind.found} AND (${legs.join(' OR ')}))`;
}

/** The orders of the next transfers, for the rounding of each. */
export function composeFilledOrders(after: number, count: number): Statement {
  return {
    text: `
      SELECT ${filledOrderColumns} FROM transfers AS t
      CROSS JOIN orders AS r ON r.account_id = t.debit AND r.id = t.reference AND r.first_transfer = t.id
      WHERE ${inSlice} AND t.kind = 'order' AND t.credit = 'house:liquidity'`,
    values: [after, count],
  };
}

/** Reads the house's own balances: a few rows per asset, however many accounts there are. */
export function composeHouse(): Statement {
  return {
    text: `
      SELECT account, asset, CAST(amount AS TEXT) AS amount, CAST(floor AS TEXT) AS floor, last_transfer AS lastTransfer
      FROM balances WHERE account LIKE 'house:%' AND account >= 'house:' AND account < 'house;'`,
    values: [],
  };
}

import { filledOrderColumns } from './order-records.ts';
import type { RecordKind } from './record-kind.ts';
import { recordKinds } from './record-kinds.ts';
import { isLeg } from './compose-ties.ts';
import type { Statement } from './statement.ts';

const slice = `(SELECT * FROM transfers WHERE id > ?1 ORDER BY id LIMIT ?2)`;

/** The row of `composeNumbers`. */
export interface NumbersRow {
  readonly transfers: number;
  /** The highest number of the slice. */
  readonly last: number | null;
  /** The lowest and the highest number that the journal holds. */
  readonly first: number | null;
  readonly head: number | null;
  readonly examples: string;
}

/** Reads the numbers of the next `count` transfers after number `after`, and where one is missing. */
export function composeNumbers(after: number, count: number): Statement {
  return {
    text: `
      SELECT count(*) AS transfers, max(id) AS last, (SELECT min(id) FROM transfers) AS first,
        (SELECT max(id) FROM transfers) AS head,
        json_group_array(json_object('after', before, 'next', id)) FILTER (WHERE id <> before + 1) AS examples
      FROM (SELECT id, lag(id, 1, ?1) OVER (ORDER BY id) AS before FROM ${slice})`,
    values: [after, count],
  };
}

/** The row of `composeUnexplained`. */
export interface UnexplainedRow {
  readonly examples: string;
  /** Those of them that would pay or return a withdrawal that is there. */
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
            AND EXISTS (SELECT 1 FROM withdrawals AS w WHERE w.id = t.reference)) AS payments
      FROM ${slice} AS t WHERE NOT CASE kind ${cases} ELSE 0 END`,
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
      SELECT ${filledOrderColumns} FROM ${slice} AS t
      JOIN orders AS r ON r.account_id = t.debit AND r.id = t.reference AND r.first_transfer = t.id
      WHERE t.kind = 'order'`,
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

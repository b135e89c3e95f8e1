import { type FilledOrder, filledOrderColumns } from './rounding.ts';
import type { RecordKind } from './record-kind.ts';
import { isLeg } from './compose-ties.ts';
import type { Statement } from './statement.ts';
import type { HouseBalance } from './sums.ts';

/** The transfers after number ?1, up to number ?1 + ?2. */
const inSlice = 't.id > ?1 AND t.id <= ?1 + ?2';

/** Reads the lowest and the highest number in the journal; `null` when it is empty. */
export function composeEnds(): Statement<{ readonly first: number | null; readonly head: number | null }> {
  return {
    text: 'SELECT (SELECT min(id) FROM transfers) AS first, (SELECT max(id) FROM transfers) AS head',
    values: [],
  };
}

/** Finds the missing numbers after `after`, up to `to`. Needed only when a slice has fewer transfers than numbers. */
export function composeGaps(after: number, to: number): Statement<{ readonly examples: string }> {
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

interface UnexplainedRow {
  readonly examples: string;
  /** Those of the examples that pay or return a withdrawal, although the withdrawal names another transfer for it. */
  readonly payments: string;
  /** The assets of all unexplained transfers. */
  readonly assets: string;
}

/** Finds transfers, among the next `count` numbers, that are not exactly a leg of a record. */
export function composeUnexplained(
  kinds: readonly RecordKind[],
  after: number,
  count: number,
): Statement<UnexplainedRow> {
  const cases = kinds.map((kind) => `WHEN '${kind.kind}' THEN ${isExplained(kind)}`).join(' ');
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

/** Reads the filled orders of the next transfers, to check how each was rounded. */
export function composeFilledOrders(after: number, count: number): Statement<FilledOrder> {
  return {
    text: `
      SELECT ${filledOrderColumns} FROM transfers AS t
      CROSS JOIN orders AS r ON r.account_id = t.debit AND r.id = t.reference AND r.first_transfer = t.id
      WHERE ${inSlice} AND t.kind = 'order' AND t.credit = 'house:liquidity'`,
    values: [after, count],
  };
}

/** Reads the house's balances: four rows for each asset, however many accounts exist. */
export function composeHouse(): Statement<HouseBalance> {
  return {
    text: `
      SELECT account, asset, CAST(amount AS TEXT) AS amount, CAST(floor AS TEXT) AS floor,
        CAST(capital AS TEXT) AS capital, last_transfer AS lastTransfer
      FROM balances WHERE account LIKE 'house:%' AND account >= 'house:' AND account < 'house;'`,
    values: [],
  };
}

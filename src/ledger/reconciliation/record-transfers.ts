import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { house } from '../transfers.ts';
import type { Check } from './check.ts';
import type { JournalRow, Tail } from './tail.ts';

/**
 * One kind of record and its tie to the journal. Transfers of kind `kind` name such a record; `explains` is the
 * condition, on a transfer `t`, that the record is there. The check walks the records and asks of each that its
 * transfers are exactly those that its state calls for.
 */
export interface RecordKind<Row = never> extends Check<Row> {
  readonly kind: string;
  readonly explains: SQL;
}

/** A transfer that a record calls for. */
export type Leg = Omit<JournalRow, 'id' | 'reference'>;

/** Whether a ledger account is one of the house's own. */
export function isHouse(account: string): boolean {
  return Object.values<string>(house).includes(account);
}

/**
 * The expression that reads the transfers under a reference as JSON, from the journal itself: the table that is
 * looked up only says where they stand.
 */
export function selectTransfersOf(reference: SQL): SQL {
  return sql`(
    SELECT json_group_array(json_array(t.id, t.kind, t.debit, t.credit, t.asset, CAST(t.amount AS TEXT), t.reference))
    FROM transfers_of_records AS place CROSS JOIN transfers AS t
    WHERE place.reference = ${reference} AND t.id = place.transfer AND t.reference = place.reference)`;
}

const Transfers = z.array(
  z
    .tuple([z.int(), z.string(), z.string(), z.string(), z.string(), z.string(), z.string()])
    .transform(([id, kind, debit, credit, asset, amount, reference]): JournalRow => {
      return { id, kind, debit, credit, asset, amount: BigInt(amount), reference };
    }),
);

/** The transfers under a reference: those that `selectTransfersOf` read, and those of the tail, each once. */
export function readTransfersOf(text: string, tail: Tail, reference: string): readonly JournalRow[] {
  const known = Transfers.parse(JSON.parse(text));
  const numbers = new Set(known.map(({ id }) => id));
  return [...known, ...tail.transfersOf(reference).filter(({ id }) => !numbers.has(id))];
}

/** Whether transfers are exactly these legs, in any order. */
export function areLegs(transfers: readonly JournalRow[], legs: readonly Leg[]): boolean {
  const found = transfers.map(writeLeg).toSorted();
  const expected = legs.map(writeLeg).toSorted();
  return found.length === expected.length && found.every((leg, position) => leg === expected[position]);
}

function writeLeg({ kind, debit, credit, asset, amount }: Leg): string {
  return [kind, debit, credit, asset, amount].join(' ');
}

/** The numbers of transfers, as an example tells them. */
export function listNumbers(transfers: readonly JournalRow[]): string {
  return transfers.map(({ id }) => id).join(', ') || 'none';
}

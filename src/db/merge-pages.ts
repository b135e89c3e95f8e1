import type { Found } from '../http/list.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { type Database, listLedgers, openLedger } from './database.ts';

/**
 * One page of a list whose rows are in all ledgers. Each ledger is asked for the page as if it had all rows, so it
 * reads at most as many as the page has, and one more; then the rows are merged in the order of the list. With one
 * ledger that changes nothing. A ledger that fails fails the page: without its rows the cursor would pass over them.
 */

/** The order of a list over all ledgers, by what is known of the place of a row. */
export interface MergedOrder<Place> {
  /** Below zero where `one` comes first. */
  compare(one: Place, other: Place): number;
  /**
   * Whether the ids are numbers that each ledger gives its own rows, as in the audit. The cursor then has a number for
   * each ledger. An id of a record means the same place in all ledgers, and is the cursor.
   */
  readonly isNumberedByLedger?: true;
}

interface WithId {
  readonly id: string;
}

/** By the ids of records, which rise with time. */
export const oldestFirst: MergedOrder<WithId> = { compare: (one, other) => (one.id < other.id ? -1 : 1) };
export const newestFirst: MergedOrder<WithId> = { compare: (one, other) => oldestFirst.compare(other, one) };

const encoder = new TextEncoder();

/** Compares as SQLite does: by the bytes of UTF-8. JavaScript compares by those of UTF-16, which differs. */
export function compareTexts(one: string, other: string): number {
  const [these, those] = [encoder.encode(one), encoder.encode(other)];
  const place = these.findIndex((byte, position) => byte !== those[position]);
  if (place < 0) return these.length - those.length;
  return (these[place] ?? 0) - (those[place] ?? -1);
}

/** What a page found in one ledger, in the order of the list. */
export interface FoundInLedger<Row, Place> {
  readonly rows: readonly Row[];
  /** The last place that was looked at, where the page stopped looking before the end of the ledger's list; else `null`. */
  readonly horizon: Place | null;
}

/** A ledger, and where the page begins in it: after the id `behind`, or with `null` at the beginning. */
export interface LedgerPlace {
  readonly ledger: number;
  readonly database: Database;
  readonly behind: string | null;
}

/** Between the numbers of a cursor. */
const SEPARATOR = '_';

/**
 * The first `count` rows of a list after `behind`, over all ledgers; for `findPage`. `find` gives at most `count` rows of
 * one ledger. Throws when it throws for any ledger.
 */
export async function findInLedgers<Place extends WithId, Row extends Place>(
  bindings: LedgerBindings,
  order: MergedOrder<Place>,
  behind: string | null,
  count: number,
  find: (place: LedgerPlace) => Promise<FoundInLedger<Row, Place>>,
): Promise<Found<Row>> {
  const ledgers = listLedgers(bindings);
  const places = readPlaces(order, behind, ledgers.length);
  const founds = await Promise.all(
    ledgers.map((ledger) => find({ ledger, database: openLedger(bindings, ledger), behind: places[ledger] ?? null })),
  );
  return mergeFound(order, founds, behind, count);
}

/** Where a page begins in each ledger. One that was added since the cursor was given begins at its beginning. */
function readPlaces<Place>(order: MergedOrder<Place>, behind: string | null, count: number): (string | null)[] {
  if (!order.isNumberedByLedger) return Array.from({ length: count }, () => behind);
  const numbers = behind?.split(SEPARATOR) ?? [];
  return Array.from({ length: count }, (_, ledger) => numbers[ledger] || null);
}

/**
 * Merges what was found in each ledger, at most `count` rows. Where a ledger's rows are used up and it stopped looking,
 * no later row is taken, since that ledger may have an earlier one: the page ends there. Pure.
 */
export function mergeFound<Place extends WithId, Row extends Place>(
  order: MergedOrder<Place>,
  founds: readonly FoundInLedger<Row, Place>[],
  behind: string | null,
  count: number,
): Found<Row> {
  const queues = founds.map(({ rows, horizon }) => ({ rows: [...rows], horizon }));
  const places = readPlaces(order, behind, founds.length);
  const merged: Found<Row>['rows'] = [];
  while (merged.length < count) {
    const first = queues
      .map(({ rows, horizon }, ledger) => ({ ledger, head: rows[0] ?? horizon }))
      .reduce<{ ledger: number; head: Place } | undefined>((best, { ledger, head }) => {
        if (head === null || (best && order.compare(best.head, head) <= 0)) return best;
        return { ledger, head };
      }, undefined);
    if (!first) return { rows: merged, horizon: null };
    const row = queues[first.ledger]?.rows.shift();
    if (!row) return { rows: merged, horizon: writeHorizon(order, queues, places, first.head) };
    places[first.ledger] = row.id;
    merged.push(order.isNumberedByLedger ? { ...row, place: places.map((place) => place ?? '').join(SEPARATOR) } : row);
  }
  return { rows: merged, horizon: null };
}

/** The place at which a page ends that stopped looking: in each ledger all that was looked at and taken is passed. */
function writeHorizon<Place extends WithId>(
  order: MergedOrder<Place>,
  queues: readonly FoundInLedger<Place, Place>[],
  places: readonly (string | null)[],
  horizon: Place,
): string {
  if (!order.isNumberedByLedger) return horizon.id;
  const reached = queues.map(({ rows, horizon: own }, ledger) =>
    rows.length === 0 && own ? own.id : (places[ledger] ?? ''),
  );
  return reached.join(SEPARATOR);
}

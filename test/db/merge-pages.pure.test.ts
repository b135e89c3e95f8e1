import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type FoundInLedger,
  type MergedOrder,
  compareTexts,
  mergeFound,
  newestFirst,
  oldestFirst,
} from '../../src/db/merge-pages.ts';
import { forAll } from '../support/for-all.ts';

interface Row {
  readonly id: string;
  readonly ts: number;
  /** Whether the row passes the filter of the list. */
  readonly isListed: boolean;
}

const byTime: MergedOrder<Row> = { compare: (one, other) => other.ts - one.ts, isNumberedByLedger: true };

/** What one ledger finds behind a place: at most `count` rows, of at most `lookedAt` that it looks at. */
function findIn(rows: readonly Row[], behind: string | null, count: number, lookedAt: number): FoundInLedger<Row, Row> {
  const begin = behind === null ? 0 : rows.findIndex(({ id }) => id === behind) + 1;
  const seen = rows.slice(begin, begin + lookedAt);
  const listed = seen.filter(({ isListed }) => isListed).slice(0, count);
  return { rows: listed, horizon: begin + lookedAt < rows.length ? (seen.at(-1) ?? null) : null };
}

function findById(rows: readonly Row[], behind: string | null, count: number, lookedAt: number, isRising: boolean) {
  const rest = rows.filter(({ id }) => behind === null || (isRising ? id > behind : id < behind));
  return findIn(rest, null, count, lookedAt);
}

/** Walks a list to its end. Returns the rows in the order in which they came. */
function walk(readPage: (behind: string | null) => ReturnType<typeof mergeFound<Row, Row>>, limit: number): Row[] {
  const walked: Row[] = [];
  let behind: string | null = null;
  for (let pages = 0; pages < 1_000; pages += 1) {
    const { rows, horizon } = readPage(behind);
    const page = rows.slice(0, limit);
    walked.push(...page);
    const last = page.at(-1);
    const next: string | null = rows.length > limit ? (last?.place ?? last?.id ?? null) : horizon;
    if (next === null) return walked;
    behind = next;
  }
  throw new Error('the walk has no end');
}

const ledgersOfIds = fc
  .array(fc.record({ ledger: fc.nat(3), isListed: fc.boolean() }), { maxLength: 60 })
  .map((drawn) => {
    const rows = drawn.map(({ ledger, isListed }, place) => ({
      ledger,
      row: { id: String(1_000 + place), ts: 0, isListed },
    }));
    return [0, 1, 2, 3].map((ledger) => rows.filter((one) => one.ledger === ledger).map(({ row }) => row));
  });

/** Numbered rows of some ledgers, newest first, whose clocks may run backwards by a little. */
const ledgersOfNumbers = fc.array(
  fc
    .array(fc.record({ late: fc.nat(3), isListed: fc.boolean() }), { maxLength: 25 })
    .map((drawn) =>
      drawn
        .map(({ late, isListed }, place) => ({ id: String(place + 1), ts: place * 2 - late, isListed }))
        .toReversed(),
    ),
  { minLength: 1, maxLength: 4 },
);

const sizes = { limit: fc.integer({ min: 1, max: 7 }), lookedAt: fc.integer({ min: 1, max: 12 }) };

describe('a list over several ledgers', () => {
  it.each([
    ['oldest first', oldestFirst, true],
    ['newest first', newestFirst, false],
  ] as const)('by ids, %s, gives every row once and in order, at any size of page', (_name, order, isRising) => {
    forAll(ledgersOfIds, sizes.limit, sizes.lookedAt, (drawn, limit, lookedAt) => {
      const ledgers = drawn.map((rows) => (isRising ? rows : rows.toReversed()));
      const walked = walk((behind) => {
        const founds = ledgers.map((rows) => findById(rows, behind, limit + 1, lookedAt, isRising));
        return mergeFound<Row, Row>(order, founds, behind, limit + 1);
      }, limit);
      const listed = drawn.flat().filter(({ isListed }) => isListed);
      expect(walked.map(({ id }) => id)).toEqual(listed.toSorted(order.compare).map(({ id }) => id));
    });
  });

  it('that each ledger numbers gives every row once, those of a ledger in the order of their numbers', () => {
    forAll(ledgersOfNumbers, sizes.limit, sizes.lookedAt, (ledgers, limit, lookedAt) => {
      const named = ledgers.map((rows, ledger) => rows.map((row) => ({ ...row, ledger })));
      const walked = walk((behind) => {
        const places = behind?.split('_') ?? [];
        const founds = named.map((rows, ledger) => findIn(rows, places[ledger] || null, limit + 1, lookedAt));
        return mergeFound(byTime, founds, behind, limit + 1);
      }, limit) as (Row & { readonly ledger: number })[];
      for (const [ledger, rows] of ledgers.entries()) {
        const own = walked.filter((row) => row.ledger === ledger).map(({ id }) => id);
        expect(own).toEqual(rows.filter(({ isListed }) => isListed).map(({ id }) => id));
      }
      // No row comes before one that is newer by more than the clocks differ.
      const newest = walked.map((_, place) => Math.max(...walked.slice(place).map(({ ts }) => ts)));
      expect(walked.filter(({ ts }, place) => (newest[place] ?? ts) > ts + 3)).toEqual([]);
    });
  });

  it('gives a single ledger’s rows and horizon as they are', () => {
    const rows = [3, 2, 1].map((id) => ({ id: String(id), ts: id, isListed: true }));
    const horizon = { id: '1', ts: 1, isListed: true };
    expect(mergeFound(newestFirst, [{ rows, horizon }], null, 9)).toEqual({ rows, horizon: '1' });
    expect(mergeFound(byTime, [{ rows: [], horizon }], '7', 9)).toEqual({ rows: [], horizon: '1' });
    expect(mergeFound(newestFirst, [{ rows, horizon: null }], null, 2)).toEqual({
      rows: rows.slice(0, 2),
      horizon: null,
    });
  });

  it('goes on from a cursor that was given before a ledger was added', () => {
    const rows = [{ id: '4', ts: 4, isListed: true }];
    const added = [{ id: '9', ts: 1, isListed: true }];
    const { rows: merged } = mergeFound(
      byTime,
      [rows, added].map((one) => ({ rows: one, horizon: null })),
      '5',
      9,
    );
    expect(merged.map(({ place }) => place)).toEqual(['4_', '4_9']);
  });
});

it('texts are compared by their bytes in UTF-8, as SQLite does', () => {
  const texts = ['', 'a', 'ab', 'b', '\u{FFFD}', '\u{1F600}', '\u{1F600}a'];
  expect(texts.toReversed().toSorted(compareTexts)).toEqual(texts);
  expect(texts.map((text) => compareTexts(text, text))).toEqual(texts.map(() => 0));
});

import { type SQL, eq, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { firstNumberFrom } from '../db/find-by-time.ts';
import { lowestRecordId } from '../db/record-id.ts';
import { balances, exactly, transfers } from '../db/schema.ts';
import { recordKinds } from '../record-kinds.ts';
import { spreadOf } from '../reconciliation/day-sums.ts';
import { type Asset, QUOTE_ASSET } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';

/** An order's id is at most a day older than its transfers: so long may its lane send it again. */
const DAY_MS = 86_400_000;

const RECORDS_PER_READ = 500;

/** One movement of one asset of an account: what the balance gained, or lost where it is negative. */
export interface Movement {
  readonly transfer: number;
  readonly time_ms: number;
  /** The record that commanded it, and what it is. */
  readonly id: string;
  readonly type: string;
  readonly asset: Asset;
  readonly amount: Atoms;
  /** What the spread of an order cost, in atoms of USDT, at the movement by which the account pays. */
  readonly spread?: Atoms;
}

/**
 * The movements of an account by the numbers of their transfers: from `begin` on, and below `end`. Once they are written
 * they never change.
 */
export interface MovementSpan {
  readonly accountId: string;
  /** A time that is not after the first of these transfers. */
  readonly from_ms: number;
  readonly begin: number;
  readonly end: number;
}

/**
 * Reads the balances of an account, which transfers lie in a span of time, and which number comes next, in one moment.
 * Throws when D1 fails.
 */
export async function readSnapshot(database: Database, accountId: string, from_ms: number, to_ms: number) {
  const [numbers, held] = await database.batch([
    database
      .select({
        // A batch gives rows by the names of their columns, so each needs one of its own.
        next: sql<number>`coalesce(max(${transfers.id}), 0) + 1`.as('next'),
        begin: firstNumberFrom(transfers, from_ms).as('begin'),
        end: firstNumberFrom(transfers, to_ms).as('end'),
      })
      .from(transfers),
    database
      .select({ asset: balances.asset, amount: exactly(balances.amount) })
      .from(balances)
      .where(eq(balances.account, accountId)),
  ]);
  if (!numbers[0]) throw new Error('a sum over all transfers gave no row');
  return { ...numbers[0], balances: new Map(held.map(({ asset, amount }) => [asset, amount])) };
}

/** Records, in SQL over the row `r`, and the numbers of their transfers. */
export interface NumberedRows {
  readonly table: string;
  /** Whether its transfers may be much later than its id. */
  readonly isSlow: boolean;
  readonly numbers: readonly [string, ...string[]];
}

/** How the records of a kind move the balances of their own account. */
interface Kind extends NumberedRows {
  /** The market's middle price at which a record filled, if its kind has one. */
  readonly middle: string;
  /** For each line: the number of its transfer, the asset, what the balance gains, and the type. */
  readonly lines: readonly (readonly [number: string, asset: string, amount: string, type: string])[];
}

const kinds = recordKinds.flatMap(({ name, kind, type, isSlow, legs }): Kind[] => {
  const own = legs.flatMap(({ sign, ...leg }) => (sign === undefined ? [] : [{ ...leg, sign }]));
  const lines = own.map(({ number, asset, amount, sign, suffix = '' }) => {
    return [number, asset, `${sign} * (${amount})`, `${type} || '${suffix}'`] as const;
  });
  const [first, ...others] = lines.map(([number]) => number);
  if (first === undefined) return [];
  const middle = kind === 'order' ? 'r.middle_price' : 'NULL';
  return [{ table: `${name} AS r`, isSlow, numbers: [first, ...others], lines, middle }];
});

/**
 * The rows of a kind that have a transfer in the span and come after the record `behind`, as a condition. It has one
 * bound for the ids: SQLite seeks by one of two and would read all rows from there on.
 */
function isInSpan(
  { numbers, isSlow }: NumberedRows,
  { accountId, from_ms, begin, end }: MovementSpan,
  behind = '',
): SQL {
  const first = isSlow ? '' : lowestRecordId(from_ms - DAY_MS);
  const lowest = behind > first ? behind : first;
  const inSpan = numbers.map((number) => sql`(${sql.raw(number)} >= ${begin} AND ${sql.raw(number)} < ${end})`);
  return sql`account_id = ${accountId} AND id > ${lowest} AND (${sql.join(inSpan, sql` OR `)})`;
}

/**
 * What each asset gained in a span, exactly: the sum is taken in two parts, since one of 64 bits could pass its bounds on
 * the way. Throws when D1 fails.
 */
export async function sumMovements(database: Database, span: MovementSpan): Promise<ReadonlyMap<Asset, Atoms>> {
  const found = await Promise.all(kinds.map((kind) => sumKind(database, kind, span)));
  const sums = new Map<Asset, Atoms>();
  for (const { asset, billions, rest } of found.flat()) {
    sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(billions) * 1_000_000_000n + BigInt(rest));
  }
  return sums;
}

/** The sums of one kind. All in one statement would be more parts than D1 lets a UNION have. */
function sumKind(database: Database, kind: Kind, span: MovementSpan) {
  const legs = kind.lines.map(
    ([number, asset, amount]) =>
      sql`SELECT ${sql.raw(asset)} AS asset, ${sql.raw(amount)} AS amount FROM ${sql.raw(kind.table)}
        WHERE ${isInSpan(kind, span)} AND ${sql.raw(number)} >= ${span.begin} AND ${sql.raw(number)} < ${span.end}`,
  );
  return database.all<{ asset: Asset; billions: string; rest: string }>(sql`
    SELECT asset, CAST(sum(amount / 1000000000) AS TEXT) AS billions, CAST(sum(amount % 1000000000) AS TEXT) AS rest
    FROM (${sql.join(legs, sql` UNION ALL `)}) GROUP BY asset`);
}

/** A record with its one or two movements. */
type RecordRow = { readonly middle: string | null } & Readonly<
  Record<'id' | `${'type' | 'asset' | 'amount'}${1 | 2}`, string>
> &
  Readonly<Record<`${'n' | 't'}${1 | 2}`, number | null>>;

/** The columns of one line; those of a line that a kind does not have are NULL. */
function selectLine(line: Kind['lines'][number] | undefined, at: 1 | 2): SQL {
  const [number, asset, amount, type] = line ?? ['NULL', 'NULL', 'NULL', 'NULL'];
  return sql.raw(`${number} AS n${at}, ${asset} AS asset${at}, CAST(${amount} AS TEXT) AS amount${at},
    ${type} AS type${at}, (SELECT transfers.ts FROM transfers WHERE transfers.id = ${number}) AS t${at}`);
}

/**
 * Reads the movements of a span, some hundred records at a time, in the order of the records: so a withdrawal that failed
 * stands beside the return of its money. Rejects when D1 fails.
 */
export async function* readMovements(
  database: Database,
  span: MovementSpan,
): AsyncGenerator<Movement[], void, undefined> {
  for await (const rows of readRecords<RecordRow, Kind>(database, span, kinds, selectRecord)) {
    yield rows.flatMap((row) => listMovements(row, span));
  }
}

function selectRecord({ lines, middle }: Kind): SQL {
  const [first, second] = [selectLine(lines[0], 1), selectLine(lines[1], 2)];
  return sql`id, ${sql.raw(`CAST(${middle} AS TEXT) AS middle`)}, ${first}, ${second}`;
}

/** Reads the records of some kinds in a span, some hundred at a time, by their ids. Rejects when D1 fails. */
export async function* readRecords<Row extends { readonly id: string }, Of extends NumberedRows>(
  database: Database,
  span: MovementSpan,
  wanted: readonly Of[],
  select: (kind: Of) => SQL,
): AsyncGenerator<Row[], void, undefined> {
  let rows: Row[] = [];
  do {
    const behind = rows.at(-1)?.id;
    const parts = wanted.map((kind) => {
      return sql`SELECT ${select(kind)} FROM ${sql.raw(kind.table)} WHERE ${isInSpan(kind, span, behind)}`;
    });
    rows = await database.all(sql`${sql.join(parts, sql` UNION ALL `)} ORDER BY id LIMIT ${RECORDS_PER_READ}`);
    yield rows;
  } while (rows.length === RECORDS_PER_READ);
}

function listMovements({ id, ...row }: RecordRow, { begin, end }: MovementSpan): Movement[] {
  return ([1, 2] as const).flatMap((at) => {
    const [transfer, time_ms] = [row[`n${at}`], row[`t${at}`]];
    if (transfer === null || time_ms === null || transfer < begin || transfer >= end) return [];
    const [type, asset] = [row[`type${at}`], row[`asset${at}`] as Asset];
    const spread = at === 1 ? spreadOfRow(row) : undefined;
    const movement = { transfer, time_ms, id, type, asset, amount: BigInt(row[`amount${at}`]) };
    return [{ ...movement, ...(spread !== undefined && { spread }) }];
  });
}

/** What the spread of an order cost; `undefined` for any other record. The first line is what the account paid. */
function spreadOfRow({ middle, ...row }: Omit<RecordRow, 'id'>): Atoms | undefined {
  if (middle === null) return undefined;
  const paid = row.amount1.slice('-'.length);
  return row.asset1 === QUOTE_ASSET
    ? spreadOf({ coin: row.asset2, side: 'BUY', coinAmount: row.amount2, usdtAmount: paid, middle })
    : spreadOf({ coin: row.asset1, side: 'SELL', coinAmount: paid, usdtAmount: row.amount2, middle });
}

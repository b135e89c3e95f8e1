import { type SQL, eq, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { firstNumberFrom } from '../db/find-by-time.ts';
import { lowestRecordId } from '../db/record-id.ts';
import { balances, exactly, transfers } from '../db/schema.ts';
import type { Asset } from '../money/assets.ts';
import type { Atoms } from '../money/amounts.ts';

/** An order's id is at most a day older than its transfers: so long may its lane send it again. */
const DAY_MS = 86_400_000;

/** How many records are read at a time. */
const RECORDS_PER_READ = 500;

/** One movement of one asset of an account: what the balance gained, or lost where it is negative. */
export interface Movement {
  /** The number of the transfer. */
  readonly transfer: number;
  readonly time_ms: number;
  /** The record that commanded it, and what it is. */
  readonly id: string;
  readonly type: string;
  readonly asset: Asset;
  readonly amount: Atoms;
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

/** An account's balances at one moment, and which transfers lie in a span of time before it. */
export interface Snapshot {
  readonly balances: ReadonlyMap<Asset, Atoms>;
  readonly begin: number;
  readonly end: number;
  /** The number of the next transfer. */
  readonly next: number;
}

/** Reads the balances of an account and the numbers of a span of time, in one moment. Throws when D1 fails. */
export async function readSnapshot(
  database: Database,
  accountId: string,
  from_ms: number,
  to_ms: number,
): Promise<Snapshot> {
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
  const { next, begin, end } = numbers[0];
  return { next, begin, end, balances: new Map(held.map(({ asset, amount }) => [asset, amount])) };
}

/** How the rows of a table move an account's balances, in SQL. `n2` follows later, or never. */
interface Kind {
  readonly table: string;
  readonly type: string;
  /** The type of the second movement, if it is another one. */
  readonly second?: string;
  readonly legs: readonly (readonly [number: string, asset: string, amount: string])[];
  /** Whether a row's transfers may be much later than its id. */
  readonly isSlow: boolean;
}

const isBuy = "side = 'BUY'";
const isBuyer = "type IN ('P2P_BUY', 'QUICK_BUY')";

const kinds: readonly Kind[] = [
  {
    table: 'orders',
    type: "'SPOT_' || side",
    legs: [
      ['first_transfer', `iif(${isBuy}, 'USDT', coin)`, `-iif(${isBuy}, usdt_amount, coin_amount)`],
      ['first_transfer + 1', `iif(${isBuy}, coin, 'USDT')`, `iif(${isBuy}, coin_amount, usdt_amount)`],
    ],
    isSlow: false,
  },
  { table: 'deposits', type: 'type', legs: [['transfer', 'asset', 'amount']], isSlow: true },
  {
    table: 'withdrawals',
    type: 'type',
    second: `type || '_RETURNED'`,
    legs: [
      ['taken_transfer', 'asset', '-(amount + fee)'],
      ['returned_transfer', 'asset', 'amount + fee'],
    ],
    isSlow: true,
  },
  {
    table: 'settlements',
    type: 'type',
    legs: [
      ['first_transfer', "'USDT'", `iif(${isBuyer}, -usdt_amount, usdt_amount)`],
      ['first_transfer + 1', 'coin', `iif(${isBuyer}, coin_amount, -coin_amount)`],
    ],
    isSlow: false,
  },
];

/**
 * The rows of a kind that have a transfer in the span and come after the record `behind`, as a condition. It has one bound
 * for the ids: SQLite seeks by one of two and would read all rows from there on.
 */
function isInSpan({ legs, isSlow }: Kind, { accountId, from_ms, begin, end }: MovementSpan, behind = ''): SQL {
  const first = isSlow ? '' : lowestRecordId(from_ms - DAY_MS);
  const lowest = behind > first ? behind : first;
  const inSpan = legs.map(([number]) => sql`(${sql.raw(number)} >= ${begin} AND ${sql.raw(number)} < ${end})`);
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
  const legs = kind.legs.map(
    ([number, asset, amount]) =>
      sql`SELECT ${sql.raw(asset)} AS asset, ${sql.raw(amount)} AS amount FROM ${sql.raw(kind.table)}
        WHERE ${isInSpan(kind, span)} AND ${sql.raw(number)} >= ${span.begin} AND ${sql.raw(number)} < ${span.end}`,
  );
  return database.all<{ asset: Asset; billions: string; rest: string }>(sql`
    SELECT asset, CAST(sum(amount / 1000000000) AS TEXT) AS billions, CAST(sum(amount % 1000000000) AS TEXT) AS rest
    FROM (${sql.join(legs, sql` UNION ALL `)}) GROUP BY asset`);
}

/** A record with its one or two movements. */
interface RecordRow {
  readonly id: string;
  readonly type: string;
  readonly second: string;
  readonly n1: number | null;
  readonly asset1: Asset;
  readonly amount1: string;
  readonly t1: number | null;
  readonly n2: number | null;
  readonly asset2: Asset;
  readonly amount2: string;
  readonly t2: number | null;
}

/** The columns of one leg; those of a leg that a kind does not have are NULL. */
function selectLeg(leg: Kind['legs'][number] | undefined, at: number): SQL {
  const name = (column: string) => sql.raw(`${column}${at}`);
  if (!leg) return sql`NULL AS ${name('n')}, NULL AS ${name('asset')}, NULL AS ${name('amount')}, NULL AS ${name('t')}`;
  const [number, asset, amount] = leg.map((text) => sql.raw(text));
  return sql`${number} AS ${name('n')}, ${asset} AS ${name('asset')}, CAST(${amount} AS TEXT) AS ${name('amount')},
    (SELECT transfers.ts FROM transfers WHERE transfers.id = ${number}) AS ${name('t')}`;
}

/**
 * Reads the movements of a span, some hundred records at a time, in the order of the records: so a withdrawal that failed
 * stands beside the return of its money. Rejects when D1 fails.
 */
export async function* readMovements(
  database: Database,
  span: MovementSpan,
): AsyncGenerator<Movement[], void, undefined> {
  let behind = '';
  for (;;) {
    const parts = kinds.map(
      (
        kind,
      ) => sql`SELECT id, ${sql.raw(kind.type)} AS type, ${sql.raw(kind.second ?? kind.type)} AS second, ${selectLeg(kind.legs[0], 1)}, ${selectLeg(kind.legs[1], 2)}
        FROM ${sql.raw(kind.table)} WHERE ${isInSpan(kind, span, behind)}`,
    );
    const rows = await database.all<RecordRow>(
      sql`${sql.join(parts, sql` UNION ALL `)} ORDER BY id LIMIT ${RECORDS_PER_READ}`,
    );
    yield rows.flatMap((row) => listMovements(row, span));
    const last = rows.at(-1);
    if (!last || rows.length < RECORDS_PER_READ) return;
    behind = last.id;
  }
}

function listMovements(row: RecordRow, { begin, end }: MovementSpan): Movement[] {
  const { id, type, second } = row;
  const legs = [
    { transfer: row.n1, time_ms: row.t1, asset: row.asset1, amount: row.amount1, type },
    { transfer: row.n2, time_ms: row.t2, asset: row.asset2, amount: row.amount2, type: second },
  ];
  return legs.flatMap(({ transfer, time_ms, amount, ...leg }) =>
    transfer === null || time_ms === null || transfer < begin || transfer >= end
      ? []
      : [{ transfer, time_ms, id, amount: BigInt(amount), ...leg }],
  );
}

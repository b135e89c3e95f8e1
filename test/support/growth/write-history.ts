import { env } from '../test-env.ts';
import { readTriggers, runWithout } from '../triggers.ts';
import { FIRST_MS, listNumbers } from './open-crowd.ts';
import { type RecordKind, type RecordTable, type RecordTerms, recordKinds } from './record-kinds.ts';

/** The time over which a history is spread: it ends long before the days that a daily limit looks back to. */
const SPAN_MS = 730 * 86_400_000;

/** So many records in one batch. */
const CHUNK = 50_000;

/** Whose history it is: an account's, or that of several in turns, by the SQL of the id over a record's number `i`. */
export interface Owners {
  readonly account: string;
  readonly count: number;
}

/** What was written: rows of all tables together, and how large the database is with them, in bytes. */
export interface Written {
  readonly rows: number;
  readonly size: number;
}

/** The number of the next record, so that none has the id of another, whosoever it is. */
let next = 0;

/**
 * Writes so many records of one kind, spread over two years, with their transfers and what these do to the balances: the
 * same rows that requests would have left, whole to the reconciliation. It goes round the triggers, which look at every
 * row that is written: with them a million rows would take minutes, and what they refuse is not what is asked here.
 */
export async function writeHistory(table: RecordTable, owners: Owners, count: number): Promise<Written> {
  const triggers = (await readTriggers()).filter(({ tbl_name }) => touched.includes(tbl_name));
  const kind = recordKinds[table];
  // From the beginning of a round, so that everybody buys before selling.
  const first = Math.ceil(next / (2 * owners.count)) * 2 * owners.count;
  const end = first + count;
  const time = `(${FIRST_MS} + (i - ${first}) * ${Math.floor(SPAN_MS / count)})`;
  const written = { rows: 0, size: 0 };
  for (let from = first; from < end; from += CHUNK) {
    const to = Math.min(from + CHUNK, end);
    const head = (await env.DB.prepare('SELECT max(id) AS head FROM transfers').first<number>('head')) ?? 0;
    const terms = composeTerms(kind, owners, time, from, head);
    const statements = [
      writeRecords(table, terms, from, to),
      writeTransfers(kind, terms, from, to),
      moveBalances(head),
    ];
    const results = await runWithout(
      triggers,
      statements.map((statement) => env.DB.prepare(statement)),
    );
    written.rows += (to - from) * (1 + kind.legs(terms).length);
    written.size = Math.max(...results.map(({ meta }) => meta.size_after));
  }
  next = end;
  return written;
}

/** The tables that a history is written to. */
const touched = ['balances', 'transfers', ...Object.keys(recordKinds)];

function composeTerms(kind: RecordKind, owners: Owners, time: string, from: number, head: number): RecordTerms {
  const terms = {
    account: owners.account,
    id: `printf('%08x-%04x-7%03x-8000-%012x', ${time} / 65536, ${time} % 65536, ${kind.digit}, i)`,
    time,
    isBuy: `(i / ${owners.count}) % 2 = 0`,
    firstTransfer: '',
  };
  return { ...terms, firstTransfer: `${head + 1} + ${kind.legs(terms).length} * (i - ${from})` };
}

function writeRecords(table: RecordTable, terms: RecordTerms, from: number, to: number): string {
  const row = recordKinds[table].row(terms);
  return `
    INSERT INTO ${table} (${Object.keys(row).join(', ')}) ${listNumbers(from, to)}
    SELECT ${Object.values(row).join(', ')} FROM n`;
}

function writeTransfers(kind: RecordKind, terms: RecordTerms, from: number, to: number): string {
  const legs = kind.legs(terms);
  const choose = (values: readonly (string | number)[]) =>
    `CASE leg ${values.map((value, at) => `WHEN ${at} THEN ${value}`).join(' ')} END`;
  return `
    INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference, ts) ${listNumbers(from, to)}
    SELECT ${terms.firstTransfer} + leg, ${choose(legs.map(({ debit }) => debit))},
      ${choose(legs.map(({ credit }) => credit))}, ${choose(legs.map(({ asset }) => `'${asset}'`))},
      ${choose(legs.map(({ amount }) => amount))}, '${kind.transferKind}', ${terms.id}, ${terms.time}
    FROM n CROSS JOIN (${legs.map((_, at) => `SELECT ${at} AS leg`).join(' UNION ALL ')})`;
}

/** What the transfers after number `head` do to the balances. */
function moveBalances(head: number): string {
  return `
    UPDATE balances SET amount = amount + moved.net, last_transfer = moved.newest
    FROM (
      SELECT account, asset, sum(net) AS net, max(id) AS newest FROM (
        SELECT id, debit AS account, asset, -amount AS net FROM transfers WHERE id > ${head}
        UNION ALL
        SELECT id, credit AS account, asset, amount AS net FROM transfers WHERE id > ${head})
      GROUP BY account, asset) AS moved
    WHERE balances.account = moved.account AND balances.asset = moved.asset`;
}

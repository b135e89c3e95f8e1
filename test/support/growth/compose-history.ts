import { FIRST_MS, listNumbers } from './compose-crowd.ts';
import { type RecordKind, type RecordTable, type RecordTerms, recordKinds } from './record-kinds.ts';

/** The time over which a history is spread. It ends long before the days that a daily limit counts. */
const SPAN_MS = 730 * 86_400_000;

/**
 * Whose history it is: the account's, or that of several accounts in turns, as the SQL of the id by a record's number
 * `i`.
 */
export interface Owners {
  readonly account: string;
  readonly count: number;
}

/**
 * Records of one kind, numbered from `first` up to, but not including, `end`. One part of them is written at a time.
 */
export interface History {
  readonly table: RecordTable;
  readonly owners: Owners;
  readonly first: number;
  readonly end: number;
  /** Over how long it is spread; two years unless told. */
  readonly span_ms?: number;
}

export const historyTables: readonly string[] = ['balances', 'transfers', ...Object.keys(recordKinds)];

/**
 * The SQL that writes the records from number `from` up to `to` of a history, their transfers after transfer number
 * `head`, and the resulting balances: the same rows that requests would have left. Pure.
 */
export function composeHistory(
  { table, owners, first, end, span_ms = SPAN_MS }: History,
  from: number,
  to: number,
  head: number,
): string[] {
  const kind = recordKinds[table];
  const time = `(${FIRST_MS} + (i - ${first}) * ${Math.floor(span_ms / (end - first))})`;
  const terms = composeTerms(kind, owners, time, from, head);
  return [writeRecords(table, terms, from, to), writeTransfers(kind, terms, from, to), moveBalances(head)];
}

export function rowsOf(table: RecordTable): number {
  return 1 + recordKinds[table].legs({ account: '', id: '', time: '', firstTransfer: '', isBuy: '' }).length;
}

function composeTerms(kind: RecordKind, owners: Owners, time: string, from: number, head: number): RecordTerms {
  const terms = {
    account: owners.account,
    id: `printf('%08x-%04x-7000-8%03x-%012x', ${time} / 65536, ${time} % 65536, ${kind.digit}, i)`,
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
      ${choose(legs.map(({ credit }) => credit))}, ${choose(legs.map(({ asset }) => asset))},
      ${choose(legs.map(({ amount }) => amount))}, '${kind.transferKind}', ${terms.id}, ${terms.time}
    FROM n CROSS JOIN (${legs.map((_, at) => `SELECT ${at} AS leg`).join(' UNION ALL ')})`;
}

/** The SQL that applies the transfers after number `head` to the balances. */
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

import { type AnyColumn, sql } from 'drizzle-orm';
import { type Database, bindPrepared, prepareOnce } from '../db/database.ts';
import { auditColumns, showAuditEntry } from '../db/list-audit.ts';
import { audit, deposits, withdrawals } from '../db/schema.ts';
import { depositColumns } from '../deposits/deposit.ts';
import { showDepositToOperator } from '../deposits/operator-deposit.ts';
import { showToOperator } from '../withdrawals/operator-withdrawal.ts';
import { withdrawalColumns } from '../withdrawals/withdrawal.ts';
import { showDisabledEndpoint } from './compose-events.ts';
import type { EventRow } from './event.ts';
import type { OperatorEvent } from './operator-event.ts';

/** The rows that events are about. `subjects` is a JSON array of strings, since D1 binds a hundred values at most. */
const subjects = sql`json_each(${sql.placeholder('subjects')})`;

/** Records by `<account>/<id>`, as the operator's events name them: by both columns, which are the primary key. */
const isNamed = (accountId: AnyColumn, id: AnyColumn) =>
  sql`(${accountId}, ${id}) IN (
    SELECT substr(value, 1, instr(value, '/') - 1), substr(value, instr(value, '/') + 1) FROM ${subjects})`;

const selectEntries = prepareOnce((database) =>
  database
    .select(auditColumns)
    .from(audit)
    .where(sql`${audit.id} IN (SELECT CAST(value AS INTEGER) FROM ${subjects})`)
    .prepare(),
);

const selectDeposits = prepareOnce((database) =>
  database.select(depositColumns).from(deposits).where(isNamed(deposits.accountId, deposits.id)).prepare(),
);

const selectWithdrawals = prepareOnce((database) =>
  database.select(withdrawalColumns).from(withdrawals).where(isNamed(withdrawals.accountId, withdrawals.id)).prepare(),
);

/** Reads the records of events, all kinds in one round trip: what each event shows, by its subject. */
async function readRecords(database: Database, ledger: number, rows: readonly EventRow[]) {
  const of = (family: string) => {
    const own = rows.filter(({ type, detail }) => detail === null && type.startsWith(`${family}.`));
    return { subjects: JSON.stringify([...new Set(own.map(({ subject }) => subject))]) };
  };
  const [entries, received, sent] = await database.batch([
    bindPrepared(selectEntries(database), of('audit')),
    bindPrepared(selectDeposits(database), of('deposit')),
    bindPrepared(selectWithdrawals(database), of('withdrawal')),
  ]);
  return new Map<string, OperatorEvent['data']>([
    ...entries.map((row) => [row.id, { entry: showAuditEntry({ ...row, ledger }) }] as const),
    ...received.map((row) => [`${row.accountId}/${row.id}`, { deposit: showDepositToOperator(row) }] as const),
    ...sent.map((row) => [`${row.accountId}/${row.id}`, { withdrawal: showToOperator(row) }] as const),
  ]);
}

/**
 * Composes events of the operator in one ledger as its lists show their records now, in the order of the rows. One round
 * trip, whatever the number of events. Throws when D1 fails, and for a record that is missing, which the database rules
 * out.
 */
export async function composeOperatorEvents(
  database: Database,
  ledger: number,
  rows: readonly EventRow[],
): Promise<OperatorEvent[]> {
  if (rows.length === 0) return [];
  const records = await readRecords(database, ledger, rows);
  return rows.map((row) => {
    const { type, subject, sequence, detail } = row;
    const data = detail === null ? records.get(subject) : showDisabledEndpoint(subject, detail);
    if (!data) throw new Error(`the record of the operator's event ${sequence} is missing`);
    const id = `evt_operator_${ledger}_${sequence}`;
    return { id, type, timestamp: new Date(row.ts).toISOString(), sequence, data } as OperatorEvent;
  });
}

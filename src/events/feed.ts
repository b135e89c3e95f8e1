import { type AnyColumn, type SQL, and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import type { SelectedFields } from 'drizzle-orm/sqlite-core';
import { showEntry } from '../accounts/allowlist.ts';
import { settlementColumns } from '../activity/list-transactions.ts';
import { showTransaction } from '../activity/transactions.ts';
import { type Database, bindPrepared, prepareOnce } from '../db/database.ts';
import { auditColumns, showAuditEntry } from '../db/list-audit.ts';
import { ledgerNumberOf } from '../db/record-id.ts';
import type { RecordTable } from '../db/record-list.ts';
import { accounts, apiKeys, audit, deposits, orders, settlements, totp, withdrawals } from '../db/schema.ts';
import { showDepositBase } from '../deposits/account-deposit.ts';
import { depositColumns } from '../deposits/deposit.ts';
import { showDepositToOperator } from '../deposits/operator-deposit.ts';
import { showOwnApiKey } from '../keys/api-key.ts';
import { readKeyRow } from '../keys/record.ts';
import { orderColumns, showOrder } from '../orders/order.ts';
import { showToOperator } from '../withdrawals/operator-withdrawal.ts';
import { showWithdrawal, withdrawalColumns } from '../withdrawals/withdrawal.ts';
import { type Event, type EventRow, idOfEvent } from './event.ts';
import { OPERATOR, type OperatorEvent } from './operator-event.ts';

/** The records that events are about. `subjects` is a JSON array, since D1 binds a hundred values at most. */
const subjects = sql`json_each(${sql.placeholder('subjects')})`;

/** Records of one account, by their ids. */
const isOwn = (accountId: AnyColumn, id: AnyColumn): SQL | undefined =>
  and(eq(accountId, sql.placeholder('accountId')), sql`${id} IN (SELECT value FROM ${subjects})`);

/** Records by `<account>/<id>`, as the operator's events name them: by both columns, which are the primary key. */
const isNamed = (accountId: AnyColumn, id: AnyColumn) =>
  sql`(${accountId}, ${id}) IN (
    SELECT substr(value, 1, instr(value, '/') - 1), substr(value, instr(value, '/') + 1) FROM ${subjects})`;

/** Records that events of some families are about: how they are read, and what an event shows of each, by its subject. */
interface Source<Data> {
  readonly families: readonly string[];
  readonly bind: (database: Database, values: Record<string, unknown>) => BatchItem<'sqlite'>;
  readonly show: (rows: unknown, ledger: number) => (readonly [subject: string, data: Data])[];
}

function describeSource<Row, Data>(
  families: readonly string[],
  build: (database: Database) => Parameters<typeof bindPrepared>[0] & { execute(): Promise<Row[]> },
  show: (row: Row, ledger: number) => readonly [subject: string, data: Data],
): Source<Data> {
  const select = prepareOnce(build);
  return {
    families,
    bind: (database, values) => bindPrepared(select(database), values),
    show: (rows, ledger) => (rows as Row[]).map((row) => show(row, ledger)),
  };
}

function describeTable<Columns extends SelectedFields, Data>(
  family: string,
  table: RecordTable,
  columns: Columns,
  isMeant: typeof isOwn,
  show: (row: SelectResultFields<Columns>) => readonly [subject: string, data: Data],
): Source<Data> {
  const build = (database: Database) =>
    database.select<SelectedFields>(columns).from(table).where(isMeant(table.accountId, table.id)).prepare();
  return describeSource([family], build, (row) => show(row as SelectResultFields<Columns>));
}

const sources: readonly Source<Event['data']>[] = [
  describeTable('order', orders, orderColumns, isOwn, (row) => [row.id, { order: showOrder(row) }]),
  describeTable('deposit', deposits, depositColumns, isOwn, (row) => [
    row.id,
    { deposit: { ...showDepositBase(row), status: row.status } },
  ]),
  describeTable('withdrawal', withdrawals, withdrawalColumns, isOwn, (row) => [
    row.id,
    { withdrawal: showWithdrawal(row) },
  ]),
  describeTable('settlement', settlements, settlementColumns, isOwn, (row) => [
    row.id,
    { transaction: showTransaction(row) },
  ]),
  describeTable('key', apiKeys, getTableColumns(apiKeys), isOwn, (row) => [
    row.id,
    { apiKey: showOwnApiKey(readKeyRow(row)) },
  ]),
  describeSource(
    ['account', 'security'],
    (database) =>
      database
        .select({ id: accounts.id, status: accounts.status, confirmedAt: totp.confirmedAt })
        .from(accounts)
        .leftJoin(totp, eq(totp.accountId, accounts.id))
        .where(isOwn(accounts.id, accounts.id))
        .prepare(),
    ({ id, status, confirmedAt }) => [id, { account: { id, status, twoFactor: confirmedAt !== null } }],
  ),
];

const operatorSources: readonly Source<OperatorEvent['data']>[] = [
  describeSource(
    ['audit'],
    (database) =>
      database
        .select(auditColumns)
        .from(audit)
        .where(sql`${audit.id} IN (SELECT CAST(value AS INTEGER) FROM ${subjects})`)
        .prepare(),
    (row, ledger) => [row.id, { entry: showAuditEntry({ ...row, ledger }) }],
  ),
  describeTable('deposit', deposits, depositColumns, isNamed, (row) => [
    `${row.accountId}/${row.id}`,
    { deposit: showDepositToOperator(row) },
  ]),
  describeTable('withdrawal', withdrawals, withdrawalColumns, isNamed, (row) => [
    `${row.accountId}/${row.id}`,
    { withdrawal: showToOperator(row) },
  ]),
];

/** The part of an allowlist's entry that its event keeps. */
type KeptEntry = Parameters<typeof showEntry>[0];

/** What a switched-off endpoint was, which may have been deleted since. */
interface KeptEndpoint {
  readonly url: string;
  readonly reason: 'gone' | 'failing' | 'key_revoked';
}

/** Shows an endpoint that was switched off, from what its event keeps. */
function showDisabledEndpoint(id: string, detail: string) {
  return { webhookEndpoint: { id, ...(JSON.parse(detail) as KeptEndpoint) } };
}

/** What an event of the account's security keeps of its row of the audit. */
type KeptSecurity = Omit<
  Extract<Event, { type: `security.${string}`; data: { security: object } }>['data']['security'],
  'accountId'
>;

function showOwnKept({ type, subject, detail }: EventRow): Event['data'] | undefined {
  if (detail === null) return undefined;
  if (type.startsWith('security.')) {
    return { security: { accountId: subject, ...(JSON.parse(detail) as KeptSecurity) } };
  }
  if (type === 'endpoint.disabled') return showDisabledEndpoint(subject, detail);
  const kept = JSON.parse(detail) as Omit<KeptEntry, 'id'>;
  return { allowlistEntry: showEntry({ ...kept, id: subject }) };
}

/** The events of one listener, and how they are shown. */
export interface Feed<Shown extends Event | OperatorEvent = Event | OperatorEvent> {
  /** An account's id, or `OPERATOR`. */
  readonly listenerId: string;
  readonly ledger: number;
  readonly sources: readonly Source<Shown['data']>[];
  /** What a row shows that keeps it itself. */
  readonly showKept: (row: EventRow) => Shown['data'] | undefined;
  readonly idOf: (row: EventRow) => string;
}

/** What happened to an account. */
export function accountFeed(accountId: string): Feed<Event> {
  return { listenerId: accountId, ledger: ledgerNumberOf(accountId), sources, showKept: showOwnKept, idOf: idOfEvent };
}

/** What happened in a ledger, for the operator. */
export function operatorFeed(ledger: number): Feed<OperatorEvent> {
  return {
    listenerId: OPERATOR,
    ledger,
    sources: operatorSources,
    showKept: ({ subject, detail }) => (detail === null ? undefined : showDisabledEndpoint(subject, detail)),
    idOf: ({ sequence }) => `evt_operator_${ledger}_${sequence}`,
  };
}

/** The feed that an endpoint is sent. The operator's endpoint is told of the ledger that its id names. */
export function feedOf({ accountId, id }: { readonly accountId: string; readonly id: string }): Feed {
  return accountId === OPERATOR ? operatorFeed(ledgerNumberOf(id)) : accountFeed(accountId);
}

/**
 * Composes events of a feed as the lists show their records now, in the order of the rows. One round trip, whatever the
 * number of events. Throws when D1 fails, and for a record that is missing, which the database rules out.
 */
export async function composeEvents<Shown extends Event | OperatorEvent>(
  database: Database,
  { listenerId: accountId, ledger, sources: all, showKept, idOf }: Feed<Shown>,
  rows: readonly EventRow[],
): Promise<Shown[]> {
  if (rows.length === 0) return [];
  const [first, ...rest] = all.map(({ families, bind }) => {
    const own = rows.filter(({ type, detail }) => detail === null && families.includes(type.split('.')[0] ?? ''));
    return bind(database, { accountId, subjects: JSON.stringify([...new Set(own.map(({ subject }) => subject))]) });
  });
  if (!first) throw new Error('a feed has no sources');
  const results: readonly unknown[] = await database.batch([first, ...rest]);
  const records = new Map(all.flatMap(({ show }, place) => show(results[place], ledger)));
  return rows.map((row) => {
    const { type, sequence, ts } = row;
    const data = showKept(row) ?? records.get(row.subject);
    if (!data) throw new Error(`the record of event ${sequence} of ${accountId} is missing`);
    return { id: idOf(row), type, timestamp: new Date(ts).toISOString(), sequence, data } as Shown;
  });
}

import { and, eq, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { showEntry } from '../accounts/allowlist.ts';
import { showOwnApiKey } from '../keys/api-key.ts';
import { readKeyRow } from '../keys/record.ts';
import { type Database, bindPrepared, prepareOnce } from '../db/database.ts';
import { accounts, apiKeys, deposits, orders, settlements, totp, withdrawals } from '../db/schema.ts';
import { orderColumns, showOrder } from '../orders/order.ts';
import { showDepositBase } from '../deposits/account-deposit.ts';
import { depositColumns } from '../deposits/deposit.ts';
import { settlementColumns } from '../activity/list-transactions.ts';
import { showTransaction } from '../activity/transactions.ts';
import { showWithdrawal, withdrawalColumns } from '../withdrawals/withdrawal.ts';
import { type Event, type EventRow, idOfEvent } from './event.ts';

/** The records that events are about, by account. `ids` is a JSON array, since D1 binds a hundred values at most. */
const isOwn = (accountId: SQLiteColumn) => eq(accountId, sql.placeholder('accountId'));
const isSubject = (id: SQLiteColumn) => sql`${id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`;

const selectOrders = prepareOnce((database) =>
  database
    .select(orderColumns)
    .from(orders)
    .where(and(isOwn(orders.accountId), isSubject(orders.id)))
    .prepare(),
);

const selectDeposits = prepareOnce((database) =>
  database
    .select(depositColumns)
    .from(deposits)
    .where(and(isOwn(deposits.accountId), isSubject(deposits.id)))
    .prepare(),
);

const selectWithdrawals = prepareOnce((database) =>
  database
    .select(withdrawalColumns)
    .from(withdrawals)
    .where(and(isOwn(withdrawals.accountId), isSubject(withdrawals.id)))
    .prepare(),
);

const selectSettlements = prepareOnce((database) =>
  database
    .select(settlementColumns)
    .from(settlements)
    .where(and(isOwn(settlements.accountId), isSubject(settlements.id)))
    .prepare(),
);

const selectKeys = prepareOnce((database) =>
  database
    .select()
    .from(apiKeys)
    .where(and(isOwn(apiKeys.accountId), isSubject(apiKeys.id)))
    .prepare(),
);

const selectAccounts = prepareOnce((database) =>
  database
    .select({ id: accounts.id, status: accounts.status, confirmedAt: totp.confirmedAt })
    .from(accounts)
    .leftJoin(totp, eq(totp.accountId, accounts.id))
    .where(and(isOwn(accounts.id), isSubject(accounts.id)))
    .prepare(),
);

/** What an event shows, by the id of its record. */
type Shown = ReadonlyMap<string, Event['data']>;

function showAll<Row extends { readonly id: string }>(
  rows: readonly Row[],
  show: (row: Row) => Event['data'],
): [string, Event['data']][] {
  return rows.map((row) => [row.id, show(row)]);
}

/** Reads the records of events of one account, all kinds in one round trip. */
async function readRecords(database: Database, accountId: string, rows: readonly EventRow[]): Promise<Shown> {
  const idsOf = (...families: string[]) => {
    const own = rows.filter(({ type, detail }) => detail === null && families.includes(type.split('.')[0] ?? ''));
    return { accountId, ids: JSON.stringify([...new Set(own.map(({ subject }) => subject))]) };
  };
  const [filled, received, sent, settled, keys, holders] = await database.batch([
    bindPrepared(selectOrders(database), idsOf('order')),
    bindPrepared(selectDeposits(database), idsOf('deposit')),
    bindPrepared(selectWithdrawals(database), idsOf('withdrawal')),
    bindPrepared(selectSettlements(database), idsOf('settlement')),
    bindPrepared(selectKeys(database), idsOf('key')),
    bindPrepared(selectAccounts(database), idsOf('account', 'security')),
  ]);
  return new Map([
    ...showAll(filled, (row) => ({ order: showOrder(row) })),
    ...showAll(received, (row) => ({ deposit: { ...showDepositBase(row), status: row.status } })),
    ...showAll(sent, (row) => ({ withdrawal: showWithdrawal(row) })),
    ...showAll(settled, (row) => ({ transaction: showTransaction(row) })),
    ...showAll(keys, (row) => ({ apiKey: showOwnApiKey(readKeyRow(row)) })),
    ...showAll(holders, ({ id, status, confirmedAt }) => ({
      account: { id, status, twoFactor: confirmedAt !== null },
    })),
  ]);
}

/** The part of an allowlist's entry that its event keeps. */
type KeptEntry = Parameters<typeof showEntry>[0];

/** What a switched-off endpoint was, which may have been deleted since. */
interface KeptEndpoint {
  readonly url: string;
  readonly reason: 'gone' | 'failing' | 'key_revoked';
}

/** Shows an endpoint that was switched off, from what its event keeps. */
export function showDisabledEndpoint(id: string, detail: string) {
  return { webhookEndpoint: { id, ...(JSON.parse(detail) as KeptEndpoint) } };
}

/** What an event of the account's security keeps of its row of the audit. */
type KeptSecurity = Omit<
  Extract<Event, { type: `security.${string}`; data: { security: object } }>['data']['security'],
  'accountId'
>;

function showKept({ type, subject, detail }: EventRow): Event['data'] | undefined {
  if (detail === null) return undefined;
  if (type.startsWith('security.')) {
    return { security: { accountId: subject, ...(JSON.parse(detail) as KeptSecurity) } };
  }
  if (type === 'endpoint.disabled') return showDisabledEndpoint(subject, detail);
  const kept = JSON.parse(detail) as Omit<KeptEntry, 'id'>;
  return { allowlistEntry: showEntry({ ...kept, id: subject }) };
}

/**
 * Composes events of one account as the REST API shows their records now, in the order of the rows. One round trip,
 * whatever the number of events. Throws when D1 fails, and for a record that is missing, which the database rules out.
 */
export async function composeEvents(
  database: Database,
  accountId: string,
  rows: readonly EventRow[],
): Promise<Event[]> {
  if (rows.length === 0) return [];
  const records = await readRecords(database, accountId, rows);
  return rows.map((row) => {
    const data = showKept(row) ?? records.get(row.subject);
    if (!data) throw new Error(`the record of event ${row.sequence} is missing`);
    const timestamp = new Date(row.ts).toISOString();
    return { id: idOfEvent(row), type: row.type, timestamp, sequence: row.sequence, data } as Event;
  });
}

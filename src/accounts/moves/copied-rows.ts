import { type SQL, and, eq, getTableColumns, gt, isNull, or, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../ledger/database.ts';
import { accounts, addresses, allowlist, apiKeys, listeners, totp, webhookEndpoints } from '../../ledger/schema.ts';

/** Rows that go with an account. */
interface CopiedRows {
  readonly table: SQLiteTable;
  /** The column that says whose they are. */
  readonly owner: SQLiteColumn;
  /** Which of the account's rows go with it; all by default. */
  readonly which?: (now_ms: number) => SQL | undefined;
  /** Columns that are not copied as they are, in SQL that is read in the first ledger. */
  readonly changed?: Readonly<Record<string, string>>;
}

/**
 * What an account has beside its balances, in the order in which its home takes it in: itself, its API keys with the
 * sessions that have not ended, approved addresses, second factor, deposit addresses, and webhook endpoints. It listens
 * from the number of its newest event on; the events up to it stay in its first ledger. Its holder is not among them:
 * see `finish-move.ts`.
 */
const copiedRows: readonly CopiedRows[] = [
  {
    table: accounts,
    owner: accounts.id,
    changed: {
      moved_to: 'NULL',
      moved_from: '(SELECT ledger FROM settings)',
      arrived: '1',
      holder: 'NULL',
      held_until: '0',
    },
  },
  {
    table: apiKeys,
    owner: apiKeys.accountId,
    which: (now_ms) => or(eq(apiKeys.kind, 'standing'), and(isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, now_ms))),
  },
  { table: allowlist, owner: allowlist.accountId },
  { table: totp, owner: totp.accountId },
  { table: addresses, owner: addresses.accountId },
  {
    table: listeners,
    owner: listeners.accountId,
    changed: { since: '(SELECT sequence - 1 FROM next_events WHERE next_events.account_id = listeners.account_id)' },
  },
  { table: webhookEndpoints, owner: webhookEndpoints.accountId },
];

/** The rows of each table, as JSON: the texts of numbers in it are exact, whatever their size. */
export type CopiedTexts = readonly string[];

const columnsOf = (table: SQLiteTable) => Object.values(getTableColumns(table)).map(({ name }) => name);

/** Reads what goes with an account, as it is at one moment. Throws when D1 fails. */
export async function readCopies(first: Database, accountId: string, now_ms: number): Promise<CopiedTexts> {
  const [one, ...others] = copiedRows.map(({ table, owner, which, changed = {} }) => {
    const members = columnsOf(table).map((column) => `'${column}', ${changed[column] ?? `"${column}"`}`);
    return first
      .select({ copied: sql<string>`json_group_array(json_object(${sql.raw(members.join(', '))}))`.as('copied') })
      .from(table)
      .where(and(eq(owner, accountId), which?.(now_ms)));
  });
  if (!one) return [];
  const found = await first.batch([one, ...others]);
  return found.map((rows) => rows[0]?.copied ?? '[]');
}

/** The statements that write what was read into another ledger. */
export function insertCopies(home: Database, copies: CopiedTexts) {
  return copiedRows.map(({ table }, at) => {
    const values = columnsOf(table).map((column) => `value ->> '${column}'`);
    return home
      .insert(table)
      .select(sql`SELECT ${sql.raw(values.join(', '))} FROM json_each(${copies[at] ?? '[]'}) WHERE true`);
  });
}

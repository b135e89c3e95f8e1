import type { Context } from 'hono';
import { routePath } from 'hono/route';
import { config } from '../env.ts';
import { type ListQuery, showPage } from '../http/list.ts';
import { accept, refuse } from '../http/answer.ts';
import { type Database, findLedger, ledgerOf } from '../db/database.ts';
import { type RecordFilter, type RecordList, readRecordPage } from '../db/record-list.ts';
import { admitRead } from './admit-read.ts';
import type { KeyEnvironment } from './authenticate.ts';

/** What the cursors of the list of this route are bound to, and signed with. */
export function cursorsOf(c: Context) {
  return { path: routePath(c), secret: config.CURSOR_SECRET };
}

/**
 * Answers one page of a list of the key's account: `{<name>: […], nextCursor}` (spec, "Common rules"). The cursors are
 * bound to the route, the account and the filters.
 */
export async function answerList<
  const Name extends string,
  Row extends { readonly id: string },
  Shown,
  Filter extends RecordFilter,
>(c: Context<KeyEnvironment>, query: ListQuery & Filter, list: RecordList<Name, Row, Shown, Filter>) {
  const admitted = await admitRead(c, 'read', (accountId) =>
    readRecordPage(ledgerOf(c.env, accountId), accountId, query, list, cursorsOf(c)),
  );
  return admitted.ok ? showPage(admitted.value.value, list.name, (row) => list.show(row)) : admitted;
}

/** One kind of an account's records, and how one is answered. */
export interface AccountRecord<Name extends string, Row, Shown> {
  /** The member of the answer that holds the record, also used in messages. */
  readonly name: Name;
  /** The record, or `undefined`. Throws when D1 fails. */
  readRow(database: Database, accountId: string, id: string): Promise<Row | undefined>;
  show(row: Row): Shown;
}

/** Answers one record of the key's account: `{<name>: …}`. Unknown records and other accounts' are `not_found`. */
export async function answerRecord<const Name extends string, Row, Shown>(
  c: Context<KeyEnvironment>,
  id: string,
  record: AccountRecord<Name, Row, Shown>,
) {
  const database = findLedger(c.env, id);
  const admitted = await admitRead(c, 'read', async (accountId) => database && record.readRow(database, accountId, id));
  if (!admitted.ok) return admitted;
  const row = admitted.value.value;
  if (!row) return refuse('not_found', `This account has no ${record.name} of that id.`);
  return accept({ [record.name]: record.show(row) } as Record<Name, Shown>);
}

import type { Context } from 'hono';
import { config } from '../env.ts';
import { sendProblem } from '../http/area.ts';
import { type ListQuery, readPage } from '../http/list.ts';
import { refuse } from '../http/refusal.ts';
import type { Database } from '../ledger/database.ts';
import { findLedger, ledgerOf } from '../ledger/ledgers.ts';
import { admit } from './admit.ts';
import type { KeyEnvironment } from './authenticate.ts';

/** A list of an account's records, and how it is answered. */
export interface AccountList<Name extends string, Row extends { readonly id: string }, Shown> {
  /** The route, to which the list's cursors are bound. */
  readonly path: string;
  /** The member of the answer that holds the rows. */
  readonly name: Name;
  /** At most `count` rows, newest first, older than the id `before`. Throws when D1 fails. */
  listRows(database: Database, accountId: string, before: string | null, count: number): Promise<Row[]>;
  show(row: Row): Shown;
}

/** Answers one page of a list of the key's account: `{<name>: […], nextCursor}` (spec, "Common rules"). */
export async function answerList<const Name extends string, Row extends { readonly id: string }, Shown>(
  c: Context<KeyEnvironment>,
  query: ListQuery,
  list: AccountList<Name, Row, Shown>,
) {
  const admitted = await admit(c, 'read', 'read');
  if (!admitted.ok) return sendProblem(c, admitted);
  const { accountId } = admitted.value;
  const database = ledgerOf(c.env, accountId);
  const page = await readPage(query, { route: list.path, accountId }, config.CURSOR_SECRET, (before, count) =>
    list.listRows(database, accountId, before, count),
  );
  if (!page.ok) return sendProblem(c, page);
  const { rows, nextCursor } = page.value;
  const shown = { [list.name]: rows.map((row) => list.show(row)) } as Record<Name, Shown[]>;
  return c.json({ ...shown, nextCursor }, 200);
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
  const admitted = await admit(c, 'read', 'read');
  if (!admitted.ok) return sendProblem(c, admitted);
  const database = findLedger(c.env, id);
  const row = database && (await record.readRow(database, admitted.value.accountId, id));
  if (!row) return sendProblem(c, refuse('not_found', `This account has no ${record.name} of that id.`));
  return c.json({ [record.name]: record.show(row) } as Record<Name, Shown>, 200);
}

import { FIRST_LEDGER } from '../../../src/db/record-id.ts';
import { databaseOf, listRowsIn } from './sql.ts';

export interface Trigger {
  readonly name: string;
  readonly sql: string;
  /** The table that it watches. */
  readonly tbl_name: string;
}

/** Every trigger, as the migrations left it. */
export function readTriggers(ledger = FIRST_LEDGER): Promise<Trigger[]> {
  return listRowsIn<Trigger>(ledger, `SELECT name, sql, tbl_name FROM sqlite_master WHERE type = 'trigger'`);
}

/**
 * Runs statements as if some triggers did not exist, as a bug in a migration or a person with the database's console
 * could. All in one batch, which restores the triggers. Returns D1's answer to each statement.
 */
export async function runWithout(
  triggers: readonly Trigger[],
  statements: readonly D1PreparedStatement[],
  ledger = FIRST_LEDGER,
): Promise<D1Result[]> {
  const database = databaseOf(ledger);
  if (triggers.length === 0) return database.batch([...statements]);
  // SQLite takes all drops as one statement, and so all triggers: sent one by one, they would take twice as long.
  const [, ...results] = await database.batch([
    database.prepare(triggers.map(({ name }) => `DROP TRIGGER ${name}`).join(';\n')),
    ...statements,
    database.prepare(triggers.map(({ sql }) => sql).join(';\n')),
  ]);
  return results.slice(0, statements.length);
}

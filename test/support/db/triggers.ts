import { env } from '../runtime/test-env.ts';

export interface Trigger {
  readonly name: string;
  readonly sql: string;
  /** The table that it watches. */
  readonly tbl_name: string;
}

/** Every trigger, as the migrations left it. */
export async function readTriggers(): Promise<Trigger[]> {
  const all = env.DB.prepare(`SELECT name, sql, tbl_name FROM sqlite_master WHERE type = 'trigger'`);
  return (await all.all<Trigger>()).results;
}

/**
 * Runs statements as if some triggers did not exist, as a bug in a migration or a person with the database's console
 * could. All in one batch, which restores the triggers. Returns D1's answer to each statement.
 */
export async function runWithout(
  triggers: readonly Trigger[],
  statements: readonly D1PreparedStatement[],
): Promise<D1Result[]> {
  if (triggers.length === 0) return env.DB.batch([...statements]);
  // SQLite takes all drops as one statement, and so all triggers: sent one by one, they would take twice as long.
  const [, ...results] = await env.DB.batch([
    env.DB.prepare(triggers.map(({ name }) => `DROP TRIGGER ${name}`).join(';\n')),
    ...statements,
    env.DB.prepare(triggers.map(({ sql }) => sql).join(';\n')),
  ]);
  return results.slice(0, statements.length);
}

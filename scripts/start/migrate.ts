import type { Miniflare } from 'miniflare';
import { unstable_splitSqlQuery } from 'wrangler';
import { MIGRATIONS, noteSchema } from '../keep-state.ts';
import { listMigrations } from '../ledgers/list-migrations.ts';
import type { Place } from './place.ts';

/** The binding of the console's database; every other one is a ledger of the exchange. */
const IDENTITY = 'IDENTITY';

const MIGRATOR = 'migrator';

/**
 * Applies to each database the migrations that it lacks, each in a transaction, and notes them as wrangler does. It runs
 * beside the databases: from here every statement would be a message to the runtime, and wrangler's own command would
 * start a runtime for each migration.
 */
const SCRIPT = `const NOTES = 'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, ' +
  'name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)';
export default {
  async fetch(request, databases) {
    for (const { binding, migrations } of await request.json()) {
      const database = databases[binding];
      await database.prepare(NOTES).run();
      const { results } = await database.prepare('SELECT name FROM d1_migrations').all();
      const applied = new Set(results.map(({ name }) => name));
      for (const { name, statements } of migrations) {
        if (applied.has(name)) continue;
        const note = database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name);
        await database.batch([...statements.map((sql) => database.prepare(sql)), note]);
      }
    }
    return new Response(null, { status: 204 });
  },
};`;

/** The Worker that migrates databases, which it gets by their bindings. */
export function describeMigrator<Databases>(d1Databases: Databases, compatibilityDate: string) {
  return {
    name: MIGRATOR,
    modules: [{ type: 'ESModule' as const, path: 'migrator.js', contents: SCRIPT }],
    compatibilityDate,
    d1Databases,
  };
}

/** Brings databases, named by their bindings, to this version's schema, and notes it beside the data. */
export async function migrate(runtime: Miniflare, { storage }: Place, bindings: readonly string[]): Promise<void> {
  const [ledger, identity] = MIGRATIONS.map(readMigrations);
  const body = bindings.map((binding) => ({ binding, migrations: binding === IDENTITY ? identity : ledger }));
  const migrator = await runtime.getWorker(MIGRATOR);
  const answer = await migrator.fetch('http://migrator', { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`the databases could not be migrated: ${await answer.text()}`);
  noteSchema(storage, MIGRATIONS);
}

function readMigrations(folder: string) {
  return listMigrations(folder).map(({ name, text }) => ({ name, statements: unstable_splitSqlQuery(text) }));
}

import { openMigrated } from './open-migrated.ts';

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly tableName: string;
  readonly sql: string;
}

/** Tables first, then what belongs to each; triggers in the order of their names. */
const KINDS = ['table', 'index', 'trigger'];

/**
 * The whole database after all migrations of a folder, as SQL text: each table in alphabetical order, with
 * its indexes and triggers after it. Rows are not part of it.
 */
export function composeSchema(migrationsFolder: string): string {
  const database = openMigrated(migrationsFolder);
  const rows = database
    .prepare('SELECT type, name, tbl_name AS tableName, sql FROM sqlite_schema WHERE sql IS NOT NULL')
    .all() as unknown as SchemaRow[];
  database.close();
  const rank = (row: SchemaRow) => `${row.tableName} ${KINDS.indexOf(row.type)} ${row.name}`;
  const statements = rows.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1)).map(({ sql }) => `${sql};`);
  return `${HEADER}\n${statements.join('\n\n')}\n`;
}

const HEADER = `-- The ledger's database as all migrations leave it: every table with its indexes and triggers.
-- Made by "npm run schema" out of migrations/, which explain it; a test compares the two. Do not edit.
`;

import { parseArgs } from 'node:util';
import { readManifest } from './backup/backup-files.ts';
import { restoreDatabase } from './backup/restore-backup.ts';
import { openDatabases } from './databases/open-databases.ts';
import { readWhere, whereOptions } from './databases/read-where.ts';

/**
 * Restores a backup into the databases of the same bindings, which must be empty, and compares every row with it:
 *
 *     npm run restore -- FOLDER --remote --env production [--only DB_1]
 *     npm run restore -- FOLDER --local                                     for `npm start`
 *
 * On the platform it needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN.
 */
const { values, positionals } = parseArgs({
  options: { ...whereOptions, only: { type: 'string' } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) throw new Error('name the folder of a backup: npm run restore -- FOLDER --local');
const manifest = readManifest(folder);
const wanted = manifest.databases.filter(({ binding }) => values.only === undefined || binding === values.only);
if (wanted.length === 0) throw new Error(`${folder} has no database ${values.only}`);
const ledgers = manifest.databases.filter(({ transfers }) => transfers !== null).length;
await using databases = await openDatabases(readWhere(values, ledgers));
for (const saved of wanted) {
  const database = databases.all.find(({ binding }) => binding === saved.binding);
  if (database === undefined) throw new Error(`the configuration has no database ${saved.binding}`);
  await restoreDatabase(database, folder, saved);
  const rows = saved.tables.reduce((sum, table) => sum + table.rows, 0);
  const upTo = saved.transfers === null ? '' : `, up to transfer ${saved.transfers}`;
  console.log(`${saved.binding}: ${rows} rows are as they were at ${manifest.takenAt}${upTo}`);
}

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { takeBackup } from './backup/take-backup.ts';
import { openDatabases } from './databases/open-databases.ts';
import { readWhere, whereOptions } from './databases/read-where.ts';

/**
 * Writes a backup of all databases, those of the ledgers and the console's, into a new folder below `backups`, while the
 * exchange goes on:
 *
 *     npm run backup -- --remote --env production [--to FOLDER]
 *     npm run backup -- --local                                     what `npm start` has, while it is stopped
 *
 * On the platform it needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN. `npm run restore` restores what it wrote.
 */
const { values } = parseArgs({ options: { ...whereOptions, to: { type: 'string', default: 'backups' } } });
const now = new Date();
const folder = join(values.to, now.toISOString().replaceAll(':', '-'));
await using databases = await openDatabases(readWhere(values));
const manifest = await takeBackup(databases.all, folder, now.getTime(), console.log);
const rows = manifest.databases.flatMap(({ tables }) => tables).reduce((sum, table) => sum + table.rows, 0);
console.log(`${rows} rows of ${manifest.databases.map(({ binding }) => binding).join(', ')} are in ${folder}`);

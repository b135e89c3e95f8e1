import { parseArgs } from 'node:util';
import { migrateDatabases } from './databases/migrate-databases.ts';
import { openDatabases } from './databases/open-databases.ts';
import { readWhere, whereOptions } from './databases/read-where.ts';
import { MIGRATIONS } from './keep-state.ts';

/**
 * Applies the migrations that the databases lack, those of the ledgers and then the console's, and compares the schema of
 * each with what the files make:
 *
 *     npm run migrate -- --remote --env production
 *     npm run migrate -- --local                       what `npm start` has; it does this by itself
 *
 * On the platform it needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN.
 */
const { values } = parseArgs({ options: whereOptions });
const [ofLedgers, ofConsole] = MIGRATIONS;
await using databases = await openDatabases(readWhere(values));
try {
  await migrateDatabases(databases.all, (binding) => (binding === 'IDENTITY' ? ofConsole : ofLedgers), console.log);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

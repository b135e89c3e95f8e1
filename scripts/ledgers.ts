import { readFileSync, writeFileSync } from 'node:fs';
import { addLedger } from './ledgers/ledger-bindings.ts';
import { migrateLedgers, migrateWithWrangler, readLedgerBindings } from './ledgers/migrate-ledgers.ts';

/**
 * The ledgers of the exchange, each a database of its own:
 *
 *     npm run ledgers -- add                                  writes the bindings of the next one into wrangler.toml
 *     npm run ledgers -- migrate --local                      migrates all of them, and stops at the first failure
 *     npm run ledgers -- migrate --remote --env production
 */

const WRANGLER_TOML = 'wrangler.toml';

const [command, ...options] = process.argv.slice(2);

if (command === 'add') {
  const added = addLedger(readFileSync(WRANGLER_TOML, 'utf8'));
  writeFileSync(WRANGLER_TOML, added.toml);
  const name = added.binding.replace('DB_', 'bureau-');
  console.log(`${added.binding} is in wrangler.toml, for the sandbox and for production.
Make its database with \`npx wrangler d1 create ${name}\`, put the id into [[env.production.d1_databases]], run
\`npm run ledgers -- migrate --remote --env production\`, and then deploy. Then give it a part of the supply caps and
exposures, and weight for new accounts: see docs/operations.md, "Ledgers".`);
} else if (command === 'migrate') {
  const environment = options.includes('production') ? 'production' : 'sandbox';
  const bindings = readLedgerBindings(environment);
  migrateLedgers(bindings, migrateWithWrangler(options));
  console.log(`migrated: ${bindings.join(', ')}`);
} else {
  console.error('npm run ledgers -- add, or npm run ledgers -- migrate');
  process.exitCode = 1;
}

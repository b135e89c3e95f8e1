import { readFileSync, writeFileSync } from 'node:fs';
import { addLedger } from './ledgers/ledger-bindings.ts';

/**
 * The ledgers of the exchange, each a database of its own. Writes the bindings of the next one into wrangler.toml:
 *
 *     npm run ledgers -- add
 */

const WRANGLER_TOML = 'wrangler.toml';

if (process.argv[2] === 'add') {
  const added = addLedger(readFileSync(WRANGLER_TOML, 'utf8'));
  writeFileSync(WRANGLER_TOML, added.toml);
  const name = added.binding.replace('DB_', 'bureau-');
  console.log(`${added.binding} is in wrangler.toml, for the sandbox and for production.
Make its database with \`npx wrangler d1 create ${name}\`, put the id into [[env.production.d1_databases]], run
\`npm run migrate -- --remote --env production\`, and then deploy. Then give it a part of the supply caps and
exposures, and weight for new accounts: see docs/operations.md, "Ledgers".`);
} else {
  console.error('npm run ledgers -- add');
  process.exitCode = 1;
}

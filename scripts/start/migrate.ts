import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeMigration, moveEarlierState, noteSchema } from '../keep-state.ts';
import {
  type MigratedLedger,
  migrateLedgers,
  migrateWithWrangler,
  readLedgerBindings,
} from '../ledgers/migrate-ledgers.ts';
import type { Place } from './place.ts';
import { WRANGLER, quietly } from './wrangler.ts';

const MIGRATIONS = 'migrations';

/** The ledger that every exchange has; further ones may be added later, and are migrated by wrangler's own command. */
const FIRST_LEDGER = 'DB';

/**
 * Brings the local databases to this version's schema. Data of an earlier schema is moved aside, of which it tells.
 */
export function migrate({ storage }: Place): void {
  const aside = moveEarlierState(storage, MIGRATIONS, new Date());
  if (aside !== undefined) {
    console.log(
      `The data in ${storage} is of an earlier schema. It was moved to ${aside}, and the exchange begins empty.`,
    );
  }
  mkdirSync(storage, { recursive: true });
  const migrateOther = migrateWithWrangler(['--local', '--persist-to', storage]);
  migrateLedgers(readLedgerBindings('sandbox'), (binding) =>
    binding === FIRST_LEDGER ? migrateFirst(storage) : migrateOther(binding),
  );
  noteSchema(storage, MIGRATIONS);
}

/** Applies what is missing as one file: `wrangler d1 migrations apply` would start a runtime for each migration. */
function migrateFirst(storage: string): MigratedLedger {
  const sql = composeMigration(storage, MIGRATIONS);
  if (sql === undefined) return { isMigrated: true, output: '' };
  const file = join(storage, 'migration.sql');
  writeFileSync(file, sql);
  const words = ['d1', 'execute', FIRST_LEDGER, '--local', '--persist-to', storage, '--file', file, '--yes'];
  const options = { env: { ...process.env, ...quietly }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [...WRANGLER, ...words], options);
  rmSync(file);
  return { isMigrated: status === 0, output: `${stdout}\n${stderr}` };
}

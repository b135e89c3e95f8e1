import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Environment, listLedgerBindings } from './ledger-bindings.ts';

export interface MigratedLedger {
  readonly isMigrated: boolean;
  readonly output: string;
}

/** Applies the migrations to the database of one binding. */
export type MigrateOne = (binding: string) => MigratedLedger;

/**
 * Applies the migrations to each ledger in turn, and stops at the first failure: the ledgers after it keep their schema.
 * Throws an error that names the ledger, and those that were not reached.
 */
export function migrateLedgers(bindings: readonly string[], migrateOne: MigrateOne): void {
  for (const [at, binding] of bindings.entries()) {
    const { isMigrated, output } = migrateOne(binding);
    if (isMigrated) continue;
    const left = bindings.slice(at + 1);
    const rest = left.length > 0 ? ` Not reached: ${left.join(', ')}.` : '';
    throw new Error(`the database ${binding} could not be migrated.${rest}\n${output}`);
  }
}

export function readLedgerBindings(environment: Environment): string[] {
  return listLedgerBindings(readFileSync('wrangler.toml', 'utf8'), environment);
}

/** Migrates one database with wrangler. `options` choose the database: `--local`, or `--remote --env production`. */
export function migrateWithWrangler(options: readonly string[]): MigrateOne {
  return (binding) => {
    const { status, stdout, stderr } = spawnSync('wrangler', ['d1', 'migrations', 'apply', binding, ...options], {
      env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' },
      encoding: 'utf8',
    });
    return { isMigrated: status === 0, output: `${stdout}\n${stderr}` };
  };
}

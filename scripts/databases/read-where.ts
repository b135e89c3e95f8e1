import { readLedgers } from '../start/local-ledgers.ts';
import { readStorage } from '../start/place.ts';
import type { Where } from './open-databases.ts';

/** The options of `parseArgs` by which a command knows its databases. */
export const whereOptions = {
  remote: { type: 'boolean', default: false },
  local: { type: 'boolean', default: false },
  env: { type: 'string' },
} as const;

/**
 * Reads `--remote --env production`, or `--local` for the data of `npm start`. `ledgers` is how many there are, if the
 * folder does not say it. Throws when neither or both are said.
 */
export function readWhere(
  { remote, local, env }: { readonly remote: boolean; readonly local: boolean; readonly env?: string | undefined },
  ledgers?: number,
): Where {
  if (remote === local || remote !== (env !== undefined)) {
    throw new Error('say which databases: --remote --env production, or --local');
  }
  if (env !== undefined) return { environment: env };
  const storage = readStorage(process.env);
  const read = readLedgers(process.env, storage);
  if ('refusal' in read) throw new Error(read.refusal);
  return { storage, ledgers: ledgers ?? read.ledgers };
}

import type { Database } from './database.ts';
import { settings } from './schema.ts';

/** What the operator sets while the exchange runs. A halt also holds in the batch, whatever a cache believes. */
export interface Settings {
  readonly tradingHalted: boolean;
  readonly withdrawalsHalted: boolean;
}

/** How long a reader may go on with settings that it has read. */
export const SETTINGS_MAX_AGE_MS = 5_000;

/** Reads the settings. Throws when D1 fails, or when the one row is missing. */
export async function readSettings(database: Database): Promise<Settings> {
  const [row] = await database.select().from(settings);
  if (!row) throw new Error('the settings row is missing');
  return { tradingHalted: row.tradingHalted, withdrawalsHalted: row.withdrawalsHalted };
}

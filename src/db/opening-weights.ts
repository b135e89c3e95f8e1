import { z } from 'zod';
import type { LedgerBindings } from '../platform/bindings.ts';
import { type Database, firstLedger, listLedgers } from './database.ts';
import { FIRST_LEDGER } from './record-id.ts';
import { settings } from './schema.ts';

const MAX_WEIGHT = 1_000;

/** How many of the accounts are opened in each ledger, by its number, in proportion. One that is not named gets none. */
export const OpeningWeights = z.record(
  z.string().regex(/^(?:0|[1-9]\d{0,3})$/, 'is not the number of a ledger'),
  z.int().min(0).max(MAX_WEIGHT),
);

export type OpeningWeights = z.output<typeof OpeningWeights>;

/** Reads the weights of the exchange from the database of ledger 0. Throws when D1 fails. */
export async function readOpeningWeights(database: Database): Promise<OpeningWeights> {
  const [row] = await database.select({ text: settings.openingWeights }).from(settings);
  if (!row) throw new Error('the settings row is missing');
  return OpeningWeights.parse(JSON.parse(row.text));
}

/**
 * Draws one of the ledgers by their weights. `random` is from 0 to below 1. Throws when none of them has a weight, which
 * the settings refuse. Pure.
 */
export function drawLedger(weights: OpeningWeights, ledgers: readonly number[], random: number): number {
  const weightOf = (ledger: number) => weights[String(ledger)] ?? 0;
  let left = random * ledgers.reduce((sum, ledger) => sum + weightOf(ledger), 0);
  const drawn = ledgers.find((ledger) => (left -= weightOf(ledger)) < 0);
  if (drawn === undefined) throw new Error('no ledger has a weight for new accounts');
  return drawn;
}

/**
 * The ledger in which the next account is opened. Where there is one ledger, nothing is read. `random` is from 0 to below
 * 1. Throws when D1 fails.
 */
export async function chooseLedger(bindings: LedgerBindings, random: number): Promise<number> {
  const ledgers = listLedgers(bindings);
  if (ledgers.length === 1) return FIRST_LEDGER;
  return drawLedger(await readOpeningWeights(firstLedger(bindings)), ledgers, random);
}

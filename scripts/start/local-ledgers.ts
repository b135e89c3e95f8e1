import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operate } from './operate.ts';
import type { Place } from './place.ts';

export const LEDGERS_FILE = 'ledgers';

const MAX_LEDGERS = 64;

/**
 * How many ledgers an exchange of this machine has: what BUREAU_LEDGERS says, else as many as its data has, else one. Or
 * why not: data of several ledgers is never served with fewer, since accounts of the others would not be found.
 */
export function readLedgers(
  environment: NodeJS.ProcessEnv,
  storage: string,
): { readonly ledgers: number } | { readonly refusal: string } {
  const file = join(storage, LEDGERS_FILE);
  const noted = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 1;
  const told = environment['BUREAU_LEDGERS'];
  const ledgers = told === undefined ? noted : Number(told);
  if (!Number.isInteger(ledgers) || ledgers < 1 || ledgers > MAX_LEDGERS) {
    return { refusal: `BUREAU_LEDGERS is "${told ?? noted}": it takes a number from 1 to ${MAX_LEDGERS}.` };
  }
  if (ledgers >= noted) return { ledgers };
  return {
    refusal: `the data in ${storage} is of ${noted} ledgers, and BUREAU_LEDGERS is ${ledgers}: leave it out, name another folder with BUREAU_STORAGE, or delete the data with npm run reset.`,
  };
}

/** The databases of further ledgers by their bindings, as `npm run ledgers -- add` would name them in wrangler.toml. */
export function describeLedgers(ledgers: number): Record<string, string> {
  const further = Array.from({ length: ledgers - 1 }, (_, at) => at + 1);
  return Object.fromEntries(
    further.map((ledger) => [`DB_${ledger}`, `00000000-0000-0000-0000-${String(ledger).padStart(12, '0')}`]),
  );
}

/** Notes how many ledgers the data has, and opens accounts in all of them from now on, unless that was set otherwise. */
export async function spreadAccounts(place: Place, operatorToken: string, ledgers: number): Promise<void> {
  writeFileSync(join(place.storage, LEDGERS_FILE), `${ledgers}\n`);
  if (ledgers === 1) return;
  const { settings } = await operate<{ settings: { openingWeights: Record<string, number> } }>(
    place,
    operatorToken,
    'GET',
    '/settings',
  );
  if (Object.keys(settings.openingWeights).join() !== '0') return;
  const openingWeights = Object.fromEntries(Array.from({ length: ledgers }, (_, ledger) => [ledger, 1]));
  await operate(place, operatorToken, 'PATCH', '/settings', { openingWeights });
}

import { expect, it } from 'vitest';
import { keepSettings } from '../../src/db/copy-settings.ts';
import { NOON_MS, sql } from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';

/** The database of this file plays both: ledger 0, whose settings are copied, and the new one, ledger 1. */
const bindings = { DB: env.DB, DB_1: env.DB };

it('a database that was added takes its number from its keeper, and then has no share of any limit', async () => {
  await keepSettings(bindings, 1, NOON_MS);
  expect(await sql('SELECT ledger FROM settings').first('ledger')).toBe(1);
  const floors = sql(`SELECT DISTINCT floor FROM balances WHERE account IN ('house:custody', 'house:liquidity')`);
  expect((await floors.all()).results).toEqual([{ floor: 0 }]);
});

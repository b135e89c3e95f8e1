import { describe, expect, it } from 'vitest';
import { keepSettings } from '../../src/ledger/copy-settings.ts';
import { readAllQuotas } from '../../src/ledger/quotas/read-quotas.ts';
import { NOON_MS, sql } from '../support/ledger/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';

/** The database of this file plays both: ledger 0, whose settings are copied, and the new one, ledger 1. */
const bindings = { DB: env.DB, DB_1: env.DB };

describe('a database that was added', () => {
  it('takes its number from its keeper, and then has no quota of any limit', async () => {
    await keepSettings(bindings, 1, NOON_MS);
    expect(await sql('SELECT ledger FROM settings').first('ledger')).toBe(1);
    const [, added] = await readAllQuotas(bindings, 'house:custody', NOON_MS);
    expect([...(added?.answer ?? [])].map(([, { quota }]) => quota)).toEqual(Array.from({ length: 9 }, () => 0n));
  });
});

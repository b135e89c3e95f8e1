import { describe, expect, it } from 'vitest';
import { numberLedger } from '../../src/db/copy-settings.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import { NOON_MS, audit, database } from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';
import { sql, listRows } from '../support/db/sql.ts';

/** The database of this file is a new one that becomes ledger 3. */

/** Four ledgers have equal shares of the supply cap of USDT. */
const shareAmongFour = () => [
  audit('copy_settings', 'settings', {}, { role: 'reconciliation' }),
  sql(
    `UPDATE settings SET revision = revision + 1,
       shares = json_set(shares, '$."house:custody".USDT', json('["1", "1", "1", "1"]'))`,
  ),
];

const readFloors = async () => {
  const query = `SELECT DISTINCT floor FROM balances WHERE account IN ('house:custody', 'house:liquidity')`;
  return (await listRows<{ floor: number }>(query)).map(({ floor }) => floor);
};

describe('a database that is added as ledger 3', () => {
  it('has no share of any limit from then on, and says so in its audit', async () => {
    expect((await readFloors()).every((floor) => floor < 0)).toBe(true);
    await numberLedger(database, 3, NOON_MS);
    expect(await readFloors()).toEqual([0]);
    const row = await sql('SELECT action, target, detail FROM audit ORDER BY id DESC LIMIT 1').first();
    expect(row).toEqual({ action: 'number_ledger', target: 'settings', detail: '{"ledger":3}' });
  });

  it('takes the same number again without effect, and no other', async () => {
    await numberLedger(database, 3, NOON_MS);
    await expect(numberLedger(database, 4, NOON_MS)).rejects.toThrow('guard: a ledger takes its number once');
  });

  it('gets no limit with a new asset but its share of it', async () => {
    const add = (floor: string) =>
      env.DB.batch([
        sql(`INSERT INTO assets (asset, unit) VALUES ('XRP', 1000000)`),
        sql(
          `INSERT INTO balances (account, asset, floor)
           VALUES ('house:custody', 'XRP', ${floor}), ('house:liquidity', 'XRP', ${floor})`,
        ),
      ]);
    await expect(add('-1000')).rejects.toThrow('ledger: a balance begins with the floor of its owner');
    await add('0');
    expect(await readFloors()).toEqual([0]);
  });

  it('holds no account before it has a share', async () => {
    const open = sql(
      `INSERT INTO accounts (id, address_index, label, created_at) VALUES (?, 1, 'x', 1)`,
      newRecordId(NOON_MS, 3),
    );
    await expect(open.run()).rejects.toThrow('guard: an account is in the ledger that its id names');
    await env.DB.batch(shareAmongFour());
  });

  it('holds accounts that name it, and no others', async () => {
    const open = (id: string) =>
      sql(`INSERT INTO accounts (id, address_index, label, created_at) VALUES (?, 1, 'x', 1)`, id).run();
    for (const ledger of [0, 2]) {
      const refused = open(newRecordId(NOON_MS, ledger));
      await expect(refused).rejects.toThrow('guard: an account is in the ledger that its id names');
    }
    await open(newRecordId(NOON_MS, 3));
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { claimNames, countAddressIndexes, findHolders, takeAddressIndex } from '../../src/db/directory.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import { INSERTS, NOON_MS, UPDATES, database, expectEachRefused } from '../support/db/raw-ledger.ts';
import { CONNECTION_LOST, aroundBatches, fail } from '../support/runtime/faults.ts';
import { openAccount } from '../support/exchange.ts';
import { sql } from '../support/db/sql.ts';
import { atOnce } from '../support/at-once.ts';

const nameOf = (name: string) => ({ kind: 'settlement', name }) as const;

const expectRefused = (message: string, query: string, ...values: (string | number)[]) =>
  expectEachRefused(message, sql(query, ...values));

describe('a claim in the directory', () => {
  beforeAll(async () => {
    await claimNames(database, [{ ...nameOf('standing'), holder: '0' }]);
  });

  it('belongs to the first account that made it, and every later caller is told which one', async () => {
    const wanted = (holder: string) => ({ ...nameOf('raced'), holder });
    const told = await atOnce(12, (at) => claimNames(database, [wanted(String(at))]));
    expect(new Set(told.flat()).size).toBe(1);
    expect(await findHolders(database, [nameOf('raced')])).toEqual([told[0]?.[0]]);
  });

  it('that its holder makes again is no error, together with a new one', async () => {
    const both = [
      { ...nameOf('standing'), holder: '7' },
      { ...nameOf('new'), holder: '7' },
    ] as const;
    expect(await claimNames(database, both)).toEqual(['0', '7']);
    expect(await claimNames(database, both)).toEqual(['0', '7']);
  });

  it('is returned in the order of the names, and is empty for a name that nobody claimed', async () => {
    const found = await findHolders(database, [
      nameOf('nobody’s'),
      nameOf('standing'),
      { kind: 'output', name: 'standing' },
    ]);
    expect(found).toEqual([undefined, '0', undefined]);
  });

  it.each(INSERTS)('is never replaced: %s', async (insert) => {
    await expectRefused('guard: claim exists', `${insert} INTO claims VALUES ('settlement', 'standing', '1')`);
  });

  it.each(UPDATES)('is never changed: %s', async (update) => {
    for (const change of ["holder = '1'", "name = 'other'", "kind = 'output'", 'holder = NULL']) {
      await expectRefused('guard: a claim is never changed', `${update} claims SET ${change}`);
    }
  });

  it('is never deleted', async () => {
    await expectRefused('guard: a claim is never deleted', 'DELETE FROM claims');
  });

  it('has one of the existing kinds', async () => {
    await expectRefused('guard: no such kind of claim', "INSERT INTO claims VALUES ('anything', 'x', '0')");
    await expectRefused('guard: no such kind of claim', "INSERT OR REPLACE INTO claims VALUES (NULL, 'x', '0')");
  });
});

describe('an address index', () => {
  const newId = () => newRecordId(NOON_MS);
  const takeIndex = async (id = newId()) => (await takeAddressIndex(database, id, 0)) ?? -1;

  it('is the next one for each account and no other, also for many accounts at once', async () => {
    const first = await countAddressIndexes(database);
    const taken = await atOnce(12, () => takeIndex());
    expect(taken.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 12 }, (_, at) => first + at));
    expect(await countAddressIndexes(database)).toBe(first + 12);
  });

  it('is used up by an account that was not opened after all', async () => {
    const count = await countAddressIndexes(database);
    const fault = aroundBatches('before', 1, fail(CONNECTION_LOST), (text) =>
      text.includes('insert into \\"accounts\\"'),
    );
    await expect(openAccount()).rejects.toThrow('service_unavailable');
    expect(fault.state.injected).toBe(1);
    const id = await openAccount();
    const row = await sql('SELECT address_index AS "index" FROM accounts WHERE id = ?', id).first<{ index: number }>();
    expect(row?.index).toBe(count + 1);
  });

  it.each(INSERTS)('is never given to another account, and none is left out: %s', async (insert) => {
    const index = await takeIndex();
    const text = `${insert} INTO address_indexes VALUES (?, ?)`;
    await expectRefused('guard: an account takes the next index', text, index, newId());
    await expectRefused('guard: an account takes the next index', text, index + 2, newId());
    await expectRefused('guard: an account takes the next index', text, -1, newId());
  });

  it('is the only one of its account', async () => {
    const id = newId();
    await takeIndex(id);
    await expectRefused(
      'guard: account exists',
      'INSERT INTO address_indexes SELECT max(address_index) + 1, ? FROM address_indexes',
      id,
    );
  });

  it.each(UPDATES)('is never changed: %s', async (update) => {
    await expectRefused('guard: an address index is never changed', `${update} address_indexes SET account_id = 'x'`);
  });

  it('is never deleted', async () => {
    await expectRefused('guard: an address index is never deleted', 'DELETE FROM address_indexes');
  });
});

import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openDatabase, findLedger, firstLedger, ledgerOf } from '../../src/db/database.ts';
import { findBindingFaults, MAX_LEDGER, ledgerNumberOf, newRecordId } from '../../src/db/record-id.ts';

const NOON_MS = Date.UTC(2026, 10, 22, 12);

/** Different databases; nothing else of them is used here. */
const [zero, one, last] = [{}, {}, {}] as D1Database[] as [D1Database, D1Database, D1Database];
const bindings = { DB: zero, DB_1: one, [`DB_${MAX_LEDGER}`]: last };

describe('the ledger of an id', () => {
  it.each([
    [0, zero],
    [1, one],
    [MAX_LEDGER, last],
  ])('with the number %i is the database that is bound under that number', (ledger, binding) => {
    const id = newRecordId(NOON_MS, ledger);
    expect(ledgerNumberOf(id)).toBe(ledger);
    expect(findLedger(bindings, id)).toBe(openDatabase(binding));
    expect(ledgerOf(bindings, id)).toBe(openDatabase(binding));
  });

  it.each([
    ['of a ledger that is not bound', newRecordId(NOON_MS, 2)],
    ['that is no UUID', 'house:liquidity'],
    ['that is empty', ''],
    ['of another version', newRecordId(NOON_MS).replace('-7', '-4')],
    ['with a number that is no hexadecimal', newRecordId(NOON_MS).replace('-7000', '-7g00')],
  ])('does not exist for an id %s', (_name, id) => {
    expect(findLedger(bindings, id)).toBeUndefined();
    expect(() => ledgerOf(bindings, id)).toThrow('is not bound');
  });

  it('never has a number above twelve bits', () => {
    for (const ledger of [-1, 0.5, MAX_LEDGER + 1, Number.NaN]) {
      expect(() => newRecordId(NOON_MS, ledger)).toThrow('no such ledger number');
    }
  });

  it('for records without an account is ledger 0', () => {
    expect(firstLedger(bindings)).toBe(openDatabase(zero));
  });
});

describe('the bindings of the ledgers', () => {
  it('are accepted from 0 on without a gap, whatever else is bound', () => {
    expect(findBindingFaults({ DB: zero, DB_1: one, DB_2: last, DBX: 1, KEY_LANE: 1 })).toEqual([]);
    expect(findBindingFaults({ DB: zero })).toEqual([]);
  });

  it.each([
    [{ DB_1: one }, 'DB is not bound'],
    [{ DB: zero, DB_2: one }, 'DB_2 is bound, and DB_1 is not'],
    [{ DB: zero, DB_0: one }, 'DB_0 is the name of no ledger'],
    [{ DB: zero, DB_01: one }, 'DB_01 is the name of no ledger'],
    [{ DB: zero, [`DB_${MAX_LEDGER + 1}`]: one }, `DB_${MAX_LEDGER + 1} is the name of no ledger`],
  ])('are refused with a fault: %o', (bound, fault) => {
    expect(findBindingFaults(bound)).toContain(fault);
  });
});

describe('the code', () => {
  const files = globSync('src/**/*.ts').map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const filesWith = (text: RegExp) => files.filter((source) => text.test(source.text)).map(({ file }) => file);

  it('names the binding of a database in one file, beside the type', () => {
    expect(filesWith(/\bDB(_\$|_\d|\b)/).toSorted()).toEqual(['src/db/record-id.ts', 'src/platform/bindings.ts']);
  });

  it('opens a database in one file', () => {
    expect(filesWith(/\bopenDatabase\b/).toSorted()).toEqual(['src/db/database.ts']);
    expect(filesWith(/from 'drizzle-orm\/d1'/)).toEqual(['src/db/database.ts']);
  });
});

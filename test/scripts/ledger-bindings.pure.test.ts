import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addLedger, listLedgerBindings } from '../../scripts/ledgers/ledger-bindings.ts';

const committed = readFileSync('wrangler.toml', 'utf8');

function addLedgers(toml: string, count: number): string {
  return count === 0 ? toml : addLedgers(addLedger(toml).toml, count - 1);
}

function addedLines(before: string, after: string): string[] {
  const known = new Set(before.split('\n'));
  return after.split('\n').filter((line) => !known.has(line));
}

describe('adding a ledger', () => {
  it('writes the bindings of the next one into both environments, after the existing ones', () => {
    const first = listLedgerBindings(committed, 'sandbox').length;
    const toml = addLedgers(committed, 2);
    for (const environment of ['sandbox', 'production'] as const) {
      expect(listLedgerBindings(toml, environment)).toEqual([
        ...listLedgerBindings(committed, environment),
        `DB_${first}`,
        `DB_${first + 1}`,
      ]);
    }
  });

  it('changes no other line, and gives each local database an id of its own', () => {
    const { toml, binding } = addLedger(committed);
    const without = toml.split(`"${binding}"`).length - 1;
    expect(without).toBe(2);
    const sandbox = toml.slice(0, toml.indexOf('[env.production]'));
    const ids = [...sandbox.matchAll(/^database_id = "(.*)"$/gm)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(addedLines(toml, committed)).toEqual([]);
    expect(addedLines(committed, toml).length).toBeGreaterThan(0);
  });

  it('refuses environments with different ledgers', () => {
    const toml = addLedger(committed).toml;
    const start = toml.lastIndexOf('[[env.production.d1_databases]]');
    const end = toml.indexOf('\n\n', start);
    expect(() => addLedger(toml.slice(0, start) + toml.slice(end))).toThrow('different ledgers');
  });

  it('refuses numbers with a gap', () => {
    const toml = addLedgers(committed, 2).replaceAll('"DB_1"', '"DB_7"');
    expect(() => listLedgerBindings(toml, 'sandbox')).toThrow('DB_7 where DB_1 belongs');
  });
});

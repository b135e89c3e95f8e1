import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applyMutation } from '../lab/mutations/mutation.ts';
import { mutations } from '../lab/mutations/rooms.ts';
import { noticedBy, readTriggers } from '../lab/mutations/triggers.ts';

/**
 * Compares docs/faults.md with the tests that it names. A test is named by its file and its title as the source has it,
 * with its placeholders. When a title says too little by itself, the title of its group comes before it.
 */

const text = readFileSync('docs/faults.md', 'utf8');

function readTable(heading: string): string[][] {
  const [, section = ''] = text.split(`## ${heading}\n`);
  const [body = ''] = section.split('\n## ');
  const rows = body.split('\n').filter((line) => line.startsWith('| '));
  const cells = rows.map((line) => line.slice(2, -2).split(' | '));
  return cells.slice(1);
}

interface NamedTest {
  readonly file: string;
  readonly titles: readonly string[];
}

function readTests(cell: string): NamedTest[] {
  const named = [...cell.matchAll(/`((?:(?:custodian|dealer)\/)?test\/\S+\.test\.ts)` “([^”]+)”/g)];
  if (named.map(([name]) => name).join(', ') !== cell) return [];
  return named.map(([, file = '', titles = '']) => ({ file, titles: titles.split(' › ') }));
}

/** Whether a file contains a text as a whole string. */
function holdsString(source: string, content: string): boolean {
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${content}${quote}`));
}

const faults = readTable('Every fault and its test').map(([number = '', fault = '', tests = '']) => ({
  number: Number(number),
  fault,
  tests: readTests(tests),
}));

describe('the known faults', () => {
  // A fault keeps its number, so there may be gaps.
  it('are listed in the order of their numbers, one row each', () => {
    const numbers = faults.map(({ number }) => number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    expect(numbers.length).toBeGreaterThanOrEqual(64);
  });

  it.each(faults)('have an existing test: $number, $fault', ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const { file, titles } of tests) {
      const source = readFileSync(file, 'utf8');
      for (const title of titles) expect(holdsString(source, title), `“${title}” in ${file}`).toBe(true);
    }
  });
});

describe('the mutations', () => {
  it.each(mutations)('can still be applied, and name existing tests: $room, $name', (mutation) => {
    expect(() => applyMutation(readFileSync(mutation.file, 'utf8'), mutation)).not.toThrow();
    expect(mutation.tests.length).toBeGreaterThan(0);
    for (const file of mutation.tests) expect(existsSync(file), file).toBe(true);
  });

  it('are of every trigger of the schema, and of no other', () => {
    const names = readTriggers().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(noticedBy)));
    const mutated = mutations.filter(({ room }) => room === 'triggers').map(({ name }) => name.split(' ')[2]);
    expect([...new Set(mutated)].toSorted()).toEqual(names.toSorted());
  });

  it('have different names', () => {
    expect(new Set(mutations.map(({ name }) => name)).size).toBe(mutations.length);
  });
});

import { readFileSync, readdirSync } from 'node:fs';
import type { Mutation } from './mutation.ts';

/** The mutations of the tables' checks, made from the text of the migrations: each CHECK holds for every row. */

const MIGRATIONS = 'migrations';

/** The checks of a table's text: where what each demands begins and ends, and that in one line. */
export function listChecks(table: string) {
  return Array.from(table.matchAll(/CHECK \(/g), ({ 0: word, index }) => {
    const begin = index + word.length;
    let end = begin;
    for (let depth = 1; depth > 0; end += 1) depth += table[end] === '(' ? 1 : table[end] === ')' ? -1 : 0;
    return { begin, end: end - 1, demand: flatten(table.slice(begin, end - 1)) };
  });
}

export function flatten(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function mutate(file: string): Mutation[] {
  const migration = readFileSync(file, 'utf8');
  return Array.from(migration.matchAll(/^CREATE TABLE (\w+) \([\s\S]*?\n\)/gm)).flatMap(([table, name]) =>
    listChecks(table).map(({ begin, end, demand }): Mutation => ({
      room: 'checks',
      name: `the table ${name} has no check: ${demand}`,
      file,
      find: table,
      replace: `${table.slice(0, begin)}1${table.slice(end)}`,
      tests: ['test/db/checks.node.test.ts'],
    })),
  );
}

export const checks = readdirSync(MIGRATIONS).flatMap((migration) => mutate(`${MIGRATIONS}/${migration}`));

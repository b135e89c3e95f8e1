import { readFileSync, readdirSync } from 'node:fs';
import type { Mutation } from './mutation.ts';

/** The mutations of the tables' checks, made from the text of the migrations: each CHECK holds for every row. */

const MIGRATIONS = 'migrations';

/** Where a parenthesis that opens before `begin` is closed. */
function endOf(text: string, begin: number): number {
  let depth = 1;
  let end = begin;
  for (; depth > 0; end += 1) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0;
  return end;
}

function mutate(file: string): Mutation[] {
  const migration = readFileSync(file, 'utf8');
  return Array.from(migration.matchAll(/^CREATE TABLE (\w+) \([\s\S]*?\n\)/gm)).flatMap(([table, name]) =>
    Array.from(table.matchAll(/CHECK \(/g)).map(({ 0: word, index }): Mutation => {
      const begin = index + word.length;
      const end = endOf(table, begin);
      return {
        room: 'checks',
        name: `the table ${name} has no check: ${table.slice(begin, end - 1).replaceAll(/\s+/g, ' ')}`,
        file,
        find: table,
        replace: `${table.slice(0, begin)}1${table.slice(end - 1)}`,
        tests: ['test/db/checks.node.test.ts'],
      };
    }),
  );
}

export const checks = readdirSync(MIGRATIONS).flatMap((migration) => mutate(`${MIGRATIONS}/${migration}`));

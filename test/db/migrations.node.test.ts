import { readFileSync, readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';

/**
 * What runs the migrations splits them into statements, and knows SQL only roughly: `wrangler d1 migrations apply`
 * sends a file to D1's API as one text, which takes a lower-case `begin`, a carriage return or the END of a CASE in a
 * trigger for something else (cloudflare/workers-sdk, issues 10998, 14991, 15314 and 15690). So here is the roughest of
 * splitters: a semicolon ends a statement, but not between a line BEGIN and a line END. It knows neither strings nor
 * comments, and takes each END that a space or a semicolon follows for that of a trigger. What it makes of the files
 * must run.
 */

const files = ['migrations', 'console/migrations'].map((folder) => ({
  folder,
  texts: readdirSync(folder)
    .toSorted()
    .map((name) => ({ name, text: readFileSync(`${folder}/${name}`, 'utf8') })),
}));

const all = files.flatMap(({ folder, texts }) => texts.map(({ name, text }) => ({ name: `${folder}/${name}`, text })));

/** The statements as the roughest splitter finds them. */
function split(text: string): string[] {
  const statements = [''];
  let isInside = false;
  for (const part of text.split(/(;|\sBEGIN\s|\sEND(?=[;\s]))/)) {
    if (part.trim() === 'BEGIN') isInside = true;
    if (part.trim() === 'END') isInside = false;
    statements.push(`${statements.pop()}${part}`);
    if (part === ';' && !isInside) statements.push('');
  }
  return statements.filter((statement) => statement.trim() !== '');
}

describe.each(all)('$name', ({ text }) => {
  const code = text.replaceAll(/--[^\n]*/g, '');

  it('has no semicolon in a string or a comment, and no other comment than --', () => {
    const found = text.match(/'[^'\n]*;[^'\n]*'|--[^\n]*;|\/\*/g) ?? [];
    expect(found).toEqual([]);
  });

  it('begins and ends each trigger with a line of its own, in capital letters and without a carriage return', () => {
    expect(text).not.toContain('\r');
    const begins = code.match(/\bbegin\b/gi) ?? [];
    const ends = code.match(/\bend\b(?!\))/gi) ?? [];
    const triggers = text.match(/^CREATE TRIGGER /gm) ?? [];
    expect(text.match(/^BEGIN$/gm) ?? []).toHaveLength(triggers.length);
    expect(text.match(/^END;$/gm) ?? []).toHaveLength(triggers.length);
    expect([begins.length, ends.length]).toEqual([triggers.length, triggers.length]);
  });

  it('has each CASE within parentheses of its own, so that its END is taken for no trigger’s', () => {
    const count = (pattern: RegExp) => code.match(pattern)?.length ?? 0;
    expect([count(/\(CASE\b/g), count(/\bEND\)/g)]).toEqual([count(/\bCASE\b/gi), count(/\bCASE\b/gi)]);
  });
});

it('every number of the schema, and every floor, is within 2^53, so that no tool rounds it', () => {
  for (const { name, text } of all) {
    const numbers = text.replaceAll(/--[^\n]*/g, '').match(/\d+/g) ?? [];
    expect([name, numbers.filter((number) => BigInt(number) > BigInt(Number.MAX_SAFE_INTEGER))]).toEqual([name, []]);
  }
  const database = new DatabaseSync(':memory:');
  for (const { text } of files[0]?.texts ?? []) database.exec(text);
  const floors = database.prepare('SELECT count(*) AS count, CAST(min(floor) AS TEXT) AS lowest FROM balances').get();
  expect({ ...floors }).toEqual({ count: 54, lowest: String(Number.MIN_SAFE_INTEGER) });
  database.close();
});

it.each(files)('the statements of $folder that the roughest splitter finds are whole: each runs', ({ texts }) => {
  const database = new DatabaseSync(':memory:');
  for (const { text } of texts) {
    const statements = split(text);
    expect(statements).toHaveLength((text.match(/^(?:CREATE|INSERT) /gm) ?? []).length);
    for (const statement of statements) database.prepare(statement).run();
  }
  database.close();
});

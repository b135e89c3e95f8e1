import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

/**
 * The import rule of ARCHITECTURE.md: a room imports only what stands in a line above its own, types included. Beside
 * it stands what it may not import either. Circles of single files are the linter's matter.
 */
const lines: readonly (readonly string[])[] = [
  ['platform', 'money'],
  ['http'],
  ['db'],
  ['reconciliation'],
  ['keys', 'accounts', 'markets'],
  ['lane'],
  ['addresses', 'custody', 'orders'],
  ['deposits', 'withdrawals', 'settlements', 'dealing'],
  ['record-kinds.ts'],
  ['activity'],
  ['events'],
  ['keeper', 'exchange'],
  ['streams'],
  ['config.ts', 'public-secrets.ts'],
  ['env.ts'],
  ['access'],
  ['holder'],
  ['features.ts'],
  ['providers.ts'],
  ['operator'],
  ['api'],
  ['app.ts', 'scheduled.ts'],
  ['index.ts'],
  ['sandbox'],
];

/** What bundles zod, which every file reaches by the package's name. */
const BESIDE = 'zod';

const roomOf = (file: string) => file.split('/')[1] ?? '';
const lineOf = (room: string) => lines.findIndex((rooms) => rooms.includes(room));

interface Import {
  readonly from: string;
  readonly of: string;
}

const imports: readonly Import[] = globSync('src/**/*.ts').flatMap((file) => {
  const found = readFileSync(file, 'utf8').matchAll(/(?:from|import) '([^']+)'|import\('([^']+)'\)/g);
  return [...found].map(([, named, called]) => ({ from: file, of: named ?? called ?? '' }));
});

it('every room of src has its place in the import rule', () => {
  const rooms = new Set(globSync('src/**/*.ts').map(roomOf));
  expect([...rooms].filter((room) => room !== BESIDE && lineOf(room) < 0)).toEqual([]);
});

it('imports point one way', () => {
  const own = imports.filter(({ of }) => of.startsWith('.'));
  expect(own.length).toBeGreaterThan(1_000);
  const wrong = own.filter(({ from, of }) => {
    const [room, other] = [roomOf(from), roomOf(join(dirname(from), of))];
    return room !== other && lineOf(other) >= lineOf(room);
  });
  expect(wrong).toEqual([]);
});

it('amounts are computed in one file: no other imports decimal.js', () => {
  expect(imports.filter(({ of }) => of === 'decimal.js').map(({ from }) => from)).toEqual(['src/money/amounts.ts']);
});

it('ARCHITECTURE.md tells the same rule', () => {
  const folders = lines.map((rooms) => rooms.filter((room) => !room.endsWith('.ts')).join(', '));
  const rule = folders.filter((line) => line !== '').join(' <- ');
  expect(readFileSync('ARCHITECTURE.md', 'utf8')).toContain(`\n    ${rule}\n`);
});

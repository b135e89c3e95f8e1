import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SCHEMA_FILE, moveEarlierState, noteSchema } from '../../scripts/keep-state.ts';

const NOON = new Date(Date.UTC(2026, 10, 22, 12));

let place: string;
let storage: string;
let migrations: string;
let folders: string[];
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'bureau-'));
  [storage, migrations] = [join(place, 'state'), join(place, 'migrations')];
  folders = [migrations, join(place, 'console-migrations')];
  cpSync('migrations', migrations, { recursive: true });
  cpSync('console/migrations', join(place, 'console-migrations'), { recursive: true });
});
afterEach(() => {
  rmSync(place, { recursive: true, force: true });
});

/** Leaves a state as an earlier version did, which noted no schema. */
function leaveEarlier(): void {
  mkdirSync(join(storage, 'v3/d1'), { recursive: true });
  writeFileSync(join(storage, 'demo-account.json'), '{}');
}

it('a state with an earlier schema is moved aside as a whole', () => {
  leaveEarlier();
  const aside = moveEarlierState(storage, folders, NOON);
  expect(aside).toBe(`${storage}-earlier-2026-11-22T12-00-00-000Z`);
  expect(existsSync(storage)).toBe(false);
  expect(readdirSync(aside ?? '').toSorted()).toEqual(['demo-account.json', 'v3']);
  expect(moveEarlierState(storage, folders, NOON)).toBeUndefined();
});

it('a state with this schema is kept, also when migrations are added to it', () => {
  leaveEarlier();
  noteSchema(storage, folders);
  expect(moveEarlierState(storage, folders, NOON)).toBeUndefined();
  writeFileSync(join(migrations, '0999_more.sql'), 'SELECT 1;');
  expect(moveEarlierState(storage, folders, NOON)).toBeUndefined();
  expect(existsSync(storage)).toBe(true);
});

it.each([
  ['a migration was changed', () => appendFileSync(join(migrations, '0001_settings.sql'), '-- another')],
  ['a migration was removed', () => rmSync(join(migrations, '0002_accounts.sql'))],
  ['one of the console was changed', () => appendFileSync(join(folders[1] ?? '', '0001_identity.sql'), '-- another')],
])('a state is moved aside when %s', (_what, change) => {
  leaveEarlier();
  noteSchema(storage, folders);
  change();
  expect(moveEarlierState(storage, folders, NOON)).toBeDefined();
});

it('a state that noted its schema in another way is of an earlier schema', () => {
  leaveEarlier();
  writeFileSync(join(storage, SCHEMA_FILE), JSON.stringify([{ name: '0001_accounts.sql', digest: 'earlier' }]));
  expect(moveEarlierState(storage, folders, NOON)).toBeDefined();
});

it('there is nothing to move when there is no state', () => {
  expect(moveEarlierState(storage, folders, NOON)).toBeUndefined();
});

import { spawnSync } from 'node:child_process';
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

/** A state that `npm start` left with an earlier schema. */
const EARLIER = 'test/scripts/earlier-state.tar.gz';
const NOON = new Date(Date.UTC(2026, 10, 22, 12));

let place: string;
let storage: string;
let migrations: string;
let folders: string[];
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'bureau-'));
  [storage, migrations] = [join(place, 'state'), join(place, 'migrations')];
  mkdirSync(storage);
  folders = [migrations, join(place, 'console-migrations')];
  cpSync('migrations', migrations, { recursive: true });
  cpSync('console/migrations', join(place, 'console-migrations'), { recursive: true });
});
afterEach(() => {
  rmSync(place, { recursive: true, force: true });
});

function unpackEarlier(): void {
  expect(spawnSync('tar', ['xzf', EARLIER, '-C', storage]).status).toBe(0);
}

it('a state with an earlier schema is moved aside as a whole', () => {
  unpackEarlier();
  const aside = moveEarlierState(storage, folders, NOON);
  expect(aside).toBe(`${storage}-earlier-2026-11-22T12-00-00-000Z`);
  expect(existsSync(storage)).toBe(false);
  expect(readdirSync(aside ?? '').toSorted()).toEqual(['demo-account.json', 'v3']);
  expect(moveEarlierState(storage, folders, NOON)).toBeUndefined();
});

it('a state with this schema is kept, also when migrations are added to it', () => {
  unpackEarlier();
  noteSchema(storage, folders);
  expect(moveEarlierState(storage, folders, NOON)).toBeUndefined();
  writeFileSync(join(migrations, '0999_more.sql'), 'SELECT 1;');
  expect(moveEarlierState(storage, folders, NOON)).toBeUndefined();
  expect(existsSync(storage)).toBe(true);
});

it('a state is moved aside when its migrations were changed or removed', () => {
  unpackEarlier();
  noteSchema(storage, folders);
  appendFileSync(join(migrations, '0001_settings.sql'), '-- another');
  expect(moveEarlierState(storage, folders, NOON)).toBeDefined();

  mkdirSync(storage);
  unpackEarlier();
  noteSchema(storage, folders);
  rmSync(join(migrations, '0002_accounts.sql'));
  expect(moveEarlierState(storage, folders, new Date(NOON.getTime() + 1))).toBeDefined();

  mkdirSync(storage);
  unpackEarlier();
  noteSchema(storage, folders);
  appendFileSync(join(place, 'console-migrations', '0001_identity.sql'), '-- another');
  expect(moveEarlierState(storage, folders, new Date(NOON.getTime() + 2))).toBeDefined();
});

it('a state that noted its schema in another way is of an earlier schema', () => {
  unpackEarlier();
  writeFileSync(join(storage, SCHEMA_FILE), JSON.stringify([{ name: '0001_accounts.sql', digest: 'earlier' }]));
  expect(moveEarlierState(storage, folders, NOON)).toBeDefined();
});

it('there is nothing to move when there is no state', () => {
  expect(moveEarlierState(storage, folders, NOON)).toBeUndefined();
});

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
import { moveEarlierState, noteSchema } from '../../scripts/keep-state.ts';

/** What `npm start` left behind when the schema was another one. */
const EARLIER = 'test/scripts/earlier-state.tar.gz';
const NOON = new Date(Date.UTC(2026, 10, 22, 12));

let place: string;
let storage: string;
let migrations: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'bureau-'));
  [storage, migrations] = [join(place, 'state'), join(place, 'migrations')];
  mkdirSync(storage);
  cpSync('migrations', migrations, { recursive: true });
});
afterEach(() => {
  rmSync(place, { recursive: true, force: true });
});

function unpackEarlier(): void {
  expect(spawnSync('tar', ['xzf', EARLIER, '-C', storage]).status).toBe(0);
}

it('a state that an earlier schema made is moved aside, whole', () => {
  unpackEarlier();
  const aside = moveEarlierState(storage, migrations, NOON);
  expect(aside).toBe(`${storage}-earlier-2026-11-22T12-00-00-000Z`);
  expect(existsSync(storage)).toBe(false);
  expect(readdirSync(aside ?? '').toSorted()).toEqual(['demo-account.json', 'v3']);
  expect(moveEarlierState(storage, migrations, NOON)).toBeUndefined();
});

it('a state of this schema stays, also when migrations are added to it', () => {
  unpackEarlier();
  noteSchema(storage, migrations);
  expect(moveEarlierState(storage, migrations, NOON)).toBeUndefined();
  writeFileSync(join(migrations, '0999_more.sql'), 'SELECT 1;');
  expect(moveEarlierState(storage, migrations, NOON)).toBeUndefined();
  expect(existsSync(storage)).toBe(true);
});

it('a state is moved aside whose migrations were changed or taken away', () => {
  unpackEarlier();
  noteSchema(storage, migrations);
  appendFileSync(join(migrations, '0001_accounts.sql'), '-- another');
  expect(moveEarlierState(storage, migrations, NOON)).toBeDefined();

  mkdirSync(storage);
  unpackEarlier();
  noteSchema(storage, migrations);
  rmSync(join(migrations, '0002_settings.sql'));
  expect(moveEarlierState(storage, migrations, new Date(NOON.getTime() + 1))).toBeDefined();
});

it('where nothing was ever started, there is nothing to move', () => {
  expect(moveEarlierState(storage, migrations, NOON)).toBeUndefined();
});

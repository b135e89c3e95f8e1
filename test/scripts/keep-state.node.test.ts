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

/** A state that `npm start` left with an earlier schema. */
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

it('a state with an earlier schema is moved aside as a whole', () => {
  unpackEarlier();
  const aside = moveEarlierState(storage, migrations, NOON);
  expect(aside).toBe(`${storage}-earlier-2026-11-22T12-00-00-000Z`);
  expect(existsSync(storage)).toBe(false);
  expect(readdirSync(aside ?? '').toSorted()).toEqual(['demo-account.json', 'v3']);
  expect(moveEarlierState(storage, migrations, NOON)).toBeUndefined();
});

it('a state with this schema is kept, also when migrations are added to it', () => {
  unpackEarlier();
  noteSchema(storage, migrations);
  expect(moveEarlierState(storage, migrations, NOON)).toBeUndefined();
  writeFileSync(join(migrations, '0999_more.sql'), 'SELECT 1;');
  expect(moveEarlierState(storage, migrations, NOON)).toBeUndefined();
  expect(existsSync(storage)).toBe(true);
});

it('a state is moved aside when its migrations were changed or removed', () => {
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

it('there is nothing to move when there is no state', () => {
  expect(moveEarlierState(storage, migrations, NOON)).toBeUndefined();
});

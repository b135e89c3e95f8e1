import { execFileSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { writeConfig } from '../support/run-custodian.ts';
import { newFolder } from '../support/signing.ts';

const DECIDE = join(import.meta.dirname, '..', '..', 'src', 'commands', 'decide.ts');
const feeRate = { usual: 10_000, min: 1_000, max: 200_000 };

/** A configuration file with a Litecoin node at this URL. */
function fileWith(url: string): { readonly file: string; readonly folder: string } {
  const folder = newFolder();
  const file = join(folder, 'custodian.json');
  const bitcoin = { LTC: { nodes: [url], finalDepth: 12, feeRate } };
  writeFileSync(file, JSON.stringify(writeConfig(folder, 'https://bureau.example', { bitcoin })));
  return { file, folder };
}

test('passwords and keys of nodes come from the environment, and a password in the file is refused', () => {
  const read = (url: string, environment: Record<string, string> = {}) =>
    readConfig(fileWith(url).file, environment).bitcoin.LTC?.nodes[0];
  const NODE_SECRETS = JSON.stringify({ LOGIN: 'user:password', KEY: 'abc' });
  expect(read('http://${LOGIN}@127.0.0.1:9332', { NODE_SECRETS })).toBe('http://user:password@127.0.0.1:9332');
  expect(read('https://node.example/v2/${KEY}', { NODE_SECRETS })).toBe('https://node.example/v2/abc');
  expect(read('http://127.0.0.1:9332')).toBe('http://127.0.0.1:9332');
  expect(() => read('http://user:password@127.0.0.1:9332', { NODE_SECRETS })).toThrow('has a password');
  expect(() => read('http://${OTHER}@127.0.0.1:9332', { NODE_SECRETS })).toThrow('NODE_SECRETS has no OTHER');
  expect(() => read('file:///etc/passwd')).toThrow();
});

test('the database’s files are readable by the custodian’s user alone', () => {
  const { file, folder } = fileWith('http://127.0.0.1:1');
  const id = '019ac5a4-7c00-7000-8000-000000000001';
  expect(() =>
    execFileSync(process.execPath, [DECIDE, '--config', file, 'refuse', id, 'no'], { stdio: 'pipe' }),
  ).toThrow();
  const made = readdirSync(folder).filter((name) => name.startsWith('custodian.sqlite'));
  expect(made.length).toBeGreaterThan(0);
  for (const name of made) expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0]);
});

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { claim } from '../../scripts/start/claim.ts';
import { subjectOfStorage } from '../../scripts/start/place.ts';

/** Runs the real program, and returns how it ended. */
async function signIn(storage: string, ...words: readonly string[]) {
  const env = { ...process.env, PORT: '4100', BUREAU_STORAGE: storage };
  const child = spawn(process.execPath, ['scripts/sign-in.ts', ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (part) => (output += String(part)));
  child.stderr.on('data', (part) => (errors += String(part)));
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, output, errors };
}

function makeStorage(): string {
  const storage = mkdtempSync(join(tmpdir(), 'bureau-sign-in-'));
  onTestFinished(() => rmSync(storage, { recursive: true, force: true }));
  return storage;
}

it('says in one sentence that no exchange runs', async () => {
  const storage = makeStorage();
  const { code, output, errors } = await signIn(storage, 'grace@exchange.example');
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(/^Nobody was signed in: no Bureau runs on the data in .*: start it, .*\.\n$/);
});

it('prints no link to a port on which the exchange does not run', async () => {
  const storage = makeStorage();
  await claim(subjectOfStorage(storage), { pid: process.pid, port: 4200, folder: '/somewhere' });
  const { code, output, errors } = await signIn(storage, 'grace@exchange.example', '--link');
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(/^Nobody was signed in: .* runs on port 4200: set PORT, .*\.\n$/);
});

it('says what it takes when it is given something else', async () => {
  const { code, errors } = await signIn(makeStorage());
  expect([code, errors]).toEqual([1, 'Nobody was signed in: npm run sign-in -- E-MAIL [--link]\n']);
});

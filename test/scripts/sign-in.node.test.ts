import { runProgram } from '../support/node/run-program.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { claim } from '../../scripts/start/claim.ts';
import { subjectOfStorage } from '../../scripts/start/place.ts';

/** Runs the real program. */
function signIn(storage: string, ...words: readonly string[]) {
  const env = { ...process.env, PORT: '4100', BUREAU_STORAGE: storage };
  return runProgram(['scripts/sign-in.ts', ...words], { env });
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

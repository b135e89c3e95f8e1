import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { runShell } from '../../scripts/run-examples.ts';
import { WRANGLER, quietly } from '../../scripts/start/wrangler.ts';
import { waitFor } from '../support/wait-for.ts';
import { openFolder } from '../support/node/open-folder.ts';

/** What `npx wrangler dev` serves in a new clone, with nothing done before but `npm ci`: its storage and secrets are none. */
let server: ChildProcess;
const folder = openFolder('dev');
let port: number;

beforeAll(async () => {
  port = await findFreePort();
  const noSecrets = join(folder, 'no-secrets');
  writeFileSync(noSecrets, '');
  const place = ['--port', String(port), '--inspector-port', '0', '--persist-to', folder, '--env-file', noSecrets];
  server = spawn(process.execPath, [...WRANGLER, 'dev', ...place], {
    env: { ...process.env, ...quietly },
    stdio: 'ignore',
  });
});

afterAll(async () => {
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
});

/** The lines of the README's first order, on this port, with the key that the README names. */
function readLines(): string {
  const readme = readFileSync('README.md', 'utf8');
  const [, key = ''] = /`(bk_test_[\w-]+)`/.exec(readme) ?? [];
  const [, block = ''] = /## A first order\n\n```sh\n([^]*?)```/.exec(readme) ?? [];
  return block.replace(/^KEY=.*$/m, `KEY=${key}`).replaceAll('127.0.0.1:8787', `127.0.0.1:${port}`);
}

it('serves the first order of the README in a new clone, with the key that it names', async () => {
  await waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/api/v1/time`)).ok).toBe(true));
  const answers = await runShell(readLines());
  expect(answers).toContain('"ticker":{"symbol":"BTC"');
  expect(answers).toMatch(/"order":{[^}]*"usdtAmount":"100"/);
  expect(answers).toContain('{"asset":"USDT","amount":"99900"}');
});

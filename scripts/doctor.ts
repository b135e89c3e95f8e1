import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { examineDeployment } from './doctor/examine-deployment.ts';

/**
 * `npm run doctor -- --env production` checks a configuration before it is deployed, and fails on what the Worker would
 * not start with. The names of the secrets come on its standard input:
 *
 *     npx wrangler secret list --env production | npm run -s doctor -- --env production
 *
 * The console's configuration is checked beside it, `--console FILE` if it is another one. Supply caps and exposure are
 * in the database. `--caps FILE` names a file with what it answered to the statement that the doctor prints without it.
 */

const { values } = parseArgs({
  options: {
    env: { type: 'string', default: 'production' },
    config: { type: 'string', default: 'wrangler.toml' },
    console: { type: 'string', default: 'console/wrangler.toml' },
    caps: { type: 'string' },
  },
});

/** The names of the secrets, as `wrangler secret list` prints them; `undefined` at a terminal. */
async function readSecretNames(): Promise<string[] | undefined> {
  if (process.stdin.isTTY) return undefined;
  const told = (await text(process.stdin)).trim();
  if (told === '') return undefined;
  return (JSON.parse(told) as { name: string }[]).map(({ name }) => name);
}

const { lines, isReady } = examineDeployment({
  environment: values.env,
  configFile: values.config,
  consoleFile: values.console,
  secrets: await readSecretNames(),
  caps: values.caps === undefined ? undefined : readFileSync(values.caps, 'utf8'),
});
for (const line of lines) console.log(line);
if (!isReady) process.exitCode = 1;

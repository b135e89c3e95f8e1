import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { examineDeployment } from './doctor/examine-deployment.ts';
import { listenToVenues } from './doctor/listen-to-venues.ts';

/**
 * `npm run doctor -- --env production` checks a configuration before it is deployed, and fails on what the Worker would
 * not start with. The names of the secrets come on its standard input:
 *
 *     npx wrangler secret list --env production | npm run -s doctor -- --env production
 *
 * The console's configuration is checked beside it, `--console FILE` if it is another one. Supply caps and exposure are
 * in the database. `--caps FILE` names a file with what it answered to the statement that the doctor prints without it.
 *
 * `--venues` instead opens the venues' streams from this machine, listens for ten seconds, and says how late they are and
 * how much they send. The Worker runs elsewhere: its own figures are in the operator's metrics.
 */

const { values } = parseArgs({
  options: {
    env: { type: 'string', default: 'production' },
    config: { type: 'string', default: 'wrangler.toml' },
    console: { type: 'string', default: 'console/wrangler.toml' },
    caps: { type: 'string' },
    venues: { type: 'boolean', default: false },
  },
});

/** The names of the secrets, as `wrangler secret list` prints them; `undefined` at a terminal. */
async function readSecretNames(): Promise<string[] | undefined> {
  if (process.stdin.isTTY) return undefined;
  const told = (await text(process.stdin)).trim();
  if (told === '') return undefined;
  return (JSON.parse(told) as { name: string }[]).map(({ name }) => name);
}

const LISTEN_SECONDS = 10;

async function examine(): Promise<{ readonly lines: readonly string[]; readonly isGood: boolean }> {
  const place = { environment: values.env, configFile: values.config };
  if (values.venues) {
    const { lines, isEnough } = await listenToVenues(place, LISTEN_SECONDS);
    return { lines, isGood: isEnough };
  }
  const { lines, isReady } = examineDeployment({
    ...place,
    consoleFile: values.console,
    secrets: await readSecretNames(),
    caps: values.caps === undefined ? undefined : readFileSync(values.caps, 'utf8'),
  });
  return { lines, isGood: isReady };
}

const { lines, isGood } = await examine();
for (const line of lines) console.log(line);
if (!isGood) process.exitCode = 1;

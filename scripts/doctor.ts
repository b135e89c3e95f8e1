import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { unstable_readConfig } from 'wrangler';
import { FLOORS_QUERY, findCapFaults } from './doctor/find-cap-faults.ts';
import { type DeployFaults, findDeployFaults } from './doctor/find-deploy-faults.ts';

/**
 * `npm run doctor -- --env production` checks a configuration before it is deployed, and fails on what the Worker would not
 * start with. The names of the secrets come on its standard input:
 *
 *     npx wrangler secret list --env production | npm run -s doctor -- --env production
 *
 * Supply caps and exposure are in the database. `--caps FILE` names a file with what it answered to the statement that
 * the doctor prints without it.
 */

const { values } = parseArgs({
  options: {
    env: { type: 'string', default: 'production' },
    config: { type: 'string', default: 'wrangler.toml' },
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

/** What is wrong with the caps, or how to have them checked. */
function examineCaps(): DeployFaults {
  if (values.caps !== undefined) return findCapFaults(readFileSync(values.caps, 'utf8'));
  const command = `npx wrangler d1 execute DB --remote --env ${values.env} --json --command "${FLOORS_QUERY}"`;
  const told = `the caps were not checked, which are in the database: add \`--caps caps.json\`, after \`${command} > caps.json\``;
  return { errors: [], warnings: [told] };
}

const config = unstable_readConfig({ config: values.config, env: values.env }, { hideWarnings: true });
const found = [await findDeployFaults(config, await readSecretNames()), examineCaps()];
const errors = found.flatMap((one) => one.errors);
for (const warning of found.flatMap((one) => one.warnings)) console.log(`warning: ${warning}.`);
for (const error of errors) console.log(`error: ${error}.`);
console.log(errors.length === 0 ? `${values.env} can be deployed.` : `${values.env} cannot be deployed yet.`);
if (errors.length > 0) process.exitCode = 1;

import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { unstable_readConfig } from 'wrangler';
import { findDeployFaults } from './doctor/find-deploy-faults.ts';

/**
 * `npm run doctor -- --env production` checks a configuration before it is deployed, and fails on what the Worker would not
 * start with. The names of the secrets come on its standard input:
 *
 *     npx wrangler secret list --env production | npm run -s doctor -- --env production
 */

const { values } = parseArgs({
  options: { env: { type: 'string', default: 'production' }, config: { type: 'string', default: 'wrangler.toml' } },
});

/** The names of the secrets, as `wrangler secret list` prints them; `undefined` at a terminal. */
async function readSecretNames(): Promise<string[] | undefined> {
  if (process.stdin.isTTY) return undefined;
  const told = (await text(process.stdin)).trim();
  if (told === '') return undefined;
  return (JSON.parse(told) as { name: string }[]).map(({ name }) => name);
}

const config = unstable_readConfig({ config: values.config, env: values.env }, { hideWarnings: true });
const { errors, warnings } = await findDeployFaults(config, await readSecretNames());
for (const warning of warnings) console.log(`warning: ${warning}.`);
for (const error of errors) console.log(`error: ${error}.`);
console.log(
  errors.length === 0
    ? `${values.env} can be deployed. Check its caps and limits as well: they are settings, which are in its database.`
    : `${values.env} cannot be deployed yet.`,
);
if (errors.length > 0) process.exitCode = 1;

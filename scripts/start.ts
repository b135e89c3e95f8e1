import { findSpreadFaults } from './doctor/find-spread-faults.ts';
import { MIGRATIONS } from './keep-state.ts';
import { readSecret, readSecrets, writeSecrets } from './local-secrets.ts';
import { buildWorkers } from './start/build-workers.ts';
import { composeGreeting } from './start/compose-greeting.ts';
import { openDemo } from './start/demo-account.ts';
import { findRefusal } from './start/find-refusal.ts';
import { inviteDemo } from './start/invite-demo.ts';
import { openVenue } from './start/open-venue.ts';
import { operate } from './start/operate.ts';
import { readLedgers, spreadAccounts } from './start/local-ledgers.ts';
import { type Place, readPlace } from './start/place.ts';
import { playAccess, writeSignInLink } from './start/play-access.ts';
import { prepareStorage } from './start/prepare-storage.ts';

/**
 * `npm start` runs a whole exchange on this machine; its first file is `start.cjs`. It makes the secrets, migrates the
 * local D1, serves the exchange and its console, opens a demo account through the operator's API, signs its first admin
 * in, and prints what a holder, a trader and an operator need. A later run finds everything as it was, unless the data is
 * of an earlier schema: then it is moved aside, and the exchange begins anew. `-- --var NAME:VALUE` sets a variable;
 * BUREAU_LEDGERS says how many ledgers it has.
 */

const FIRST_ADMIN = 'admin@bureau.example';

function refuse(sentence: string): void {
  console.error(`Bureau did not start: ${sentence}`);
  process.exitCode = 1;
}

/** Says what happens now: a start takes seconds, and on a slow machine most of a minute. */
function tell(sentence: string): void {
  console.log(sentence);
}

async function open(place: Place, ledgers: number): Promise<void> {
  tell('Building the exchange, its documentation and its console. This takes longest when something has changed.');
  const [bundles, { keepSchedule, readVars, serve, waitUntilReady }] = await Promise.all([
    buildWorkers(`.wrangler/bundles/${place.port}`),
    // Loaded while the bundles are built: the runtime and what goes with it are large.
    import('./start/serve.ts'),
  ]);
  tell('Starting the runtime, and bringing the databases to this version.');
  const access = await playAccess(place);
  const variables = { ...readSecrets(), ...readVariables(process.argv.slice(2)) };
  const served = await serve(place, bundles, access, variables, ledgers);
  const stopped = untilStopped();
  try {
    await waitUntilReady(place);
    await refuseThinSpreads(place, readVars(variables), ledgers);
    tell('Opening the demo account, and signing the first admin in.');
    const operatorToken = readSecret('OPERATOR_TOKEN');
    await operate(place, operatorToken, 'PUT', `/staff/${FIRST_ADMIN}`, { roles: ['admin'] });
    await spreadAccounts(place, operatorToken, ledgers);
    const demo = await openDemo(place, operatorToken);
    // A dealer that is named knows nothing of the sandbox's own venue.
    if (demo.isNew && !variables['DEALER_URL']) await openVenue(place, operatorToken, ledgers);
    const staff = { email: FIRST_ADMIN, signedIn: access.signIn(FIRST_ADMIN) };
    const links = {
      holder: await inviteDemo(served.runtime, place, demo.accountId, { operatorToken, signedIn: staff.signedIn }),
      operator: writeSignInLink(place.storage, place.consoleOrigin, FIRST_ADMIN),
    };
    console.log(composeGreeting(place, demo, operatorToken, staff, links));
  } catch (error) {
    await served.stop();
    throw error;
  }
  const schedule = keepSchedule(place);
  await stopped;
  clearInterval(schedule);
  await served.stop();
}

/** Throws when a spread is below what its hedges cost: the settings of the data may not fit the variables of this start. */
async function refuseThinSpreads(
  place: Place,
  variables: Readonly<Record<string, unknown>>,
  ledgers: number,
): Promise<void> {
  const { settings } = await operate<{ settings: unknown }>(place, readSecret('OPERATOR_TOKEN'), 'GET', '/settings');
  const faults = findSpreadFaults(variables, settings, ledgers);
  if (faults.length > 0) throw new Error(`${faults.join('; ')}. Start it with a higher one: -- --var SPREAD_BPS:…`);
}

/** Resolves at Ctrl-C, or when this process is asked to end. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
}

/** The variables that the command line sets, each as `--var NAME:VALUE`. Throws for any other word. */
function readVariables(words: readonly string[]): Record<string, string> {
  const variables: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 2) {
    const [, name, value] = /^([A-Z_]+):(.*)$/s.exec(words[at + 1] ?? '') ?? [];
    if (words[at] !== '--var' || name === undefined || value === undefined) {
      throw new Error(`"${words.slice(at, at + 2).join(' ')}" is not understood: --var NAME:VALUE sets a variable.`);
    }
    variables[name] = value;
  }
  return variables;
}

async function start(): Promise<void> {
  const place = readPlace(process.env);
  if ('refusal' in place) return refuse(place.refusal);
  const told = readLedgers(process.env, place.storage);
  if ('refusal' in told) return refuse(told.refusal);
  const refusal = await findRefusal(place, MIGRATIONS);
  if (refusal !== undefined) return refuse(refusal);
  process.title = `bureau on port ${place.port}`;
  writeSecrets();
  prepareStorage(place, MIGRATIONS);
  await open(place, told.ledgers);
}

start().catch((error: unknown) => refuse(error instanceof Error ? error.message : String(error)));

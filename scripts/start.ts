import { readSecret, writeSecrets } from './local-secrets.ts';
import { composeGreeting } from './start/compose-greeting.ts';
import { openDemo } from './start/demo-account.ts';
import { findRefusal } from './start/find-refusal.ts';
import { migrate } from './start/migrate.ts';
import { operate } from './start/operate.ts';
import { type Place, readPlace } from './start/place.ts';
import { playAccess } from './start/play-access.ts';
import { keepSchedule, serve, waitUntilReady } from './start/serve.ts';

/**
 * `npm start` runs a whole exchange on this machine; its first file is `start.cjs`. It makes the secrets, migrates the
 * local D1, serves the Worker, opens a demo account through the operator's API, signs its first admin in, and prints what
 * a trader and an operator need. A later
 * run finds everything as it was, unless the data is of an earlier schema: then it is moved aside, and the exchange begins
 * anew. Words of its command line go to wrangler: `-- --var NAME:VALUE` sets a variable.
 */

const MIGRATIONS = 'migrations';

/** The first person of the staff, an admin. */
const FIRST_ADMIN = 'admin@bureau.example';

function refuse(sentence: string): void {
  console.error(`Bureau did not start: ${sentence}`);
  process.exitCode = 1;
}

async function open(place: Place): Promise<void> {
  const access = await playAccess(place);
  const served = serve(place, [...access.words, ...process.argv.slice(2)]);
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      isStopping = true;
      served.stop();
    });
  }
  const ended = new Promise<void>((resolve) => {
    served.process.on('exit', (code) => {
      if (!isStopping) console.error(`The exchange ended with code ${code}. What it said last is in ${place.logFile}.`);
      process.exitCode = isStopping ? 0 : 1;
      resolve();
    });
  });
  try {
    await waitUntilReady(served, place);
    const operatorToken = readSecret('OPERATOR_TOKEN');
    await operate(place, operatorToken, 'PUT', `/staff/${FIRST_ADMIN}`, { roles: ['admin'] });
    const demo = await openDemo(place, operatorToken);
    const staff = { email: FIRST_ADMIN, signedIn: access.signIn(FIRST_ADMIN) };
    console.log(composeGreeting(place, demo, operatorToken, staff));
    keepSchedule(served, place);
  } catch (error) {
    if (!isStopping) refuse(error instanceof Error ? error.message : String(error));
    isStopping = true;
    served.stop();
  }
  await ended;
}

async function start(): Promise<void> {
  const place = readPlace(process.env);
  if ('refusal' in place) return refuse(place.refusal);
  const refusal = await findRefusal(place, MIGRATIONS);
  if (refusal !== undefined) return refuse(refusal);
  process.title = `bureau on port ${place.port}`;
  writeSecrets();
  migrate(place);
  await open(place);
}

start().catch((error: unknown) => refuse(error instanceof Error ? error.message : String(error)));

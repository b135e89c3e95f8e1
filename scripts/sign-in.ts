import { findHolder } from './start/claim.ts';
import { readPlace, subjectOfStorage } from './start/place.ts';
import { signInLocally, writeSignInLink } from './start/play-access.ts';

/**
 * Prints a token with which a person is signed in to the exchange that `npm start` runs: `npm run sign-in -- E-MAIL`.
 * It is what Cloudflare Access would send with each of their requests, as `Cf-Access-Jwt-Assertion`. With `--link` it
 * prints a link to the console's desk instead, which signs a browser in.
 */

function refuse(sentence: string): void {
  console.error(`Nobody was signed in: ${sentence}`);
  process.exitCode = 1;
}

async function signIn(email: string, isLink: boolean): Promise<void> {
  const place = readPlace(process.env);
  if ('refusal' in place) return refuse(place.refusal);
  const { port, storage, consoleOrigin } = place;
  const running = await findHolder(subjectOfStorage(storage));
  if (!running) {
    return refuse(
      `no Bureau runs on the data in ${storage}: start it, and give PORT and BUREAU_STORAGE as npm start had.`,
    );
  }
  if (isLink && running.port !== port) {
    return refuse(
      `the Bureau on the data in ${storage} runs on port ${running.port}: set PORT, and CONSOLE_PORT as there.`,
    );
  }
  console.log(isLink ? writeSignInLink(storage, consoleOrigin, email) : signInLocally(storage, email));
}

const [email, option] = process.argv.slice(2);
if (email === undefined || (option !== undefined && option !== '--link')) refuse('npm run sign-in -- E-MAIL [--link]');
else await signIn(email, option === '--link');

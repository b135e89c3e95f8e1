import { readPlace } from './start/place.ts';
import { signInLocally, writeSignInLink } from './start/play-access.ts';

/**
 * Prints a token with which a person is signed in to the exchange that `npm start` runs: `npm run sign-in -- E-MAIL`. It is
 * what Cloudflare Access would send with each of their requests, as `Cf-Access-Jwt-Assertion`. With `--link` it prints a
 * link to the console's desk instead, which signs a browser in.
 */

const [email, option] = process.argv.slice(2);
if (email === undefined || (option !== undefined && option !== '--link')) {
  throw new Error('usage: npm run sign-in -- E-MAIL [--link]');
}
const place = readPlace(process.env);
if ('refusal' in place) throw new Error(place.refusal);
const { storage, consoleOrigin } = place;
console.log(option === undefined ? signInLocally(storage, email) : writeSignInLink(storage, consoleOrigin, email));

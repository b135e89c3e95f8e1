import { readStorage } from './start/place.ts';
import { signInLocally } from './start/play-access.ts';

/**
 * Prints a token with which a person is signed in to the exchange that `npm start` runs: `npm run sign-in -- E-MAIL`. It is
 * what Cloudflare Access would send with each of their requests, as `Cf-Access-Jwt-Assertion`.
 */

const [email] = process.argv.slice(2);
if (email === undefined) throw new Error('usage: npm run sign-in -- E-MAIL');
console.log(signInLocally(readStorage(process.env), email));

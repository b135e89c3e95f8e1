import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { generate } from 'otplib';

/**
 * Prints the code of a secret, as an authenticator app shows it: `npm run totp -- SECRET`. With `--next` it waits for the
 * next code, since each can be used once.
 */

const STEP_MS = 30_000;

const { positionals, values } = parseArgs({ allowPositionals: true, options: { next: { type: 'boolean' } } });
const [secret] = positionals;
if (!secret) throw new Error('usage: npm run totp -- SECRET [--next]');
if (values.next) await sleep(STEP_MS - (Date.now() % STEP_MS));
console.log(await generate({ secret }));

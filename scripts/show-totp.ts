import { generate } from 'otplib';

/** Prints the current code of a secret, as an authenticator app would: `npm run totp -- <secret>`. */
const [secret] = process.argv.slice(2);
if (!secret) throw new Error('usage: npm run totp -- <secret>');
console.log(await generate({ secret }));

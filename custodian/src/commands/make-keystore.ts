import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { sealKeystore } from '../signer/keystore.ts';

/**
 * `npm run -s make:keystore -- --passphrase FILE < mnemonic > keystore.json`, on a machine that is offline, beside `npm
 * run -s make:addresses`. It reads the mnemonic from standard input and the passphrase from a file. An argument would
 * stay in the shell's history.
 */
try {
  const { values } = parseArgs({ options: { passphrase: { type: 'string' } } });
  if (values.passphrase === undefined)
    throw new Error('usage: npm run -s make:keystore -- --passphrase FILE < mnemonic');
  if (process.stdin.isTTY) console.error('Type the mnemonic, then Enter and Ctrl-D.');
  const passphrase = readFileSync(values.passphrase, 'utf8').replace(/\r?\n$/, '');
  console.log(JSON.stringify(sealKeystore(await text(process.stdin), passphrase)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { ColdRequest, readColdRequest, signColdRequest } from '../cold/cold-request.ts';
import { findSignedBefore, noteSigned } from '../cold/signed-before.ts';
import { readJsonFile } from '../config.ts';
import { Keystore, openKeystore } from '../signer/keystore.ts';
import { Wallet } from '../signer/wallet.ts';

/**
 * Signs a payment of the cold wallet, on a machine that is offline:
 *
 *     node src/commands/sign-cold.ts --keystore FILE --passphrase FILE --hot ADDRESS --max-fee AMOUNT < request.json > answer.json
 *
 * The keystore is the cold wallet's, with a mnemonic of its own. The person at the machine types the hot address; it is
 * never taken from the request. What is signed is printed on standard error, and noted in the file KEYSTORE.signed. A
 * nonce or a coin is signed for in one transaction; `--again` replaces it by another.
 */
const names = ['keystore', 'passphrase', 'hot', 'max-fee'] as const;
const { values } = parseArgs({
  options: {
    keystore: { type: 'string' },
    passphrase: { type: 'string' },
    hot: { type: 'string' },
    'max-fee': { type: 'string' },
    again: { type: 'boolean', default: false },
  },
});
const [keystoreFile, passphraseFile, hot, maxFee] = names.map((name) => {
  const value = values[name];
  if (value === undefined) throw new Error(`--${name} is missing`);
  return value;
}) as [string, string, string, string];
const passphrase = readFileSync(passphraseFile, 'utf8').replace(/\r?\n$/, '');
const wallet = new Wallet(openKeystore(readJsonFile(keystoreFile, Keystore), passphrase));
const request = ColdRequest.parse(JSON.parse(await text(process.stdin)));
const { asset, atoms, fee } = readColdRequest(request, wallet, hot, maxFee);
console.error(`${request.network}: pays ${atoms} atoms of ${asset} to ${hot}; the network takes at most ${fee} atoms`);
const answer = signColdRequest(request, wallet);
const memory = `${keystoreFile}.signed`;
const before = findSignedBefore(memory, request, answer);
if (before !== undefined && !values.again) {
  throw new Error(`${before} was signed with the same nonce or coin; if it must be replaced, add --again`);
}
noteSigned(memory, request, answer);
console.log(JSON.stringify(answer));

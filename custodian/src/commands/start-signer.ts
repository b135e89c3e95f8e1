import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readJsonFile } from '../config.ts';
import { logLine } from '../log.ts';
import { Keystore, openKeystore } from '../signer/keystore.ts';
import { Policy } from '../signer/policy.ts';
import { serveSigner } from '../signer/serve.ts';
import { SignatureLog } from '../signer/signature-log.ts';
import { answerSigner } from '../signer/signer.ts';
import { Wallet } from '../signer/wallet.ts';

/**
 * Starts the signer. It is a process of its own, and should run as a user of its own:
 *
 *     node src/commands/start-signer.ts --policy FILE --keystore FILE --passphrase FILE --log FILE --socket PATH
 *
 * `--clock-was-wrong` is a person's word that the clock is right now, after rows were written by one that was ahead.
 *
 * `--new-log` makes the log, for the first start of all. Without it a missing log is an error: a signer with an empty log
 * has forgotten what it signed, and would sign it a second time.
 */
const PUBLIC_MNEMONIC = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

const names = ['policy', 'keystore', 'passphrase', 'log', 'socket'] as const;

async function start(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      policy: text,
      keystore: text,
      passphrase: text,
      log: text,
      socket: text,
      'new-log': { type: 'boolean', default: false },
      'clock-was-wrong': { type: 'boolean', default: false },
    },
  });
  const [policyFile, keystoreFile, passphraseFile, logFile, socket] = names.map((name) => {
    const value = values[name];
    if (value === undefined) throw new Error(`--${name} is missing`);
    return value;
  }) as [string, string, string, string, string];
  if (existsSync(logFile) === values['new-log']) {
    throw new Error(values['new-log'] ? `there is a log already: ${logFile}` : `there is no log: ${logFile}`);
  }
  const policy = readJsonFile(policyFile, Policy);
  const passphrase = readFileSync(passphraseFile, 'utf8').replace(/\r?\n$/, '');
  const mnemonic = openKeystore(readJsonFile(keystoreFile, Keystore), passphrase);
  if (mnemonic === PUBLIC_MNEMONIC && !policy.sandbox)
    throw new Error('this is the public test mnemonic, whose keys everybody has');
  process.umask(0o077);
  const parts = { wallet: new Wallet(mnemonic), policy, log: new SignatureLog(logFile), now: Date.now };
  if (values['clock-was-wrong']) parts.log.setClockRight(Date.now());
  await serveSigner(socket, (request) => answerSigner(parts, request));
  const { signerKey } = parts.wallet;
  logLine('signer_started', { networks: Object.keys(policy.networks).join(','), signerKey });
}

await start();

import { spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SignerUnavailable, connectSigner } from '../../src/signer/connect.ts';
import { sealKeystore } from '../../src/signer/keystore.ts';
import { serveSigner } from '../../src/signer/serve.ts';
import { SignatureLog } from '../../src/signer/signature-log.ts';
import { answerSigner } from '../../src/signer/signer.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { MNEMONIC, newFolder, policy } from '../support/signing.ts';

const START = join(import.meta.dirname, '..', '..', 'src', 'commands', 'start-signer.ts');
const PASSPHRASE = 'a passphrase of the tests';
const OPEN_TO_GROUP = 0o660;

test('the socket is open to the signer’s user and group alone, and answers what is no request with an error', async () => {
  const folder = newFolder();
  const [socket, log] = [join(folder, 'signer.sock'), new SignatureLog(join(folder, 'signatures.sqlite'))];
  const parts = { wallet: new Wallet(MNEMONIC), policy, log, now: Date.now };
  const server = await serveSigner(socket, (request) => answerSigner(parts, request));
  expect(statSync(socket).mode & 0o777).toBe(OPEN_TO_GROUP);
  expect(await connectSigner(socket)({ kind: 'addresses' })).toMatchObject({ kind: 'addresses' });
  await expect(connectSigner(socket)({ kind: 'burn', withdrawalId: 'none' })).rejects.toThrow(SignerUnavailable);
  const connection = createConnection(socket);
  const said = new Promise<string>((resolve) => connection.once('data', (chunk) => resolve(chunk.toString())));
  connection.write('a line that is no JSON\n');
  expect(JSON.parse(await said)).toMatchObject({ kind: 'fault' });
  connection.destroy();
  server.close();
  log.close();
});

test('a signer does not start without its log, and makes a new one only when it is told to', () => {
  const folder = newFolder();
  const file = (name: string) => join(folder, name);
  writeFileSync(file('policy'), JSON.stringify({ ...policy, sandbox: false }));
  writeFileSync(file('keystore'), JSON.stringify(sealKeystore(MNEMONIC, PASSPHRASE, 10)));
  writeFileSync(file('passphrase'), PASSPHRASE);
  const start = (log: string, ...more: string[]) => {
    const words = ['policy', 'keystore', 'passphrase', 'socket'].flatMap((name) => [`--${name}`, file(name)]);
    return spawnSync(process.execPath, [START, ...words, '--log', file(log), ...more], { encoding: 'utf8' }).stderr;
  };
  expect(start('mistyped')).toContain('there is no log');
  // It goes on to the keystore, whose words everybody knows.
  expect(start('new', '--new-log')).toContain('public test mnemonic');
  writeFileSync(file('old'), '');
  expect(start('old', '--new-log')).toContain('there is a log already');
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealKeystore } from '../../src/signer/keystore.ts';
import { takeFreePort } from './free-port.ts';
import { DEPOSIT_TOKEN, KEY_ID, SECRET, type CustodianReply, askCustodian } from './play-bureau.ts';
import { writeConfig } from './run-custodian.ts';
import { MNEMONIC, newFolder, policy } from './signing.ts';

const PASSPHRASE = 'a passphrase of the tests';
const CHEAP = 10;
const SOURCE = join(import.meta.dirname, '..', '..', 'src');

/** A custodian and its signer as they are deployed: two processes, a socket, and files. */
export class ProcessCustodian {
  readonly port: number;
  readonly #folder: string;
  readonly #source: string;
  #signer: ChildProcess | undefined;
  #custodian: ChildProcess | undefined;
  #output = '';

  private constructor(port: number, folder: string, source: string) {
    this.port = port;
    this.#folder = folder;
    this.#source = source;
  }

  /** Writes the files of one. `source` is another copy of the custodian's code. */
  static async prepare(bureauUrl: string, networks: object, source = SOURCE): Promise<ProcessCustodian> {
    const folder = newFolder();
    const port = await takeFreePort();
    const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
    write('config.json', { ...writeConfig(folder, bureauUrl, networks), port });
    write('policy.json', policy);
    write('keystore.json', sealKeystore(MNEMONIC, PASSPHRASE, CHEAP));
    writeFileSync(join(folder, 'passphrase'), PASSPHRASE);
    return new ProcessCustodian(port, folder, source);
  }

  async startSigner(): Promise<void> {
    const file = (name: string) => join(this.#folder, name);
    const options = {
      policy: file('policy.json'),
      keystore: file('keystore.json'),
      passphrase: file('passphrase'),
      log: file('signatures.sqlite'),
      socket: file('signer.sock'),
    };
    const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    if (!existsSync(options.log)) words.push('--new-log');
    const child = spawn(process.execPath, [join(this.#source, 'commands', 'start-signer.ts'), ...words]);
    this.#signer = child;
    await this.#hear(child, 'signer_started');
  }

  /** Starts the custodian; with `stopAt` it kills itself right after that event. */
  async start(stopAt?: string): Promise<void> {
    const entry = join(import.meta.dirname, 'crashing-custodian.ts');
    this.#output = '';
    const child = spawn(process.execPath, [entry, this.#source, join(this.#folder, 'config.json')], {
      env: {
        ...process.env,
        CUSTODY_SECRETS: JSON.stringify({ [KEY_ID]: SECRET }),
        BUREAU_DEPOSIT_TOKEN: DEPOSIT_TOKEN,
        ...(stopAt && { STOP_AT: stopAt }),
      },
    });
    this.#custodian = child;
    await this.#hear(child, 'custodian_started');
  }

  async #hear(child: ChildProcess, event: string): Promise<void> {
    const heard = new Promise<void>((resolve, reject) => {
      const take = (chunk: Buffer) => {
        this.#output += chunk.toString();
        if (this.#output.includes(event)) resolve();
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      child.once('exit', () => reject(new Error(`ended before ${event}: ${this.#output.slice(-2000)}`)));
    });
    heard.catch(() => undefined);
    await heard;
  }

  /** Waits until the custodian has killed itself. */
  async died(): Promise<void> {
    const child = this.#custodian;
    if (child && child.signalCode === null && child.exitCode === null) await once(child, 'exit');
  }

  /** Whether it still runs. */
  isAlive(): boolean {
    return this.#custodian?.signalCode === null && this.#custodian.exitCode === null;
  }

  async kill(which: 'custodian' | 'signer' = 'custodian'): Promise<void> {
    const child = which === 'custodian' ? this.#custodian : this.#signer;
    if (!child || child.signalCode !== null || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** The log since the start. */
  get output(): string {
    return this.#output;
  }

  /** Submits a payout. Returns `undefined` when the custodian dies before it answers. */
  async pay(payout: { readonly withdrawalId: string }): Promise<CustodianReply | undefined> {
    return askCustodian(this.port, 'PUT', `/v1/payouts/${payout.withdrawalId}`, payout).catch(() => undefined);
  }

  async look(withdrawalId: string): Promise<CustodianReply | undefined> {
    return askCustodian(this.port, 'GET', `/v1/payouts/${withdrawalId}`).catch(() => undefined);
  }

  async stop(): Promise<void> {
    await this.kill('custodian');
    await this.kill('signer');
  }
}

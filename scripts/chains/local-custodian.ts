import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import { sealKeystore } from '../../custodian/src/signer/keystore.ts';
import type { Policy } from '../../custodian/src/signer/policy.ts';
import { Wallet } from '../../custodian/src/signer/wallet.ts';
import { type Network, networks as allNetworks } from '../../src/money/networks.ts';
import { deriveDepositKeys, readSeed } from '../offline-wallet.ts';

/** The public test mnemonic. The sandbox's deposit keys are derived from it. */
export const PUBLIC_MNEMONIC =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

export const PUBLIC_SIGNER_KEY = new Wallet(PUBLIC_MNEMONIC).signerKey;

const COMMANDS = join(import.meta.dirname, '..', '..', 'custodian', 'src', 'commands');
const NODE_LOGIN = 'u:p';
const PASSPHRASE = 'a passphrase of no worth';
const COLD_EVM = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const COLD_TRON = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
const COLD_SOL = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const COLD_LTC = 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9';

export interface LocalCustodianOptions {
  /** The folder of its files, which a later start uses again. */
  readonly folder: string;
  readonly port: number;
  readonly bureauUrl: string;
  readonly depositToken: string;
  readonly key: { readonly id: string; readonly secret: string };
  /** The seed with which Bureau signs payouts: CUSTODY_SIGNING_KEY. */
  readonly signingKey: string;
  /** The members `evm`, `bitcoin`, `tron` and `solana` of the custodian's configuration. */
  readonly networks: {
    readonly evm?: object;
    readonly bitcoin?: object;
    readonly tron?: object;
    readonly solana?: object;
  };
  /** Networks on which nothing is held, so that Bureau can compare the assets of the configured ones. */
  readonly nothingHeldOn?: readonly Network[];
  /** Receives each line that either process writes. */
  readonly log: (line: string) => void;
}

/** A custodian and its signer as they are deployed: two processes, a socket between them, and files. */
export interface LocalCustodian {
  readonly url: string;
  stop(): Promise<void>;
}

export function listOthers(networks: readonly Network[]): Network[] {
  return allNetworks.filter((network) => !networks.includes(network));
}

/** Starts both with the public test mnemonic. When one does not start, rejects with the output of both. */
export async function startLocalCustodian(options: LocalCustodianOptions): Promise<LocalCustodian> {
  const { folder, port } = options;
  writeFiles(options);
  const file = (name: string) => join(folder, name);
  const signer = await run(options, 'start-signer.ts', 'signer_started', {
    policy: file('policy.json'),
    keystore: file('keystore.json'),
    passphrase: file('passphrase'),
    log: file('signatures.sqlite'),
    socket: file('signer.sock'),
    ...(!existsSync(file('signatures.sqlite')) && { 'new-log': true }),
  });
  try {
    const custodian = await run(options, 'start.ts', 'custodian_started', { config: file('custodian.json') });
    return {
      url: `http://127.0.0.1:${port}`,
      stop: async () => {
        await end(custodian);
        await end(signer);
      },
    };
  } catch (error) {
    await end(signer);
    throw error;
  }
}

function writeFiles(options: LocalCustodianOptions): void {
  const { folder, port, bureauUrl, signingKey, networks, nothingHeldOn = [] } = options;
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
  const bureauKeys = [hex.encode(ed25519.getPublicKey(hex.decode(signingKey)))];
  const policy: Policy = {
    bureauKeys,
    sandbox: true,
    moreVersions: [],
    payoutsPerHour: { ETH: '1000', LTC: '10000', USDC: '1000000', USDT: '1000000' },
    networks: {
      ETH: { maxFee: '0.05', feesPerHour: '100', cold: COLD_EVM, gasPerHour: '1' },
      BASE: { maxFee: '0.05', feesPerHour: '100', cold: COLD_EVM, gasPerHour: '1' },
      LTC: { maxFee: '0.05', feesPerHour: '100', cold: COLD_LTC, gasPerHour: '0' },
      TRC20: { maxFee: '100', feesPerHour: '10000', cold: COLD_TRON, gasPerHour: '5000' },
      SOL: { maxFee: '0.01', feesPerHour: '1', cold: COLD_SOL, gasPerHour: '0' },
    },
  };
  write('policy.json', policy);
  write('keystore.json', sealKeystore(PUBLIC_MNEMONIC, PASSPHRASE, 10));
  writeFileSync(join(folder, 'passphrase'), PASSPHRASE);
  writeFileSync(
    join(folder, 'custodian.json'),
    JSON.stringify({
      port,
      database: join(folder, 'custodian.sqlite'),
      signerSocket: join(folder, 'signer.sock'),
      bureauUrl,
      bureauKeys,
      depositKeys: deriveDepositKeys(readSeed(PUBLIC_MNEMONIC)),
      watchedAhead: 20,
      nothingHeldOn,
      ...networks,
    }).replaceAll(NODE_LOGIN, '${NODE_LOGIN}'),
  );
}

/** Starts a command of the custodian, and waits for the event that says that it has started. */
async function run(
  { depositToken, key, log }: LocalCustodianOptions,
  command: string,
  event: string,
  words: Readonly<Record<string, string | true>>,
): Promise<ChildProcess> {
  const argv = Object.entries(words).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, value],
  );
  const child = spawn(process.execPath, [join(COMMANDS, command), ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CUSTODY_SECRETS: JSON.stringify({ [key.id]: key.secret }),
      BUREAU_DEPOSIT_TOKEN: depositToken,
      NODE_SECRETS: JSON.stringify({ NODE_LOGIN }),
    },
  });
  let begun = '';
  await new Promise<void>((resolve, reject) => {
    const take = (part: Buffer) => {
      for (const line of part.toString().split('\n')) if (line) log(line);
      if (begun.length < 10_000) begun += part.toString();
      if (begun.includes(event)) resolve();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', () => reject(new Error(`${command} ended before ${event}:\n${begun}`)));
  });
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

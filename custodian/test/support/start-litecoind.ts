import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { bech32 } from '@scure/base';
import { decodeBase58check, encodeBase58check } from '../../../src/addresses/base58check.ts';
import { connectNode } from '../../src/nodes/json-rpc.ts';
import { fetchLitecoind } from './fetch-litecoind.ts';
import { takeFreePort } from './free-port.ts';
import { newFolder } from './signing.ts';
import { waitFor } from './start-anvil.ts';

/** A real Litecoin node on a private chain, which mines on demand. */
export interface Litecoin extends AsyncDisposable {
  readonly url: string;
  readonly peerPort: number;
  readonly call: (method: string, params?: readonly unknown[]) => Promise<unknown>;
  mine(count?: number): Promise<string[]>;
  /** Sends from the node's own wallet; mined with the next block. */
  send(address: string, coins: string): Promise<string>;
  /** The amount that an address of the main network received in blocks, as text. */
  received(address: string): Promise<string>;
  stop(): Promise<void>;
}

const COMMON_OPTIONS = [
  '-regtest',
  '-server',
  '-txindex',
  '-fallbackfee=0.001',
  '-rpcuser=u',
  '-rpcpassword=p',
  '-rpcbind=127.0.0.1',
  '-rpcallowip=127.0.0.1',
  '-bind=127.0.0.1',
  '-listenonion=0',
  '-dnsseed=0',
  '-discover=0',
  '-printtoconsole=0',
];

/** The hash of the first block of its private chain. */
export const LITECOIN_REGTEST = '530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9';

/** The rewards go to an address that no test looks at. */
const MINER = bech32.encode('rltc', [0, ...bech32.toWords(new Uint8Array(20).fill(0x42))]);

/** A coinbase can be spent after 100 blocks. */
const MATURE_BLOCKS = 110;

/** A folder whose wallet has mature coins. It is made once, because mining so many blocks takes seconds. */
let richFolder: Promise<string> | undefined;

async function makeRichFolder(): Promise<string> {
  const folder = newFolder();
  const node = await startIn(folder, []);
  await node.call('createwallet', ['rich']);
  const own = String(await node.call('getnewaddress'));
  await node.call('generatetoaddress', [10, own]);
  await node.mine(MATURE_BLOCKS);
  const ended = once(node.process, 'exit');
  await node.call('stop');
  await ended;
  return folder;
}

/** Litecoin's regtest writes hashes of public keys with this version byte. */
const REGTEST_KEY_VERSION = 0x6f;

/** The address of the same script on the test network. */
export function toRegtest(address: string): string {
  const segwit = bech32.decodeUnsafe(address);
  if (segwit) return bech32.encode('rltc', segwit.words);
  const [, ...hash] = decodeBase58check(address) ?? [];
  return encodeBase58check(REGTEST_KEY_VERSION, Uint8Array.from(hash));
}

/** Starts a litecoind on loopback, with coins to spend. `options` are those of its command line. */
export async function startLitecoind(options: readonly string[] = []): Promise<Litecoin> {
  richFolder ??= makeRichFolder();
  const folder = newFolder();
  cpSync(await richFolder, folder, { recursive: true });
  const litecoin = await startIn(folder, options);
  await litecoin.call('loadwallet', ['rich']);
  return litecoin;
}

async function startIn(folder: string, options: readonly string[]) {
  const { command, libraries } = fetchLitecoind();
  const [port, peerPort] = [await takeFreePort(), await takeFreePort()];
  const child = spawn(
    command,
    [...COMMON_OPTIONS, `-datadir=${folder}`, `-rpcport=${port}`, `-port=${peerPort}`, ...options],
    { stdio: 'ignore', env: { ...process.env, LD_LIBRARY_PATH: libraries } },
  );
  const url = `http://u:p@127.0.0.1:${port}`;
  const node = connectNode(url);
  const call = (method: string, params: readonly unknown[] = []) => node(method, params);
  await waitFor(child, () => call('getblockcount'));
  return {
    url,
    peerPort,
    call,
    process: child,
    mine: async (count = 1) => (await call('generatetoaddress', [count, MINER])) as string[],
    send: async (address: string, coins: string) => String(await call('sendtoaddress', [toRegtest(address), coins])),
    received: async (address: string) => {
      const found = (await call('scantxoutset', ['start', [`addr(${toRegtest(address)})`]])) as {
        total_amount: string;
      };
      return found.total_amount;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    [Symbol.asyncDispose]() {
      return this.stop();
    },
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { Wallet } from 'ethers';
import { connectNode } from '../../src/nodes/json-rpc.ts';
import { takeFreePort } from './free-port.ts';

/** A minimal ERC-20 in EVM code: `balanceOf` and `transfer`, a balance in the storage slot of its owner's address. */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const TOKEN_CODE = assembleToken(true);

/**
 * As USDT on Tron: its `transfer` returns false although it succeeded, and reverts for a sender on the owner's blacklist,
 * which is a storage slot that is not 0: all bits of the sender's address inverted.
 */
export const USDT_CODE = assembleToken(false);

/** Answers balances as the token above does; a transfer returns true, logs nothing and moves nothing. */
export const HOLLOW_TOKEN_CODE = '0x5f3560e01c6370a082311460165760015f5260205ff35b600435545f5260205ff3';

/** Answers balances as the token above does, and reverts every transfer, as a contract does for a blocked address. */
export const FROZEN_TOKEN_CODE = '0x5f3560e01c6370a08231146011575f5ffd5b600435545f5260205ff3';

/** Answers balances as the token above does; a transfer returns false and moves nothing. */
export const FALSE_TOKEN_CODE = '0x5f3560e01c6370a08231146015575f5f5260205ff35b600435545f5260205ff3';

/** Answers balances as the token above does; a transfer logs one atom less than was asked for, as one with a fee. */
export const FEE_TOKEN_CODE =
  `0x5f3560e01c6370a082311460475760016024350` +
  `35f52600435337f${TRANSFER_TOPIC}60205fa360015f5260205ff35b600435545f5260205ff3`;

/**
 * A recipient that counts down from the number in its storage slot 0, at 26 gas a step, and then takes the payment; while
 * slot 1 is not 0 it burns all its gas and reverts.
 */
export const BURNING_CODE = '0x6001546015576000545b6001900380600957000000005bfe';

/** Forwards its value to the address in its call data, within the transaction. The second version then reverts. */
const FORWARDER_CODE = '0x5f5f5f5f345f355af15000';
const REVERTING_FORWARDER_CODE = '0x5f5f5f5f345f355af1505f5ffd';

function assembleToken(isReturningTrue: boolean): string {
  const start = '5f3560e01c806370a0823114601a5763a9059cbb14602657';
  const revert = '5f5ffd';
  const balanceOf = `5b600435545f5260205ff3`;
  const begin = start + revert;
  const balanceAt = begin.length / 2;
  const transferAt = balanceAt + balanceOf.length / 2;
  const body = (failAt: number) =>
    `5b${isReturningTrue ? '' : `33195460${byte(failAt)}57`}335460243580821060${byte(failAt)}578082033355600435548101600435555f5260043533` +
    `7f${TRANSFER_TOPIC}60205fa3${isReturningTrue ? '6001' : '5f'}5f5260205ff3`;
  const failAt = transferAt + body(0).length / 2;
  const fixed = begin.replace('601a57', `60${byte(balanceAt)}57`).replace('602657', `60${byte(transferAt)}57`);
  return `0x${fixed}${balanceOf}${body(failAt)}5b${revert}`;
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0');
}

/** A real EVM node of a private chain, which mines on demand. */
export interface Anvil extends AsyncDisposable {
  readonly url: string;
  readonly call: (method: string, params?: readonly unknown[]) => Promise<unknown>;
  /** Mines blocks. */
  mine(count?: number): Promise<void>;
  /** Sets the balance of an address, without a transaction. */
  setBalance(address: string, atoms: bigint): Promise<void>;
  /** Puts a token at an address, and gives an owner an amount of it. */
  setToken(contract: string, owner: string, atoms: bigint, code?: string): Promise<void>;
  /** Puts an owner on the blacklist of a token, or takes it off. */
  blacklist(contract: string, owner: string, isListed: boolean): Promise<void>;
  /** Sends from the node's own account; mined with the next block. */
  send(to: string, atoms: bigint, data?: string): Promise<string>;
  /** Signs a payment of that account without sending it. */
  sign(nonce: number, to: string, atoms: bigint): Promise<string>;
  balance(address: string): Promise<bigint>;
  tokenBalance(contract: string, owner: string): Promise<bigint>;
  stop(): Promise<void>;
}

/** The first account of every anvil; everybody has its key. */
export const RICH = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const RICH_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

export const FORWARDER = '0x1111111111111111111111111111111111111111';
export const REVERTING_FORWARDER = '0x2222222222222222222222222222222222222222';

const MISSING = `There is no anvil. On Linux (x64), "npm ci" brings one, unless optional dependencies are left out. Elsewhere,
put an anvil (1.7) on the PATH.`;

/**
 * The path of the binary, in the optional package or on the PATH. If there is none, throws an error that says what to
 * do.
 */
export function findAnvil(): string {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/package.json'));
    return join(folder, 'bin', 'anvil');
  } catch {
    const found = (process.env['PATH'] ?? '').split(delimiter).find((folder) => existsSync(join(folder, 'anvil')));
    if (found === undefined) throw new Error(MISSING);
    return join(found, 'anvil');
  }
}

/** Starts an anvil on loopback. If there is none, rejects with an error that says what is missing. */
export async function startAnvil(chainId = 1, more: readonly string[] = []): Promise<Anvil> {
  const port = await takeFreePort();
  const options = ['--no-mining', '--slots-in-an-epoch', '2', '--quiet', '--order', 'fees'];
  const child = spawn(findAnvil(), ['--port', String(port), '--chain-id', String(chainId), ...options, ...more], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  const node = connectNode(url);
  const call = (method: string, params: readonly unknown[] = []) => node(method, params);
  await waitFor(child, () => call('eth_chainId'));
  await call('anvil_setCode', [FORWARDER, FORWARDER_CODE]);
  await call('anvil_setCode', [REVERTING_FORWARDER, REVERTING_FORWARDER_CODE]);
  const hex = (value: bigint) => `0x${value.toString(16)}`;
  const word = (text: string) => `0x${text.replace(/^0x/, '').toLowerCase().padStart(64, '0')}`;
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGKILL');
    });
  return {
    url,
    call,
    mine: async (count = 1) => {
      for (let mined = 0; mined < count; mined += 1) await call('evm_mine');
    },
    setBalance: async (address, atoms) => void (await call('anvil_setBalance', [address, hex(atoms)])),
    setToken: async (contract, owner, atoms, code = TOKEN_CODE) => {
      await call('anvil_setCode', [contract, code]);
      await call('anvil_setStorageAt', [contract, word(owner), word(atoms.toString(16))]);
    },
    blacklist: async (contract, owner, isListed) => {
      const slot = hex(2n ** 256n - 1n - BigInt(owner));
      await call('anvil_setStorageAt', [contract, slot, word(isListed ? '1' : '0')]);
    },
    send: async (to, atoms, data = '0x') =>
      String(await call('eth_sendTransaction', [{ from: RICH, to, value: hex(atoms), data, gas: '0x30d40' }])),
    sign: (nonce, to, atoms) =>
      new Wallet(RICH_KEY).signTransaction({
        type: 2,
        chainId,
        nonce,
        to,
        value: atoms,
        gasLimit: 21e3,
        maxFeePerGas: 5000000000n,
        maxPriorityFeePerGas: 1000000000n,
      }),
    balance: async (address) => BigInt(String(await call('eth_getBalance', [address, 'latest']))),
    tokenBalance: async (contract, owner) =>
      BigInt(String(await call('eth_call', [{ to: contract, data: `0x70a08231${word(owner).slice(2)}` }, 'latest']))),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Waits until a node answers. Rejects when its process ends first. */
export async function waitFor(child: ChildProcess, ask: () => Promise<unknown>): Promise<void> {
  const ended = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new Error(`the node cannot be started: ${error.message}`)));
    child.once('exit', (code) => reject(new Error(`the node ended with ${code}`)));
  });
  const answered = (async () => {
    for (let tries = 0; tries < 400; tries += 1) {
      try {
        return await ask();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    throw new Error('the node does not answer');
  })();
  ended.catch(() => undefined);
  await Promise.race([answered, ended]);
}

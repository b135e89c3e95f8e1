import { secp256k1 } from '@noble/curves/secp256k1.js';
import { encodeBitcoinAddress } from '../../../src/addresses/bitcoin-address.ts';
import { encodeEvmAddress } from '../../../src/addresses/evm-address.ts';
import { bitcoinRules } from '../../src/networks.ts';
import { wallet } from './run-custodian.ts';
import { startAnvil } from './start-anvil.ts';
import { startLitecoind } from './start-litecoind.ts';

/** A family of networks, with a real node of one of them for tests of payouts. */
export interface Family {
  readonly networks: object;
  /** A payout of one tenth of the coin to a new address. */
  payout(withdrawalId: string): { readonly withdrawalId: string; readonly address: string };
  mine(count?: number): Promise<unknown>;
  /** Has the miner leave a transaction out of its blocks for a while, as one whose fee is too low. */
  stall(txHash: string): Promise<unknown>;
  /** Ends that. */
  release(txHash: string): Promise<unknown>;
  /** How many tenths of the coin an address has received in blocks. */
  received(address: string): Promise<number>;
  stop(): Promise<void>;
}

const tenth = 10n ** 17n;

function drawPublicKey(): Uint8Array {
  return secp256k1.getPublicKey(secp256k1.utils.randomSecretKey(), true);
}

async function startEvm(): Promise<Family> {
  const anvil = await startAnvil();
  await anvil.setBalance(wallet.evmAddress({ account: 'hot', index: 0 }), 1000n * tenth);
  await anvil.mine();
  return {
    networks: { evm: { ETH: { nodes: [anvil.url], interval_ms: 20, startHeight: 0, hasTraces: true } } },
    payout: (withdrawalId) => {
      const address = encodeEvmAddress(drawPublicKey());
      return { withdrawalId, asset: 'ETH', network: 'ETH', contractAddress: null, address, amount: '0.1' };
    },
    mine: (count) => anvil.mine(count),
    // 50 gwei, and less again with each block.
    stall: () => anvil.call('anvil_setNextBlockBaseFeePerGas', ['0xba43b7400']),
    release: () => Promise.resolve(),
    received: async (address) => Number((await anvil.balance(address)) / tenth),
    stop: () => anvil.stop(),
  };
}

async function startBitcoinLike(): Promise<Family> {
  const litecoin = await startLitecoind();
  const hot = wallet.bitcoinAddress('LTC', { account: 'hot', index: 0 });
  for (let coin = 0; coin < 8; coin += 1) await litecoin.send(hot, '2');
  await litecoin.mine(6);
  const feeRate = { usual: 10_000, min: 1_000, max: 200_000 };
  return {
    networks: { bitcoin: { LTC: { nodes: [litecoin.url], interval_ms: 20, startHeight: 0, finalDepth: 6, feeRate } } },
    payout: (withdrawalId) => {
      const address = encodeBitcoinAddress(bitcoinRules.LTC.family, drawPublicKey());
      return { withdrawalId, asset: 'LTC', network: 'LTC', contractAddress: null, address, amount: '0.1' };
    },
    mine: (count) => litecoin.mine(count),
    stall: (txHash) => litecoin.call('prioritisetransaction', [txHash, 0, -100_000_000]),
    release: (txHash) => litecoin.call('prioritisetransaction', [txHash, 0, 100_000_000]),
    received: async (address) => Math.round(Number(await litecoin.received(address)) * 10),
    stop: () => litecoin.stop(),
  };
}

export const families = { EVM: startEvm, 'Bitcoin-like': startBitcoinLike } as const;

import { z } from 'zod';
import { formatAmount, parseAmount } from '../../src/money/amounts.ts';
import { connectNode } from '../../custodian/src/nodes/json-rpc.ts';
import { Wallet } from '../../custodian/src/signer/wallet.ts';
import { type Anvil, startAnvil } from '../../custodian/test/support/start-anvil.ts';
import { LITECOIN_REGTEST, type Litecoin, startLitecoind } from '../../custodian/test/support/start-litecoind.ts';
import { associatedOf, writeDeposit } from '../../custodian/test/support/play-solana-customer.ts';
import { PlayedTron } from '../../custodian/test/support/play-tron.ts';
import { PlayedSolana } from '../../custodian/test/support/start-solana.ts';
import { PUBLIC_MNEMONIC } from './local-custodian.ts';

/** A private chain, whose coins have no value: a real node, or a played one. */
export interface LocalChain {
  readonly network: 'ETH' | 'LTC' | 'TRC20' | 'SOL';
  /** What is deposited and withdrawn there, and its decimals. */
  readonly asset: 'ETH' | 'LTC' | 'USDT' | 'USDC';
  readonly decimals: number;
  readonly hot: string;
  /** What the house has put into the hot wallet before the first deposit, to pay fees with, where those are of the asset. */
  readonly hotFloat: string;
  /** The custodian's configuration for this chain. */
  readonly config: {
    readonly evm?: object;
    readonly bitcoin?: object;
    readonly tron?: object;
    readonly solana?: object;
  };
  /** Sends newly made coins, which arrive with the next block. Returns the transaction's hash. */
  send(address: string, amount: string): Promise<string>;
  balance(address: string): Promise<string>;
  /** The fee of a transaction, in atoms of the asset; 0 when no block has it. */
  feeOf(txHash: string): Promise<bigint>;
  mine(count?: number): Promise<void>;
  /** The hash of the newest block that a custodian reads. */
  tip(): Promise<string>;
  stop(): Promise<void>;
}

const HOT_FLOAT = { ETH: '10', LTC: '5' } as const;

const ETH_DECIMALS = 18;
const LTC_DECIMALS = 8;
const FINAL_DEPTH = 6;

const Block = z.object({ hash: z.string() });
const Receipt = z.object({ gasUsed: z.string(), effectiveGasPrice: z.string() }).nullable();
const Transaction = z.object({
  confirmations: z.number().optional(),
  vin: z.array(z.object({ txid: z.string(), vout: z.number() })),
  vout: z.array(z.object({ value: z.string() })),
});

export async function startEthereum(): Promise<LocalChain> {
  const anvil: Anvil = await startAnvil();
  const hot = new Wallet(PUBLIC_MNEMONIC).evmAddress({ account: 'hot', index: 0 });
  await anvil.setBalance(hot, atomsOf(HOT_FLOAT.ETH, ETH_DECIMALS));
  await anvil.mine();
  const common = { nodes: [anvil.url], interval_ms: 250, startHeight: 0 };
  const settings = { ...common, hasTraces: true, feeFloat: HOT_FLOAT.ETH, sweepFrom: { ETH: '0.5' } };
  return {
    network: 'ETH',
    asset: 'ETH',
    decimals: ETH_DECIMALS,
    hotFloat: HOT_FLOAT.ETH,
    hot,
    config: { evm: { ETH: settings } },
    send: (address, amount) => anvil.send(address, atomsOf(amount, ETH_DECIMALS)),
    balance: async (address) => formatAmount(await anvil.balance(address), ETH_DECIMALS),
    feeOf: async (txHash) => {
      const receipt = Receipt.parse(await anvil.call('eth_getTransactionReceipt', [txHash]));
      return receipt ? BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) : 0n;
    },
    mine: (count) => anvil.mine(count),
    tip: async () => Block.parse(await anvil.call('eth_getBlockByNumber', ['latest', false])).hash,
    stop: () => anvil.stop(),
  };
}

/** Starts a litecoind. When none can be found, rejects with an error that says what to do. */
export async function startLitecoin(): Promise<LocalChain> {
  const litecoin: Litecoin = await startLitecoind();
  const hot = new Wallet(PUBLIC_MNEMONIC).bitcoinAddress('LTC', { account: 'hot', index: 0 });
  await litecoin.send(hot, HOT_FLOAT.LTC);
  await litecoin.mine(FINAL_DEPTH);
  const feeRate = { usual: 10_000, min: 1_000, max: 200_000 };
  const common = { nodes: [litecoin.url], interval_ms: 250, startHeight: 0 };
  const settings = { ...common, genesis: LITECOIN_REGTEST, finalDepth: FINAL_DEPTH, feeRate, feeFloat: HOT_FLOAT.LTC };
  return {
    network: 'LTC',
    asset: 'LTC',
    decimals: LTC_DECIMALS,
    hotFloat: HOT_FLOAT.LTC,
    hot,
    config: { bitcoin: { LTC: settings } },
    send: (address, amount) => litecoin.send(address, amount),
    balance: async (address) => formatAmount(atomsOf(await litecoin.received(address), LTC_DECIMALS), LTC_DECIMALS),
    feeOf: (txHash) => readLitecoinFee(litecoin, txHash),
    mine: async (count) => void (await litecoin.mine(count)),
    tip: async () => String(await litecoin.call('getbestblockhash')),
    stop: () => litecoin.stop(),
  };
}

/** The key of a rich owner of USDT, which everybody has. */
const TRON_RICH_KEY = '55'.repeat(32);
const TRX = 1_000_000n;
const TOKEN_DECIMALS = 6;
/** Fees are of another coin, which is no asset of Bureau. */
const TOKEN = { decimals: TOKEN_DECIMALS, hotFloat: '0', feeOf: () => Promise.resolve(0n) };

/** Starts a played Tron: its rules before an anvil, in which the token's contract runs. `block_ms` is the time between blocks. */
export async function startTron(block_ms: number): Promise<LocalChain> {
  const tron = await PlayedTron.start();
  const wallet = new Wallet(PUBLIC_MNEMONIC);
  const hot = wallet.tronAddress({ account: 'hot', index: 0 });
  await tron.setTrx(hot, 100_000n * TRX);
  await tron.setTrx(wallet.tronAddress({ account: 'gas', index: 0 }), 10_000n * TRX);
  await tron.makeRich(TRON_RICH_KEY, 100_000_000n * TRX);
  return {
    network: 'TRC20',
    asset: 'USDT',
    ...TOKEN,
    hot,
    config: { tron: { TRC20: tron.settings({ interval_ms: 250, sweepFrom: { USDT: '100' } }) } },
    send: (address, amount) => tron.pay(TRON_RICH_KEY, address, atomsOf(amount, TOKEN_DECIMALS)),
    balance: async (address) => formatAmount(await tron.token(address), TOKEN_DECIMALS),
    mine: (count) => tron.produce(count, block_ms),
    tip: () => Promise.resolve(tron.head.id),
    stop: () => tron.stop(),
  };
}

const HOT_LAMPORTS = 5_000_000_000n;
/** Slots pass faster than the blocks of other chains. */
const SLOTS_OF_BLOCK = 8;

/** Starts a played Solana: its consensus before litesvm, in which the real programs run. Rejects where there is none. */
export async function startSolana(): Promise<LocalChain> {
  const solana = await PlayedSolana.start();
  const hot = new Wallet(PUBLIC_MNEMONIC).solanaAddress({ account: 'hot', index: 0 });
  solana.setBalance(hot, HOT_LAMPORTS);
  const settings = {
    nodes: [solana.url],
    interval_ms: 250,
    startHeight: 1,
    nonceAccounts: 4,
    pooledAhead: 20,
    sweepFrom: { USDC: '20' },
  };
  return {
    network: 'SOL',
    asset: 'USDC',
    ...TOKEN,
    hot,
    config: { solana: { SOL: settings } },
    send: async (address, amount) => solana.send(await writeDeposit(solana, address, atomsOf(amount, TOKEN_DECIMALS))),
    balance: async (address) => formatAmount(solana.tokensOf(await associatedOf(address)), TOKEN_DECIMALS),
    mine: async (count = 1) => solana.produce(count * SLOTS_OF_BLOCK),
    tip: async () => {
      const question = [solana.finalSlot, { transactionDetails: 'none' }];
      return z.object({ blockhash: z.string() }).parse(await connectNode(solana.url)('getBlock', question)).blockhash;
    },
    stop: () => solana.stop(),
  };
}

/** The fee of a transaction: its inputs, which are outputs of other transactions, less its outputs. */
async function readLitecoinFee(litecoin: Litecoin, txHash: string): Promise<bigint> {
  const read = async (id: string) => Transaction.parse(await litecoin.call('getrawtransaction', [id, true]));
  const { confirmations = 0, vin, vout } = await read(txHash);
  if (confirmations === 0) return 0n;
  const sources = await Promise.all(
    vin.map(async ({ txid, vout: place }) => (await read(txid)).vout[place]?.value ?? '0'),
  );
  return sumLitecoin(sources) - sumLitecoin(vout.map(({ value }) => value));
}

function sumLitecoin(values: readonly string[]): bigint {
  return values.reduce((total, value) => total + atomsOf(value, LTC_DECIMALS), 0n);
}

export function joinConfigs(chains: readonly Pick<LocalChain, 'config'>[]): LocalChain['config'] {
  return Object.assign({}, ...chains.map(({ config }) => config)) as LocalChain['config'];
}

/** Mines a block on each chain every `interval_ms`, until the returned function is called. */
export function mineSteadily(chains: readonly Pick<LocalChain, 'mine'>[], interval_ms: number): () => Promise<void> {
  const ending = new AbortController();
  const mine = async () => {
    while (!ending.signal.aborted) {
      await Promise.all(chains.map((chain) => chain.mine()));
      await new Promise((resolve) => setTimeout(resolve, interval_ms));
    }
  };
  // A node may end before this does. Code that waits for a block then fails and reports it.
  const mining = mine().catch(() => undefined);
  return () => {
    ending.abort();
    return mining;
  };
}

function atomsOf(amount: string, decimals: number): bigint {
  const atoms = parseAmount(amount, decimals);
  if (atoms === undefined) throw new Error(`${amount} is no amount`);
  return atoms;
}

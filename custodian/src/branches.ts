import { BitcoinNode } from './bitcoin/bitcoin-node.ts';
import { createBitcoinChain } from './bitcoin/bitcoin-chain.ts';
import { createBitcoinPayer } from './bitcoin/bitcoin-payer.ts';
import { orderOwnBitcoinPayments } from './bitcoin/order-own-payments.ts';
import { readBitcoinHoldings } from './bitcoin/read-holdings.ts';
import type { BitcoinSettings, Config, EvmSettings, SolanaSettings, TronSettings } from './config.ts';
import { createEvmChain } from './evm/evm-chain.ts';
import { EvmNode } from './evm/evm-node.ts';
import { createEvmPayer } from './evm/evm-payer.ts';
import { readEvmAccounts, readEvmBalance } from './evm/evm-accounts.ts';
import { NetworkHoldings } from './holdings.ts';
import type { Log } from './log.ts';
import {
  type BitcoinNetwork,
  type EvmNetwork,
  type SolanaNetwork,
  type TronNetwork,
  bitcoinRules,
  usualGasBounds,
} from './networks.ts';
import type { Chain } from './nodes/chain.ts';
import type { FollowSettings, ChainProgress } from './nodes/follow.ts';
import { connectNode } from './nodes/json-rpc.ts';
import { orderAccountPayments } from './payer/order-account-payments.ts';
import type { Payer } from './payer/payer.ts';
import { readAccountHoldings } from './payer/read-account-holdings.ts';
import type { AskSigner } from './signer/connect.ts';
import type { HouseAddresses } from './signer/requests.ts';
import type { Database } from './store/database.ts';
import { createSolanaChain } from './solana/solana-chain.ts';
import { SolanaNode } from './solana/solana-node.ts';
import { createSolanaPayer } from './solana/solana-payer.ts';
import { orderOwnSolanaPayments } from './solana/order-own-payments.ts';
import { readSolanaHoldings } from './solana/read-holdings.ts';
import { WatchedAddresses, deriveFromKey } from './store/watched.ts';
import { readTronAccounts } from './tron/tron-accounts.ts';
import { createTronChain } from './tron/tron-chain.ts';
import { TronNode, connectTron } from './tron/tron-node.ts';
import { createTronPayer } from './tron/tron-payer.ts';

/** What the parts of a network are made with. */
export interface BranchParts {
  readonly config: Config;
  readonly askSigner: AskSigner;
  readonly log: Log;
  readonly now: () => number;
}

/** The parts that serve one network. */
export interface Branch {
  readonly chain: Chain;
  readonly payer: Payer;
  readonly watched: WatchedAddresses;
  readonly following: FollowSettings & { readonly agreeFrom: Readonly<Record<string, string>> };
  readonly interval_ms: number;
  readonly orderOwnPayments: () => Promise<void>;
  readonly holdings: NetworkHoldings;
  /** What the last look saw; `undefined` before the first. */
  seen: ChainProgress | undefined;
  /** Whether it was examined since the start that the chain knows no payment of ours that the database does not. */
  isExamined: boolean;
}

/** Makes the parts of every configured network. Rejects when the signer does not answer or lacks a network. */
export async function openBranches(parts: BranchParts, database: Database): Promise<Branch[]> {
  const { config } = parts;
  const houses = config.watchOnly ?? (await askForHouses(parts));
  const branches = [
    ...Object.entries(config.evm).map(([network, settings]) =>
      branchEvm(parts, database, network as EvmNetwork, settings, houseOf(houses, network)),
    ),
    ...Object.entries(config.bitcoin).map(([network, settings]) =>
      branchBitcoin(parts, database, network as BitcoinNetwork, settings, houseOf(houses, network)),
    ),
    ...Object.entries(config.solana).map(([network, settings]) =>
      branchSolana(parts, database, network as SolanaNetwork, settings, houseOf(houses, network)),
    ),
    ...Object.entries(config.tron).map(([network, settings]) =>
      branchTron(parts, database, network as TronNetwork, settings, houseOf(houses, network)),
    ),
  ];
  for (const { watched } of branches) await watched.watchUpTo(config.watchedAhead);
  return branches;
}

async function askForHouses({ askSigner }: BranchParts): Promise<Readonly<Record<string, HouseAddresses>>> {
  const answer = await askSigner({ kind: 'addresses' });
  if (answer.kind !== 'addresses') throw new Error('the signer did not answer with its addresses');
  return answer.networks;
}

function houseOf(houses: Readonly<Record<string, HouseAddresses | undefined>>, network: string): HouseAddresses {
  const house = houses[network];
  if (!house) throw new Error(`neither the signer's policy nor watchOnly names ${network}`);
  return house;
}

function branchEvm(
  { config, log, now }: BranchParts,
  database: Database,
  network: EvmNetwork,
  settings: EvmSettings,
  house: HouseAddresses,
): Branch {
  const [first = '', second] = settings.nodes;
  const node = new EvmNode(connectNode(first));
  const secondNode = second === undefined ? undefined : new EvmNode(connectNode(second));
  const watched = new WatchedAddresses(network, database, deriveFromKey(network, config.depositKeys), house);
  const refused = new Set<string>();
  const common = { network, node, database, house, depositAddress: watched.addressOf };
  return {
    chain: createEvmChain({ ...settings, network, node, secondNode }),
    payer: createEvmPayer({ ...common, ...settings, maxGas: settings.maxGas ?? usualGasBounds(network) }),
    watched,
    following: settings,
    interval_ms: settings.interval_ms,
    orderOwnPayments: () =>
      orderAccountPayments({ ...common, ...settings, accounts: readEvmAccounts(common), log, now, refused }),
    seen: undefined,
    isExamined: false,
    holdings: new NetworkHoldings({
      ...common,
      log,
      now,
      readHoldings: (block) =>
        readAccountHoldings(
          {
            ...common,
            balanceAt: (contract, owner, hash) => readEvmBalance(node, contract, owner, hash),
            feeFloat: settings.feeFloat,
          },
          block,
        ),
    }),
  };
}

function branchTron(
  { config, log, now }: BranchParts,
  database: Database,
  network: TronNetwork,
  settings: TronSettings,
  house: HouseAddresses,
): Branch {
  const [first = '', second] = settings.nodes;
  const node = new TronNode(connectTron(first));
  const secondNode = second === undefined ? undefined : new TronNode(connectTron(second));
  const watched = new WatchedAddresses(network, database, deriveFromKey(network, config.depositKeys), house);
  const refused = new Set<string>();
  const common = { network, node, database, house, depositAddress: watched.addressOf };
  const accounts = readTronAccounts(common);
  return {
    chain: createTronChain({ network, node, secondNode, genesis: settings.genesis }),
    payer: createTronPayer({ ...common, now }),
    watched,
    // Solidified blocks are final, so depth decides nothing.
    following: { ...settings, finalDepth: 1 },
    interval_ms: settings.interval_ms,
    orderOwnPayments: () => orderAccountPayments({ ...common, ...settings, accounts, log, now, refused }),
    seen: undefined,
    isExamined: false,
    holdings: new NetworkHoldings({
      ...common,
      log,
      now,
      readHoldings: async (block) => {
        const holdings = await readAccountHoldings(
          { ...common, balanceAt: (contract, owner) => accounts.balance(contract, owner), feeFloat: '0' },
          block,
        );
        // Balances are those after the newest block, whichever that is.
        if ((await node.header())?.hash !== block.hash) throw new Error('a block came while balances were read');
        return holdings;
      },
    }),
  };
}

function branchBitcoin(
  { config, log, now }: BranchParts,
  database: Database,
  network: BitcoinNetwork,
  settings: BitcoinSettings,
  house: HouseAddresses,
): Branch {
  const rules = bitcoinRules[network];
  const [first = '', second] = settings.nodes;
  const node = new BitcoinNode(connectNode(first), rules.readsBlocksById);
  const secondNode = second === undefined ? undefined : new BitcoinNode(connectNode(second), rules.readsBlocksById);
  const payer = { network, rules, node, database, house, settings };
  return {
    chain: createBitcoinChain(network, node, secondNode, settings),
    payer: createBitcoinPayer(payer),
    watched: new WatchedAddresses(network, database, deriveFromKey(network, config.depositKeys), house),
    following: settings,
    interval_ms: settings.interval_ms,
    orderOwnPayments: () => orderOwnBitcoinPayments({ ...payer, log, now }),
    seen: undefined,
    isExamined: false,
    holdings: new NetworkHoldings({
      database,
      network,
      log,
      now,
      readHoldings: () => Promise.resolve(readBitcoinHoldings(database, network, settings.feeFloat)),
    }),
  };
}

function branchSolana(
  { askSigner, log, now }: BranchParts,
  database: Database,
  network: SolanaNetwork,
  settings: SolanaSettings,
  house: HouseAddresses,
): Branch {
  const [first = '', second] = settings.nodes;
  const node = new SolanaNode(connectNode(first));
  const secondNode = second === undefined ? undefined : new SolanaNode(connectNode(second));
  // Its derivation has no public half, so only the signer knows the addresses.
  const watched = new WatchedAddresses(
    network,
    database,
    async (from, count) => {
      const answer = await askSigner({ kind: 'deposit_addresses', network, from, count });
      if (answer.kind !== 'deposit_addresses') throw new Error(`the signer answered ${answer.kind}`);
      return answer.addresses;
    },
    house,
  );
  const payer = { network, node, database, house, depositAddress: watched.addressOf, settings };
  return {
    chain: createSolanaChain({ network, node, secondNode, genesis: settings.genesis }),
    payer: createSolanaPayer(payer),
    watched,
    // Every block is final when it is read.
    following: { ...settings, finalDepth: 1 },
    interval_ms: settings.interval_ms,
    orderOwnPayments: () => orderOwnSolanaPayments({ ...payer, log, now }),
    seen: undefined,
    isExamined: false,
    holdings: new NetworkHoldings({
      database,
      network,
      log,
      now,
      readHoldings: () => Promise.resolve(readSolanaHoldings(database, network)),
    }),
  };
}

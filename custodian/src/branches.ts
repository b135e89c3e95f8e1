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
import { type HoldingsTools, NetworkHoldings } from './holdings.ts';
import type { Log } from './log.ts';
import {
  type BitcoinNetwork,
  type EvmNetwork,
  type ServedNetwork,
  type SolanaNetwork,
  type TronNetwork,
  bitcoinRules,
  usualGasBounds,
} from './networks.ts';
import type { Chain } from './nodes/chain.ts';
import type { FollowSettings, ChainProgress } from './nodes/follow.ts';
import { connectNode } from './nodes/json-rpc.ts';
import { type AccountHouse, orderAccountPayments } from './payer/order-account-payments.ts';
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
import { type DeriveAddresses, WatchedAddresses, deriveFromKey } from './store/watched.ts';
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

/** What a family of networks makes for one of them. */
type Family = Pick<Branch, 'chain' | 'payer' | 'watched' | 'following' | 'orderOwnPayments'> &
  Pick<HoldingsTools, 'readHoldings'>;

interface FamilyTools extends BranchParts {
  readonly database: Database;
}

/** Makes the parts of every configured network. Rejects when the signer does not answer or lacks a network. */
export async function openBranches(parts: BranchParts, database: Database): Promise<Branch[]> {
  const { config, log, now } = parts;
  const houses = config.watchOnly ?? (await askForHouses(parts));
  const tools = { ...parts, database };
  /** A branch of each configured network of a family. */
  const open = <Network extends ServedNetwork, Settings extends { readonly interval_ms: number }>(
    configured: Partial<Record<Network, Settings>>,
    branch: (tools: FamilyTools, network: Network, settings: Settings, house: HouseAddresses) => Family,
  ): Branch[] =>
    (Object.entries(configured) as [Network, Settings][]).map(([network, settings]) => {
      const { readHoldings, ...family } = branch(tools, network, settings, houseOf(houses, network));
      const holdings = new NetworkHoldings({ database, network, log, now, readHoldings });
      return { ...family, holdings, interval_ms: settings.interval_ms, seen: undefined, isExamined: false };
    });
  const branches = [
    ...open(config.evm, branchEvm),
    ...open(config.bitcoin, branchBitcoin),
    ...open(config.solana, branchSolana),
    ...open(config.tron, branchTron),
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

/** The first node of a network, and the second where there is one. */
function openNodes<Node>(urls: readonly string[], open: (url: string) => Node) {
  const [first = '', second] = urls;
  return { node: open(first), secondNode: second === undefined ? undefined : open(second) };
}

function branchEvm(tools: FamilyTools, network: EvmNetwork, settings: EvmSettings, house: HouseAddresses): Family {
  const { config, database } = tools;
  const { node, secondNode } = openNodes(settings.nodes, (url) => new EvmNode(connectNode(url)));
  const watched = new WatchedAddresses(network, database, deriveFromKey(network, config.depositKeys), house);
  const common = { network, node, database, house, depositAddress: watched.addressOf };
  const balanceAt = (contract: string | null, owner: string, hash: string) =>
    readEvmBalance(node, contract, owner, hash);
  return {
    chain: createEvmChain({ ...settings, network, node, secondNode }),
    payer: createEvmPayer({ ...common, ...settings, maxGas: settings.maxGas ?? usualGasBounds(network) }),
    watched,
    following: settings,
    orderOwnPayments: moveAccounts(tools, { ...common, ...settings, accounts: readEvmAccounts(common) }),
    readHoldings: (block) => readAccountHoldings({ ...common, balanceAt, feeFloat: settings.feeFloat }, block),
  };
}

function branchTron(tools: FamilyTools, network: TronNetwork, settings: TronSettings, house: HouseAddresses): Family {
  const { config, database, now } = tools;
  const { node, secondNode } = openNodes(settings.nodes, (url) => new TronNode(connectTron(url)));
  const watched = new WatchedAddresses(network, database, deriveFromKey(network, config.depositKeys), house);
  const common = { network, node, database, house, depositAddress: watched.addressOf };
  const accounts = readTronAccounts(common);
  const balanceAt = (contract: string | null, owner: string) => accounts.balance(contract, owner);
  return {
    chain: createTronChain({ network, node, secondNode, genesis: settings.genesis }),
    payer: createTronPayer({ ...common, now }),
    watched,
    // Solidified blocks are final, so depth decides nothing.
    following: { ...settings, finalDepth: 1 },
    orderOwnPayments: moveAccounts(tools, { ...common, ...settings, accounts }),
    readHoldings: async (block) => {
      const holdings = await readAccountHoldings({ ...common, balanceAt, feeFloat: '0' }, block);
      // Balances are those after the newest block, whichever that is.
      if ((await node.header())?.hash !== block.hash) throw new Error('a block came while balances were read');
      return holdings;
    },
  };
}

/** Orders the house's own payments on a network of accounts. What the node refuses is logged once. */
function moveAccounts(
  { log, now }: FamilyTools,
  house: Omit<AccountHouse, 'log' | 'now' | 'refused'>,
): Branch['orderOwnPayments'] {
  const refused = new Set<string>();
  return () => orderAccountPayments({ ...house, log, now, refused });
}

function branchBitcoin(
  { config, log, now, database }: FamilyTools,
  network: BitcoinNetwork,
  settings: BitcoinSettings,
  house: HouseAddresses,
): Family {
  const rules = bitcoinRules[network];
  const { node, secondNode } = openNodes(
    settings.nodes,
    (url) => new BitcoinNode(connectNode(url), rules.readsBlocksById),
  );
  const payer = { network, rules, node, database, house, settings };
  return {
    chain: createBitcoinChain(network, node, secondNode, settings),
    payer: createBitcoinPayer(payer),
    watched: new WatchedAddresses(network, database, deriveFromKey(network, config.depositKeys), house),
    following: settings,
    orderOwnPayments: () => orderOwnBitcoinPayments({ ...payer, log, now }),
    readHoldings: async () => readBitcoinHoldings(database, network, settings.feeFloat),
  };
}

function branchSolana(
  { askSigner, log, now, database }: FamilyTools,
  network: SolanaNetwork,
  settings: SolanaSettings,
  house: HouseAddresses,
): Family {
  const { node, secondNode } = openNodes(settings.nodes, (url) => new SolanaNode(connectNode(url)));
  // Its derivation has no public half, so only the signer knows the addresses.
  const derive: DeriveAddresses = async (from, count) => {
    const answer = await askSigner({ kind: 'deposit_addresses', network, from, count });
    if (answer.kind !== 'deposit_addresses') throw new Error(`the signer answered ${answer.kind}`);
    return answer.addresses;
  };
  const watched = new WatchedAddresses(network, database, derive, house);
  const payer = { network, node, database, house, depositAddress: watched.addressOf, settings };
  return {
    chain: createSolanaChain({ network, node, secondNode, genesis: settings.genesis }),
    payer: createSolanaPayer(payer),
    watched,
    // Every block is final when it is read.
    following: { ...settings, finalDepth: 1 },
    orderOwnPayments: () => orderOwnSolanaPayments({ ...payer, log, now }),
    readHoldings: async () => readSolanaHoldings(database, network),
  };
}

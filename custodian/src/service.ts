import type { AddressInfo } from 'node:net';
import { formatAmount } from '../../src/money/amounts.ts';
import { BitcoinNode } from './bitcoin/bitcoin-node.ts';
import { createBitcoinChain } from './bitcoin/bitcoin-chain.ts';
import { createBitcoinPayer } from './bitcoin/bitcoin-payer.ts';
import { orderOwnBitcoinPayments } from './bitcoin/order-own-payments.ts';
import type { BitcoinSettings, Config, EvmSettings } from './config.ts';
import { type Bureau, connectBureau } from './contract/bureau.ts';
import { serveContract } from './contract/serve-contract.ts';
import { reportDeposits } from './contract/report-deposits.ts';
import { tellBureau } from './contract/tell-bureau.ts';
import { createEvmChain } from './evm/evm-chain.ts';
import { EvmNode } from './evm/evm-node.ts';
import { createEvmPayer } from './evm/evm-payer.ts';
import { orderOwnEvmPayments } from './evm/order-own-payments.ts';
import { readEvmHoldings } from './evm/read-holdings.ts';
import { type Log, describeError } from './log.ts';
import { Loop } from './loop.ts';
import { type BitcoinNetwork, type EvmNetwork, type ServedNetwork, bitcoinRules, coinDecimals } from './networks.ts';
import { EventCounts, serveMetrics } from './metrics.ts';
import type { Chain } from './nodes/chain.ts';
import { type FollowSettings, follow } from './nodes/follow.ts';
import { connectNode } from './nodes/json-rpc.ts';
import { advanceSpends, refuseUnserved } from './payer/advance-spends.ts';
import type { Payer } from './payer/payer.ts';
import type { AskSigner } from './signer/connect.ts';
import type { HouseAddresses } from './signer/requests.ts';
import type { BlockId } from './states/chain.ts';
import { readHalt, readHead } from './store/chain-state.ts';
import { sumCoins } from './store/coins.ts';
import { Database } from './store/database.ts';
import { listUsedIndexes, noteSwept, updateDeposits } from './store/deposits.ts';
import { type Spend, listVersions, updateSpends } from './store/spends.ts';
import { WatchedAddresses } from './store/watched.ts';

/**
 * How often Bureau is asked how many accounts have addresses. Until then the addresses of `watchedAhead` cover new
 * ones.
 */
const WATCH_INTERVAL_MS = 30_000;

/** How long to wait before Bureau is asked again to look up the payouts that have ended. */
const TELL_INTERVAL_MS = 5_000;

/** How much of an asset is at our addresses on a network. */
export interface Holding {
  readonly asset: string;
  readonly atoms: bigint;
  readonly decimals: number;
}

/** The parts that serve one network. */
interface Branch {
  readonly chain: Chain;
  readonly payer: Payer;
  readonly watched: WatchedAddresses;
  readonly following: FollowSettings & { readonly agreeFrom: Readonly<Record<string, string>> };
  readonly interval_ms: number;
  readonly orderOwnPayments: () => Promise<void>;
  readonly readHoldings: (block: BlockId) => Promise<Holding[]>;
}

/** The configuration of a service, and what it works with. */
export interface ServiceParts {
  readonly config: Config;
  readonly secrets: ReadonlyMap<string, string>;
  readonly depositToken: string;
  readonly askSigner: AskSigner;
  readonly log: Log;
  readonly now: () => number;
}

/** A custodian that runs. */
export interface Service {
  readonly port: number;
  /** The port of the metrics; `undefined` when they are not served. */
  readonly metricsPort: number | undefined;
  /** Stops the service after its running work is finished. */
  stop(): Promise<void>;
}

/**
 * Serves the contract and starts a loop for each network. Rejects when the signer does not answer or lacks a network.
 */
export async function startService(given: ServiceParts): Promise<Service> {
  const { config, now } = given;
  const counts = new EventCounts();
  const log = counts.wrap(given.log);
  const parts = { ...given, log };
  const database = new Database(config.database);
  const branches = await openBranches(parts, database);
  const served = new Set<string>(branches.map(({ chain }) => chain.network));
  const loops = startLoops(parts, database, branches, served);
  const server = await serveContract(
    {
      database,
      served,
      log,
      now,
      secrets: parts.secrets,
      bureauKeys: config.bureauKeys,
      readHoldings: () => readHoldings(database, branches),
      onOrder: () => loops.forEach((loop) => loop.wake()),
    },
    config.port,
    config.host,
  );
  const networks = branches.map(({ chain }) => chain.network);
  const metrics =
    config.metricsPort === null
      ? undefined
      : await serveMetrics({ database, networks, counts, now }, config.metricsPort);
  const { port } = server.address() as AddressInfo;
  log('custodian_started', { port, networks: [...served].join(',') });
  return {
    port,
    metricsPort: (metrics?.address() as AddressInfo | undefined)?.port,
    stop: async () => {
      server.close();
      metrics?.close();
      metrics?.closeAllConnections();
      server.closeAllConnections();
      await Promise.all(loops.map((loop) => loop.stop()));
      database.close();
    },
  };
}

async function openBranches(parts: ServiceParts, database: Database): Promise<Branch[]> {
  const { config, askSigner } = parts;
  const answer = await askSigner({ kind: 'addresses' });
  if (answer.kind !== 'addresses') throw new Error('the signer did not answer with its addresses');
  const branches = [
    ...Object.entries(config.evm).map(([network, settings]) =>
      branchEvm(parts, database, network as EvmNetwork, settings, houseOf(answer.networks, network)),
    ),
    ...Object.entries(config.bitcoin).map(([network, settings]) =>
      branchBitcoin(parts, database, network as BitcoinNetwork, settings, houseOf(answer.networks, network)),
    ),
  ];
  for (const { watched } of branches) watched.watchUpTo(config.watchedAhead);
  return branches;
}

/**
 * Starts a loop for each network, one that watches new addresses, and one that tells Bureau which payouts have ended.
 */
function startLoops(
  parts: ServiceParts,
  database: Database,
  branches: readonly Branch[],
  served: ReadonlySet<string>,
): Loop[] {
  const { config, askSigner, log } = parts;
  const bureau = connectBureau(config.bureauUrl, parts.depositToken);
  const watching = new Loop(
    async () => {
      const count = (await bureau.countAddresses()) + config.watchedAhead;
      for (const { watched } of branches) watched.watchUpTo(count);
    },
    WATCH_INTERVAL_MS,
    (error) => log('watch_failed', { error: describeError(error) }),
  );
  const refusal = { database, askSigner, log, onSettled: () => undefined };
  const telling = new Loop(
    async () => {
      await refuseUnserved(refusal, served);
      await tellBureau(database, bureau, log);
    },
    TELL_INTERVAL_MS,
    (error) => log('tell_failed', { error: describeError(error) }),
  );
  const looking = branches.map(
    (branch) =>
      new Loop(
        () => look(parts, database, branch, bureau, () => telling.wake()),
        branch.interval_ms,
        (error) => log('look_failed', { network: branch.chain.network, error: describeError(error) }),
      ),
  );
  return [watching, telling, ...looking];
}

function houseOf(networks: Readonly<Record<string, HouseAddresses>>, network: string): HouseAddresses {
  const house = networks[network];
  if (!house) throw new Error(`the signer's policy does not name ${network}`);
  return house;
}

function branchEvm(
  { config, log, now }: ServiceParts,
  database: Database,
  network: EvmNetwork,
  settings: EvmSettings,
  house: HouseAddresses,
): Branch {
  const [first = '', second] = settings.nodes;
  const node = new EvmNode(connectNode(first));
  const secondNode = second === undefined ? undefined : new EvmNode(connectNode(second));
  const watched = new WatchedAddresses(network, database, config.depositKeys, house);
  const refused = new Set<string>();
  const common = { network, node, database, house, depositAddress: watched.addressOf };
  return {
    chain: createEvmChain({ ...settings, network, node, secondNode }),
    payer: createEvmPayer({ ...common, bumpAfterBlocks: settings.bumpAfterBlocks }),
    watched,
    following: settings,
    interval_ms: settings.interval_ms,
    orderOwnPayments: () => orderOwnEvmPayments({ ...common, ...settings, log, now, refused }),
    readHoldings: (block) => {
      const deposits = listUsedIndexes(database, network).map(watched.addressOf);
      return readEvmHoldings(node, network, house, deposits, block);
    },
  };
}

function branchBitcoin(
  { config, log, now }: ServiceParts,
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
    chain: createBitcoinChain(network, node, secondNode),
    payer: createBitcoinPayer(payer),
    watched: new WatchedAddresses(network, database, config.depositKeys, house),
    following: settings,
    interval_ms: settings.interval_ms,
    orderOwnPayments: async () => orderOwnBitcoinPayments({ ...payer, log, now }),
    readHoldings: () =>
      Promise.resolve([{ asset: network, atoms: sumCoins(database, network), decimals: coinDecimals(network) }]),
  };
}

/**
 * One look at a network: reads new blocks, updates payments and deposits, reports deposits and makes payments. Rejects
 * when the node fails; the next look continues.
 */
async function look(
  parts: ServiceParts,
  database: Database,
  branch: Branch,
  bureau: Bureau,
  onSettled: () => void,
): Promise<void> {
  const { chain, payer, watched } = branch;
  const { log, askSigner } = parts;
  const followed = await follow(database, chain, watched.ownerOf, branch.following, log);
  if (!followed) return;
  const { network } = chain;
  for (const spend of updateSpends(database, network, followed.finalHeight)) {
    log('spend_moved', { id: spend.id, network, state: spend.state, purpose: spend.purpose });
    noteIfSwept(database, spend);
    if (spend.purpose === 'payout' && spend.state === 'FINAL_PAID') onSettled();
  }
  for (const deposit of updateDeposits(database, network, followed.finalHeight)) {
    const { txHash, outputIndex, state, isInner } = deposit;
    log('deposit_moved', { network, txHash, outputIndex, state, isInner });
  }
  await reportDeposits({ database, bureau, chain, log, agreeFrom: branch.following.agreeFrom }, followed);
  // Not yet at the newest block: payments would be decided by an old state of the chain.
  if (!followed.isCurrent) return;
  try {
    await branch.orderOwnPayments();
  } catch (error) {
    // The house's own payments can wait. Payouts to customers must not fail with them.
    log('own_payments_failed', { network, error: describeError(error) });
  }
  await advanceSpends({ database, chain, payer, askSigner, log, onSettled }, followed.height);
}

function noteIfSwept(database: Database, { id, network, purpose, state, sourceIndex, asset }: Spend): void {
  if (purpose !== 'sweep' || state !== 'FINAL_PAID' || sourceIndex === null) return;
  noteSwept(database, network, sourceIndex, asset, listVersions(database, id)[0]?.madeAtHeight ?? 0);
}

/** What is at our addresses on each network: docs/custody.md, "Holdings". */
async function readHoldings(database: Database, branches: readonly Branch[]) {
  const networks = await Promise.all(
    branches.map(async ({ chain, readHoldings: read }) => {
      const block = readHead(database, chain.network);
      const holdings = block ? await read(block) : [];
      return {
        network: chain.network satisfies ServedNetwork,
        height: block?.height ?? null,
        blockHash: block?.hash ?? null,
        halted: readHalt(database, chain.network),
        assets: holdings.map(({ asset, atoms, decimals }) => ({ asset, amount: formatAmount(atoms, decimals) })),
      };
    }),
  );
  return { networks };
}

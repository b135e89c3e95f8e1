import { BitcoinNode } from './bitcoin/bitcoin-node.ts';
import { type Finding, check } from './check.ts';
import type { BitcoinSettings, EvmSettings, SolanaSettings, TronSettings } from './config.ts';
import { EvmNode } from './evm/evm-node.ts';
import {
  type BitcoinNetwork,
  type EvmNetwork,
  type SolanaNetwork,
  type TronNetwork,
  bitcoinRules,
  chainIds,
  genesisHashes,
  listAssets,
  maxTipAge_ms,
} from './networks.ts';
import { connectNode } from './nodes/json-rpc.ts';
import { type BlockHead, SolanaNode } from './solana/solana-node.ts';
import { type TronHeader, TronNode, connectTron } from './tron/tron-node.ts';

/** Checks that a second node exists when the configuration requires it for large deposits and payouts. */
function checkAgreement(
  network: string,
  { nodes, agreeFrom }: Pick<EvmSettings, 'nodes' | 'agreeFrom'>,
): Promise<Finding> {
  return check(`${network}: two nodes agree on large deposits and payouts`, async () => {
    const assets = Object.keys(agreeFrom);
    if (assets.length > 0 && nodes.length < 2) throw new Error(`${assets.join(', ')}: there is no second node`);
    return nodes.length < 2 ? 'one node decides, by configuration' : 'as configured';
  });
}

/** Checks that the nodes of an EVM network answer everything that the custodian will ask. */
export async function examineEvm(network: EvmNetwork, settings: EvmSettings, now_ms: number): Promise<Finding[]> {
  const [first = '', ...others] = settings.nodes;
  const node = new EvmNode(connectNode(first));
  const newest = async () => {
    const header = await node.header('latest');
    if (!header) throw new Error('there is no newest block');
    return header;
  };
  const { finalTag } = settings;
  return Promise.all([
    checkAgreement(network, settings),
    ...settings.nodes.map((url, position) =>
      check(`${network}, node ${position + 1}: chain id`, async () => {
        const id = await new EvmNode(connectNode(url)).chainId();
        if (id !== chainIds[network]) throw new Error(`it is ${id}, not ${chainIds[network]}`);
        return String(id);
      }),
    ),
    check(`${network}: the newest block is new`, async () =>
      describeAge((await newest()).timestamp * 1000, now_ms, maxTipAge_ms(network)),
    ),
    check(`${network}: finality`, async () => {
      if (finalTag === null) return `${settings.finalDepth} blocks deep, by configuration`;
      const final = await node.header(finalTag);
      if (!final) throw new Error(`the node knows no block that is ${finalTag}`);
      return `${finalTag} is block ${final.number}`;
    }),
    check(
      `${network}: receipts by hash`,
      async () => `${(await node.receipts((await newest()).hash)).length} receipts`,
    ),
    ...settings.nodes.map((url, position) =>
      check(`${network}, node ${position + 1}: inner payments`, async () => {
        if (!settings.hasTraces) return 'not seen, by configuration';
        const { hash } = await newest();
        return position === 0
          ? `${(await node.traces(hash)).length} traces`
          : await traceOne(new EvmNode(connectNode(url)), hash);
      }),
    ),
    ...others.map((url) =>
      check(`${network}: the second node has the same blocks`, async () => {
        const { number, hash } = await newest();
        const place = Math.max(0, number - settings.finalDepth);
        const [one, other] = await Promise.all([node.header(place), new EvmNode(connectNode(url)).header(place)]);
        if (one?.hash !== other?.hash) throw new Error(`at ${place}, below ${hash}, they differ`);
        return `the same at ${place}`;
      }),
    ),
  ]);
}

/** Traces a transaction of a block, as the second node must. */
async function traceOne(node: EvmNode, blockHash: string): Promise<string> {
  const [transaction] = (await node.block(blockHash)).transactions;
  if (!transaction) return 'not tried, because the newest block is empty';
  const { type } = await node.trace(transaction.hash);
  return `a ${type} traced`;
}

/** Checks that the nodes of a Bitcoin-like chain answer everything that the custodian will ask. */
export async function examineBitcoin(
  network: BitcoinNetwork,
  settings: BitcoinSettings,
  now_ms: number,
): Promise<Finding[]> {
  const nodes = settings.nodes.map((url) => new BitcoinNode(connectNode(url), bitcoinRules[network].readsBlocksById));
  const [node] = nodes;
  if (!node) return [];
  return Promise.all([
    checkAgreement(network, settings),
    check(`${network}: the newest block is new`, async () => {
      const { time } = await node.header(await hashAt(node, await node.height()));
      return describeAge(time * 1000, now_ms, maxTipAge_ms(network));
    }),
    check(`${network}: the index of transactions`, async () => {
      const [first] = await node.transactions(await hashAt(node, 1));
      return `${(await node.rawTransaction(first?.txid ?? '')).length / 2} bytes of the oldest`;
    }),
    check(`${network}: the fee estimate`, async () => {
      const rate = await node.feeRate(2);
      return rate === undefined ? `none; ${settings.feeRate.usual} is paid` : `${rate} atoms per 1,000 vbytes`;
    }),
    ...nodes.slice(1).map((second) =>
      check(`${network}: the second node has the same blocks`, async () => {
        const place = Math.max(0, (await node.height()) - settings.finalDepth);
        if ((await hashAt(node, place)) !== (await hashAt(second, place))) throw new Error(`at ${place} they differ`);
        return `the same at ${place}`;
      }),
    ),
  ]);
}

/** Checks that the nodes of Solana answer everything that the custodian will ask. */
export async function examineSolana(
  network: SolanaNetwork,
  settings: SolanaSettings,
  now_ms: number,
): Promise<Finding[]> {
  const nodes = settings.nodes.map((url) => new SolanaNode(connectNode(url)));
  const [node] = nodes;
  if (!node) return [];
  return Promise.all([
    checkAgreement(network, settings),
    ...nodes.map((one, position) =>
      check(`${network}, node ${position + 1}: the first block`, async () => {
        const first = await one.genesis();
        if (first !== settings.genesis) throw new Error(`it is ${first}, not ${settings.genesis}`);
        return first;
      }),
    ),
    check(`${network}: the newest block is new`, async () => {
      const { blockTime } = await headAt(node, await node.slot());
      return describeAge((blockTime ?? 0) * 1000, now_ms, maxTipAge_ms(network));
    }),
    check(`${network}: blocks with their accounts, and transactions by their signature`, async () => {
      const { transactions } = await node.block(await node.slot());
      const signature = transactions[0]?.transaction.signatures[0];
      if (signature === undefined) return 'not tried, because the newest block is empty';
      const found = await node.transaction(signature);
      if (!found) throw new Error(`it does not have the transaction ${signature} of its own block`);
      return `${transactions.length} transactions`;
    }),
    ...nodes.slice(1).map((second) =>
      check(`${network}: the second node has the same blocks`, async () => {
        const place = Math.min(await node.slot(), await second.slot());
        const [one, other] = await Promise.all([headAt(node, place), headAt(second, place)]);
        if (one.blockhash !== other.blockhash) throw new Error(`at ${place} they differ`);
        return `the same at ${place}`;
      }),
    ),
  ]);
}

/** Checks that the nodes of a Tron network answer everything that the custodian will ask. */
export async function examineTron(network: TronNetwork, settings: TronSettings, now_ms: number): Promise<Finding[]> {
  const nodes = settings.nodes.map((url) => new TronNode(connectTron(url)));
  const [node] = nodes;
  if (!node) return [];
  return Promise.all([
    checkAgreement(network, settings),
    ...nodes.map((each, position) =>
      check(`${network}, node ${position + 1}: the first block`, async () => {
        const hash = (await each.header(0))?.hash;
        if (hash !== (settings.genesis ?? genesisHashes[network])) throw new Error(`it is ${hash}`);
        return hash;
      }),
    ),
    check(`${network}: the newest block is new`, async () =>
      describeAge((await newestOf(node)).clock, now_ms, maxTipAge_ms(network)),
    ),
    ...nodes.map((each, position) =>
      check(`${network}, node ${position + 1}: solidified blocks`, async () => {
        const { height } = await newestOf(each, 'walletsolidity');
        return `block ${height}, ${(await newestOf(each)).height - height} below the newest`;
      }),
    ),
    check(`${network}: what became of transactions`, async () => {
      const { height, hash } = await newestOf(node, 'walletsolidity');
      const [transactions, infos] = [await node.transactions(hash), await node.infos(height)];
      const isKnown = transactions.every(({ txHash }) => infos.some((info) => info.txHash === txHash));
      if (!isKnown) throw new Error(`block ${height} has transactions of which the node says nothing`);
      return `${infos.length} in block ${height}`;
    }),
    check(`${network}: the price of energy`, async () => `${await node.energyPrice()} sun`),
    check(`${network}: balances of tokens`, async () => {
      const contracts = listAssets(network).flatMap(({ contractAddress }) => contractAddress ?? []);
      for (const contract of contracts) await node.tokenBalance(contract, contract);
      return contracts.join(', ');
    }),
    ...nodes.slice(1).map((second) =>
      check(`${network}: the second node has the same blocks`, async () => {
        const { height, hash } = await newestOf(node, 'walletsolidity');
        if ((await second.header(height))?.hash !== hash) throw new Error(`at ${height} they differ`);
        return `the same at ${height}`;
      }),
    ),
  ]);
}

async function headAt(node: SolanaNode, slot: number): Promise<BlockHead> {
  const head = await node.head(slot);
  if (!head) throw new Error(`there is no block in slot ${slot}`);
  return head;
}

async function newestOf(node: TronNode, part?: 'walletsolidity'): Promise<TronHeader> {
  const header = await node.header(undefined, part);
  if (!header) throw new Error('there is no newest block');
  return header;
}

async function hashAt(node: BitcoinNode, height: number): Promise<string> {
  const hash = await node.hashAt(height);
  if (hash === undefined) throw new Error(`there is no block ${height}`);
  return hash;
}

function describeAge(at_ms: number, now_ms: number, most_ms: number): string {
  const age_s = Math.round((now_ms - at_ms) / 1000);
  if (Math.abs(age_s) * 1000 > most_ms)
    throw new Error(`it is ${age_s} s old: the node is behind, or a clock is wrong`);
  return `${age_s} s old`;
}

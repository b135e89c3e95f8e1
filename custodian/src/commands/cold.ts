import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { createBitcoinChain } from '../bitcoin/bitcoin-chain.ts';
import { BitcoinNode } from '../bitcoin/bitcoin-node.ts';
import { ColdAnswer, type ColdRequest, readColdAmount } from '../cold/cold-request.ts';
import { type ColdTransfer, planBitcoinCold, planEvmCold, planTronCold } from '../cold/plan-cold.ts';
import { readConfig } from '../config.ts';
import { createEvmChain } from '../evm/evm-chain.ts';
import { EvmNode } from '../evm/evm-node.ts';
import { type BitcoinNetwork, type EvmNetwork, type TronNetwork, bitcoinRules } from '../networks.ts';
import type { Chain } from '../nodes/chain.ts';
import { connectNode } from '../nodes/json-rpc.ts';
import { connectSigner } from '../signer/connect.ts';
import { createTronChain } from '../tron/tron-chain.ts';
import { TronNode, connectTron } from '../tron/tron-node.ts';

/**
 * The online half of a payment from the cold wallet to the hot one; `sign-cold.ts` is the offline half:
 *
 *     node src/commands/cold.ts --config FILE request NETWORK ASSET AMOUNT > request.json
 *     node src/commands/cold.ts --config FILE send < answer.json
 */
/** To find the coins of one address, a node reads all coins of its chain. On a large chain that takes minutes. */
const DEADLINE_MS = 600_000;

const USAGE = 'usage: cold.ts --config FILE request NETWORK ASSET AMOUNT | send < answer.json';

const { values, positionals } = parseArgs({ options: { config: { type: 'string' } }, allowPositionals: true });
const [verb, ...words] = positionals;
if (values.config === undefined) throw new Error(USAGE);
const config = readConfig(values.config, process.env);

async function request(network: string, asset: string, amount: string): Promise<void> {
  const answer = await connectSigner(config.signerSocket)({ kind: 'addresses' });
  const house = answer.kind === 'addresses' ? answer.networks[network] : undefined;
  if (!house) throw new Error(`the signer's policy does not name ${network}`);
  const atoms = readColdAmount(network as EvmNetwork, asset, amount);
  const transfer = { cold: house.cold, hot: house.hot, asset, atoms };
  console.log(JSON.stringify(await plan(network, transfer)));
}

function plan(network: string, transfer: ColdTransfer): Promise<ColdRequest> {
  const { evm, bitcoin, tron } = findSettings(network);
  if (evm) return planEvmCold(evmNode(evm.nodes), network as EvmNetwork, transfer);
  if (tron) return planTronCold(tronNode(tron.nodes), network as TronNetwork, transfer);
  const node = bitcoinNode(network, bitcoin.nodes);
  return planBitcoinCold(node, network as BitcoinNetwork, bitcoin.feeRate, transfer);
}

/** The settings of a network, of its family. Throws when the configuration does not name it. */
function findSettings(network: string) {
  const evm = config.evm[network as EvmNetwork];
  const tron = config.tron[network as TronNetwork];
  const bitcoin = config.bitcoin[network as BitcoinNetwork];
  if (evm) return { evm };
  if (tron) return { tron };
  if (!bitcoin) throw new Error(`the configuration does not name ${network}`);
  return { bitcoin };
}

const evmNode = ([url = '']: readonly string[]) => new EvmNode(connectNode(url, DEADLINE_MS));
const bitcoinNode = (network: string, [url = '']: readonly string[]) =>
  new BitcoinNode(connectNode(url, DEADLINE_MS), bitcoinRules[network as BitcoinNetwork].readsBlocksById);

const tronNode = ([url = '']: readonly string[]) => new TronNode(connectTron(url));

function chainOf(network: string): Chain {
  const { evm, bitcoin, tron } = findSettings(network);
  const secondNode = undefined;
  if (evm) return createEvmChain({ ...evm, network: network as EvmNetwork, node: evmNode(evm.nodes), secondNode });
  if (tron)
    return createTronChain({ ...tron, network: network as TronNetwork, node: tronNode(tron.nodes), secondNode });
  return createBitcoinChain(network as BitcoinNetwork, bitcoinNode(network, bitcoin.nodes), secondNode, bitcoin);
}

async function send(): Promise<void> {
  const { network, raw, txHash } = ColdAnswer.parse(JSON.parse(await text(process.stdin)));
  const outcome = await chainOf(network).broadcast(raw);
  if (outcome.kind === 'rejected') throw new Error(`${network} does not take it: ${outcome.message}`);
  console.log(txHash);
}

const [network, asset, amount] = words;
if (verb === 'send') await send();
else if (verb === 'request' && network && asset && amount) await request(network, asset, amount);
else throw new Error(USAGE);

import type { BitcoinSettings } from '../config.ts';
import { type BitcoinNetwork, type BitcoinRules } from '../networks.ts';
import type { Hold, Payer, Plan } from '../payer/payer.ts';
import {
  BitcoinTransaction,
  type HouseAddresses,
  MAX_INPUTS,
  type SignRequest,
  type SignedTransaction,
  sumAtoms,
} from '../signer/requests.ts';
import { forEachBounded } from '../bounded.ts';
import { readFinalHeight, readHead } from '../store/chain-state.ts';
import { OLDER } from '../store/restored.ts';
import {
  type Coin,
  addOwnChange,
  findCoin,
  findFreeChange,
  listSpendable,
  releaseCoins,
  reserveCoins,
} from '../store/coins.ts';
import type { Database } from '../store/database.ts';
import { type Spend, type Version, findRaw, findUnconfirmedPlan } from '../store/spends.ts';
import type { BitcoinNode } from './bitcoin-node.ts';
import { estimateSize, feeFor, inputSize, readFeeRate } from './fees.ts';

/** How payments are made on one Bitcoin-like chain. */
export interface BitcoinPayerSettings {
  readonly network: BitcoinNetwork;
  readonly rules: BitcoinRules;
  readonly node: BitcoinNode;
  readonly database: Database;
  readonly house: HouseAddresses;
  readonly settings: BitcoinSettings;
}

/** A coin is gathered when it is worth this many times the fee for it. */
const WORTH = 10n;

/** How many coins a gathering joins. It is a transaction of about 7,000 vbytes, which every node relays. */
export const MAX_GATHERED = 100;

/** So many coins are asked about at the same time. Such a node queues 16 requests, and refuses more. */
const AT_ONCE = 4;

/** A child's id contains the parent's hash, so that a parent has at most one child. */
const CHILD_PREFIX = 'child:';

export function nameChild(parentTxHash: string): string {
  return `${CHILD_PREFIX}${parentTxHash}`;
}

/**
 * Plans payments on a Bitcoin-like chain. Coins of deposit addresses are used as inputs directly, so nothing is swept.
 * The fence is the first input, the anchor: every version spends it, so only one can be in a block.
 */
export function createBitcoinPayer(payer: BitcoinPayerSettings): Payer {
  const { network, database } = payer;
  return {
    network,
    findOlder: () => findOlder(payer),
    plan: (spend) => {
      if (spend.purpose === 'child') return planChild(payer, spend);
      return spend.purpose === 'sweep' ? planGathering(payer) : planPayment(payer, spend);
    },
    reserve: (spend, plan) => reserveCoins(database, network, readPlan(plan).inputs.map(nameInput), spend.id),
    release: (spend) => releaseCoins(database, network, spend.id),
    noteStored: (_, plan, signed) => noteChange(payer, plan, signed),
    feeOf: (plan) => {
      const { inputs, outputs } = readPlan(plan);
      return sumAtoms(inputs) - sumAtoms(outputs);
    },
    request: (spend, plan) => request(network, spend, plan),
    bump: (_, versions, height) => replace(payer, versions, height),
    cancel: () => Promise.reject(new Error(`${network} has no cancelling payment`)),
  };
}

/** Whether somebody has spent one of our coins that the database takes for unspent, in a block or in the node's pool. */
async function findOlder({ network, node, database }: BitcoinPayerSettings): Promise<string | undefined> {
  const height = readHead(database, network)?.height ?? 0;
  let older: string | undefined;
  await forEachBounded(listSpendable(database, network, height, height), AT_ONCE, async ({ outpoint, ownDepth }) => {
    const [txid = '', vout] = outpoint.split(':');
    // The node need not have a transaction of ours that is in no block.
    if (ownDepth !== null || (await node.isUnspent(txid, Number(vout)))) return;
    older = `${OLDER}: ${outpoint} is spent, and the database does not know by what`;
  });
  return older;
}

function readPlan(text: string): BitcoinTransaction {
  return BitcoinTransaction.parse(JSON.parse(text));
}

function nameInput({ txid, vout }: { readonly txid: string; readonly vout: number }): string {
  return `${txid}:${vout}`;
}

async function planPayment(payer: BitcoinPayerSettings, spend: Spend): Promise<Plan | Hold> {
  const { network, rules, node, database, house, settings } = payer;
  const height = readHead(database, network)?.height ?? 0;
  const rate = await readFeeRate(node, settings.feeRate);
  const chosen: Coin[] = [];
  let sum = 0n;
  for (const coin of listSpendable(database, network, height, readFinalHeight(database, network))) {
    if (chosen.length === MAX_INPUTS) return { kind: 'hold', reason: 'coins_too_small' };
    chosen.push(coin);
    sum += coin.atoms;
    const paid = { address: spend.address, atoms: String(spend.atoms) };
    const plain = feeFor(rate, estimateSize(network, chosen.length, [spend.address]));
    if (sum < spend.atoms + plain) continue;
    const fee = feeFor(rate, estimateSize(network, chosen.length, [spend.address, house.hot]));
    const change = sum - spend.atoms - fee;
    // Nodes do not relay an output that is too small. Such change is left to the fee.
    const outputs = change < rules.dust ? [paid] : [paid, { address: house.hot, atoms: String(change) }];
    return toPlan(payer, chosen, outputs);
  }
  return { kind: 'hold', reason: `hot_wallet_low: ${network}` };
}

/**
 * The smallest coins that are worth many times what it costs to spend them, which a gathering joins into one. Anybody can
 * send us coins that are not, and they must not keep the others from being joined.
 */
export function listGathered({ network, database }: BitcoinPayerSettings, rate: bigint): Coin[] {
  const height = readHead(database, network)?.height ?? 0;
  const cost = feeFor(rate, inputSize(network));
  return listSpendable(database, network, height, readFinalHeight(database, network))
    .filter(({ atoms }) => atoms >= WORTH * cost)
    .toReversed()
    .slice(0, MAX_GATHERED);
}

/** Plans a gathering: many small coins become one of the hot wallet, so that one payment can spend them. */
async function planGathering(payer: BitcoinPayerSettings): Promise<Plan | Hold> {
  const { network, rules, node, house, settings } = payer;
  const rate = await readFeeRate(node, settings.feeRate);
  const coins = listGathered(payer, rate);
  const sum = coins.reduce((total, { atoms }) => total + atoms, 0n);
  const left = sum - feeFor(rate, estimateSize(network, coins.length, [house.hot]));
  if (left < rules.dust) return { kind: 'hold', reason: 'coins_too_small' };
  return toPlan(payer, coins, [{ address: house.hot, atoms: String(left) }]);
}

/**
 * Plans a child: it spends the change of its parent, and pays a fee that is enough for itself and for all of our
 * transactions in no block that it depends on. If the change is too small for that, it spends other coins as well.
 */
async function planChild(payer: BitcoinPayerSettings, spend: Spend): Promise<Plan | Hold> {
  const { network, rules, node, database, house, settings } = payer;
  const parent = spend.id.slice(CHILD_PREFIX.length);
  const change = findFreeChange(database, network, parent);
  if (!change) return { kind: 'hold', reason: 'the change to pay with is spent' };
  if (findUnconfirmedPlan(database, network, parent) === undefined) {
    return { kind: 'hold', reason: 'its parent is in a block' };
  }
  const height = readHead(database, network)?.height ?? 0;
  const rate = await readFeeRate(node, settings.feeRate);
  const ancestors = sumAncestors(payer, parent);
  // Own change that is in no block would make the child depend on even more.
  const others = listSpendable(database, network, height, readFinalHeight(database, network)).filter(
    ({ ownDepth }) => ownDepth === null || ownDepth === 0,
  );
  const chosen = [change];
  for (const next of [...others, undefined]) {
    const fee = feeFor(rate, ancestors + estimateSize(network, chosen.length, [house.hot]));
    const left = chosen.reduce((sum, { atoms }) => sum + atoms, 0n) - fee;
    if (left >= rules.dust) return toPlan(payer, chosen, [{ address: house.hot, atoms: String(left) }]);
    if (!next || chosen.length === MAX_INPUTS) break;
    if (next.outpoint !== change.outpoint) chosen.push(next);
  }
  return { kind: 'hold', reason: 'too little to pay for the parent' };
}

/** The size of a transaction of ours and of all others of ours that it depends on, as far as they are in no block. */
function sumAncestors({ network, database }: BitcoinPayerSettings, txHash: string): bigint {
  const seen = new Set([txHash]);
  let size = 0n;
  // The set grows while it is walked.
  for (const one of seen) {
    const plan = findUnconfirmedPlan(database, network, one);
    if (plan === undefined) continue;
    const { inputs, outputs } = readPlan(plan);
    size += estimateSize(
      network,
      inputs.length,
      outputs.map(({ address }) => address),
    );
    for (const { txid } of inputs) seen.add(txid);
  }
  return size;
}

async function toPlan(
  { node, rules, network, database }: BitcoinPayerSettings,
  coins: readonly Coin[],
  outputs: BitcoinTransaction['outputs'],
): Promise<Plan> {
  const inputs: BitcoinTransaction['inputs'] = [];
  for (const { outpoint, key, atoms } of coins) {
    const [txid = '', vout] = outpoint.split(':');
    // The node need not have a transaction of ours that is in no block.
    const readPrevious = async () => findRaw(database, network, txid) ?? node.rawTransaction(txid);
    const previous = rules.family.segwitPrefix === null ? await readPrevious() : null;
    inputs.push({ txid, vout: Number(vout), atoms: String(atoms), key: { ...key }, previous });
  }
  return { kind: 'plan', fence: coins[0]?.outpoint ?? '', plan: JSON.stringify({ inputs, outputs }) };
}

/** On a chain without replacement, a stored version stays the only one, so its change can be spent at once. */
function noteChange(
  { network, rules, database, house }: BitcoinPayerSettings,
  text: string,
  signed: SignedTransaction,
): void {
  if (rules.hasReplacement) return;
  const { inputs, outputs } = readPlan(text);
  const depths = inputs.map((input) => findCoin(database, network, nameInput(input))?.ownDepth ?? 0);
  const depth = 1 + Math.max(...depths);
  for (const [position, { address, atoms }] of outputs.entries()) {
    if (address === house.hot) addOwnChange(database, network, `${signed.txHash}:${position}`, BigInt(atoms), depth);
  }
}

function request(network: BitcoinNetwork, spend: Spend, text: string): SignRequest {
  const transaction = readPlan(text);
  switch (spend.purpose) {
    case 'payout':
      if (!spend.order) throw new Error('a payout has an order');
      return { kind: 'bitcoin_payout', network, transaction, order: spend.order };
    case 'cold':
      return { kind: 'bitcoin_cold', network, transaction };
    case 'child':
    case 'sweep':
      return { kind: 'bitcoin_gather', network, transaction };
    case 'nonce':
    case 'gas':
      throw new Error(`${network} has no ${spend.purpose}`);
  }
}

/**
 * Plans the same payment with the same inputs and a higher fee, taken from the change (BIP-125). Returns `undefined`
 * when the chain has no replacement or the change is too small; the newest version is then sent again.
 */
async function replace(
  { network, rules, node, house, settings }: BitcoinPayerSettings,
  versions: readonly Version[],
  height: number,
): Promise<string | undefined> {
  const newest = versions.at(-1);
  if (!rules.hasReplacement || !newest || height - newest.madeAtHeight < settings.bumpAfterBlocks) return undefined;
  const transaction = readPlan(newest.plan);
  const paid = sumAtoms(transaction.inputs) - sumAtoms(transaction.outputs);
  const addresses = transaction.outputs.map(({ address }) => address);
  const size = estimateSize(network, transaction.inputs.length, addresses);
  const usual = feeFor(await readFeeRate(node, settings.feeRate), size);
  // A higher fee helps only when the market has risen above this one.
  if (usual <= paid) return undefined;
  const raised = (paid * 5n) / 4n + feeFor(BigInt(settings.feeRate.min), size);
  const more = (raised > usual ? raised : usual) - paid;
  const change = transaction.outputs.find(({ address }) => address === house.hot);
  if (!change || BigInt(change.atoms) - more < rules.dust) return undefined;
  const outputs = transaction.outputs.map((output) =>
    output === change ? { ...output, atoms: String(BigInt(output.atoms) - more) } : output,
  );
  return JSON.stringify({ ...transaction, outputs });
}

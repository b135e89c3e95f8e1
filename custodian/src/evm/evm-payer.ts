import { z } from 'zod';
import { type EvmNetwork, type GasBounds, chainIds, coinOf, gasBoundOf } from '../networks.ts';
import { NodeRefusal } from '../nodes/json-rpc.ts';
import type { Hold, Older, Payer, Plan } from '../payer/payer.ts';
import type { EvmTransaction, HouseAddresses, SignRequest } from '../signer/requests.ts';
import type { Database } from '../store/database.ts';
import { findOlderNonce, noteNonce } from '../store/restored.ts';
import { type Spend, type Version, hasReverted, listSignedTo } from '../store/spends.ts';
import { costOf, nameNonce, nextNonce, readPlan, sumCommitted } from './commitments.ts';
import type { EvmNode } from './evm-node.ts';
import { readL1Fee } from './l1-fee.ts';
import { readTokenBalance } from './token-balance.ts';
import { writeTransfer } from './token-transfer.ts';

/** How payments are made on one EVM network. */
export interface EvmPayerSettings {
  readonly network: EvmNetwork;
  readonly node: EvmNode;
  readonly database: Database;
  readonly house: HouseAddresses;
  readonly depositAddress: (index: number) => string;
  /** After this many blocks, a transaction that is in none of them is replaced by one with a higher fee. */
  readonly bumpAfterBlocks: number;
  readonly maxGas: GasBounds;
}

/** Nodes accept a replacement that pays at least 10 % more. A quarter more satisfies every node. */
const BUMP_NUMERATOR = 5n;
const BUMP_DENOMINATOR = 4n;

/** An estimate can be too low when a contract's cost depends on the block. */
const GAS_MARGIN_PERCENT = 120n;

/** The gas of a payment to an address without a contract. On Arbitrum the data on Ethereum comes on top. */
const PLAIN_GAS = 21_000n;

/** Plans payments on an EVM network. The fence is `address:nonce`, with the address in lower case. */
export function createEvmPayer(settings: EvmPayerSettings): Payer {
  return {
    network: settings.network,
    findOlder: () => findOlder(settings),
    plan: (spend) => plan(settings, spend),
    reserve: () => undefined,
    release: () => undefined,
    noteStored: (spend, text) =>
      noteNonce(settings.database, settings.network, payerOf(settings, spend), BigInt(readPlan(text).nonce) + 1n),
    feeOf: (text) => {
      const { gasLimit, maxFeePerGas } = readPlan(text);
      return BigInt(gasLimit) * BigInt(maxFeePerGas);
    },
    request,
    bump: (spend, versions, height) => bump(settings, spend, versions, height),
    cancel: (spend, versions) => planCancel(settings, spend, versions),
  };
}

function payerOf({ house, depositAddress }: EvmPayerSettings, spend: Spend): string {
  if (spend.purpose === 'sweep') return depositAddress(spend.sourceIndex ?? 0);
  return spend.purpose === 'gas' ? (house.gas ?? '') : house.hot;
}

/** Whether an earlier payout to the same recipient, whose contract runs for it, is in no block yet. */
function isPayingContract(database: Database, spend: Spend): boolean {
  const plain = (PLAIN_GAS * GAS_MARGIN_PERCENT) / 100n;
  return listSignedTo(database, spend).some(
    ({ plan: text }) => text !== null && BigInt(readPlan(text).gasLimit) > plain,
  );
}

/** Which coin is missing: a payment of a token also needs the network's own, for gas. */
function low(coin: string): Hold {
  return { kind: 'hold', reason: `hot_wallet_low: ${coin}` };
}

/** Whether the nonces of the house's addresses are known, those of transactions in the node's pool as well. */
async function findOlder({ node, network, database, house }: EvmPayerSettings): Promise<string | undefined> {
  for (const address of [house.hot, house.gas]) {
    if (address === null) continue;
    const counted = await node.transactionCount(address, 'pending');
    const older = findOlderNonce(database, network, address, counted);
    if (older !== undefined) return older;
  }
  return undefined;
}

async function plan(settings: EvmPayerSettings, spend: Spend): Promise<Plan | Hold | Older> {
  const { node, network, database, maxGas } = settings;
  const from = payerOf(settings, spend);
  // A contract that lets the estimate pass and then reverts costs its gas. It may do that once, so it gets one at a time.
  if (spend.purpose === 'payout' && !spend.isAllowed) {
    if (hasReverted(database, spend)) return { kind: 'hold', reason: 'recipient_reverted' };
    if (isPayingContract(database, spend)) return { kind: 'hold', reason: 'earlier_payout_to_this_contract' };
  }
  const [fees, balance, counted] = await Promise.all([readFees(node), node.balance(from), node.transactionCount(from)]);
  // The same count gives the nonce: between this and the plan, a transaction of a lost database cannot slip in.
  const older = spend.purpose === 'sweep' ? undefined : findOlderNonce(database, network, from, counted);
  if (older !== undefined) return { kind: 'older', reason: older };
  const committed = sumCommitted(database, network, from, spend.contract, costOf);
  // With a later nonce, this payment would wait for a transaction that may never be signed.
  if (committed.hasUnsigned) return { kind: 'hold', reason: 'earlier_nonce_unsigned' };
  const free = balance - committed.coins;
  const isEmptying = spend.purpose === 'sweep' && spend.contract === null;
  const atoms = isEmptying ? 0n : spend.atoms;
  const held = spend.contract === null ? free : await readTokenBalance(node, spend.contract, from);
  if (held - committed.tokens < atoms) return low(spend.asset);
  const call =
    spend.contract === null
      ? { from, to: spend.address, value: String(atoms), data: '0x' }
      : { from, to: spend.contract, value: '0', data: writeTransfer(spend.address, atoms) };
  const gas = await estimate(node, call, gasBoundOf(maxGas, call.data));
  // It may succeed later, when the recipient's contract or a token's block list changes. A person can refuse it.
  if (typeof gas !== 'bigint') return { kind: 'hold', reason: gas };
  const cost = gas * fees.maxFeePerGas + (await readL1Fee(node, network, call.data));
  const value = isEmptying ? free - cost : BigInt(call.value);
  if (value < 0n || free < value + cost)
    return low(spend.contract === null ? spend.asset : `${coinOf(network)} for gas`);
  const nonce = nextNonce(database, network, from, counted);
  const transaction: EvmTransaction = {
    chainId: String(chainIds[network]),
    nonce: String(nonce),
    to: call.to,
    value: String(value),
    data: call.data,
    gasLimit: String(gas),
    maxFeePerGas: String(fees.maxFeePerGas),
    maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
  };
  return { kind: 'plan', fence: nameNonce(from, nonce), plan: JSON.stringify(transaction) };
}

/**
 * The fees to offer, and the least that the next block takes. Twice the base fee is enough for at least five full
 * blocks, each of which raises it by an eighth.
 */
export async function readFees(node: EvmNode) {
  const [header, tip] = await Promise.all([node.header('latest'), node.priorityFee()]);
  const base = header?.baseFeePerGas ?? 0n;
  return { maxFeePerGas: 2n * base + tip, maxPriorityFeePerGas: tip, leastFeePerGas: base + tip };
}

/**
 * The gas of a call with a margin, but never above the bound; else why there is none: the node says that it would revert,
 * or it needs more than the bound.
 */
export async function estimate(
  node: EvmNode,
  call: Parameters<EvmNode['estimateGas']>[0],
  bound: bigint,
): Promise<bigint | 'would_revert' | 'recipient_needs_too_much_gas'> {
  try {
    const needed = await node.estimateGas(call);
    if (needed > bound) return 'recipient_needs_too_much_gas';
    const gas = (needed * GAS_MARGIN_PERCENT) / 100n;
    return gas < bound ? gas : bound;
  } catch (error) {
    if (error instanceof NodeRefusal) return 'would_revert';
    throw error;
  }
}

function request(spend: Spend, text: string): SignRequest {
  const network = spend.network as EvmNetwork;
  const transaction = readPlan(text);
  if (spend.cancelled !== null) return { kind: 'evm_cancel', network, transaction, withdrawalId: spend.id };
  switch (spend.purpose) {
    case 'payout':
      if (!spend.order) throw new Error('a payout has an order');
      return { kind: 'evm_payout', network, transaction, order: spend.order };
    case 'sweep':
      return { kind: 'evm_sweep', network, transaction, index: z.number().parse(spend.sourceIndex) };
    case 'gas':
      return { kind: 'evm_gas', network, transaction, index: z.number().parse(spend.sourceIndex) };
    case 'cold':
      return { kind: 'evm_cold', network, transaction };
    case 'nonce':
    case 'child':
      throw new Error('the EVM has no children that pay');
  }
}

/** The gas price of a replacement: a quarter more than before, or the usual one if that is higher. */
function raiseFee(paid: string, usual: bigint): bigint {
  const raised = (BigInt(paid) * BUMP_NUMERATOR) / BUMP_DENOMINATOR + 1n;
  return raised > usual ? raised : usual;
}

async function bump(
  { node, bumpAfterBlocks }: EvmPayerSettings,
  spend: Spend,
  versions: readonly Version[],
  height: number,
): Promise<string | undefined> {
  const newest = versions.at(-1);
  if (!newest || height - newest.madeAtHeight < bumpAfterBlocks) return undefined;
  const fees = await readFees(node);
  const transaction = readPlan(newest.plan);
  // A higher fee helps only when the market has risen above this one. A node that does not relay must not drive it up.
  const isEnough =
    BigInt(transaction.maxFeePerGas) >= fees.leastFeePerGas &&
    BigInt(transaction.maxPriorityFeePerGas) >= fees.maxPriorityFeePerGas;
  if (isEnough) return undefined;
  const maxFeePerGas = raiseFee(transaction.maxFeePerGas, fees.maxFeePerGas);
  // A sweep of the network's coin moves all there is, so a higher fee makes its amount smaller.
  const isNativeSweep = spend.purpose === 'sweep' && spend.contract === null;
  const more = BigInt(transaction.gasLimit) * (maxFeePerGas - BigInt(transaction.maxFeePerGas));
  const value = BigInt(transaction.value) - (isNativeSweep ? more : 0n);
  if (value < 0n) return undefined;
  return JSON.stringify({
    ...transaction,
    value: String(value),
    maxFeePerGas: String(maxFeePerGas),
    maxPriorityFeePerGas: String(raiseFee(transaction.maxPriorityFeePerGas, fees.maxPriorityFeePerGas)),
  });
}

/** A payment of nothing to ourselves that takes the nonce of a cancelled payout, at a fee that replaces its newest version. */
async function planCancel(
  { node, network, house }: EvmPayerSettings,
  spend: Spend,
  versions: readonly Version[],
): Promise<string> {
  const text = versions.at(-1)?.plan ?? spend.plan;
  if (text === null) throw new Error('a payout without a nonce needs no other transaction');
  const [paid, fees] = [readPlan(text), await readFees(node)];
  const transaction: EvmTransaction = {
    chainId: String(chainIds[network]),
    nonce: paid.nonce,
    to: house.hot,
    value: '0',
    data: '0x',
    gasLimit: network === 'ARBITRUM' ? paid.gasLimit : String(PLAIN_GAS),
    maxFeePerGas: String(raiseFee(paid.maxFeePerGas, fees.maxFeePerGas)),
    maxPriorityFeePerGas: String(raiseFee(paid.maxPriorityFeePerGas, fees.maxPriorityFeePerGas)),
  };
  return JSON.stringify(transaction);
}

import { z } from 'zod';
import { type EvmNetwork, chainIds } from '../networks.ts';
import { NodeRefusal } from '../nodes/json-rpc.ts';
import type { Hold, Payer, Plan } from '../payer/payer.ts';
import type { EvmTransaction, HouseAddresses, SignRequest } from '../signer/requests.ts';
import type { Database } from '../store/database.ts';
import type { Spend, Version } from '../store/spends.ts';
import { nameNonce, nextNonce, readPlan, sumCommitted } from './commitments.ts';
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
}

/** Nodes accept a replacement that pays at least 10 % more. A quarter more satisfies every node. */
const BUMP_NUMERATOR = 5n;
const BUMP_DENOMINATOR = 4n;

/** An estimate can be too low when a contract's cost depends on the block. */
const GAS_MARGIN_PERCENT = 120n;

/** Plans payments on an EVM network. The fence is `address:nonce`, with the address in lower case. */
export function createEvmPayer(settings: EvmPayerSettings): Payer {
  return {
    network: settings.network,
    plan: (spend) => plan(settings, spend),
    reserve: () => undefined,
    release: () => undefined,
    noteStored: () => undefined,
    feeOf: (text) => {
      const { gasLimit, maxFeePerGas } = readPlan(text);
      return BigInt(gasLimit) * BigInt(maxFeePerGas);
    },
    request,
    bump: (spend, versions, height) => bump(settings, spend, versions, height),
  };
}

/** The address that pays for a spend. */
function payerOf({ house, depositAddress }: EvmPayerSettings, spend: Spend): string {
  if (spend.purpose === 'sweep') return depositAddress(spend.sourceIndex ?? 0);
  return spend.purpose === 'gas' ? (house.gas ?? '') : house.hot;
}

const low: Hold = { kind: 'hold', reason: 'hot_wallet_low' };

async function plan(settings: EvmPayerSettings, spend: Spend): Promise<Plan | Hold> {
  const { node, network, database } = settings;
  const from = payerOf(settings, spend);
  const [fees, balance, counted] = await Promise.all([readFees(node), node.balance(from), node.transactionCount(from)]);
  const committed = sumCommitted(database, network, from, spend.contract);
  // With a later nonce, this payment would wait for a transaction that may never be signed.
  if (committed.hasUnsigned) return { kind: 'hold', reason: 'earlier_nonce_unsigned' };
  const free = balance - committed.coins;
  const isEmptying = spend.purpose === 'sweep' && spend.contract === null;
  const atoms = isEmptying ? 0n : spend.atoms;
  const held = spend.contract === null ? free : await readTokenBalance(node, spend.contract, from);
  if (held - committed.tokens < atoms) return low;
  const call =
    spend.contract === null
      ? { from, to: spend.address, value: String(atoms), data: '0x' }
      : { from, to: spend.contract, value: '0', data: writeTransfer(spend.address, atoms) };
  const gas = await estimate(node, call);
  // It may succeed later, when the recipient's contract or a token's block list changes. A person can refuse it.
  if (gas === undefined) return { kind: 'hold', reason: 'would_revert' };
  const cost = gas * fees.maxFeePerGas + (await readL1Fee(node, network, call.data));
  const value = isEmptying ? free - cost : BigInt(call.value);
  if (value < 0n || free < value + cost) return low;
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
 * The fees to offer. Twice the base fee is enough for at least five full blocks, each of which raises it by an eighth.
 */
export async function readFees(node: EvmNode) {
  const [header, tip] = await Promise.all([node.header('latest'), node.priorityFee()]);
  const maxFeePerGas = 2n * (header?.baseFeePerGas ?? 0n) + tip;
  return { maxFeePerGas, maxPriorityFeePerGas: tip };
}

/** The gas of a call with a margin, or `undefined` when the node says that it would revert. */
export async function estimate(
  node: EvmNode,
  call: Parameters<EvmNode['estimateGas']>[0],
): Promise<bigint | undefined> {
  try {
    return ((await node.estimateGas(call)) * GAS_MARGIN_PERCENT) / 100n;
  } catch (error) {
    if (error instanceof NodeRefusal) return undefined;
    throw error;
  }
}

function request(spend: Spend, text: string): SignRequest {
  const network = spend.network as EvmNetwork;
  const transaction = readPlan(text);
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

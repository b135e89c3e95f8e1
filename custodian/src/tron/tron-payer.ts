import { z } from 'zod';
import { accountOf } from '../account-address.ts';
import { sumCommitted } from '../evm/commitments.ts';
import { writeTransfer } from '../evm/token-transfer.ts';
import { type TronNetwork, coinOf } from '../networks.ts';
import type { Hold, Payer, Plan } from '../payer/payer.ts';
import { type HouseAddresses, type SignRequest, TronTransaction } from '../signer/requests.ts';
import type { Database } from '../store/database.ts';
import { type Spend, listEarlierVersions, wasStarved } from '../store/spends.ts';
import { encodeRaw } from './encode-transaction.ts';
import { maxFeeOf } from './fees.ts';
import type { TronNode } from './tron-node.ts';

/** How payments are made on Tron. */
export interface TronPayerSettings {
  readonly network: TronNetwork;
  readonly node: TronNode;
  readonly database: Database;
  readonly house: HouseAddresses;
  readonly depositAddress: (index: number) => string;
  readonly now: () => number;
}

/** How long a transaction may be taken, by the chain's own time. The chain allows a day. */
const EXPIRATION_MS = 3_600_000;

/** The signer signs another version this long after the expiration of the one before, by its own clock. */
const SIGNER_WAIT_MS = 10 * 60_000;

/** More versions of a payout than this are a person's. */
const MAX_VERSIONS = 2;

/** Energy may become dearer between the question and the block: a token's contract that is used much pays more. */
const ENERGY_MARGIN_PERCENT = 120n;

/** Plans payments on Tron: one version at a time, whose fence is the transaction itself. */
export function createTronPayer(settings: TronPayerSettings): Payer {
  return {
    network: settings.network,
    // There are no nonces. A transaction of ours that the database does not have is seen in its block (`takeBlock`).
    findOlder: () => Promise.resolve(undefined),
    plan: (spend) => plan(settings, spend),
    reserve: () => undefined,
    release: () => undefined,
    noteStored: () => undefined,
    feeOf: (text) => maxFeeOf(readPlan(text)),
    request,
    // There is no market of fees: the same bytes are sent until a block has them or they are dead.
    bump: () => Promise.resolve(undefined),
    // The fence dies by itself.
    cancel: () => Promise.resolve(undefined),
  };
}

function readPlan(text: string): TronTransaction {
  return TronTransaction.parse(JSON.parse(text));
}

/** What a plan takes from the TRX of its address. */
export function costOf(text: string): bigint {
  const transaction = readPlan(text);
  return BigInt(transaction.value) + maxFeeOf(transaction);
}

function payerOf({ house, depositAddress }: TronPayerSettings, spend: Spend): string {
  if (spend.purpose === 'sweep') return depositAddress(spend.sourceIndex ?? 0);
  return spend.purpose === 'gas' ? (house.gas ?? '') : house.hot;
}

const hold = (reason: string): Hold => ({ kind: 'hold', reason });

async function plan(settings: TronPayerSettings, spend: Spend): Promise<Plan | Hold> {
  const { node, network, database } = settings;
  const waiting = findWait(settings, spend);
  if (waiting) return waiting;
  const from = payerOf(settings, spend);
  const [head, solid, balance, limit] = await Promise.all([
    node.header(),
    node.header(undefined, 'walletsolidity'),
    node.balance(from),
    findFeeLimit(settings, spend, from),
  ]);
  if (!head || !solid) throw new Error('the node has no newest block');
  // It may succeed later, when the token's contract allows it. A person can refuse it.
  if (limit === undefined) return hold('would_revert');
  const committed = sumCommitted(database, network, from, spend.contract, costOf);
  if (spend.contract !== null) {
    const held = await node.tokenBalance(spend.contract, from);
    if (held - committed.tokens < spend.atoms) return hold(`hot_wallet_low: ${spend.asset}`);
  }
  const draft = {
    ...writePayment(spend),
    feeLimit: String(limit),
    // A fork cannot take a solidified block away, so it cannot make the transaction invalid.
    refBlock: solid.hash,
    timestamp_ms: String(head.clock),
  };
  const { fence, transaction } = nameFree(database, network, from, draft, head.clock + EXPIRATION_MS);
  const text = JSON.stringify(transaction);
  if (balance - committed.coins < costOf(text)) return hold(`hot_wallet_low: ${coinOf(network)} for fees`);
  return { kind: 'plan', fence, plan: text, diesAt: Number(transaction.expiration_ms) };
}

/** Why the next version of a payout must wait: for the signer's clock, or for a person. */
function findWait({ database, now }: TronPayerSettings, spend: Spend): Hold | undefined {
  if (spend.purpose !== 'payout') return undefined;
  const earlier = listEarlierVersions(database, spend.id);
  const newest = earlier.at(-1);
  if (!newest) return undefined;
  if (earlier.length >= MAX_VERSIONS && !spend.isAllowed) return hold('third_version');
  const from_ms = Number(readPlan(newest.plan).expiration_ms) + SIGNER_WAIT_MS;
  return now() <= from_ms
    ? hold(`earlier_version_expired: signed again after ${new Date(from_ms).toISOString()}`)
    : undefined;
}

function writePayment({ contract, address, atoms }: Spend): Pick<TronTransaction, 'to' | 'value' | 'data'> {
  if (contract === null) return { to: address, value: String(atoms), data: '0x' };
  return { to: contract, value: '0', data: writeTransfer(accountOf('TRC20', address), atoms) };
}

/** The most to pay for energy, in sun; `undefined` when the call would revert. After a version that ran out of it, twice. */
async function findFeeLimit(
  { node, database }: TronPayerSettings,
  spend: Spend,
  from: string,
): Promise<bigint | undefined> {
  if (spend.contract === null) return 0n;
  const limit = await estimateFeeLimit(node, spend.contract, from, writePayment(spend).data);
  const newest = listEarlierVersions(database, spend.id).at(-1);
  if (limit === undefined || !newest || !wasStarved(database, spend.id)) return limit;
  const twice = 2n * BigInt(readPlan(newest.plan).feeLimit);
  return twice > limit ? twice : limit;
}

/** What a call of a token costs now for energy that is not staked, with a margin; `undefined` when it would revert. */
export async function estimateFeeLimit(
  node: TronNode,
  contract: string,
  from: string,
  data: string,
): Promise<bigint | undefined> {
  const [energy, price] = await Promise.all([node.transferEnergy(contract, from, data), node.energyPrice()]);
  return energy === undefined ? undefined : (energy * price * ENERGY_MARGIN_PERCENT) / 100n;
}

/** Two payments of the same amount to the same recipient in one block must differ: by a millisecond of their expiration. */
function nameFree(
  database: Database,
  network: TronNetwork,
  from: string,
  draft: Omit<TronTransaction, 'expiration_ms'>,
  expiration_ms: number,
): { readonly fence: string; readonly transaction: TronTransaction } {
  for (let at_ms = expiration_ms; ; at_ms += 1) {
    const transaction = { ...draft, expiration_ms: String(at_ms) };
    const fence = `${accountOf(network, from)}:${encodeRaw(from, transaction).txHash}`;
    const isTaken = database.one('SELECT 1 FROM fences WHERE network = ? AND fence = ?', network, fence);
    if (!isTaken) return { fence, transaction };
  }
}

function request(spend: Spend, text: string): SignRequest {
  const common = { network: 'TRC20', transaction: readPlan(text) } as const;
  switch (spend.purpose) {
    case 'payout':
      if (!spend.order) throw new Error('a payout has an order');
      return { kind: 'tron_payout', ...common, order: spend.order };
    case 'sweep':
      return { kind: 'tron_sweep', ...common, index: z.number().parse(spend.sourceIndex) };
    case 'gas':
      return { kind: 'tron_gas', ...common, index: z.number().parse(spend.sourceIndex) };
    case 'cold':
      return { kind: 'tron_cold', ...common };
    case 'child':
    case 'nonce':
      throw new Error('Tron has no children that pay');
  }
}

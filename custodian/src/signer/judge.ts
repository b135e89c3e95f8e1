import { parseAmount } from '../../../src/money/amounts.ts';
import { readAddress } from '../../../src/addresses/validate-address.ts';
import { digestOrder, isSignedOrder, readOrder } from '../contract/payout-order.ts';
import { accountOf } from '../account-address.ts';
import { readTransfer, writeTransfer } from '../evm/token-transfer.ts';
import { nameFence, tokenAccountOf } from '../solana/solana-message.ts';
import { type SolanaParties, costOf, writePayment } from '../solana/write-payment.ts';
import { encodeRaw } from '../tron/encode-transaction.ts';
import { maxFeeOf } from '../tron/fees.ts';
import {
  type AccountNetwork,
  type ServedNetwork,
  chainIds,
  coinDecimals,
  findListing,
  gasBoundOf,
  isEvm,
  isSolana,
  isTron,
  listAssets,
  usualGasBounds,
} from '../networks.ts';
import type { Policy } from './policy.ts';
import {
  type BitcoinTransaction,
  type EvmTransaction,
  type HouseAddresses,
  type Order,
  type RefusalReason,
  type SignRequest,
  type SolanaTransaction,
  type TronTransaction,
  sumAtoms,
} from './requests.ts';

/** What identifies the payment of a request. A payment is called a deed here; it may have several versions. */
export interface DeedName {
  /** The id under which it happens once: the withdrawal's, or one made of the fence for the house's own payments. */
  readonly id: string;
  /** What all its versions spend, so that only one can be in a block. The first is the anchor. */
  readonly fences: readonly [string, ...string[]];
  /** What the request says that each coin among the fences is worth, in atoms. A nonce is worth nothing. */
  readonly worths: readonly string[];
}

/** A payment that the policy allows. Only limits, fences and earlier signatures may still speak against it. */
export interface Deed extends DeedName {
  readonly kind: 'deed';
  /** The digest of Bureau's order; `null` for the house's own payments. */
  readonly orderDigest: string | null;
  /** The amount that counts towards an hourly limit; `null` when no limit applies. */
  readonly counted: LimitedAmount | null;
  /** The most that this version can pay to the network. All fees of a network have an hourly limit. */
  readonly fee: LimitedAmount;
  /** Whether it pays nobody and only uses up the fence of a payout whose id is burnt. */
  readonly isCancel: boolean;
  /**
   * When its fence dies, and how many versions its payment may have, each with another fence; `null` where fences never die.
   */
  readonly dying: { readonly at_ms: number; readonly versions: number } | null;
}

/** An amount that counts towards an hourly limit: of payouts by asset, over all networks, or of gas or fees by network. */
export interface LimitedAmount {
  readonly limit: 'payout' | 'gas' | 'fee';
  readonly name: string;
  /** In 10^-18 of the asset, since networks give one asset different decimals. */
  readonly atoms: bigint;
}

export interface Refusal {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
}

export type Judgement = Deed | Refusal;

/** The addresses that requests are compared with, derived from the signer's own keys and policy. */
export interface SignerAddresses extends HouseAddresses {
  readonly deposit: (index: number) => string;
}

/** The decimals in which hourly limits are counted. No asset of any network has more. */
export const LIMIT_DECIMALS = 18;

const refuse = (reason: RefusalReason): Refusal => ({ kind: 'refused', reason });

const isRefusal = (value: object): value is Refusal => 'kind' in value && value.kind === 'refused';

/** Identifies the payment of a request by what the request claims. Nothing of it is checked yet. */
export function nameDeed(request: SignRequest, derived: SignerAddresses): DeedName {
  const fences = nameFences(request, derived);
  const worths = 'inputs' in request.transaction ? request.transaction.inputs.map(({ atoms }) => atoms) : [];
  // An address and its nonce are the same on all EVM networks, so the network is a part of the name.
  const own = `own:${request.network}:${fences[0]}`;
  if ('withdrawalId' in request) return { id: request.withdrawalId, fences, worths };
  const id = 'order' in request ? (readOrder(request.order.body)?.withdrawalId ?? '') : own;
  return { id, fences, worths };
}

function nameFences(request: SignRequest, derived: SignerAddresses): [string, ...string[]] {
  if (isEvmRequest(request) || isTronRequest(request)) return [nameUsed(request, derived)];
  if (isSolanaRequest(request)) return [nameFence(writePayment(request.transaction, partiesOf(request, derived)))];
  return nameCoins(request.transaction);
}

/** The account that signs, and its nonce; on Tron the transaction itself. */
function nameUsed(request: EvmRequest | TronRequest, derived: SignerAddresses): string {
  const address = signingAddress(request, derived);
  const used = isTronRequest(request) ? encodeRaw(address, request.transaction).txHash : request.transaction.nonce;
  return `${accountOf(request.network, address)}:${used}`;
}

function nameCoins({ inputs }: BitcoinTransaction): [string, ...string[]] {
  const [anchor = '', ...others] = inputs.map(({ txid, vout }) => `${txid}:${vout}`);
  return [anchor, ...others];
}

/** Checks a request against the policy alone, without the clock and without earlier signatures. */
export function judge(request: SignRequest, policy: Policy, derived: SignerAddresses): Judgement {
  const rules = policy.networks[request.network];
  if (!rules) return refuse('not_served');
  const maxFee = parseAmount(rules.maxFee, coinDecimals(request.network)) ?? 0n;
  switch (request.kind) {
    case 'evm_payout':
    case 'evm_sweep':
    case 'evm_gas':
    case 'evm_cold':
    case 'evm_cancel':
      return judgeEvm(request, policy, derived, maxFee);
    case 'tron_payout':
    case 'tron_sweep':
    case 'tron_gas':
    case 'tron_cold':
      return judgeTron(request, policy, derived, maxFee);
    case 'bitcoin_payout':
    case 'bitcoin_gather':
    case 'bitcoin_cold':
      return judgeBitcoin(request, policy, derived, maxFee);
    case 'solana_payout':
    case 'solana_sweep':
    case 'solana_cold':
    case 'solana_cancel':
    case 'solana_nonce':
      return judgeSolana(request, policy, derived, maxFee);
  }
}

/** Without a person's word. The first may be dead, or have moved nothing, on a chain that the signer does not see. */
const USUAL_VERSIONS = 2;

type EvmRequest = Extract<SignRequest, { transaction: EvmTransaction }>;
type TronRequest = Extract<SignRequest, { transaction: TronTransaction }>;
type BitcoinRequest = Extract<SignRequest, { transaction: BitcoinTransaction }>;
export type SolanaRequest = Extract<SignRequest, { transaction: SolanaTransaction }>;

function judgeEvm(request: EvmRequest, policy: Policy, derived: SignerAddresses, maxFee: bigint): Judgement {
  const { transaction, network } = request;
  if (BigInt(transaction.chainId) !== chainIds[network]) return refuse('wrong_chain');
  const bounds = policy.networks[network]?.maxGas ?? usualGasBounds(network);
  if (BigInt(transaction.gasLimit) > gasBoundOf(bounds, transaction.data)) return refuse('gas_too_high');
  const most = BigInt(transaction.gasLimit) * BigInt(transaction.maxFeePerGas);
  if (most > maxFee) return refuse('fee_too_high');
  return judgePayment(request, policy, derived, countFee(network, most));
}

function judgeTron(request: TronRequest, policy: Policy, derived: SignerAddresses, maxFee: bigint): Judgement {
  const { transaction, network } = request;
  const most = maxFeeOf(transaction);
  if (most > maxFee) return refuse('fee_too_high');
  const judgement = judgePayment(request, policy, derived, countFee(network, most));
  if (judgement.kind === 'refused') return judgement;
  const versions = policy.moreVersions.includes(judgement.id) ? Number.POSITIVE_INFINITY : USUAL_VERSIONS;
  return { ...judgement, dying: { at_ms: Number(transaction.expiration_ms), versions } };
}

/** Judges whom a payment of an account pays, and how much. */
function judgePayment(
  request: EvmRequest | TronRequest,
  policy: Policy,
  derived: SignerAddresses,
  fee: LimitedAmount,
): Judgement {
  const { transaction, network } = request;
  const isTo = (address: string) => accountOf(network, transaction.to) === accountOf(network, address);
  const paysOnly = (...allowed: string[]) => isPaymentTo(transaction, network, allowed);
  const name = nameDeed(request, derived);
  const own = { kind: 'deed', ...name, orderDigest: null, counted: null, fee, isCancel: false, dying: null } as const;
  switch (request.kind) {
    case 'evm_payout':
    case 'tron_payout': {
      const order = readSignedOrder(request.order, network, policy);
      if (isRefusal(order)) return order;
      const { listing, atoms } = order;
      const wanted =
        listing.contractAddress === null
          ? { to: order.address, value: atoms, data: '0x' }
          : { to: listing.contractAddress, value: 0n, data: writeTransfer(accountOf(network, order.address), atoms) };
      if (!isTo(wanted.to)) return refuse('another_recipient');
      if (transaction.data !== wanted.data || BigInt(transaction.value) !== wanted.value) {
        const named = readTransfer(transaction.data)?.recipient.toLowerCase();
        return refuse(named && named !== accountOf(network, order.address) ? 'another_recipient' : 'another_payment');
      }
      return { ...own, ...order.deed };
    }
    case 'evm_sweep':
    case 'tron_sweep':
      return paysOnly(derived.hot, derived.cold) ? own : refuse('another_recipient');
    case 'evm_cold':
    case 'tron_cold':
      return paysOnly(derived.cold) ? own : refuse('another_recipient');
    case 'evm_cancel':
      return transaction.data === '0x' && transaction.value === '0' && isTo(derived.hot)
        ? { ...own, isCancel: true }
        : refuse('another_recipient');
    case 'evm_gas':
    case 'tron_gas': {
      if (transaction.data !== '0x' || !isTo(derived.deposit(request.index))) return refuse('another_recipient');
      return { ...own, counted: { ...countFee(network, BigInt(transaction.value)), limit: 'gas' } };
    }
  }
}

/** A fee as it counts towards the hourly limit of its network. */
function countFee(network: ServedNetwork, atoms: bigint): LimitedAmount {
  return { limit: 'fee', name: network, atoms: atoms * 10n ** BigInt(LIMIT_DECIMALS - coinDecimals(network)) };
}

function signingAddress(request: EvmRequest | TronRequest, derived: SignerAddresses): string {
  if (request.kind === 'evm_sweep' || request.kind === 'tron_sweep') return derived.deposit(request.index);
  return request.kind === 'evm_gas' || request.kind === 'tron_gas' ? (derived.gas ?? '') : derived.hot;
}

/** Whether a transaction pays coins, or tokens of a listed contract, to one of these addresses and nobody else. */
function isPaymentTo(
  { to, value, data }: EvmTransaction | TronTransaction,
  network: AccountNetwork,
  addresses: readonly string[],
): boolean {
  const allowed = addresses.map((address) => accountOf(network, address));
  if (data === '0x') return allowed.includes(accountOf(network, to));
  const isToken = listAssets(network).some(
    ({ contractAddress }) => contractAddress !== null && accountOf(network, contractAddress) === accountOf(network, to),
  );
  const recipient = readTransfer(data)?.recipient.toLowerCase();
  return isToken && value === '0' && recipient !== undefined && allowed.includes(recipient);
}

function judgeBitcoin(request: BitcoinRequest, policy: Policy, derived: SignerAddresses, maxFee: bigint): Judgement {
  const { transaction, network } = request;
  const left = sumAtoms(transaction.inputs) - sumAtoms(transaction.outputs);
  if (left < 0n) return refuse('another_payment');
  if (left > maxFee) return refuse('fee_too_high');
  const fee = countFee(network, left);
  const name = nameDeed(request, derived);
  const own = { kind: 'deed', ...name, orderDigest: null, counted: null, fee, isCancel: false, dying: null } as const;
  const leaving = transaction.outputs.filter(({ address }) => address !== derived.hot);
  switch (request.kind) {
    case 'bitcoin_payout': {
      const order = readSignedOrder(request.order, network, policy);
      if (isRefusal(order)) return order;
      const [paid, ...more] = leaving;
      if (!paid || more.length > 0 || paid.address !== order.address) return refuse('another_recipient');
      return BigInt(paid.atoms) === order.atoms ? { ...own, ...order.deed } : refuse('another_payment');
    }
    case 'bitcoin_gather':
      return leaving.length === 0 ? own : refuse('another_recipient');
    case 'bitcoin_cold':
      return leaving.every(({ address }) => address === derived.cold) ? own : refuse('another_recipient');
  }
}

/** Who signs the transaction of a request, and what it makes. */
export function partiesOf(request: SolanaRequest, { hot, deposit }: SignerAddresses): SolanaParties {
  return {
    hot,
    owner: request.kind === 'solana_sweep' ? deposit(request.index) : hot,
    newNonce: request.kind === 'solana_nonce' ? request.index : null,
  };
}

function judgeSolana(request: SolanaRequest, policy: Policy, derived: SignerAddresses, maxFee: bigint): Judgement {
  const { transaction, network } = request;
  const { payment } = transaction;
  const isListed = ({ mint }: { readonly mint: string }) =>
    listAssets(network).some(({ contractAddress }) => contractAddress === mint);
  if (payment && !isListed(payment)) return refuse('another_payment');
  const most = costOf(transaction, partiesOf(request, derived));
  if (most > maxFee) return refuse('fee_too_high');
  const fee = countFee(network, most);
  const name = nameDeed(request, derived);
  const own = { kind: 'deed', ...name, orderDigest: null, counted: null, fee, isCancel: false, dying: null } as const;
  switch (request.kind) {
    case 'solana_payout': {
      const order = readSignedOrder(request.order, network, policy);
      if (isRefusal(order)) return order;
      if (payment?.recipient !== order.address) return refuse('another_recipient');
      const [paid, ...more] = payment.transfers;
      const isOrdered =
        payment.mint === order.listing.contractAddress &&
        more.length === 0 &&
        paid?.source === tokenAccountOf(derived.hot, payment.mint) &&
        BigInt(paid.atoms) === order.atoms;
      return isOrdered ? { ...own, ...order.deed } : refuse('another_payment');
    }
    case 'solana_sweep':
      return payment?.recipient === derived.hot ? own : refuse('another_recipient');
    case 'solana_cold':
      return payment?.recipient === derived.cold ? own : refuse('another_recipient');
    case 'solana_cancel':
      return payment === null && transaction.nonceAccount !== null
        ? { ...own, isCancel: true }
        : refuse('another_payment');
    case 'solana_nonce':
      return payment === null && transaction.nonceAccount === null ? own : refuse('another_payment');
  }
}

/** Reads an order, or refuses it: it must be signed by Bureau, be for this network, and be payable there. */
function readSignedOrder({ body, signature }: Order, network: ServedNetwork, policy: Policy) {
  if (!isSignedOrder(body, signature, policy.bureauKeys)) return refuse('not_signed_by_bureau');
  const order = readOrder(body);
  if (!order || order.network !== network) return refuse('not_an_order');
  const listing = findListing(network, order.asset);
  if (!listing || listing.contractAddress !== order.contractAddress) return refuse('not_an_order');
  const address = readAddress(network, order.address);
  const atoms = parseAmount(order.amount, listing.decimals);
  if (address === undefined || atoms === undefined || atoms === 0n) return refuse('not_an_order');
  const counted = {
    limit: 'payout',
    name: order.asset,
    atoms: parseAmount(order.amount, LIMIT_DECIMALS) ?? 0n,
  } as const;
  return { listing, address, atoms, deed: { id: order.withdrawalId, orderDigest: digestOrder(body), counted } };
}

/** Whether a request is for Tron. */
export function isTronRequest(request: SignRequest): request is TronRequest {
  return isTron(request.network);
}

/** Whether a request is for an EVM network. */
export function isEvmRequest(request: SignRequest): request is EvmRequest {
  return isEvm(request.network);
}

/** Whether a request is for Solana. */
export function isSolanaRequest(request: SignRequest): request is SolanaRequest {
  return isSolana(request.network);
}

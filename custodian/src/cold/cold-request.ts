import { hex } from '@scure/base';
import { Transaction } from '@scure/btc-signer';
import { z } from 'zod';
import { parseAmount } from '../../../src/money/amounts.ts';
import { readTransfer } from '../evm/token-transfer.ts';
import { accountOf } from '../account-address.ts';
import {
  type AccountNetwork,
  bitcoinNetworks,
  chainIds,
  coinDecimals,
  evmNetworks,
  findListing,
  listAssets,
  servedNetworks,
  tronNetworks,
} from '../networks.ts';
import { signBitcoin, signEvm, signTron } from '../signer/encode.ts';
import {
  BitcoinTransaction,
  EvmTransaction,
  type SignedTransaction,
  TronTransaction,
  sumAtoms,
} from '../signer/requests.ts';
import { maxFeeOf } from '../tron/fees.ts';
import type { KeyName, Wallet } from '../signer/wallet.ts';

/**
 * A payment from the cold wallet to the hot one, without its signature: a file that a person carries to the offline
 * machine. There, what it claims is compared with the transaction in it.
 */
export const ColdRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('evm'), network: z.enum(evmNetworks), transaction: EvmTransaction }),
  z.strictObject({ kind: z.literal('bitcoin'), network: z.enum(bitcoinNetworks), transaction: BitcoinTransaction }),
  z.strictObject({ kind: z.literal('tron'), network: z.enum(tronNetworks), transaction: TronTransaction }),
]);

export type ColdRequest = z.output<typeof ColdRequest>;

/** The signed payment, which is carried back. */
export const ColdAnswer = z.strictObject({
  network: z.enum(servedNetworks),
  raw: z.string().regex(/^(0x)?([0-9a-f]{2})+$/),
  txHash: z.string(),
});

export type ColdAnswer = z.output<typeof ColdAnswer>;

/** Another wallet's transaction is read, not judged. */
const READ_ANYTHING = { allowUnknownOutputs: true, allowUnknownInputs: true, disableScriptCheck: true };

/** The cold wallet's only key: that of the first address that any wallet shows for its mnemonic (BIP-44, BIP-84). */
export const COLD_KEY: KeyName = { account: 'deposit', index: 0 };

/** What a payment would do, shown to the person who decides. Amounts are in atoms. */
export interface ColdPayment {
  readonly asset: string;
  readonly atoms: bigint;
  readonly fee: bigint;
}

/**
 * Reads what a request would do. Throws when it pays anybody but the hot address and, as change, the cold wallet, or
 * when its fee is above `maxFee`, in the network's own coin.
 */
export function readColdRequest(request: ColdRequest, wallet: Wallet, hot: string, maxFee: string): ColdPayment {
  const payment = request.kind === 'bitcoin' ? readBitcoin(request, wallet, hot) : readAccount(request, hot);
  const most = parseAmount(maxFee, coinDecimals(request.network)) ?? 0n;
  if (payment.fee > most) throw new Error(`the fee of ${payment.fee} atoms is above ${maxFee}`);
  return payment;
}

function readAccount(request: Exclude<ColdRequest, { kind: 'bitcoin' }>, hot: string): ColdPayment {
  const { network, transaction } = request;
  const { to, data, value } = transaction;
  const fee = readFee(request);
  const isHot = (account: string) => account === accountOf(network, hot);
  if (data === '0x' && isHot(accountOf(network, to))) return { asset: 'coins', atoms: BigInt(value), fee };
  const transfer = readTransfer(data);
  const token = findToken(network, to);
  if (!token || value !== '0' || !transfer || !isHot(transfer.recipient.toLowerCase()))
    throw new Error(`it does not pay ${hot} alone`);
  return { asset: token.asset, atoms: transfer.atoms, fee };
}

function readFee(request: Exclude<ColdRequest, { kind: 'bitcoin' }>): bigint {
  if (request.kind === 'tron') return maxFeeOf(request.transaction);
  const { network, transaction } = request;
  if (BigInt(transaction.chainId) !== chainIds[network])
    throw new Error(`chain ${transaction.chainId} is not ${network}`);
  return BigInt(transaction.gasLimit) * BigInt(transaction.maxFeePerGas);
}

function findToken(network: AccountNetwork, to: string) {
  return listAssets(network).find(
    ({ contractAddress }) => contractAddress !== null && accountOf(network, contractAddress) === accountOf(network, to),
  );
}

function readBitcoin(
  { network, transaction }: Extract<ColdRequest, { kind: 'bitcoin' }>,
  wallet: Wallet,
  hot: string,
): ColdPayment {
  const cold = wallet.bitcoinAddress(network, COLD_KEY);
  const { inputs, outputs } = transaction;
  if (outputs.some(({ address }) => address !== hot && address !== cold))
    throw new Error(`it does not pay ${hot} alone`);
  if (inputs.some(({ key }) => key.account !== COLD_KEY.account || key.index !== COLD_KEY.index)) {
    throw new Error('it spends coins of another key');
  }
  for (const input of inputs) checkWorth(input);
  const fee = sumAtoms(inputs) - sumAtoms(outputs);
  if (fee < 0n) throw new Error('it pays more than it spends');
  return { asset: network, atoms: sumAtoms(outputs.filter(({ address }) => address === hot)), fee };
}

/**
 * Throws when a coin is not worth what the request says, by the whole transaction that made it. A segwit signature covers
 * only the amount of its own input: two requests that understate one coin each would give the signatures of a transaction
 * with a fee that nobody was shown.
 */
function checkWorth({ txid, vout, atoms, previous }: BitcoinTransaction['inputs'][number]): void {
  if (previous === null) throw new Error(`the transaction that made ${txid}:${vout} is missing`);
  const made = Transaction.fromRaw(hex.decode(previous), READ_ANYTHING);
  const isWorth = made.id === txid && vout < made.outputsLength && made.getOutput(vout).amount === BigInt(atoms);
  if (!isWorth) throw new Error(`the coin ${txid}:${vout} is not worth what the request says`);
}

/** Signs a request. Call it only after `readColdRequest` and a person's approval. */
export function signColdRequest(request: ColdRequest, wallet: Wallet): ColdAnswer {
  const { raw, txHash } = sign(request, wallet);
  return { network: request.network, raw, txHash };
}

function sign(request: ColdRequest, wallet: Wallet): SignedTransaction {
  switch (request.kind) {
    case 'evm':
      return signEvm(request.transaction, wallet.evmKey(COLD_KEY));
    case 'tron':
      return signTron(request.transaction, wallet.tronKey(COLD_KEY));
    case 'bitcoin':
      return signBitcoin(request.network, request.transaction, (name) => wallet.bitcoinKey(request.network, name));
  }
}

/** An amount of an asset in atoms. Throws when the network has no such asset or cannot express the amount. */
export function readColdAmount(network: ColdRequest['network'], asset: string, amount: string): bigint {
  const listing = findListing(network, asset);
  const atoms = listing && parseAmount(amount, listing.decimals);
  if (atoms === undefined || atoms === 0n) throw new Error(`${amount} ${asset} is nothing that ${network} can pay`);
  return atoms;
}

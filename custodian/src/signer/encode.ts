import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, hex } from '@scure/base';
import * as bitcoin from '@scure/btc-signer';
import { Transaction as EvmEncoder } from 'micro-eth-signer';
import { encodeTronAddress } from '../../../src/addresses/tron-address.ts';
import { type BitcoinNetwork, bitcoinRules } from '../networks.ts';
import { writeTransaction } from '../solana/solana-message.ts';
import { encodeRaw, encodeSigned } from '../tron/encode-transaction.ts';
import type { BitcoinTransaction, EvmTransaction, SignedTransaction, TronTransaction } from './requests.ts';
import type { KeyName, KeyPair } from './wallet.ts';

/** Signs an EIP-1559 transaction. Deterministic (RFC 6979): the same transaction always gets the same hash. */
export function signEvm(transaction: EvmTransaction, key: KeyPair): SignedTransaction {
  // Not in the library's strict mode, whose limits would one day stop a hot wallet: 131,072 transactions, a million coins.
  // What may be signed is for judge.ts.
  const transactionFields = {
    chainId: BigInt(transaction.chainId),
    nonce: BigInt(transaction.nonce),
    to: transaction.to.toLowerCase(),
    value: BigInt(transaction.value),
    data: transaction.data,
    gasLimit: BigInt(transaction.gasLimit),
    maxFeePerGas: BigInt(transaction.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(transaction.maxPriorityFeePerGas),
  };
  const unsigned = EvmEncoder.prepare(transactionFields, false);
  // With extra entropy each signature would give another hash.
  const signed = unsigned.signBy(key.privateKey, false);
  return { kind: 'signed', raw: signed.toHex(), txHash: signed.hash };
}

/** Tron writes a signature as r, s and the recovery id, from 27 on. */
const RECOVERY_FROM = 27;

/** Signs a Tron transaction. Deterministic (RFC 6979), though the transaction's id does not depend on the signature. */
export function signTron(transaction: TronTransaction, { privateKey, publicKey }: KeyPair): SignedTransaction {
  const { raw, txHash } = encodeRaw(encodeTronAddress(publicKey), transaction);
  const [recovery = 0, ...rest] = secp256k1.sign(sha256(raw), privateKey, { prehash: false, format: 'recovered' });
  return { kind: 'signed', raw: encodeSigned(raw, Uint8Array.of(...rest, RECOVERY_FROM + recovery)), txHash };
}

/** A sequence of at most this value allows replacement (BIP-125). */
const REPLACEABLE = 0xffff_fffd;
const FINAL = 0xffff_ffff;

/** The prefixes of a network's addresses, in the form that btc-signer takes. */
export function addressFormat(network: BitcoinNetwork) {
  const { family } = bitcoinRules[network];
  return {
    bech32: family.segwitPrefix ?? 'none',
    pubKeyHash: family.publicKeyHashVersion,
    scriptHash: family.scriptHashVersion,
    wif: 0,
  };
}

/** Signs a transaction of a Bitcoin-like chain, whose inputs are P2WPKH, or P2PKH where the chain has no segwit. */
export function signBitcoin(
  network: BitcoinNetwork,
  transaction: BitcoinTransaction,
  keyOf: (name: KeyName) => KeyPair,
): SignedTransaction {
  const { family, hasReplacement } = bitcoinRules[network];
  const format = addressFormat(network);
  const draft = new bitcoin.Transaction({ allowLegacyWitnessUtxo: false });
  const keys = transaction.inputs.map(({ key }) => keyOf(key));
  for (const [position, { txid, vout, atoms, previous }] of transaction.inputs.entries()) {
    const publicKey = keys[position]?.publicKey ?? Uint8Array.of();
    const { script } =
      family.segwitPrefix === null ? bitcoin.p2pkh(publicKey, format) : bitcoin.p2wpkh(publicKey, format);
    draft.addInput({
      txid,
      index: vout,
      sequence: hasReplacement ? REPLACEABLE : FINAL,
      // A segwit signature covers the amount. Without segwit only the transaction that made the coin proves it.
      ...(previous === null
        ? { witnessUtxo: { script, amount: BigInt(atoms) } }
        : { nonWitnessUtxo: hex.decode(previous) }),
    });
  }
  for (const { address, atoms } of transaction.outputs) draft.addOutputAddress(address, BigInt(atoms), format);
  for (const [position, { privateKey }] of keys.entries()) draft.signIdx(privateKey, position);
  draft.finalize();
  const claimed = transaction.inputs.reduce((sum, { atoms }) => sum + BigInt(atoms), 0n);
  const leaving = transaction.outputs.reduce((sum, { atoms }) => sum + BigInt(atoms), 0n);
  if (draft.fee !== claimed - leaving) throw new Error('a coin is not worth what the request says');
  return { kind: 'signed', raw: draft.hex, txHash: draft.id };
}

/** Signs a message of Solana by the keys of its signers, in their order. Deterministic: Ed25519 (RFC 8032). */
export function signSolana(message: Uint8Array, keys: readonly KeyPair[]): SignedTransaction {
  const signatures = keys.map(({ privateKey }) => ed25519.sign(message, privateKey));
  const raw = hex.encode(writeTransaction(message, signatures));
  return { kind: 'signed', raw, txHash: base58.encode(signatures[0] ?? Uint8Array.of()) };
}

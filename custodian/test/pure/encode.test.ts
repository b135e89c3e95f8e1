import { hex } from '@scure/base';
import * as bitcoinjs from 'bitcoinjs-lib';
import { Transaction, Wallet as EthersWallet } from 'ethers';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { expect, test } from 'vitest';
import { type BitcoinNetwork, bitcoinRules } from '../../src/networks.ts';
import { signBitcoin, signEvm } from '../../src/signer/encode.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { MNEMONIC } from '../support/signing.ts';

const wallet = new Wallet(MNEMONIC);

test.each([
  ['a coin payment', { to: '0x52908400098527886E0F7030069857D2E4169EE7', value: '1500000000000000000', data: '0x' }],
  ['a call', { to: '0xdAC17F958D2ee523a2206206994597C13D831ec7', value: '0', data: `0xa9059cbb${'12'.repeat(64)}` }],
  // More than the library's own limits, which are not ours.
  [
    'a million coins and one',
    { to: '0x52908400098527886E0F7030069857D2E4169EE7', value: `1000001${'0'.repeat(18)}`, data: '0x' },
  ],
  ['nothing at all', { to: '0x52908400098527886E0F7030069857D2E4169EE7', value: '0', data: '0x' }],
])('ethers signs the same bytes and the same hash for %s', async (_, payment) => {
  const key = wallet.evmKey({ account: 'hot', index: 0 });
  for (const nonce of ['0', '127', '128', '70000', '131073', '10000000']) {
    const fees = { gasLimit: '65000', maxFeePerGas: '30000000000', maxPriorityFeePerGas: '1000000000' };
    const unsigned = { chainId: '137', nonce, ...payment, ...fees };
    const oracle = await new EthersWallet(hex.encode(key.privateKey)).signTransaction({
      ...unsigned,
      nonce: Number(nonce),
      type: 2,
    });
    expect(signEvm(unsigned, key)).toEqual({ kind: 'signed', raw: oracle, txHash: Transaction.from(oracle).hash });
  }
});

const destinations: Record<BitcoinNetwork, string> = {
  BTC: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  LTC: 'ltc1qr07zu594qf63xm7l7x6pu3a2v39m2z6hh5pp4t',
  DOGE: 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L',
};

/** A transaction that made a coin for a script, as any wallet might have. */
function makeCoin(script: Uint8Array, atoms: bigint): bitcoinjs.Transaction {
  const transaction = new bitcoinjs.Transaction();
  transaction.addInput(new Uint8Array(32).fill(9), 1);
  transaction.addOutput(script, atoms);
  return transaction;
}

test.each(['BTC', 'LTC', 'DOGE'] as const)('bitcoinjs-lib signs the same bytes and the same id on %s', (network) => {
  const { family, hasReplacement } = bitcoinRules[network];
  const format = {
    messagePrefix: '',
    bech32: family.segwitPrefix ?? 'none',
    bip32: { public: 0x0488b21e, private: 0x0488ade4 },
    pubKeyHash: family.publicKeyHashVersion,
    scriptHash: family.scriptHashVersion,
    wif: 0,
  };
  const names = [
    { account: 'hot', index: 0 },
    { account: 'deposit', index: 3 },
  ] as const;
  const psbt = new bitcoinjs.Psbt({ network: format, maximumFeeRate: 1e9 });
  const inputs = names.map((key, position) => {
    const pubkey = wallet.bitcoinKey(network, key).publicKey;
    const payment = family.segwitPrefix === null ? bitcoinjs.payments.p2pkh : bitcoinjs.payments.p2wpkh;
    const script = payment({ pubkey, network: format }).output ?? Uint8Array.of();
    const made = makeCoin(script, BigInt(30_000_000 + position));
    const sequence = hasReplacement ? 0xfffffffd : 0xffffffff;
    const isLegacy = family.segwitPrefix === null;
    psbt.addInput({
      hash: made.getId(),
      index: 0,
      sequence,
      ...(isLegacy
        ? { nonWitnessUtxo: made.toBuffer() }
        : { witnessUtxo: { script, value: BigInt(30_000_000 + position) } }),
    });
    const previous = isLegacy ? made.toHex() : null;
    return { txid: made.getId(), vout: 0, atoms: String(30_000_000 + position), key, previous };
  });
  const outputs = [
    { address: destinations[network], atoms: '50000000' },
    { address: wallet.bitcoinAddress(network, names[0]), atoms: '9000000' },
  ];
  for (const { address, atoms } of outputs) psbt.addOutput({ address, value: BigInt(atoms) });
  for (const [position, name] of names.entries()) {
    const { publicKey, privateKey } = wallet.bitcoinKey(network, name);
    psbt.signInput(position, {
      publicKey,
      sign: (hash: Uint8Array) => secp256k1.sign(hash, privateKey, { prehash: false, lowS: true }),
    });
  }
  const oracle = psbt.finalizeAllInputs().extractTransaction();
  const signed = signBitcoin(network, { inputs, outputs }, (name) => wallet.bitcoinKey(network, name));
  expect(signed).toEqual({ kind: 'signed', raw: oracle.toHex(), txHash: oracle.getId() });
});

test('a legacy coin is not signed when its amount differs from the request', () => {
  const key = { account: 'hot', index: 0 } as const;
  const script =
    bitcoinjs.payments.p2pkh({ pubkey: wallet.bitcoinKey('DOGE', key).publicKey }).output ?? Uint8Array.of();
  const made = makeCoin(script, 90_000_000n);
  const coin = { txid: made.getId(), vout: 0, atoms: '60000000', key, previous: made.toHex() };
  const outputs = [{ address: destinations.DOGE, atoms: '50000000' }];
  expect(() => signBitcoin('DOGE', { inputs: [coin], outputs }, (name) => wallet.bitcoinKey('DOGE', name))).toThrow(
    'not worth',
  );
});

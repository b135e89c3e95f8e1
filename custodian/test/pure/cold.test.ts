import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as bitcoinjs from 'bitcoinjs-lib';
import { expect, test } from 'vitest';
import { COLD_KEY, type ColdRequest, readColdRequest, signColdRequest } from '../../src/cold/cold-request.ts';
import { findSignedBefore, noteSigned } from '../../src/cold/signed-before.ts';
import { writeTransfer } from '../../src/evm/token-transfer.ts';
import type { BitcoinTransaction, EvmTransaction } from '../../src/signer/requests.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { MNEMONIC, newFolder } from '../support/signing.ts';

/** What the offline machine signs, and what it does not. */
const wallet = new Wallet(MNEMONIC);
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const HOT = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0xde709f2102306220921060314715629080e2fb77';
const HOT_LTC = 'ltc1qr07zu594qf63xm7l7x6pu3a2v39m2z6hh5pp4t';
const OTHER_LTC = 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9';
const coldLtc = wallet.bitcoinAddress('LTC', { account: 'deposit', index: 0 });

/** A transaction that pays coins to the cold wallet's key, as anybody's might. */
function makeCoins(atoms: readonly bigint[], seed = 9): BitcoinTransaction['inputs'] {
  const made = new bitcoinjs.Transaction();
  made.addInput(new Uint8Array(32).fill(seed), 1);
  const pubkey = wallet.bitcoinKey('LTC', COLD_KEY).publicKey;
  const script = bitcoinjs.payments.p2wpkh({ pubkey }).output ?? Uint8Array.of();
  for (const amount of atoms) made.addOutput(script, amount);
  const previous = made.toHex();
  return atoms.map((amount, vout) => ({ txid: made.getId(), vout, atoms: String(amount), key: COLD_KEY, previous }));
}

const evm = (changes: Partial<EvmTransaction> = {}): ColdRequest => ({
  kind: 'evm',
  network: 'ETH',
  transaction: {
    chainId: '1',
    nonce: '0',
    to: HOT,
    value: '5000000000000000000',
    data: '0x',
    gasLimit: '25200',
    maxFeePerGas: '30000000000',
    maxPriorityFeePerGas: '1000000000',
    ...changes,
  },
});

const bitcoin = (changes: Partial<BitcoinTransaction> = {}): ColdRequest => ({
  kind: 'bitcoin',
  network: 'LTC',
  transaction: {
    inputs: makeCoins([100_000n]),
    outputs: [
      { address: HOT_LTC, atoms: '60000' },
      { address: coldLtc, atoms: '39000' },
    ],
    ...changes,
  },
});

const read = (request: ColdRequest, maxFee = '0.01') =>
  readColdRequest(request, wallet, request.network === 'LTC' ? HOT_LTC : HOT, maxFee);

test('a payment to the hot address is shown with its fee, and signed', () => {
  expect(read(evm())).toEqual({ asset: 'coins', atoms: 5n * 10n ** 18n, fee: 756_000_000_000_000n });
  expect(read(evm({ to: USDT, value: '0', data: writeTransfer(HOT, 7n) }))).toMatchObject({ asset: 'USDT', atoms: 7n });
  expect(read(bitcoin())).toEqual({ asset: 'LTC', atoms: 60_000n, fee: 1_000n });
  expect(signColdRequest(evm(), wallet)).toMatchObject({
    network: 'ETH',
    raw: expect.stringMatching(/^0x02/),
    txHash: expect.stringMatching(/^0x/),
  });
});

test.each([
  ['coins to another', evm({ to: OTHER })],
  ['a call to the hot address', evm({ data: '0x00' })],
  ['tokens to another', evm({ to: USDT, value: '0', data: writeTransfer(OTHER, 7n) })],
  ['tokens of a contract that is not listed', evm({ to: OTHER, value: '0', data: writeTransfer(HOT, 7n) })],
  ['coins beside tokens', evm({ to: USDT, value: '1', data: writeTransfer(HOT, 7n) })],
  ['another chain', evm({ chainId: '137' })],
  ['an output of another', bitcoin({ outputs: [{ address: OTHER_LTC, atoms: '99000' }] })],
  [
    'coins of another key',
    bitcoin({
      inputs: makeCoins([100_000n]).map((coin) => ({ ...coin, key: { account: 'hot', index: 0 } })),
    }),
  ],
  ['more than is spent', bitcoin({ outputs: [{ address: HOT_LTC, atoms: '100001' }] })],
  ['a fee above the highest', evm({ maxFeePerGas: '600000000000' })],
  ['all the change as a fee', bitcoin({ outputs: [{ address: HOT_LTC, atoms: '1' }] }), '0.0009'],
])('%s is not signed', (_, request, maxFee?: string) => {
  expect(() => read(request, maxFee)).toThrow();
});

test('a coin that is worth more than the request says is not signed for, so no fee is hidden in two requests', () => {
  const coins = makeCoins([1_000_000_000n, 1_000_000_000n]);
  const outputs = [{ address: HOT_LTC, atoms: '1000000000' }];
  const understate = (which: number) =>
    bitcoin({ inputs: coins.map((coin, at) => (at === which ? { ...coin, atoms: '100000' } : coin)), outputs });
  for (const which of [0, 1]) expect(() => read(understate(which), '0.01')).toThrow('is not worth what');
  expect(() => read(bitcoin({ inputs: coins, outputs }), '0.01')).toThrow('is above 0.01');
  const another = makeCoins([1_000_000_000n], 8)[0]?.previous ?? '';
  expect(() => read(bitcoin({ inputs: coins.map((coin) => ({ ...coin, previous: another })), outputs }))).toThrow();
  expect(() => read(bitcoin({ inputs: coins.map((coin) => ({ ...coin, previous: null })), outputs }))).toThrow(
    'missing',
  );
});

test('a nonce or a coin that was signed for is remembered, and known only to the same transaction', () => {
  const file = join(newFolder(), 'cold.json.signed');
  for (const [first, other] of [
    [evm(), evm({ value: '1' })],
    [bitcoin(), bitcoin({ outputs: [{ address: HOT_LTC, atoms: '99000' }] })],
  ] as const) {
    const answer = signColdRequest(first, wallet);
    expect(findSignedBefore(file, first, answer)).toBe(undefined);
    noteSigned(file, first, answer);
    expect(findSignedBefore(file, first, answer)).toBe(undefined);
    expect(findSignedBefore(file, other, signColdRequest(other, wallet))).toBe(answer.txHash);
  }
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

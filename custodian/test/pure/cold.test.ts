import { expect, test } from 'vitest';
import { type ColdRequest, readColdRequest, signColdRequest } from '../../src/cold/cold-request.ts';
import { writeTransfer } from '../../src/evm/token-transfer.ts';
import type { BitcoinTransaction, EvmTransaction } from '../../src/signer/requests.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { MNEMONIC } from '../support/signing.ts';

/** What the offline machine signs, and what it does not. */
const wallet = new Wallet(MNEMONIC);
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const HOT = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0xde709f2102306220921060314715629080e2fb77';
const HOT_LTC = 'ltc1qr07zu594qf63xm7l7x6pu3a2v39m2z6hh5pp4t';
const OTHER_LTC = 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9';
const coldLtc = wallet.bitcoinAddress('LTC', { account: 'deposit', index: 0 });

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
    inputs: [
      { txid: 'ab'.repeat(32), vout: 1, atoms: '100000', key: { account: 'deposit', index: 0 }, previous: null },
    ],
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
      inputs: [{ txid: 'ab'.repeat(32), vout: 1, atoms: '100000', key: { account: 'hot', index: 0 }, previous: null }],
    }),
  ],
  ['more than is spent', bitcoin({ outputs: [{ address: HOT_LTC, atoms: '100001' }] })],
  ['a fee above the highest', evm({ maxFeePerGas: '600000000000' })],
  ['all the change as a fee', bitcoin({ outputs: [{ address: HOT_LTC, atoms: '1' }] }), '0.0009'],
])('%s is not signed', (_, request, maxFee?: string) => {
  expect(() => read(request, maxFee)).toThrow();
});

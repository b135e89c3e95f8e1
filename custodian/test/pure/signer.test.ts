import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ed25519 } from '@noble/curves/ed25519.js';
import { hex } from '@scure/base';
import { beforeEach, expect, test } from 'vitest';
import { writeTransfer } from '../../src/evm/token-transfer.ts';
import type { EvmTransaction, SignerRequest } from '../../src/signer/requests.ts';
import { SignatureLog } from '../../src/signer/signature-log.ts';
import { answerSigner } from '../../src/signer/signer.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { COLD_EVM, COLD_LTC, MNEMONIC, newFolder, orderOf, policy } from '../support/signing.ts';

const wallet = new Wallet(MNEMONIC);
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0xde709f2102306220921060314715629080e2fb77';
const LTC_RECIPIENT = 'ltc1qr07zu594qf63xm7l7x6pu3a2v39m2z6hh5pp4t';
const FIRST = '019ac5a4-7c00-7000-8000-000000000001';
const SECOND = '019ac5a4-7c00-7000-8000-000000000002';
const HOUR_MS = 3_600_000;

let now_ms: number;
let file: string;
let log: SignatureLog;

beforeEach(() => {
  now_ms = 1_795_241_228_000;
  file = join(newFolder(), 'signatures.sqlite');
  log = new SignatureLog(file);
});

const ask = (request: SignerRequest) => answerSigner({ wallet, policy, log, now: () => now_ms }, request);

const ethOrder = (changes: object = {}) => ({
  withdrawalId: FIRST,
  asset: 'ETH',
  network: 'ETH',
  contractAddress: null,
  address: RECIPIENT,
  amount: '1.5',
  ...changes,
});

const usdtOrder = (changes: object = {}) =>
  ethOrder({ asset: 'USDT', contractAddress: USDT, amount: '250.5', ...changes });

const ether = 10n ** 18n;

function transaction(changes: Partial<EvmTransaction> = {}): EvmTransaction {
  return {
    chainId: '1',
    nonce: '0',
    to: RECIPIENT,
    value: String((ether * 3n) / 2n),
    data: '0x',
    gasLimit: '90000',
    maxFeePerGas: '30000000000',
    maxPriorityFeePerGas: '1000000000',
    ...changes,
  };
}

const payout = (order: object, changes: Partial<EvmTransaction> = {}): SignerRequest => ({
  kind: 'evm_payout',
  network: 'ETH',
  transaction: transaction(changes),
  order: orderOf(order),
});

/** A refusal; `signed` where a version of the same stands under this fence already. */
const refused = (reason: string, signed = false) => ({ kind: 'refused', reason, signed });
const signed = expect.objectContaining({ kind: 'signed' });

test('a payout that Bureau ordered is signed, and again with a higher fee under the same nonce', () => {
  expect(ask(payout(ethOrder()))).toEqual(signed);
  expect(ask(payout(ethOrder(), { maxFeePerGas: '60000000000' }))).toEqual(signed);
});

test('a token payout is signed for exactly the transfer that was ordered', () => {
  const data = writeTransfer(RECIPIENT, 250_500_000n);
  expect(ask(payout(usdtOrder(), { to: USDT, value: '0', data }))).toEqual(signed);
});

test('a payout that Bureau did not sign is refused', () => {
  const forged = orderOf(ethOrder(), new Uint8Array(32).fill(8));
  expect(ask({ kind: 'evm_payout', network: 'ETH', transaction: transaction(), order: forged })).toEqual(
    refused('not_signed_by_bureau'),
  );
  const real = orderOf(ethOrder());
  const changed = { ...real, body: real.body.replace('1.5', '1.6') };
  expect(ask({ kind: 'evm_payout', network: 'ETH', transaction: transaction(), order: changed })).toEqual(
    refused('not_signed_by_bureau'),
  );
});

test('another recipient is refused, of a coin and of a token', () => {
  expect(ask(payout(ethOrder(), { to: OTHER }))).toEqual(refused('another_recipient'));
  expect(ask(payout(usdtOrder(), { to: OTHER, value: '0', data: writeTransfer(RECIPIENT, 250_500_000n) }))).toEqual(
    refused('another_recipient'),
  );
  expect(ask(payout(usdtOrder(), { to: USDT, value: '0', data: writeTransfer(OTHER, 250_500_000n) }))).toEqual(
    refused('another_recipient'),
  );
});

test('another amount is refused, of a coin and of a token, and so is anything beside a plain transfer', () => {
  expect(ask(payout(ethOrder(), { value: '1500000000000000001' }))).toEqual(refused('another_payment'));
  const one = writeTransfer(RECIPIENT, 250_500_001n);
  expect(ask(payout(usdtOrder(), { to: USDT, value: '0', data: one }))).toEqual(refused('another_payment'));
  const right = writeTransfer(RECIPIENT, 250_500_000n);
  expect(ask(payout(usdtOrder(), { to: USDT, value: '1', data: right }))).toEqual(refused('another_payment'));
  expect(ask(payout(usdtOrder(), { to: USDT, value: '0', data: `${right}00` }))).toEqual(refused('another_payment'));
  expect(ask(payout(ethOrder(), { data: '0x00' }))).toEqual(refused('another_payment'));
});

test('a second payment for one withdrawal is refused, with any fence', () => {
  ask(payout(ethOrder()));
  expect(ask(payout(ethOrder(), { nonce: '1' }))).toEqual(refused('second_payment'));
  expect(ask(payout(ethOrder({ amount: '1.6' }), { value: '1600000000000000000' }))).toEqual(
    refused('another_payment', true),
  );
});

test('a fence is never used for two payouts', () => {
  ask(payout(ethOrder()));
  expect(ask(payout(ethOrder({ withdrawalId: SECOND })))).toEqual(refused('fence_taken'));
  expect(ask(payout(ethOrder({ withdrawalId: SECOND }), { nonce: '1' }))).toEqual(signed);
});

test('payouts of an asset stay within the limit of any hour, over all networks', () => {
  const dear = (withdrawalId: string, amount: string, nonce: string) =>
    payout(ethOrder({ withdrawalId, amount }), { nonce, value: String(BigInt(amount) * ether) });
  expect(ask(dear(FIRST, '9', '0'))).toEqual(signed);
  expect(ask(dear(SECOND, '2', '1'))).toEqual(refused('limit'));
  now_ms += HOUR_MS - 1;
  expect(ask(dear(SECOND, '2', '1'))).toEqual(refused('limit'));
  now_ms += 1;
  expect(ask(dear(SECOND, '2', '1'))).toEqual(signed);
});

test('amounts on networks with other decimals count towards the same limit', () => {
  const contractAddress = '0x55d398326f99059fF775485246999027B3197955';
  const order = usdtOrder({ network: 'BEP20', contractAddress, amount: '900' });
  const onBsc = transaction({
    chainId: '56',
    to: contractAddress,
    value: '0',
    data: writeTransfer(RECIPIENT, 900n * ether),
  });
  expect(ask({ kind: 'evm_payout', network: 'BEP20', transaction: onBsc, order: orderOf(order) })).toEqual(signed);
  const data = writeTransfer(RECIPIENT, 250_500_000n);
  expect(ask(payout(usdtOrder({ withdrawalId: SECOND }), { to: USDT, value: '0', data }))).toEqual(refused('limit'));
});

test('an asset without a limit, another chain and too high a fee are refused', () => {
  const order = ethOrder({ asset: 'USDC', contractAddress: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', amount: '1' });
  const usdc = {
    to: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    value: '0',
    data: writeTransfer(RECIPIENT, 1_000_000n),
  };
  const without = { ...policy, payoutsPerHour: { ETH: '10' } };
  expect(answerSigner({ wallet, policy: without, log, now: () => now_ms }, payout(order, usdc))).toEqual(
    refused('limit'),
  );
  expect(ask(payout(ethOrder(), { chainId: '137' }))).toEqual(refused('wrong_chain'));
  expect(ask(payout(ethOrder(), { maxFeePerGas: '600000000000' }))).toEqual(refused('fee_too_high'));
  expect(ask(payout(ethOrder({ network: 'BEP20' })))).toEqual(refused('not_an_order'));
  expect(ask(payout(usdtOrder({ contractAddress: OTHER }), { to: OTHER, value: '0' }))).toEqual(
    refused('not_an_order'),
  );
});

test('a deposit key pays only the hot wallet and the cold address', () => {
  const sweep = (changes: Partial<EvmTransaction>): SignerRequest => ({
    kind: 'evm_sweep',
    network: 'ETH',
    index: 4,
    transaction: transaction(changes),
  });
  const hot = wallet.evmAddress({ account: 'hot', index: 0 });
  expect(ask(sweep({ to: hot }))).toEqual(signed);
  expect(ask(sweep({ nonce: '1', to: COLD_EVM }))).toEqual(signed);
  expect(ask(sweep({ nonce: '2', to: USDT, value: '0', data: writeTransfer(hot, 5n) }))).toEqual(signed);
  expect(ask(sweep({ nonce: '3', to: RECIPIENT }))).toEqual(refused('another_recipient'));
  expect(ask(sweep({ nonce: '3', to: USDT, value: '0', data: writeTransfer(RECIPIENT, 5n) }))).toEqual(
    refused('another_recipient'),
  );
  // A contract that is no listed token may do anything with a call that looks like a transfer.
  expect(ask(sweep({ nonce: '3', to: OTHER, value: '0', data: writeTransfer(hot, 5n) }))).toEqual(
    refused('another_recipient'),
  );
});

test('the gas key pays derived deposit addresses within its hourly sum, and nobody else', () => {
  const gas = (nonce: string, to: string, value: bigint): SignerRequest => ({
    kind: 'evm_gas',
    network: 'ETH',
    index: 4,
    transaction: transaction({ nonce, to, value: String(value) }),
  });
  const deposit = wallet.evmAddress({ account: 'deposit', index: 4 });
  expect(ask(gas('0', RECIPIENT, 1n))).toEqual(refused('another_recipient'));
  expect(ask(gas('0', wallet.evmAddress({ account: 'deposit', index: 5 }), 1n))).toEqual(refused('another_recipient'));
  expect(ask(gas('0', deposit, ether / 20n))).toEqual(signed);
  expect(ask(gas('1', deposit, ether / 20n + 1n))).toEqual(refused('limit'));
  expect(ask(gas('1', deposit, ether / 20n))).toEqual(signed);
});

test('surplus of the hot wallet goes only to the configured cold address', () => {
  const cold = (to: string): SignerRequest => ({ kind: 'evm_cold', network: 'ETH', transaction: transaction({ to }) });
  expect(ask(cold(wallet.evmAddress({ account: 'deposit', index: 4 })))).toEqual(refused('another_recipient'));
  expect(ask(cold(COLD_EVM))).toEqual(signed);
  // The same nonce is no longer free for a payout.
  expect(ask(payout(ethOrder()))).toEqual(refused('fence_taken'));
});

const coin = (txid: string, atoms: string, account: 'deposit' | 'hot' = 'deposit') => ({
  txid: txid.repeat(64),
  vout: 0,
  atoms,
  key: { account, index: 0 },
  previous: null,
});

const ltcOrder = (changes: object = {}) =>
  ethOrder({ asset: 'LTC', network: 'LTC', address: LTC_RECIPIENT, amount: '0.5', ...changes });

const ltcHot = wallet.bitcoinAddress('LTC', { account: 'hot', index: 0 });

function ltcPayout(
  inputs: ReturnType<typeof coin>[],
  outputs: { address: string; atoms: string }[],
  order = ltcOrder(),
): SignerRequest {
  return { kind: 'bitcoin_payout', network: 'LTC', transaction: { inputs, outputs }, order: orderOf(order) };
}

const paid = { address: LTC_RECIPIENT, atoms: '50000000' };
const change = { address: ltcHot, atoms: '49990000' };

test('a deposit coin pays an ordered payout whose other outputs are change, and nothing else', () => {
  expect(ask(ltcPayout([coin('a', '100000000')], [paid, change]))).toEqual(signed);
  const stolen = { address: 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', atoms: '49990000' };
  const second = ltcOrder({ withdrawalId: SECOND });
  expect(ask(ltcPayout([coin('b', '100000000')], [paid, stolen], second))).toEqual(refused('another_recipient'));
  expect(ask(ltcPayout([coin('b', '100000000')], [paid, paid], second))).toEqual(refused('another_recipient'));
  expect(ask(ltcPayout([coin('b', '100000000')], [{ ...paid, atoms: '50000001' }, change], second))).toEqual(
    refused('another_payment'),
  );
  expect(ask(ltcPayout([coin('b', '100000000')], [paid], second))).toEqual(refused('fee_too_high'));
});

test('all versions of a payout share the anchor, and no other payout spends any of its coins', () => {
  ask(ltcPayout([coin('a', '60000000')], [paid, { address: ltcHot, atoms: '9990000' }]));
  expect(ask(ltcPayout([coin('b', '100000000')], [paid, change]))).toEqual(refused('second_payment'));
  const bumped = [coin('a', '60000000'), coin('b', '40000000')];
  expect(ask(ltcPayout(bumped, [paid, { ...change, atoms: '49900000' }]))).toEqual(signed);
  const second = ltcOrder({ withdrawalId: SECOND });
  expect(ask(ltcPayout([coin('b', '40000000'), coin('c', '60000000')], [paid, change], second))).toEqual(
    refused('fence_taken'),
  );
});

test('the same coin is never signed for with two amounts, since a segwit input covers only its own', () => {
  const [one, other] = [coin('a', '100000000'), coin('b', '900000000')];
  // Two requests for one transaction, each with another coin that is worth almost nothing, so that the fee looks small.
  const left = [one, { ...other, atoms: '1' }];
  const right = [{ ...one, atoms: '50000001' }, other];
  const outputs = [paid, { ...change, atoms: '49990000' }];
  expect(ask(ltcPayout(left, outputs))).toEqual(signed);
  expect(ask(ltcPayout(right, [paid, { ...change, atoms: '900000000' }]))).toEqual(refused('another_payment', true));
});

test('payments to the hot wallet and to the cold address need no order', () => {
  const request = (kind: 'bitcoin_gather' | 'bitcoin_cold', id: string, address: string): SignerRequest => ({
    kind,
    network: 'LTC',
    transaction: { inputs: [coin(id, '100000000')], outputs: [{ address, atoms: '99990000' }] },
  });
  expect(ask(request('bitcoin_gather', 'a', ltcHot))).toEqual(signed);
  expect(ask(request('bitcoin_gather', 'b', COLD_LTC))).toEqual(refused('another_recipient'));
  expect(ask(request('bitcoin_cold', 'b', LTC_RECIPIENT))).toEqual(refused('another_recipient'));
  expect(ask(request('bitcoin_cold', 'b', COLD_LTC))).toEqual(signed);
});

test('nothing is signed for a burnt id, also after a restart of the signer', () => {
  expect(ask({ kind: 'burn', withdrawalId: FIRST })).toMatchObject({ kind: 'burnt', signed: false });
  log.close();
  log = new SignatureLog(file);
  expect(ask(payout(ethOrder()))).toEqual(refused('burnt'));
  ask(payout(ethOrder({ withdrawalId: SECOND })));
  expect(ask({ kind: 'burn', withdrawalId: SECOND })).toMatchObject({ kind: 'burnt', signed: true });
  expect(ask(payout(ethOrder({ withdrawalId: SECOND })))).toEqual(refused('burnt', true));
});

test('more gas than the bound of its kind is refused, whatever it costs', () => {
  const cheap = { maxFeePerGas: '1000000000' };
  expect(ask(payout(ethOrder(), { ...cheap, gasLimit: '100001' }))).toEqual(refused('gas_too_high'));
  expect(ask(payout(ethOrder(), { ...cheap, gasLimit: '100000' }))).toEqual(signed);
  const token = { to: USDT, value: '0', data: writeTransfer(RECIPIENT, 250_500_000n), nonce: '1', ...cheap };
  const order = usdtOrder({ withdrawalId: SECOND });
  expect(ask(payout(order, { ...token, gasLimit: '200001' }))).toEqual(refused('gas_too_high'));
  expect(ask(payout(order, { ...token, gasLimit: '200000' }))).toEqual(signed);
});

test('a transaction that cannot be encoded is refused with a reason, and its fence is free for another', () => {
  const fence = {
    kind: 'fence',
    network: 'ETH',
    fence: `${wallet.evmAddress({ account: 'hot', index: 0 }).toLowerCase()}:0`,
  } as const;
  expect(ask(payout(ethOrder(), { maxPriorityFeePerGas: '30000000001' }))).toEqual(refused('cannot_be_signed'));
  expect(ask(fence)).toEqual({ kind: 'fence', signed: false });
  expect(ask(payout(ethOrder({ withdrawalId: SECOND })))).toEqual(signed);
  expect(ask(fence)).toEqual({ kind: 'fence', signed: true });
});

test('a payment of nothing uses up the nonce of a payout only when its id is burnt, and pays only ourselves', () => {
  const hot = wallet.evmAddress({ account: 'hot', index: 0 });
  const cancel = (changes: Partial<EvmTransaction> = {}, withdrawalId = FIRST): SignerRequest => ({
    kind: 'evm_cancel',
    network: 'ETH',
    withdrawalId,
    transaction: transaction({ to: hot, value: '0', gasLimit: '21000', maxFeePerGas: '60000000000', ...changes }),
  });
  ask(payout(ethOrder()));
  expect(ask(cancel())).toEqual(refused('not_burnt', true));
  ask({ kind: 'burn', withdrawalId: FIRST });
  expect(ask(cancel({ to: OTHER }))).toEqual(refused('another_recipient', true));
  expect(ask(cancel({ value: '1' }))).toEqual(refused('another_recipient', true));
  expect(ask(cancel({ nonce: '1' }))).toEqual(refused('second_payment'));
  ask(payout(ethOrder({ withdrawalId: SECOND }), { nonce: '1' }));
  expect(ask(cancel({ nonce: '1' }))).toEqual(refused('second_payment'));
  expect(ask(cancel())).toEqual(signed);
  expect(ask(payout(ethOrder(), { maxFeePerGas: '90000000000' }))).toEqual(refused('burnt', true));
});

test('the word about a burnt id is signed by a key of the signer, and says whether a payment was signed before', () => {
  ask(payout(ethOrder()));
  for (const [withdrawalId, isSigned] of [
    [FIRST, true],
    [SECOND, false],
  ] as const) {
    const answer = ask({ kind: 'burn', withdrawalId });
    if (answer.kind !== 'burnt') throw new Error(answer.kind);
    expect(answer.signed).toBe(isSigned);
    const text = new TextEncoder().encode(`bureau-burnt-v1.${withdrawalId}.${isSigned}`);
    expect(ed25519.verify(hex.decode(answer.signature), text, hex.decode(wallet.signerKey))).toBe(true);
  }
});

test('a refusal says whether this payment was signed with this fence before, also after the policy has changed', () => {
  ask(payout(ethOrder()));
  const narrow = {
    ...policy,
    networks: { ETH: { maxFee: '0.0001', feesPerHour: '1', cold: COLD_EVM, gasPerHour: '0' } },
  };
  const askNarrow = (request: SignerRequest) =>
    answerSigner({ wallet, policy: narrow, log, now: () => now_ms }, request);
  expect(askNarrow(payout(ethOrder()))).toEqual(refused('fee_too_high', true));
  expect(askNarrow(payout(ethOrder(), { nonce: '1' }))).toEqual(refused('fee_too_high'));
  expect(askNarrow(payout(ethOrder({ withdrawalId: SECOND })))).toEqual(refused('fee_too_high'));
  const unserved = { ...policy, networks: {} };
  expect(answerSigner({ wallet, policy: unserved, log, now: () => now_ms }, payout(ethOrder()))).toEqual(
    refused('not_served', true),
  );
});

test('fences, limits and orders are remembered after a restart of the signer', () => {
  ask(payout(ethOrder({ amount: '9' }), { value: String(9n * ether) }));
  log.close();
  log = new SignatureLog(file);
  const second = ethOrder({ withdrawalId: SECOND });
  expect(ask(payout(second))).toEqual(refused('fence_taken'));
  expect(ask(payout(second, { nonce: '1' }))).toEqual(refused('limit'));
});

test('nothing is signed while the clock is behind the log', () => {
  ask(payout(ethOrder()));
  now_ms -= 61_000;
  expect(ask(payout(ethOrder({ withdrawalId: SECOND }), { nonce: '1' }))).toEqual(refused('clock_behind'));
});

test('a clock that was ahead once stops the signer until a person says so, and its payouts count for an hour from then', () => {
  const right_ms = now_ms;
  now_ms += 400 * 24 * HOUR_MS;
  expect(ask(payout(ethOrder({ amount: '9' }), { value: String(9n * ether) }))).toEqual(signed);
  now_ms = right_ms;
  const next = payout(ethOrder({ withdrawalId: SECOND }), { nonce: '1' });
  expect(ask(next)).toEqual(refused('clock_behind'));
  log.setClockRight(now_ms);
  expect(ask(next)).toEqual(refused('limit'));
  now_ms += HOUR_MS - 1;
  expect(ask(next)).toEqual(refused('limit'));
  now_ms += 1;
  expect(ask(next)).toEqual(signed);
  log.close();
  log = new SignatureLog(file);
  now_ms -= 2 * 60_000;
  expect(ask(payout(ethOrder({ withdrawalId: SECOND }), { nonce: '1', maxFeePerGas: '60000000000' }))).toEqual(
    refused('clock_behind', true),
  );
});

test('rows of the log cannot be changed or deleted, and a row that was changed in the file is detected', () => {
  ask(payout(ethOrder()));
  log.close();
  const database = new DatabaseSync(file);
  expect(() => database.exec(`UPDATE log SET id = 'another'`)).toThrow('append only');
  expect(() => database.exec('DELETE FROM log')).toThrow('append only');
  database.exec(`DROP TRIGGER log_no_update; UPDATE log SET id = 'another'`);
  database.close();
  expect(() => new SignatureLog(file)).toThrow('row 1');
});

test('one nonce of one address is two payments on two networks', () => {
  const sweep = (network: 'ETH' | 'BEP20', chainId: string): SignerRequest => ({
    kind: 'evm_sweep',
    network,
    transaction: transaction({ chainId, to: wallet.evmAddress({ account: 'hot', index: 0 }) }),
    index: 3,
  });
  expect(ask(sweep('ETH', '1'))).toEqual(signed);
  expect(ask(sweep('BEP20', '56'))).toEqual(signed);
});

test('all fees of a network stay within its hourly limit, whatever they are paid for', () => {
  const narrow = {
    ...policy,
    networks: { ETH: { maxFee: '0.01', feesPerHour: '0.01', cold: COLD_EVM, gasPerHour: '1' } },
  };
  const askNarrow = (request: SignerRequest) =>
    answerSigner({ wallet, policy: narrow, log, now: () => now_ms }, request);
  // 90,000 of gas, so that a price of 10 gwei costs 0.0009 ETH.
  const at = (gwei: number) => ({ maxFeePerGas: String(BigInt(gwei) * 10n ** 9n) });
  const second = ethOrder({ withdrawalId: SECOND });
  expect(askNarrow(payout(ethOrder(), at(60)))).toEqual(signed);
  // Only the highest version of a payment counts, and one that was signed before is signed again.
  expect(askNarrow(payout(ethOrder(), at(80)))).toEqual(signed);
  expect(askNarrow(payout(ethOrder(), at(60)))).toEqual(signed);
  expect(askNarrow(payout(second, { nonce: '1', ...at(32) }))).toEqual(refused('fee_limit'));
  const sweep = (gwei: number): SignerRequest => ({
    kind: 'evm_cold',
    network: 'ETH',
    transaction: transaction({ nonce: '2', to: COLD_EVM, ...at(gwei) }),
  });
  expect(askNarrow(sweep(31))).toEqual(signed);
  expect(askNarrow(sweep(32))).toEqual(refused('fee_limit', true));
  log.close();
  log = new SignatureLog(file);
  now_ms += HOUR_MS - 1;
  expect(askNarrow(payout(second, { nonce: '1', ...at(1) }))).toEqual(refused('fee_limit'));
  now_ms += 1;
  expect(askNarrow(payout(second, { nonce: '1', ...at(32) }))).toEqual(signed);
});

test('two signers never share a log', () => {
  expect(() => new SignatureLog(file)).toThrow('locked');
});

import { join } from 'node:path';
import { TronWeb, utils } from 'tronweb';
import { beforeEach, expect, test } from 'vitest';
import { accountOf, tronAddressOf } from '../../src/account-address.ts';
import { readColdRequest, signColdRequest } from '../../src/cold/cold-request.ts';
import { writeTransfer } from '../../src/evm/token-transfer.ts';
import { signTron } from '../../src/signer/encode.ts';
import type { SignerRequest, TronTransaction } from '../../src/signer/requests.ts';
import { SignatureLog } from '../../src/signer/signature-log.ts';
import { answerSigner } from '../../src/signer/signer.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { createTronChain } from '../../src/tron/tron-chain.ts';
import { TronNode } from '../../src/tron/tron-node.ts';
import { TRON_USDT, readByTronweb } from '../support/play-tron.ts';
import { COLD_TRON, MNEMONIC, newFolder, orderOf, policy } from '../support/signing.ts';

const wallet = new Wallet(MNEMONIC);
const RECIPIENT = TronWeb.address.fromPrivateKey('22'.repeat(32)) as string;
const OTHER = TronWeb.address.fromPrivateKey('44'.repeat(32)) as string;
const FIRST = '019ac5a4-7c00-7000-8000-000000000001';
const HOUR_MS = 3_600_000;
const WAIT_MS = 600_000;
const NOW_MS = 1_795_241_228_000;
const BLOCK = `0000000004a1b2c3${'5d'.repeat(24)}`;

let now_ms: number;
let log: SignatureLog;

beforeEach(() => {
  now_ms = NOW_MS;
  log = new SignatureLog(join(newFolder(), 'signatures.sqlite'));
});

const call = (to: string, atoms: bigint, changes: Partial<TronTransaction> = {}): TronTransaction => ({
  to: TRON_USDT,
  value: '0',
  data: writeTransfer(accountOf('TRC20', to), atoms),
  feeLimit: '30000000',
  refBlock: BLOCK,
  expiration_ms: String(NOW_MS + HOUR_MS),
  timestamp_ms: String(NOW_MS),
  ...changes,
});

const coin = (to: string, value: string): TronTransaction => call(to, 0n, { to, value, data: '0x', feeLimit: '0' });

test('tronweb reads what is signed, with the same id, and finds the signer’s key', () => {
  const name = { account: 'hot', index: 0 } as const;
  const many = [0n, 1n, 127n, 128n, 250_500_000n, 2n ** 63n - 1n, 2n ** 255n].map((atoms) => call(RECIPIENT, atoms));
  const coins = ['1', '127', '128', '16384', '9007199254740993'].map((value) => coin(RECIPIENT, value));
  for (const transaction of [...many, ...coins]) {
    const { raw, txHash } = signTron(transaction, wallet.tronKey(name));
    const read = readByTronweb(raw);
    expect(read.txID).toBe(txHash);
    expect(TronWeb.address.toHex(utils.crypto.ecRecover(txHash, read.signature[0] ?? ''))).toBe(
      TronWeb.address.toHex(wallet.tronAddress(name)),
    );
    const { contract, expiration, fee_limit: limit = 0 } = read.raw_data;
    expect([expiration, limit]).toEqual([NOW_MS + HOUR_MS, Number(transaction.feeLimit)]);
    const { value } = contract[0].parameter;
    const to = String(value['to_address'] ?? value['contract_address']);
    expect(TronWeb.address.toHex(to).toLowerCase()).toBe(TronWeb.address.toHex(transaction.to).toLowerCase());
    if (transaction.data !== '0x') expect(`0x${String(value['data']).toLowerCase()}`).toBe(transaction.data);
  }
});

test('an address is its account behind a version byte, as tronweb has it', () => {
  for (const address of [RECIPIENT, OTHER, TRON_USDT, COLD_TRON]) {
    expect(`41${accountOf('TRC20', address).slice(2)}`).toBe(TronWeb.address.toHex(address).toLowerCase());
    expect(tronAddressOf(accountOf('TRC20', address))).toBe(address);
  }
  expect(() => accountOf('TRC20', '0x52908400098527886E0F7030069857D2E4169EE7')).toThrow('no address of Tron');
});

const ask = (request: SignerRequest, rules = policy) =>
  answerSigner({ wallet, policy: rules, log, now: () => now_ms }, request);

const order = (changes: object = {}) =>
  orderOf({
    withdrawalId: FIRST,
    asset: 'USDT',
    network: 'TRC20',
    contractAddress: TRON_USDT,
    address: RECIPIENT,
    amount: '250.5',
    ...changes,
  });

const payout = (changes: Partial<TronTransaction> = {}, ordered = order()): SignerRequest => ({
  kind: 'tron_payout',
  network: 'TRC20',
  transaction: call(RECIPIENT, 250_500_000n, changes),
  order: ordered,
});

const signed = expect.objectContaining({ kind: 'signed' });
const refused = (reason: string, wasSigned = false) => ({ kind: 'refused', reason, signed: wasSigned });

test('a payout is signed for exactly the transfer that was ordered, and again for the same transaction alone', () => {
  const first = ask(payout());
  expect(first).toEqual(signed);
  expect(ask(payout())).toEqual(first);
  expect(ask(payout({ data: writeTransfer(accountOf('TRC20', OTHER), 250_500_000n) }))).toEqual(
    refused('another_recipient'),
  );
  expect(ask(payout({ data: writeTransfer(accountOf('TRC20', RECIPIENT), 250_500_001n) }))).toEqual(
    refused('another_payment'),
  );
  expect(ask(payout({ to: OTHER }))).toEqual(refused('another_recipient'));
  expect(ask(payout({ value: '1' }))).toEqual(refused('another_payment'));
  expect(ask(payout({ feeLimit: '99600001' }))).toEqual(refused('fee_too_high'));
});

const later = (hours: number) => ({ expiration_ms: String(now_ms + hours * HOUR_MS) });

test('another version is signed only ten minutes after the first has expired by the signer’s clock, and the third is a person’s', () => {
  expect(ask(payout())).toEqual(signed);
  expect(ask(payout(later(2)))).toEqual(refused('earlier_version_alive'));
  now_ms += HOUR_MS + WAIT_MS;
  expect(ask(payout(later(1)))).toEqual(refused('earlier_version_alive'));
  now_ms += 1;
  expect(ask(payout(later(1)))).toEqual(signed);
  // The first is not signed again: its time has passed.
  expect(ask(payout())).toMatchObject({ kind: 'refused' });
  now_ms += HOUR_MS + WAIT_MS + 1;
  expect(ask(payout(later(1)))).toEqual(refused('third_version'));
  expect(ask(payout(later(1)), { ...policy, moreVersions: [FIRST] })).toEqual(signed);
});

test('each version counts towards the hourly limits, of payouts and of fees', () => {
  const rules = { ...policy, payoutsPerHour: { USDT: '400' } };
  const short = { expiration_ms: String(NOW_MS - WAIT_MS - 1) };
  expect(ask(payout(short), rules)).toEqual(signed);
  expect(ask(payout(), rules)).toEqual(refused('limit'));
  const fees = { ...policy.networks.TRC20, maxFee: '40', feesPerHour: '50', cold: COLD_TRON, gasPerHour: '0' };
  expect(ask(payout(), { ...policy, networks: { TRC20: fees } })).toEqual(refused('fee_limit'));
  now_ms += HOUR_MS;
  expect(ask(payout(later(1)), rules)).toEqual(signed);
});

test('nothing is signed for a burnt id, whichever version', () => {
  expect(ask(payout())).toEqual(signed);
  expect(ask({ kind: 'burn', withdrawalId: FIRST })).toMatchObject({ kind: 'burnt', signed: true });
  now_ms += HOUR_MS + WAIT_MS + 1;
  expect(ask(payout(later(1)))).toEqual(refused('burnt'));
});

test('deposit keys pay only hot and cold, the gas key only deposit addresses, within an hour’s limit', () => {
  const hot = wallet.tronAddress({ account: 'hot', index: 0 });
  const deposit = wallet.tronAddress({ account: 'deposit', index: 3 });
  const sweep = (to: string, changes = {}) =>
    ask({ kind: 'tron_sweep', network: 'TRC20', transaction: call(to, 5n, changes), index: 3 });
  expect(sweep(hot)).toEqual(signed);
  expect(sweep(COLD_TRON)).toEqual(signed);
  expect(sweep(OTHER)).toEqual(refused('another_recipient'));
  expect(sweep(hot, { to: OTHER })).toEqual(refused('another_recipient'));
  const gas = (to: string, sun: string) =>
    ask({ kind: 'tron_gas', network: 'TRC20', transaction: coin(to, sun), index: 3 });
  expect(gas(deposit, '400000000')).toEqual(signed);
  expect(gas(OTHER, '1')).toEqual(refused('another_recipient'));
  expect(gas(deposit, '100000001')).toEqual(refused('limit'));
  const cold = (to: string) => ask({ kind: 'tron_cold', network: 'TRC20', transaction: call(to, 5n) });
  expect(cold(COLD_TRON)).toEqual(signed);
  expect(cold(hot)).toEqual(refused('another_recipient'));
});

test('the offline machine signs only a payment to the hot address, within the fee', () => {
  const hot = wallet.tronAddress({ account: 'hot', index: 0 });
  const request = (transaction: TronTransaction) => ({ kind: 'tron', network: 'TRC20', transaction }) as const;
  const right = request(call(hot, 7_000_000n));
  expect(readColdRequest(right, wallet, hot, '31')).toEqual({ asset: 'USDT', atoms: 7_000_000n, fee: 30_400_000n });
  expect(() => readColdRequest(right, wallet, hot, '30')).toThrow('above');
  for (const wrong of [call(OTHER, 7n), call(hot, 7n, { to: OTHER }), coin(OTHER, '5')]) {
    expect(() => readColdRequest(request(wrong), wallet, hot, '31')).toThrow('alone');
  }
  expect(readByTronweb(signColdRequest(right, wallet).raw).txID).toBe(signColdRequest(right, wallet).txHash);
});

const idAt = (height: number, fork: string) => height.toString(16).padStart(16, '0') + fork.repeat(48);

/** A node whose two parts show these newest blocks, and other blocks of these forks. */
function playNode(wallets: readonly [number, string], solids: readonly [number, string]): TronNode {
  return new TronNode(async (path, body) => {
    const [newest, fork] = path.startsWith('/wallet/') ? wallets : solids;
    const { id_or_num: at = String(newest) } = body as { id_or_num?: string };
    const height = Number(at);
    if (height > newest) return {};
    const raw = { number: height, timestamp: height * 3_000, parentHash: idAt(Math.max(0, height - 1), fork) };
    return { blockID: idAt(height, fork), block_header: { raw_data: raw } };
  });
}

test.each([
  ['behind', [50, 'a'], [31, 'a'], 31],
  ['ahead', [50, 'a'], [60, 'a'], 50],
  ['on another fork', [50, 'a'], [31, 'b'], -1],
] as const)(
  'where the solidified part is %s, only what both parts show is final',
  async (_, wallets, solids, height) => {
    const node = playNode(wallets, solids);
    const chain = createTronChain({ network: 'TRC20', node, secondNode: node, genesis: idAt(0, wallets[1]) });
    expect(await chain.finalByTag()).toBe(height);
    expect(await chain.secondView()).toMatchObject({ finalByTag: height });
  },
);

test('a block whose id does not have its number is no answer', async () => {
  const raw = { number: 5, timestamp: 1, parentHash: idAt(4, 'a') };
  const node = new TronNode(async () => ({ blockID: idAt(6, 'a'), block_header: { raw_data: raw } }));
  await expect(node.header(5)).rejects.toThrow('does not have number 5');
});

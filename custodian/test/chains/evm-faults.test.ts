import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatAmount } from '../../../src/money/amounts.ts';
import { writeTransfer } from '../../src/evm/token-transfer.ts';
import { type AskSigner, SignerUnavailable } from '../../src/signer/connect.ts';
import type { Policy } from '../../src/signer/policy.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { type RunningCustodian, runCustodian, until, wallet } from '../support/run-custodian.ts';
import { newFolder, policy as usualPolicy } from '../support/signing.ts';
import { type Anvil, FROZEN_TOKEN_CODE, RICH, startAnvil } from '../support/start-anvil.ts';

/** Faults of one payout or sweep on the EVM that must not stop other payouts. */
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const ether = 10n ** 18n;
const hot = wallet.evmAddress({ account: 'hot', index: 0 });
const customer = wallet.evmAddress({ account: 'deposit', index: 3 });

let anvil: Anvil;
let bureau: PlayedBureau;
let custodian: RunningCustodian;
let folder: string;

const networks = (changes: object = {}) => ({
  evm: { ETH: { nodes: [anvil.url], interval_ms: 20, startHeight: 0, hasTraces: true, ...changes } },
});

beforeEach(async () => {
  folder = newFolder();
  bureau = await PlayedBureau.start();
  anvil = await startAnvil();
  await anvil.setBalance(hot, 100n * ether);
  await anvil.setToken(USDT, hot, 5_000_000_000n);
  await anvil.mine();
});

afterEach(async () => {
  await custodian.stop();
  await anvil.stop();
  await bureau.stop();
});

const payout = (changes: object = {}) => ({
  withdrawalId: randomUUID(),
  asset: 'ETH',
  network: 'ETH',
  contractAddress: null,
  address: RECIPIENT,
  amount: '1.5',
  ...changes,
});

const mineOne = () => anvil.mine();
const isSent = async ({ withdrawalId }: { withdrawalId: string }) =>
  (await custodian.look(withdrawalId)).body.status === 'sent';
const untilSent = (wanted: { withdrawalId: string }) => until('sent', () => isSent(wanted), mineOne);
const saw = (event: string, fields: object = {}) =>
  custodian.events.some(
    (one) => one.event === event && Object.entries(fields).every(([name, value]) => one[name] === value),
  );

test('a deposit that its token refuses to move stops no payout, and is logged once', async () => {
  await anvil.setToken(USDT, RICH, 1_000_000_000n);
  custodian = await runCustodian(bureau.url, networks(), folder);
  await anvil.send(USDT, 0n, writeTransfer(customer, 25_000_000n));
  await until('final', () => saw('deposit_moved', { state: 'FINAL' }), mineOne);
  await custodian.stop();
  await anvil.call('anvil_setCode', [USDT, FROZEN_TOKEN_CODE]);
  custodian = await runCustodian(bureau.url, networks({ sweepFrom: { USDT: '20' } }), folder);
  const wanted = payout();
  await custodian.pay(wanted);
  await untilSent(wanted);
  expect(custodian.events.filter(({ event }) => event === 'own_spend_refused')).toHaveLength(1);
});

/** A signer that cannot be reached when it is first asked for one payout; `isAnswered` says whether it had signed. */
function failOnce(withdrawalId: string, isAnswered: boolean): (ask: AskSigner) => AskSigner {
  let isToFail = true;
  return (ask) => async (request) => {
    const isIt = 'order' in request && request.order.body.includes(withdrawalId);
    if (!isIt || !isToFail) return ask(request);
    isToFail = false;
    if (isAnswered) await ask(request);
    throw new SignerUnavailable('the answer is lost');
  };
}

test('a payout that the signer refuses after a failure leaves no unused nonce before the next', async () => {
  const dear = payout({ amount: '11' });
  custodian = await runCustodian(bureau.url, networks(), folder, usualPolicy, failOnce(dear.withdrawalId, false));
  const wanted = payout();
  await Promise.all([custodian.pay(dear), custodian.pay(wanted)]);
  await untilSent(wanted);
  expect(saw('signer_refused', { id: dear.withdrawalId, reason: 'limit', signed: false })).toBe(true);
  expect((await custodian.look(dear.withdrawalId)).body).toEqual({ status: 'held', reason: 'signer: limit' });
});

test('a fence whose signature was lost is kept while the policy refuses, and used for one payment', async () => {
  const first = payout({ asset: 'USDT', contractAddress: USDT, amount: '250.5' });
  const second = payout();
  const { ETH } = usualPolicy.networks;
  const policy: Policy = { ...usualPolicy, networks: { ...usualPolicy.networks, ...(ETH && { ETH: { ...ETH } }) } };
  const lose = failOnce(first.withdrawalId, true);
  const narrow = (ask: AskSigner): AskSigner => {
    const losing = lose(ask);
    return async (request) => {
      try {
        return await losing(request);
      } catch (error) {
        // The first is dearer than the second, which the narrower policy would let pass.
        if (request.kind === 'evm_payout' && policy.networks.ETH) {
          const { gasLimit, maxFeePerGas } = request.transaction;
          policy.networks.ETH.maxFee = formatAmount((BigInt(gasLimit) * BigInt(maxFeePerGas) * 3n) / 4n, 18);
        }
        throw error;
      }
    };
  };
  custodian = await runCustodian(bureau.url, networks(), folder, policy, narrow);
  await custodian.pay(first);
  await until('refused', () => saw('signer_refused', { id: first.withdrawalId, signed: true }));
  await custodian.pay(second);
  await until('held', () => saw('spend_held', { id: second.withdrawalId }));
  if (policy.networks.ETH && ETH) policy.networks.ETH.maxFee = ETH.maxFee;
  await untilSent(first);
  await untilSent(second);
  expect(saw('signer_refused', { reason: 'fence_taken' })).toBe(false);
  expect(await anvil.tokenBalance(USDT, RECIPIENT)).toBe(250_500_000n);
  expect(await anvil.balance(RECIPIENT)).toBe((ether * 3n) / 2n);
});

test('Bureau is asked to look up a payout until it accepts, also after a restart, and not afterwards', async () => {
  custodian = await runCustodian(bureau.url, networks(), folder);
  await until('followed', async () => (await custodian.holdings()).networks[0]?.height != null);
  const wanted = payout();
  bureau.isDeaf = true;
  await custodian.pay(wanted);
  await untilSent(wanted);
  await until('tried', () => saw('look_now_failed', { id: wanted.withdrawalId }));
  await custodian.stop();
  expect(bureau.looks).toEqual([]);
  bureau.isDeaf = false;
  custodian = await runCustodian(bureau.url, networks(), folder);
  await until('heard', () => bureau.looks.length > 0);
  const next = payout();
  await custodian.pay(next);
  await untilSent(next);
  await until('heard', () => bureau.looks.includes(next.withdrawalId));
  expect(bureau.looks).toEqual([wanted.withdrawalId, next.withdrawalId]);
});

test('no block is read before Bureau has said which addresses it has assigned', async () => {
  // More than are watched ahead, as after a loss of the custodian's database.
  const late = wallet.evmAddress({ account: 'deposit', index: 40 });
  const hash = await anvil.send(late, ether);
  await anvil.mine();
  let answer: (count: number) => void = () => undefined;
  bureau.assigned = new Promise((resolve) => (answer = resolve));
  custodian = await runCustodian(bureau.url, networks(), folder);
  await new Promise((resolve) => setTimeout(resolve, 500));
  answer(41);
  await until('credited', () => bureau.statusOf('ETH', hash) === 'COMPLETED', mineOne);
});

test('a payout that was reverted is refused only when the signer has burnt its id', async () => {
  let isBurning = false;
  const between = (ask: AskSigner): AskSigner => {
    return (request) => {
      if (request.kind === 'burn' && !isBurning) return Promise.reject(new SignerUnavailable('the signer is down'));
      return ask(request);
    };
  };
  custodian = await runCustodian(bureau.url, networks(), folder, usualPolicy, between);
  const wanted = payout();
  await custodian.pay(wanted);
  await until('broadcast', () => saw('version_broadcast'));
  await anvil.call('anvil_setCode', [RECIPIENT, '0x5f5ffd']);
  await until('reverted for good', () => saw('spend_moved', { state: 'FINAL_REVERTED' }), mineOne);
  await until('not burnt', () => saw('spend_failed', { id: wanted.withdrawalId }));
  expect((await custodian.look(wanted.withdrawalId)).body.status).toBe('accepted');
  isBurning = true;
  await until('refused', async () => (await custodian.look(wanted.withdrawalId)).body.status === 'refused');
});

test('an older version is sent again when the node does not take the newest', async () => {
  custodian = await runCustodian(bureau.url, networks({ bumpAfterBlocks: 2 }), folder);
  const wanted = payout({ amount: '9' });
  await custodian.pay(wanted);
  await until('broadcast', () => saw('version_broadcast'));
  const first = (await custodian.look(wanted.withdrawalId)).body.txHash;
  // There is enough for the first version and not for the second. The node forgets what it had.
  await anvil.call('anvil_setNextBlockBaseFeePerGas', ['0xba43b7400']);
  await anvil.call('evm_mine');
  await anvil.call('anvil_dropAllTransactions');
  await anvil.setBalance(hot, 9n * ether + ether / 10_000n);
  await until('rejected', () => saw('version_rejected'), mineOne);
  await until('sent', () => isSent(wanted), mineOne);
  expect((await custodian.look(wanted.withdrawalId)).body.txHash).toBe(first);
});

test('a token is not swept while its gas costs more than `sweepMaxFee`, and swept when fees have fallen', async () => {
  await anvil.setToken(USDT, RICH, 1_000_000_000n);
  await anvil.setBalance(wallet.evmAddress({ account: 'gas', index: 0 }), 10n * ether);
  const changes = { sweepFrom: { USDT: '20' }, sweepMaxFee: '0.001' };
  // 50 gwei: a sweep costs more than 0.002 ETH.
  await anvil.call('anvil_setNextBlockBaseFeePerGas', ['0xba43b7400']);
  await anvil.send(USDT, 0n, writeTransfer(customer, 25_000_000n));
  custodian = await runCustodian(bureau.url, networks(changes), folder);
  await until('swept', () => saw('spend_moved', { purpose: 'sweep', state: 'FINAL_PAID' }), mineOne);
  const swept = custodian.events.find(({ event, id }) => event === 'version_stored' && String(id).startsWith('sweep:'));
  const { gas, maxFeePerGas } = (await anvil.call('eth_getTransactionByHash', [swept?.['txHash']])) as Record<
    'gas' | 'maxFeePerGas',
    string
  >;
  expect(BigInt(gas) * BigInt(maxFeePerGas)).toBeLessThanOrEqual(ether / 1000n);
});

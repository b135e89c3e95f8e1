import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Config } from '../../src/config.ts';
import { writeTransfer } from '../../src/evm/token-transfer.ts';
import { examineEvm } from '../../src/examine.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { type RunningCustodian, runCustodian, until, wallet, writeConfig } from '../support/run-custodian.ts';
import { type Anvil, RICH, startAnvil } from '../support/start-anvil.ts';

const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const ether = 10n ** 18n;
const hot = wallet.evmAddress({ account: 'hot', index: 0 });
const gas = wallet.evmAddress({ account: 'gas', index: 0 });
const customer = wallet.evmAddress({ account: 'deposit', index: 3 });

let anvil: Anvil;
let bureau: PlayedBureau;
let custodian: RunningCustodian;

const networks = (changes: object = {}) => ({
  evm: {
    ETH: { nodes: [anvil.url], interval_ms: 20, startHeight: 0, hasTraces: true, bumpAfterBlocks: 3, ...changes },
  },
});

beforeEach(async () => {
  bureau = await PlayedBureau.start();
  anvil = await startAnvil();
  await anvil.setBalance(hot, 100n * ether);
  await anvil.setBalance(gas, 10n * ether);
  await anvil.setToken(USDT, hot, 5_000_000_000n);
  await anvil.mine();
  custodian = await runCustodian(bureau.url, networks());
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

const count = (event: string) => custodian.events.filter((one) => one.event === event).length;
/** Until the custodian has taken in the newest block. */
const untilFollowed = async () => {
  const height = Number(await anvil.call('eth_blockNumber'));
  await until('followed', async () => (await custodian.holdings()).networks[0]?.height === height);
};

const mineOne = () => anvil.mine();

test('a payout is accepted with a provisional hash, and sent only when its block is final', async () => {
  const wanted = payout();
  expect((await custodian.pay(wanted)).body.status).toBe('accepted');
  await until('broadcast', () => count('version_broadcast') > 0);
  const provisional = await custodian.look(wanted.withdrawalId);
  expect(provisional.body).toEqual({ status: 'accepted', txHash: expect.stringMatching(/^0x/) });
  await anvil.mine();
  await until('included', () => count('spend_moved') > 0);
  expect((await custodian.look(wanted.withdrawalId)).body.status).toBe('accepted');
  await until('sent', async () => (await custodian.look(wanted.withdrawalId)).body.status === 'sent', mineOne);
  expect((await custodian.look(wanted.withdrawalId)).body.txHash).toBe(provisional.body.txHash);
  expect(bureau.looks).toContain(wanted.withdrawalId);
  expect(await anvil.balance(RECIPIENT)).toBe((ether * 3n) / 2n);
  expect((await custodian.pay(wanted)).body.status).toBe('sent');
});

test('a token payout moves exactly the ordered amount', async () => {
  const wanted = payout({ asset: 'USDT', contractAddress: USDT, amount: '250.5' });
  await custodian.pay(wanted);
  await until('sent', async () => (await custodian.look(wanted.withdrawalId)).body.status === 'sent', mineOne);
  expect(await anvil.tokenBalance(USDT, RECIPIENT)).toBe(250_500_000n);
});

test('a stuck payout is replaced with the same nonce, and arrives once', async () => {
  const wanted = payout();
  await custodian.pay(wanted);
  await until('broadcast', () => count('version_broadcast') > 0);
  const first = (await custodian.look(wanted.withdrawalId)).body.txHash;
  // Gas becomes fifty times as dear, so no block can take it.
  await anvil.call('anvil_setNextBlockBaseFeePerGas', ['0xba43b7400']);
  await until('bumped', () => count('version_stored') > 1, mineOne);
  await until('sent', async () => (await custodian.look(wanted.withdrawalId)).body.status === 'sent', mineOne);
  expect((await custodian.look(wanted.withdrawalId)).body.txHash).not.toBe(first);
  expect(await anvil.balance(RECIPIENT)).toBe((ether * 3n) / 2n);
});

test('many payouts at once take one nonce each, and each arrives once', async () => {
  const wanted = Array.from({ length: 12 }, () => payout({ amount: '0.1' }));
  await Promise.all(wanted.flatMap((one) => [custodian.pay(one), custodian.pay(one)]));
  await until(
    'all sent',
    async () =>
      (await Promise.all(wanted.map(({ withdrawalId }) => custodian.look(withdrawalId)))).every(
        ({ body }) => body.status === 'sent',
      ),
    mineOne,
  );
  expect(await anvil.balance(RECIPIENT)).toBe((ether * 12n) / 10n);
});

test('a payout whose block was reorganised away is sent again with the same hash', async () => {
  const wanted = payout();
  await custodian.pay(wanted);
  await until('broadcast', () => count('version_broadcast') > 0);
  await anvil.mine();
  await until('included', () => custodian.events.some(({ state }) => state === 'INCLUDED'));
  await anvil.call('anvil_reorg', [1, []]);
  await anvil.mine();
  await until('orphaned', () =>
    custodian.events.some(({ event, state }) => event === 'spend_moved' && state === 'SIGNED'),
  );
  await until('sent', async () => (await custodian.look(wanted.withdrawalId)).body.status === 'sent', mineOne);
  expect(await anvil.balance(RECIPIENT)).toBe((ether * 3n) / 2n);
});

test('deposits of coins and tokens, two in one transaction as well, are credited once, with an index of their own', async () => {
  await anvil.setToken(USDT, RICH, 1_000_000_000n);
  const coin = await anvil.send(customer, ether / 2n);
  const token = await anvil.send(USDT, 0n, writeTransfer(customer, 25_000_000n));
  await anvil.mine();
  await until('seen', () => bureau.statusOf('ETH', coin) === 'PENDING');
  expect(bureau.statusOf('ETH', token, 1)).toBe('PENDING');
  await until('credited', () => bureau.statusOf('ETH', coin) === 'COMPLETED', mineOne);
  await until('credited', () => bureau.statusOf('ETH', token, 1) === 'COMPLETED', mineOne);
  const report = bureau.reports.find(({ txHash }) => txHash === token);
  expect(report).toMatchObject({ address: customer, asset: 'USDT', amount: '25', outputIndex: 1, failed: false });
});

/** Takes blocks off the chain and puts empty ones there. Anvil forgets what was in them. */
const reorganise = (depth: number) => anvil.call('anvil_reorg', [depth, []]);

test('a deposit that is reorganised away at any depth below finality waits, and is credited once when it is back', async () => {
  const raw = await anvil.sign(0, customer, ether / 2n);
  const hash = String(await anvil.call('eth_sendRawTransaction', [raw]));
  for (const depth of [1, 2, 3, 4]) {
    const before = count('block_orphaned');
    await anvil.mine(depth);
    await untilFollowed();
    await reorganise(depth);
    await anvil.mine();
    await until('orphaned', () => count('block_orphaned') === before + depth);
    await until('waiting', () => custodian.events.filter(({ state }) => state === 'ORPHANED').length > 0);
    expect(bureau.statusOf('ETH', hash)).toBe('PENDING');
    await anvil.call('eth_sendRawTransaction', [raw]);
  }
  await until('credited', () => bureau.statusOf('ETH', hash) === 'COMPLETED', mineOne);
  expect(bureau.reports.some(({ failed }) => failed)).toBe(false);
});

test('a deposit fails only when a conflicting transaction is final, however long it is in no block', async () => {
  const hash = String(await anvil.call('eth_sendRawTransaction', [await anvil.sign(0, customer, ether / 2n)]));
  await anvil.mine();
  await until('seen', () => bureau.statusOf('ETH', hash) === 'PENDING');
  await reorganise(1);
  await anvil.mine(40);
  await until('orphaned', () => custodian.events.some(({ state }) => state === 'ORPHANED'));
  expect(bureau.statusOf('ETH', hash)).toBe('PENDING');
  await anvil.call('eth_sendRawTransaction', [await anvil.sign(0, RECIPIENT, ether / 2n)]);
  await anvil.mine();
  expect(bureau.statusOf('ETH', hash)).toBe('PENDING');
  await until('dead', () => bureau.statusOf('ETH', hash) === 'FAILED', mineOne);
  expect(await anvil.balance(customer)).toBe(0n);
});

test('when a final block is no longer on the chain, nothing more is followed and nothing is paid', async () => {
  const wanted = payout();
  await custodian.pay(wanted);
  await until('sent', async () => (await custodian.look(wanted.withdrawalId)).body.status === 'sent', mineOne);
  const height = Number(await anvil.call('eth_blockNumber'));
  await reorganise(height - 1);
  await anvil.mine();
  await until('halted', () => count('chain_halted') === 1);
  const signed = count('version_signed');
  await custodian.pay(payout());
  await anvil.mine(3);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(count('version_signed')).toBe(signed);
});

test('a deposit in quarantine is reported as failed when a conflicting transaction is final', async () => {
  bureau.unowned = customer;
  const hash = String(await anvil.call('eth_sendRawTransaction', [await anvil.sign(0, customer, ether / 2n)]));
  await anvil.mine();
  await until('quarantined', () => bureau.statusOf('ETH', hash) === 'QUARANTINED');
  await reorganise(1);
  await anvil.call('eth_sendRawTransaction', [await anvil.sign(0, RECIPIENT, ether / 2n)]);
  await until('dead', () => bureau.statusOf('ETH', hash) === 'FAILED', mineOne);
  const failed = () => bureau.reports.filter((report) => report.failed).length;
  expect(failed()).toBe(1);
  await anvil.mine(3);
  await untilFollowed();
  expect(failed()).toBe(1);
});

test('a payout that cannot be made now is held, and made when it can be', async () => {
  await anvil.setBalance(hot, ether);
  const wanted = payout();
  await custodian.pay(wanted);
  await until('held', () =>
    custodian.events.some(({ event, reason }) => event === 'spend_held' && reason === 'hot_wallet_low: ETH'),
  );
  await until('told', () => bureau.looks.includes(wanted.withdrawalId));
  expect((await custodian.look(wanted.withdrawalId)).body).toEqual({ status: 'held', reason: 'hot_wallet_low: ETH' });
  await anvil.setBalance(hot, 2n * ether);
  await until('sent', async () => (await custodian.look(wanted.withdrawalId)).body.status === 'sent', mineOne);
});

test('a payout that the network reverts for good is refused only after the signer has burnt its id', async () => {
  const wanted = payout();
  await custodian.pay(wanted);
  await until('broadcast', () => count('version_broadcast') > 0);
  await anvil.call('anvil_setCode', [RECIPIENT, '0x5f5ffd']);
  await until('refused', async () => (await custodian.look(wanted.withdrawalId)).body.status === 'refused', mineOne);
  expect(count('spend_refused')).toBe(1);
  expect(await anvil.balance(RECIPIENT)).toBe(0n);
});

test('an order that can never be paid is refused, and one that Bureau did not sign is not accepted', async () => {
  const wanted = payout({ address: 'nowhere' });
  expect((await custodian.pay(wanted)).body.status).toBe('accepted');
  await until('refused', async () => (await custodian.look(wanted.withdrawalId)).body.status === 'refused');
  const foreign = payout({ network: 'TRC20', asset: 'USDT' });
  await custodian.pay(foreign);
  await until('refused', async () => (await custodian.look(foreign.withdrawalId)).body.status === 'refused');
  expect((await custodian.look(randomUUID())).status).toBe(404);
});

test('deposits of at least `sweepFrom` are swept to the hot wallet, tokens with gas from the gas wallet', async () => {
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ sweepFrom: { ETH: '0.1', USDT: '20' } }));
  await anvil.setToken(USDT, RICH, 1_000_000_000n);
  const other = wallet.evmAddress({ account: 'deposit', index: 1 });
  const before = bureau.reports.length;
  await anvil.send(USDT, 0n, writeTransfer(customer, 25_000_000n));
  await anvil.send(USDT, 0n, writeTransfer(other, 19_000_000n));
  await anvil.send(other, ether / 2n);
  await until(
    'swept',
    () => custodian.events.filter(({ state, purpose }) => purpose === 'sweep' && state === 'FINAL_PAID').length === 2,
    mineOne,
  );
  expect(await anvil.tokenBalance(USDT, customer)).toBe(0n);
  expect(await anvil.tokenBalance(USDT, other)).toBe(19_000_000n);
  expect(await anvil.tokenBalance(USDT, hot)).toBe(5_025_000_000n);
  expect(await anvil.balance(other)).toBeLessThan(ether / 1000n);
  // The gas that went to the customer's address is no deposit.
  expect(bureau.reports.slice(before).filter(({ address, asset }) => address === customer && asset === 'ETH')).toEqual(
    [],
  );
});

test('the doctor finds nothing wrong with this node, and names what is wrong with a node of another chain', async () => {
  const settings = Config.parse(writeConfig('/nowhere', bureau.url, networks())).evm.ETH;
  if (!settings) throw new Error('it is configured');
  await anvil.mine(6);
  expect((await examineEvm('ETH', settings, Date.now())).filter(({ isRight }) => !isRight)).toEqual([]);
  const wrong = (await examineEvm('BASE', settings, Date.now() + 3_600_000)).filter(({ isRight }) => !isRight);
  expect(wrong.map(({ name }) => name)).toEqual(['BASE, node 1: chain id', 'BASE: the newest block is new']);
});

test('above its maximum the hot wallet sends the surplus to the cold address, down to its target', async () => {
  await custodian.stop();
  const hotWallet = { ETH: { target: '30', max: '60' }, USDT: { target: '1000', max: '6000' } };
  custodian = await runCustodian(bureau.url, networks({ hotWallet }));
  await until(
    'cold',
    () => custodian.events.some(({ state, purpose }) => purpose === 'cold' && state === 'FINAL_PAID'),
    mineOne,
  );
  expect(await anvil.balance('0x8ba1f109551bD432803012645Ac136ddd64DBA72')).toBe(70n * ether);
  expect(await anvil.tokenBalance(USDT, hot)).toBe(5_000_000_000n);
});

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FaultyNode, startFaultyNode } from '../support/faulty-node.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { type RunningCustodian, runCustodian, until, wallet } from '../support/run-custodian.ts';
import { newFolder, policy } from '../support/signing.ts';
import { type Anvil, startAnvil } from '../support/start-anvil.ts';

/** The custodian's behaviour when its nodes or its database fail, and when fees rise. */
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const ether = 10n ** 18n;
const hot = wallet.evmAddress({ account: 'hot', index: 0 });
const customer = wallet.evmAddress({ account: 'deposit', index: 3 });

let anvil: Anvil;
let node: FaultyNode;
let bureau: PlayedBureau;
let custodian: RunningCustodian;

const networks = (changes: object = {}) => ({
  evm: { ETH: { nodes: [node.url], interval_ms: 20, startHeight: 0, hasTraces: true, ...changes } },
});

beforeEach(async () => {
  bureau = await PlayedBureau.start();
  anvil = await startAnvil();
  node = await startFaultyNode(anvil.url);
  await anvil.setBalance(hot, 100n * ether);
  await anvil.mine();
});

afterEach(async () => {
  await custodian.stop();
  await node.stop();
  await anvil.stop();
  await bureau.stop();
});

const payout = (amount = '1.5') => ({
  withdrawalId: randomUUID(),
  asset: 'ETH',
  network: 'ETH',
  contractAddress: null,
  address: RECIPIENT,
  amount,
});

const quantity = (atoms: bigint) => `"value":"0x${atoms.toString(16)}"`;
const mineOne = () => anvil.mine();
const count = (event: string) => custodian.events.filter((one) => one.event === event).length;
const heightOf = async () => Number(await anvil.call('eth_blockNumber'));
const untilFollowed = async () => {
  const height = await heightOf();
  await until('followed', async () => (await custodian.holdings()).networks[0]?.height === height);
};
const untilSent = ({ withdrawalId }: { withdrawalId: string }) =>
  until('sent', async () => (await custodian.look(withdrawalId)).body.status === 'sent', mineOne);

test.each(['down', 'nonsense'] as const)(
  'while the node is %s orders are taken and nothing is signed; afterwards each is paid once',
  async (fault) => {
    custodian = await runCustodian(bureau.url, networks());
    await untilFollowed();
    node.fault = fault;
    await until('noticed', () => count('look_failed') > 0);
    const wanted = payout();
    expect((await custodian.pay(wanted)).body).toEqual({ status: 'accepted' });
    const before = count('look_failed');
    await until('looked at again', () => count('look_failed') > before + 1);
    expect(count('version_signed')).toBe(0);
    node.fault = 'none';
    await untilSent(wanted);
    expect(await anvil.balance(RECIPIENT)).toBe((ether * 3n) / 2n);
  },
);

test('no block is deleted when the node falls behind the blocks that were read', async () => {
  custodian = await runCustodian(bureau.url, networks());
  const hash = await anvil.send(customer, ether);
  await anvil.mine(5);
  await untilFollowed();
  await until('seen', () => bureau.statusOf('ETH', hash) === 'PENDING');
  node.fault = { knowsUpTo: (await heightOf()) - 4 };
  const wanted = payout();
  await custodian.pay(wanted);
  await until('paid by what is known', () => count('version_broadcast') > 2);
  expect([count('block_orphaned'), count('chain_halted')]).toEqual([0, 0]);
  node.fault = 'none';
  await untilSent(wanted);
  expect(count('deposit_moved')).toBeGreaterThan(0);
  expect(custodian.events.some(({ state }) => state === 'ORPHANED')).toBe(false);
});

test('a large deposit waits for a second node, for ever if there is none, and a small one does not', async () => {
  await using other = await startAnvil();
  await using second = await startFaultyNode(other.url);
  const agreeFrom = { ETH: '1' };
  custodian = await runCustodian(bureau.url, networks({ nodes: [node.url, second.url], agreeFrom }));
  const [small, large] = [await anvil.send(customer, ether - 1n), await anvil.send(customer, ether)];
  // The second node is another chain: one of the two lies.
  await until('small credited', () => bureau.statusOf('ETH', small) === 'COMPLETED', mineOne);
  await anvil.mine(3);
  await untilFollowed();
  expect(bureau.statusOf('ETH', large)).toBe('PENDING');
  second.fault = 'down';
  await until('no answer', () => count('report_failed') > 0);
  expect(bureau.statusOf('ETH', large)).toBe('PENDING');
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ nodes: [node.url, anvil.url], agreeFrom }));
  await until('large credited', () => bureau.statusOf('ETH', large) === 'COMPLETED', mineOne);
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ agreeFrom }));
  const [little, much] = [await anvil.send(customer, ether - 1n), await anvil.send(customer, ether)];
  await until('credited', () => bureau.statusOf('ETH', little) === 'COMPLETED', mineOne);
  // So many that the hashes of blocks as old as its own are no longer kept.
  await anvil.mine(150);
  await untilFollowed();
  await anvil.mine();
  await untilFollowed();
  expect(bureau.statusOf('ETH', much)).toBe('PENDING');
}, 180_000);

test('a node that shows a larger deposit in a true block is not believed when a second node shows another', async () => {
  // The node multiplies what the customer sends by 100, under the true hash of the block.
  node.fault = {
    method: 'eth_getBlockByHash',
    change: (answer) => answer.replaceAll(quantity(ether), quantity(100n * ether)),
  };
  custodian = await runCustodian(bureau.url, networks({ nodes: [node.url, anvil.url], agreeFrom: { ETH: '2' } }));
  const hash = await anvil.send(customer, ether);
  await anvil.mine();
  await until('seen', () => bureau.statusOf('ETH', hash) === 'PENDING');
  expect(bureau.reports.find(({ txHash }) => txHash === hash)?.amount).toBe('100');
  await anvil.mine(45);
  await untilFollowed();
  await anvil.mine();
  await untilFollowed();
  expect(bureau.statusOf('ETH', hash)).toBe('PENDING');
});

test('a payout is not refused because one node says that it was reverted, when a second says that it was paid', async () => {
  custodian = await runCustodian(bureau.url, networks({ nodes: [node.url, anvil.url] }));
  const wanted = payout();
  await custodian.pay(wanted);
  await until('broadcast', () => count('version_broadcast') > 0);
  node.fault = {
    method: 'eth_getBlockReceipts',
    change: (answer) => answer.replaceAll('"status":"0x1"', '"status":"0x0"'),
  };
  await until('doubted', () => count('refusal_doubted') + count('spend_refused') > 0, mineOne);
  expect((await custodian.look(wanted.withdrawalId)).body.status).toBe('accepted');
  expect(await anvil.balance(RECIPIENT)).toBe((ether * 3n) / 2n);
});

test('a large payout is answered as sent only when a second node shows it as paid, and a small one at once', async () => {
  await using other = await startAnvil();
  await using second = await startFaultyNode(other.url);
  const folder = newFolder();
  const agreeFrom = { ETH: '1' };
  custodian = await runCustodian(bureau.url, networks({ nodes: [node.url, second.url], agreeFrom }), folder);
  const [small, large] = [payout('0.9'), payout()];
  for (const one of [small, large]) await custodian.pay(one);
  // The second node is another chain: one of the two lies.
  await untilSent(small);
  await until('doubted', () => count('payout_doubted') > 0, mineOne);
  await anvil.mine(40);
  await untilFollowed();
  const { body } = await custodian.look(large.withdrawalId);
  expect(body).toEqual({ status: 'accepted', txHash: expect.stringMatching(/^0x/) });
  second.fault = 'down';
  await until('no answer', () => custodian.events.some(({ event, error }) => event === 'payout_doubted' && error));
  expect((await custodian.look(large.withdrawalId)).body).toEqual(body);
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ nodes: [node.url, anvil.url], agreeFrom }), folder);
  await untilSent(large);
  expect((await custodian.look(large.withdrawalId)).body.txHash).toBe(body.txHash);
  expect(await anvil.balance(RECIPIENT)).toBe((ether * 24n) / 10n);
});

test('holdings are those of the block that the custodian has read, not of the newest', async () => {
  custodian = await runCustodian(bureau.url, networks());
  await untilFollowed();
  node.fault = { knowsUpTo: await heightOf() };
  const { blockHash } = (await custodian.holdings()).networks[0] ?? {};
  await anvil.send(hot, ether);
  await anvil.mine();
  expect((await custodian.holdings()).networks[0]).toMatchObject({
    blockHash,
    assets: expect.arrayContaining([{ asset: 'ETH', amount: '100', held: '100' }]),
  });
  node.fault = 'none';
  await untilFollowed();
  expect((await custodian.holdings()).networks[0]?.assets).toContainEqual({
    asset: 'ETH',
    amount: '101',
    held: '101',
  });
});

test('while fees are above what the signer pays a payout is held without a nonce, and paid when they have fallen', async () => {
  custodian = await runCustodian(bureau.url, networks());
  // 2,000 gwei: above 0.05 ETH for a payment.
  await anvil.call('anvil_setNextBlockBaseFeePerGas', ['0x1d1a94a2000']);
  await anvil.mine();
  await untilFollowed();
  const wanted = payout();
  await custodian.pay(wanted);
  await until('refused', () => count('signer_refused') > 0);
  expect(custodian.events.find(({ event }) => event === 'signer_refused')).toMatchObject({
    reason: 'fee_too_high',
    signed: false,
  });
  await untilSent(wanted);
  expect(await anvil.balance(RECIPIENT)).toBe((ether * 3n) / 2n);
});

test('an order is answered by 500 while the database is locked, and accepted afterwards', async () => {
  const folder = newFolder();
  custodian = await runCustodian(bureau.url, networks({ interval_ms: 60_000 }), folder, policy);
  await untilFollowed();
  const other = new DatabaseSync(join(folder, 'custodian.sqlite'));
  other.exec('BEGIN IMMEDIATE');
  const wanted = payout();
  expect((await custodian.pay(wanted)).status).toBe(500);
  other.exec('ROLLBACK');
  other.close();
  expect((await custodian.look(wanted.withdrawalId)).status).toBe(404);
  expect((await custodian.pay(wanted)).body).toEqual({ status: 'accepted' });
  await until('broadcast', () => count('version_broadcast') === 1);
});

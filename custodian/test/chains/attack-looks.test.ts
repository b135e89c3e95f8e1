import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Database } from '../../src/store/database.ts';
import { resumeChain } from '../../src/store/chain-state.ts';
import { type FaultyNode, startFaultyNode } from '../support/faulty-node.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { type RunningCustodian, runCustodian, until, wallet } from '../support/run-custodian.ts';
import { newFolder } from '../support/signing.ts';
import { type Anvil, RICH, startAnvil } from '../support/start-anvil.ts';

/** What else the custodian has to do must not delay payouts: a look is counted by the question that begins it. */
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const ether = 10n ** 18n;
const hot = wallet.evmAddress({ account: 'hot', index: 0 });
const customer = wallet.evmAddress({ account: 'deposit', index: 3 });
const MOST_LOOKS = 2;

let anvil: Anvil;
let bureau: PlayedBureau;
let custodian: RunningCustodian;
let first: FaultyNode;
let second: FaultyNode;
let looks: number;
let folder: string;

beforeEach(async () => {
  folder = newFolder();
  bureau = await PlayedBureau.start();
  anvil = await startAnvil();
  await anvil.setBalance(hot, 100n * ether);
  await anvil.mine(2);
  first = await startFaultyNode(anvil.url);
  second = await startFaultyNode(anvil.url);
  looks = 0;
  // Only the beginning of a look asks the first node for its chain.
  first.fault = {
    invent: ({ method }) => {
      if (method === 'eth_chainId') looks += 1;
      return undefined;
    },
  };
});

afterEach(async () => {
  bureau.isSilent = false;
  second.fault = 'none';
  await first.stop();
  await second.stop();
  await bureau.stop();
  await custodian.stop();
  await anvil.stop();
});

const run = async (changes: object = {}) => {
  const ETH = { nodes: [first.url], interval_ms: 50, startHeight: 0, hasTraces: false, ...changes };
  custodian = await runCustodian(bureau.url, { evm: { ETH } }, folder);
  await until('followed', async () => (await custodian.holdings()).networks[0]?.height != null);
};

const payout = (amount = '0.1') => ({
  withdrawalId: randomUUID(),
  asset: 'ETH',
  network: 'ETH',
  contractAddress: null,
  address: RECIPIENT,
  amount,
});

const events = (name: string) => custodian.events.filter(({ event }) => event === name);
const mineOne = () => anvil.mine();

/** Submits a payout. Returns how many looks began until it was signed. */
async function countLooks(): Promise<number> {
  const wanted = payout();
  const before = looks;
  await custodian.pay(wanted);
  await until('signed', () =>
    custodian.events.some(({ event, id }) => event === 'version_stored' && id === wanted.withdrawalId),
  );
  return looks - before;
}

/** A contract at the token's address that logs `count` transfers of one atom to a customer at every call. */
function dustCode(count: number): string {
  const head = `60015f5261${count.toString(16).padStart(4, '0')}`;
  const loop = (head.length / 2).toString(16).padStart(2, '0');
  return `0x${head}5b73${customer.slice(2).toLowerCase()}60017f${TRANSFER}60205fa3600190038060${loop}5700`;
}

test('a thousand deposits of dust in one transaction delay a payout by no more than two looks', async () => {
  await anvil.call('anvil_setCode', [USDT, dustCode(1_000)]);
  await run();
  await anvil.call('eth_sendTransaction', [{ from: RICH, to: USDT, data: '0x', gas: '0x1c9c380' }]);
  await anvil.mine();
  await until('reported', () => bureau.reports.length > 0);
  expect(await countLooks()).toBeLessThanOrEqual(MOST_LOOKS);
  await until('all reported', () => bureau.reports.length >= 1_000);
});

test('a second node that never answers delays no payout by more than two looks, while deposits wait for it', async () => {
  await run({ nodes: [first.url, second.url] });
  for (let count = 0; count < 3; count += 1) await anvil.send(customer, ether + BigInt(count));
  await anvil.mine();
  await until('seen', () => bureau.reports.length >= 3);
  second.fault = 'silent';
  await anvil.mine(40);
  expect(await countLooks()).toBeLessThanOrEqual(MOST_LOOKS);
  expect(await countLooks()).toBeLessThanOrEqual(MOST_LOOKS);
});

test('a Bureau that never answers delays no payout by more than two looks', async () => {
  await run();
  bureau.isSilent = true;
  for (let count = 0; count < 4; count += 1) await anvil.send(customer, ether + BigInt(count));
  await anvil.mine();
  await until('seen', () => looks > 5);
  expect(await countLooks()).toBeLessThanOrEqual(MOST_LOOKS);
  expect(await countLooks()).toBeLessThanOrEqual(MOST_LOOKS);
});

test('a node that takes transactions and passes none on does not drive their fee up', async () => {
  let isRelaying = false;
  first.fault = {
    invent: ({ method }) => (method === 'eth_sendRawTransaction' && !isRelaying ? `0x${'11'.repeat(32)}` : undefined),
  };
  await run({ bumpAfterBlocks: 2 });
  const wanted = payout();
  await custodian.pay(wanted);
  await until('signed', () => events('version_stored').length > 0);
  await anvil.mine(60);
  await until(
    'followed',
    async () => (await custodian.holdings()).networks[0]?.height === Number(await anvil.call('eth_blockNumber')),
  );
  expect(events('version_stored').length).toBeLessThanOrEqual(2);
  isRelaying = true;
  await until('sent', async () => (await custodian.look(wanted.withdrawalId)).body.status === 'sent', mineOne);
});

test('after a person resumes a chain, a payout whose final block is gone is sent again, and the next one goes on', async () => {
  await anvil.mine(10);
  await run({ finalTag: null, finalDepth: 3 });
  const [gone, next] = [payout('1'), payout('2')];
  await custodian.pay(gone);
  await until('sent', async () => (await custodian.look(gone.withdrawalId)).body.status === 'sent', mineOne);
  const height = Number(await anvil.call('eth_blockNumber'));
  await anvil.call('anvil_reorg', [8, []]);
  await anvil.mine(2);
  await until('halted', () => events('chain_halted').length > 0);
  const database = new Database(join(folder, 'custodian.sqlite'));
  expect(resumeChain(database, 'ETH', height - 10)).toBe(true);
  database.close();
  await custodian.pay(next);
  await until('next sent', async () => (await custodian.look(next.withdrawalId)).body.status === 'sent', mineOne);
  await until('sent again', async () => (await custodian.look(gone.withdrawalId)).body.status === 'sent', mineOne);
  expect(await anvil.balance(RECIPIENT)).toBe(3n * ether);
});

test('a custodian that is behind its node says so', async () => {
  await anvil.mine(450);
  await run();
  await until('behind', () => events('behind').length > 0);
  expect(events('behind')[0]).toMatchObject({ network: 'ETH', blocks: expect.any(Number) });
});

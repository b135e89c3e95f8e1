import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeTransfer } from '../../src/evm/token-transfer.ts';
import { type FaultyNode, startFaultyNode } from '../support/faulty-node.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { type RunningCustodian, runCustodian, until, wallet } from '../support/run-custodian.ts';
import { COLD_EVM } from '../support/signing.ts';
import { type Anvil, RICH, startAnvil } from '../support/start-anvil.ts';

/** What the custodian says that it holds, to the atom, while money moves. */
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const ether = 10n ** 18n;
const hot = wallet.evmAddress({ account: 'hot', index: 0 });
const gas = wallet.evmAddress({ account: 'gas', index: 0 });
const customer = wallet.evmAddress({ account: 'deposit', index: 3 });
const other = wallet.evmAddress({ account: 'deposit', index: 4 });

let anvil: Anvil;
let node: FaultyNode;
let bureau: PlayedBureau;
let custodian: RunningCustodian;

/** The house has put 10 ETH into the hot wallet to pay fees with. */
const networks = (changes: object = {}) => ({
  evm: {
    ETH: { nodes: [node.url], interval_ms: 20, startHeight: 0, hasTraces: true, feeFloat: '10', ...changes },
  },
});

beforeEach(async () => {
  bureau = await PlayedBureau.start();
  anvil = await startAnvil();
  node = await startFaultyNode(anvil.url);
  await anvil.setBalance(hot, 10n * ether);
  await anvil.setBalance(gas, 2n * ether);
  await anvil.setToken(USDT, RICH, 1_000_000_000n);
  await anvil.mine();
});

afterEach(async () => {
  await custodian.stop();
  await node.stop();
  await anvil.stop();
  await bureau.stop();
});

const mineOne = () => anvil.mine();
const has = (fields: object) =>
  custodian.events.some((event) =>
    Object.entries(fields).every(([name, value]) => (event as Record<string, unknown>)[name] === value),
  );
const network = async () => (await custodian.holdings()).networks[0];

/** What is held of each asset at the newest block. */
async function heldNow(): Promise<Record<string, string>> {
  const height = Number(await anvil.call('eth_blockNumber'));
  let found = await network();
  await until('followed', async () => {
    found = await network();
    return found?.height === height && found.at !== null;
  });
  return Object.fromEntries((found?.assets ?? []).map(({ asset, held }) => [asset, held]));
}

async function mineAndRead(count = 1): Promise<Record<string, string>> {
  await anvil.mine(count);
  return heldNow();
}

function payout(amount: string, changes: object = {}) {
  const wanted = { asset: 'ETH', network: 'ETH', contractAddress: null, address: RECIPIENT, amount, ...changes };
  return { withdrawalId: randomUUID(), ...wanted };
}

const isSent = async (withdrawalId: string) => (await custodian.look(withdrawalId)).body.status === 'sent';

test('what is held counts a deposit from its block on, and stays the same to the atom while coins and tokens are swept', async () => {
  custodian = await runCustodian(bureau.url, networks({ sweepFrom: { ETH: '0.1', USDT: '20' } }));
  expect(await heldNow()).toMatchObject({ ETH: '0', USDT: '0' });
  await anvil.send(customer, ether / 2n);
  await anvil.send(USDT, 0n, writeTransfer(other, 25_000_000n));
  expect(await mineAndRead()).toMatchObject({ ETH: '0.5', USDT: '25' });
  const isSwept = (asset: string) =>
    custodian.events.some(
      ({ event, purpose, state, id }) =>
        event === 'spend_moved' &&
        purpose === 'sweep' &&
        state === 'FINAL_PAID' &&
        custodian.events.some((one) => one.event === 'own_spend_ordered' && one['id'] === id && one['asset'] === asset),
    );
  await until(
    'swept',
    () => isSwept('ETH') && isSwept('USDT'),
    async () => expect(await mineAndRead()).toMatchObject({ ETH: '0.5', USDT: '25' }),
  );
  expect(await anvil.tokenBalance(USDT, hot)).toBe(25_000_000n);
  expect(has({ event: 'own_spend_ordered', purpose: 'gas' })).toBe(true);
}, 120_000);

test('a payout is held until Bureau has settled it, through its block, a reorganisation and finality', async () => {
  custodian = await runCustodian(bureau.url, networks());
  await anvil.send(customer, 3n * ether);
  await anvil.send(hot, 2n * ether);
  expect(await mineAndRead()).toMatchObject({ ETH: '5' });
  bureau.isDeaf = true;
  const wanted = payout('1.5');
  await custodian.pay(wanted);
  await until('broadcast', () => has({ event: 'version_broadcast' }));
  expect(await heldNow()).toMatchObject({ ETH: '5' });
  expect(await mineAndRead()).toMatchObject({ ETH: '5' });
  expect(await anvil.balance(RECIPIENT)).toBe((ether * 3n) / 2n);
  await until('included', () => has({ event: 'spend_moved', state: 'INCLUDED' }));
  await anvil.call('anvil_reorg', [1, []]);
  await until('orphaned', () => has({ event: 'spend_moved', state: 'SIGNED' }), mineOne);
  await until(
    'sent',
    () => isSent(wanted.withdrawalId),
    async () => expect(await mineAndRead()).toMatchObject({ ETH: '5' }),
  );
  await until('not heard', () => has({ event: 'look_now_failed' }));
  expect(await mineAndRead(3)).toMatchObject({ ETH: '5' });
  bureau.isDeaf = false;
  await until('heard', () => bureau.looks.includes(wanted.withdrawalId));
  await until('settled', async () => (await heldNow())['ETH'] === '3.5');
}, 120_000);

test('what is held stays the same while the surplus goes to the cold address, and falls when coins are taken away', async () => {
  await anvil.setToken(USDT, hot, 5_000_000_000n);
  const hotWallet = { ETH: { target: '3', max: '6' }, USDT: { target: '1000', max: '2000' } };
  custodian = await runCustodian(bureau.url, networks({ hotWallet }));
  const before = await mineAndRead();
  expect(before).toMatchObject({ ETH: '0', USDT: '5000' });
  const isCold = async () => (await anvil.balance(COLD_EVM)) > 0n && (await anvil.tokenBalance(USDT, COLD_EVM)) > 0n;
  await until('cold', isCold, async () => expect(await mineAndRead()).toMatchObject(before));
  expect(await mineAndRead(10)).toMatchObject(before);
  await anvil.call('anvil_impersonateAccount', [COLD_EVM]);
  const data = writeTransfer(RECIPIENT, 1_000_000n);
  await anvil.call('eth_sendTransaction', [{ from: COLD_EVM, to: USDT, data, gas: '0x30d40' }]);
  expect(await mineAndRead()).toMatchObject({ USDT: '4999' });
});

test('while the node is down or knows no newer blocks, holdings keep the time at which they were true', async () => {
  custodian = await runCustodian(bureau.url, networks());
  await anvil.send(customer, ether);
  expect(await mineAndRead()).toMatchObject({ ETH: '1' });
  const before = await network();
  node.fault = 'down';
  await until('noticed', () => has({ event: 'look_failed' }));
  await anvil.send(customer, ether);
  await anvil.mine(3);
  // Balances at an older block cannot be asked for either.
  const { at, blockHash, assets } = (await network()) ?? {};
  expect(blockHash).toBe(before?.blockHash);
  expect(assets).toEqual(before?.assets);
  const later = (await network())?.at ?? '';
  expect(later).toBe(at);
  expect(Date.parse(later)).toBeLessThan(Date.now());
  expect(has({ event: 'holdings_failed' })).toBe(true);
  node.fault = 'none';
  expect(await mineAndRead()).toMatchObject({ ETH: '2' });
});

import { createHash, randomUUID } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { v7 } from 'uuid';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isProvenUnpaid } from '../../../src/custody/verify-refusal.ts';
import { type FaultyNode, startFaultyNode } from '../support/faulty-node.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { type RunningCustodian, runCustodian, until, wallet } from '../support/run-custodian.ts';
import { COLD_EVM, newFolder } from '../support/signing.ts';
import { type Anvil, startAnvil } from '../support/start-anvil.ts';
import { type Litecoin, startLitecoind } from '../support/start-litecoind.ts';

/** A taken over process, a restored backup, and a node that lies. */
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const ether = 10n ** 18n;
const hot = wallet.evmAddress({ account: 'hot', index: 0 });
const customer = wallet.evmAddress({ account: 'deposit', index: 3 });

let anvil: Anvil | undefined;
let litecoin: Litecoin | undefined;
let bureau: PlayedBureau;
let running: RunningCustodian[] = [];
let node: FaultyNode | undefined;

beforeEach(async () => {
  bureau = await PlayedBureau.start();
});

afterEach(async () => {
  for (const one of running) await one.stop();
  running = [];
  await node?.stop();
  await anvil?.stop();
  await litecoin?.stop();
  [node, anvil, litecoin] = [undefined, undefined, undefined];
  await bureau.stop();
});

async function startEthereum(chainId = 1): Promise<Anvil> {
  anvil = await startAnvil(chainId);
  await anvil.setBalance(hot, 100n * ether);
  await anvil.mine(2);
  return anvil;
}

async function run(networks: object, folder = newFolder(), restoredAt_ms?: number): Promise<RunningCustodian> {
  const custodian = await runCustodian(bureau.url, networks, folder, undefined, undefined, restoredAt_ms);
  running.push(custodian);
  return custodian;
}

async function stop(custodian: RunningCustodian): Promise<void> {
  running = running.filter((one) => one !== custodian);
  await custodian.stop();
}

const onEthereum = (changes: object = {}) => ({
  evm: { ETH: { nodes: [anvil?.url], interval_ms: 30, startHeight: 0, hasTraces: false, ...changes } },
});

const payout = (changes: object = {}) => ({
  withdrawalId: v7(),
  asset: 'ETH',
  network: 'ETH',
  contractAddress: null,
  address: RECIPIENT,
  amount: '1.5',
  ...changes,
});

const saw = (custodian: RunningCustodian, event: string, fields: object = {}) =>
  custodian.events.some(
    (one) => one.event === event && Object.entries(fields).every(([name, value]) => one[name] === value),
  );
const stateOf = async (custodian: RunningCustodian, { withdrawalId }: { withdrawalId: string }) =>
  (await custodian.look(withdrawalId)).body.status;

test('a refusal carries the signer’s word: nothing was signed, or something was and a person must decide', async () => {
  const chain = await startEthereum();
  const custodian = await run(onEthereum());
  const [unpayable, reverted] = [payout({ address: 'nowhere' }), payout()];
  await custodian.pay(unpayable);
  await custodian.pay(reverted);
  await until('broadcast', () => saw(custodian, 'version_broadcast'));
  await chain.call('anvil_setCode', [RECIPIENT, '0x5f5ffd']);
  for (const one of [unpayable, reverted]) {
    await until(
      'refused',
      async () => (await stateOf(custodian, one)) === 'refused',
      () => chain.mine(),
    );
  }
  const proofOf = async ({ withdrawalId }: { withdrawalId: string }) =>
    ((await custodian.look(withdrawalId)).body as { proof?: { signed: boolean; signature: string } }).proof;
  expect(await isProvenUnpaid(unpayable.withdrawalId, await proofOf(unpayable), wallet.signerKey)).toBe(true);
  expect(await proofOf(reverted)).toMatchObject({ signed: true });
  expect(await isProvenUnpaid(reverted.withdrawalId, await proofOf(reverted), wallet.signerKey)).toBe(false);
});

test('a second watcher reports deposits with its own node, and takes no orders and makes no payments', async () => {
  const chain = await startEthereum();
  const house = { hot, gas: wallet.evmAddress({ account: 'gas', index: 0 }), cold: COLD_EVM };
  const hotWallet = { ETH: { target: '1', max: '2' } };
  const watcher = await run({ ...onEthereum({ hotWallet }), watchOnly: { ETH: house } });
  const hash = await chain.send(customer, ether);
  await until(
    'credited',
    () => bureau.statusOf('ETH', hash) === 'COMPLETED',
    () => chain.mine(),
  );
  expect((await watcher.pay(payout())).status).toBe(401);
  expect(saw(watcher, 'own_spend_ordered')).toBe(false);
});

test('a deposit counts the confirmations of the node that has fewer, however many blocks the first one invents', async () => {
  const chain = await startEthereum();
  node = await startFaultyNode(chain.url);
  const custodian = await run(onEthereum({ nodes: [node.url, chain.url], agreeFrom: { ETH: '1' } }));
  const deposit = await chain.send(customer, 50n * ether);
  await chain.mine();
  await until('seen', () => bureau.statusOf('ETH', deposit) === 'PENDING');
  const top = (await chain.call('eth_getBlockByNumber', ['latest', false])) as Record<string, string>;
  const from = Number(top['number']) + 1;
  const hashOf = (height: number) => `0x${createHash('sha256').update(`invented ${height}`).digest('hex')}`;
  const invent = (height: number) => ({
    ...top,
    number: `0x${height.toString(16)}`,
    hash: hashOf(height),
    parentHash: height === from ? top['hash'] : hashOf(height - 1),
    transactions: [],
  });
  const invented = Array.from({ length: 41 }, (_, place) => from + place);
  node.fault = {
    invent: ({ method, params: [at] }) => {
      if (method === 'eth_getBlockByNumber') {
        if (at === 'latest' || at === 'finalized') return invent(from + 40);
        return invented.includes(Number(at)) ? invent(Number(at)) : undefined;
      }
      const height = invented.find((one) => hashOf(one) === at);
      if (height === undefined) return undefined;
      return method === 'eth_getBlockByHash' ? invent(height) : [];
    },
  };
  await until('doubted', () => saw(custodian, 'deposit_doubted'));
  expect(bureau.statusOf('ETH', deposit)).toBe('PENDING');
  node.fault = 'none';
});

test('the node of another chain behind a name is not read, neither as the first nor as the second', async () => {
  const chain = await startEthereum(137);
  const custodian = await run(onEthereum());
  await chain.send(customer, 1_000n * ether);
  await chain.mine(40);
  await until('refused', () => custodian.events.some(({ error }) => String(error).includes('is of chain 137')));
  expect(bureau.reports).toEqual([]);
  litecoin = await startLitecoind();
  const feeRate = { usual: 10_000, min: 1_000, max: 200_000 };
  const LTC = {
    nodes: [litecoin.url],
    genesis: '0'.repeat(64),
    interval_ms: 30,
    startHeight: 0,
    finalDepth: 6,
    feeRate,
  };
  const other = await run({ bitcoin: { LTC } });
  await until('refused', () => other.events.some(({ error }) => String(error).includes('begins with')));
});

test('a backup of both databases halts on the EVM and pays nobody twice, and `--restored-at` leads out', async () => {
  const chain = await startEthereum();
  const [folder, backup] = [newFolder(), newFolder()];
  let custodian = await run(onEthereum(), folder);
  const [earlier, open, lost] = [payout({ amount: '1' }), payout({ amount: '200' }), payout()];
  await custodian.pay(earlier);
  await until(
    'sent',
    async () => (await stateOf(custodian, earlier)) === 'sent',
    () => chain.mine(),
  );
  // It waits for coins in the backup, and is paid afterwards.
  await custodian.pay(open);
  await until('held', async () => (await stateOf(custodian, open)) === 'held');
  await stop(custodian);
  cpSync(folder, backup, { recursive: true });
  custodian = await run(onEthereum(), folder);
  await custodian.pay(lost);
  await until('broadcast', () => saw(custodian, 'version_broadcast', { id: lost.withdrawalId }));
  await chain.mine();
  await until('included', () => saw(custodian, 'spend_moved', { id: lost.withdrawalId }));
  await stop(custodian);
  rmSync(folder, { recursive: true });
  cpSync(backup, folder, { recursive: true });
  custodian = await run(onEthereum(), folder);
  await until('halted', () => saw(custodian, 'chain_halted'));
  expect((await custodian.pay(lost)).body.status).toBe('accepted');
  await chain.setBalance(hot, 1_000n * ether);
  await chain.mine(3);
  expect(saw(custodian, 'version_signed')).toBe(false);
  await stop(custodian);

  const restoredAt_ms = Date.now() + 1;
  custodian = await run(onEthereum(), folder, restoredAt_ms);
  for (const one of [open, lost]) await until('held', async () => (await stateOf(custodian, one)) === 'held');
  expect((await custodian.look(lost.withdrawalId)).body.reason).toBe('restored_from_backup');
  expect((await custodian.look(v7({ msecs: restoredAt_ms - 1_000 }))).status).toBe(503);
  expect((await custodian.pay(payout({ withdrawalId: v7({ msecs: restoredAt_ms - 1_000 }) }))).status).toBe(503);
  expect((await custodian.look(randomUUID())).status).toBe(503);
  const later = { withdrawalId: v7({ msecs: restoredAt_ms + 60_000 }) };
  expect((await custodian.look(later.withdrawalId)).body.status).toBe('never_seen');
  await custodian.pay(payout(later));
  await until(
    'sent',
    async () => (await stateOf(custodian, later)) === 'sent',
    () => chain.mine(),
  );
  expect(await chain.balance(RECIPIENT)).toBe(4n * ether);
});

test.each([
  ['in a block', true],
  ['in the node’s pool', false],
])(
  'a backup of both databases halts on Litecoin when the payout since is %s, and pays nobody twice',
  async (_, isMined) => {
    const chain = await startLitecoind();
    litecoin = chain;
    const address = wallet.bitcoinAddress('LTC', { account: 'deposit', index: 900 });
    for (let coin = 0; coin < 4; coin += 1)
      await chain.send(wallet.bitcoinAddress('LTC', { account: 'deposit', index: 1 }), '3');
    await chain.mine(8);
    const feeRate = { usual: 10_000, min: 1_000, max: 200_000 };
    const networks = {
      bitcoin: { LTC: { nodes: [chain.url], interval_ms: 50, startHeight: 0, finalDepth: 6, feeRate } },
    };
    const [folder, backup] = [newFolder(), newFolder()];
    let custodian = await run(networks, folder);
    await until('followed', async () => (await custodian.holdings()).networks[0]?.at != null);
    await stop(custodian);
    cpSync(folder, backup, { recursive: true });
    custodian = await run(networks, folder);
    const lost = payout({ asset: 'LTC', network: 'LTC', amount: '2', address });
    await custodian.pay(lost);
    await until('broadcast', () => saw(custodian, 'version_broadcast'));
    if (isMined) await chain.mine();
    await stop(custodian);
    rmSync(folder, { recursive: true });
    cpSync(backup, folder, { recursive: true });
    custodian = await run(networks, folder);
    await custodian.pay(lost);
    await until('halted', () => saw(custodian, 'chain_halted'));
    await chain.mine(3);
    expect(saw(custodian, 'version_signed')).toBe(false);
    await stop(custodian);

    const restoredAt_ms = Date.now() + 1;
    custodian = await run(networks, folder, restoredAt_ms);
    await until('held', async () => (await stateOf(custodian, lost)) === 'held');
    const later = payout({
      asset: 'LTC',
      network: 'LTC',
      amount: '1',
      address,
      withdrawalId: v7({ msecs: restoredAt_ms + 60_000 }),
    });
    await custodian.pay(later);
    await until(
      'sent',
      async () => (await stateOf(custodian, later)) === 'sent',
      async () => void (await chain.mine()),
    );
    expect(await chain.received(address)).toBe('3.00000000');
  },
);

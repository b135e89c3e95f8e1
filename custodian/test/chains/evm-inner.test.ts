import { afterEach, beforeEach, expect, test } from 'vitest';
import { Config } from '../../src/config.ts';
import { examineEvm } from '../../src/examine.ts';
import { type FaultyNode, startFaultyNode } from '../support/faulty-node.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { type RunningCustodian, runCustodian, until, wallet, writeConfig } from '../support/run-custodian.ts';
import { type Anvil, FORWARDER, REVERTING_FORWARDER, startAnvil } from '../support/start-anvil.ts';

/** Payments that a contract makes within a transaction, which only a trace shows. */
const ether = 10n ** 18n;
const customer = wallet.evmAddress({ account: 'deposit', index: 3 });
const recipient = `0x${customer.slice(2).toLowerCase().padStart(64, '0')}`;

let anvil: Anvil;
let node: FaultyNode;
let bureau: PlayedBureau;
let custodian: RunningCustodian | undefined;

const networks = (changes: object = {}) => ({
  evm: { ETH: { nodes: [node.url], interval_ms: 20, startHeight: 0, hasTraces: true, ...changes } },
});

beforeEach(async () => {
  bureau = await PlayedBureau.start();
  anvil = await startAnvil();
  node = await startFaultyNode(anvil.url);
  await anvil.mine();
});

afterEach(async () => {
  await custodian?.stop();
  custodian = undefined;
  await node.stop();
  await anvil.stop();
  await bureau.stop();
});

const mineOne = () => anvil.mine();
const count = (event: string) => custodian?.events.filter((one) => one.event === event).length ?? 0;
const untilFollowed = async () => {
  const height = Number(await anvil.call('eth_blockNumber'));
  await until('followed', async () => (await custodian?.holdings())?.networks[0]?.height === height);
};
const statusOf = (hash: string) => bureau.statusOf('ETH', hash, 2 ** 31);

test('a payment within a transaction is reported for quarantine once, when it is final, and a reverted one never', async () => {
  custodian = await runCustodian(bureau.url, networks());
  const inner = await anvil.send(FORWARDER, ether, recipient);
  const reverted = await anvil.send(REVERTING_FORWARDER, ether, recipient);
  await anvil.mine();
  await untilFollowed();
  await anvil.mine();
  await untilFollowed();
  // Blocks of this node are final when four others are above them.
  expect(bureau.reports).toEqual([]);
  await until('reported', () => statusOf(inner) === 'QUARANTINED', mineOne);
  const moved = custodian.events.filter(({ event }) => event === 'deposit_moved');
  expect(moved).toEqual([
    { event: 'deposit_moved', network: 'ETH', txHash: inner, outputIndex: 2 ** 31, state: 'FINAL', isInner: true },
  ]);
  await anvil.mine(5);
  await untilFollowed();
  const reports = bureau.reports.filter(({ txHash }) => txHash === inner || txHash === reverted);
  expect(reports).toMatchObject([
    { txHash: inner, outputIndex: 2 ** 31, address: customer, amount: '1', asset: 'ETH' },
  ]);
});

test('a large payment within a transaction waits for a second node, for ever if there is none, and a small one does not', async () => {
  await using other = await startAnvil();
  await using second = await startFaultyNode(other.url);
  const agreeFrom = { ETH: '1' };
  custodian = await runCustodian(bureau.url, networks({ nodes: [node.url, second.url], agreeFrom }));
  const small = await anvil.send(FORWARDER, ether - 1n, recipient);
  const large = await anvil.send(FORWARDER, ether, recipient);
  // The second node is another chain: one of the two lies.
  await until('small reported', () => statusOf(small) === 'QUARANTINED', mineOne);
  await until('doubted', () => count('deposit_doubted') > 0, mineOne);
  expect(statusOf(large)).toBeUndefined();
  second.fault = 'down';
  await until('no answer', () => count('report_failed') > 0);
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ nodes: [node.url, anvil.url], agreeFrom }));
  await until('large reported', () => statusOf(large) === 'QUARANTINED', mineOne);
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ agreeFrom }));
  const much = await anvil.send(FORWARDER, ether, recipient);
  await until('doubted', () => count('deposit_doubted') > 0, mineOne);
  expect(statusOf(much)).toBeUndefined();
}, 60_000);

test('a node that traces a larger payment in a true block is not believed when a second node traces another', async () => {
  const quantity = (atoms: bigint) => `"value":"0x${atoms.toString(16)}"`;
  node.fault = {
    method: 'debug_traceBlockByHash',
    change: (answer) => answer.replaceAll(quantity(ether), quantity(100n * ether)),
  };
  custodian = await runCustodian(bureau.url, networks({ nodes: [node.url, anvil.url] }));
  await anvil.send(FORWARDER, ether, recipient);
  await until('decided', () => count('deposit_doubted') > 0 || bureau.reports.length > 0, mineOne);
  expect(bureau.reports).toEqual([]);
});

test('the doctor names a second node that cannot trace, while inner payments are to be seen', async () => {
  const error = { code: -32601, message: 'the method debug_traceTransaction does not exist' };
  node.fault = { method: 'debug_traceTransaction', change: () => JSON.stringify({ jsonrpc: '2.0', id: 1, error }) };
  await anvil.mine(6);
  await anvil.send(customer, ether);
  await anvil.mine();
  const examine = async (nodes: string[], hasTraces = true) => {
    const config = Config.parse(writeConfig('/nowhere', bureau.url, networks({ nodes, hasTraces })));
    if (!config.evm.ETH) throw new Error('it is configured');
    const findings = await examineEvm('ETH', config.evm.ETH, Date.now());
    return findings.filter(({ isRight }) => !isRight).map(({ name, detail }) => [name, detail]);
  };
  expect(await examine([anvil.url, node.url])).toEqual([['ETH, node 2: inner payments', error.message]]);
  expect(await examine([anvil.url, anvil.url])).toEqual([]);
  expect(await examine([anvil.url, node.url], false)).toEqual([]);
});

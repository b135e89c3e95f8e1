import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatAmount, parseAmount } from '../../../src/money/amounts.ts';
import { Config } from '../../src/config.ts';
import { examineBitcoin } from '../../src/examine.ts';
import { PlayedBureau } from '../support/play-bureau.ts';
import { type RunningCustodian, runCustodian, until, wallet, writeConfig } from '../support/run-custodian.ts';
import { type Litecoin, startLitecoind, toRegtest } from '../support/start-litecoind.ts';

const RECIPIENT = 'ltc1qr07zu594qf63xm7l7x6pu3a2v39m2z6hh5pp4t';
const hot = wallet.bitcoinAddress('LTC', { account: 'hot', index: 0 });
const customer = wallet.bitcoinAddress('LTC', { account: 'deposit', index: 3 });
const FINAL_DEPTH = 8;

let litecoin: Litecoin;
let bureau: PlayedBureau;
let custodian: RunningCustodian;

const networks = (changes: object = {}) => ({
  bitcoin: {
    LTC: {
      nodes: [litecoin.url],
      interval_ms: 20,
      startHeight: 0,
      finalDepth: FINAL_DEPTH,
      bumpAfterBlocks: 3,
      feeRate: {
        usual: 1e4,
        min: 1e3,
        max: 2e5,
      },
      ...changes,
    },
  },
});

beforeEach(async () => {
  bureau = await PlayedBureau.start();
  litecoin = await startLitecoind();
  await litecoin.send(hot, '20');
  await litecoin.mine(FINAL_DEPTH);
  custodian = await runCustodian(bureau.url, networks());
  await until('caught up', () => custodian.events.length > 0);
});

afterEach(async () => {
  await custodian.stop();
  await litecoin.stop();
  await bureau.stop();
});

const payout = (changes: object = {}) => ({
  withdrawalId: randomUUID(),
  asset: 'LTC',
  network: 'LTC',
  contractAddress: null,
  address: RECIPIENT,
  amount: '1.5',
  ...changes,
});

const count = (event: string) => custodian.events.filter((one) => one.event === event).length;
const mineOne = async () => void (await litecoin.mine());
const isSent = async (withdrawalId: string) => (await custodian.look(withdrawalId)).body.status === 'sent';

test('a payout spends a coin, gives change, and is sent only when it is deep enough', async () => {
  const wanted = payout();
  expect((await custodian.pay(wanted)).body.status).toBe('accepted');
  await until('broadcast', () => count('version_broadcast') > 0);
  await litecoin.mine(FINAL_DEPTH - 1);
  await until('included', () => custodian.events.some(({ state }) => state === 'INCLUDED'));
  expect((await custodian.look(wanted.withdrawalId)).body).toMatchObject({ status: 'accepted', txHash: /^/ });
  await litecoin.mine();
  await until('sent', () => isSent(wanted.withdrawalId));
  expect(await litecoin.received(RECIPIENT)).toBe('1.50000000');
  expect((await custodian.pay(wanted)).body.status).toBe('sent');
});

test('many payouts at once spend each other’s change, and each arrives once', async () => {
  const wanted = Array.from({ length: 12 }, () => payout({ amount: '0.25' }));
  await Promise.all(wanted.flatMap((one) => [custodian.pay(one), custodian.pay(one)]));
  await until('all signed', () => count('version_stored') === 12);
  await until(
    'all sent',
    async () => (await Promise.all(wanted.map((one) => isSent(one.withdrawalId)))).every(Boolean),
    mineOne,
  );
  expect(await litecoin.received(RECIPIENT)).toBe('3.00000000');
});

test('a deposit is credited at its confirmations, and its coin pays a payout', async () => {
  const hash = await litecoin.send(customer, '0.7');
  const { vout } = (await litecoin.call('getrawtransaction', [hash, true])) as {
    vout: { n: number; scriptPubKey: { addresses?: string[] }; value: string }[];
  };
  const output = vout.find(({ value }) => value === '0.70000000')?.n ?? -1;
  await litecoin.mine();
  await until('seen', () => bureau.statusOf('LTC', hash, output) === 'PENDING');
  await until('credited', () => bureau.statusOf('LTC', hash, output) === 'COMPLETED', mineOne);
  expect(bureau.reports.find(({ txHash }) => txHash === hash)).toMatchObject({ address: customer, amount: '0.7' });
  const wanted = payout({ amount: '20.5' });
  await custodian.pay(wanted);
  await until('sent', () => isSent(wanted.withdrawalId), mineOne);
  expect(await litecoin.received(customer)).toBe('0.00000000');
});

test('a payout with too low a fee gets a child that pays for both, and arrives once', async () => {
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ bumpAfterBlocks: 2 }));
  const wanted = payout();
  await custodian.pay(wanted);
  await until('broadcast', () => count('version_broadcast') > 0);
  const { txHash = '' } = (await custodian.look(wanted.withdrawalId)).body;
  // The miner ignores it from now on.
  await litecoin.call('prioritisetransaction', [txHash, 0, -100_000_000]);
  await litecoin.mine(2);
  await until('a child', () =>
    custodian.events.some(({ event, purpose }) => event === 'own_spend_ordered' && purpose === 'child'),
  );
  await until('child sent', () => custodian.events.filter(({ event }) => event === 'version_stored').length === 2);
  await litecoin.call('prioritisetransaction', [txHash, 0, 100_000_000]);
  await until('sent', () => isSent(wanted.withdrawalId), mineOne);
  expect(await litecoin.received(RECIPIENT)).toBe('1.50000000');
});

test('above its maximum the surplus goes to the cold address', async () => {
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ hotWallet: { LTC: { target: '5', max: '10' } } }));
  await until(
    'cold',
    () => custodian.events.some(({ purpose, state }) => purpose === 'cold' && state === 'FINAL_PAID'),
    mineOne,
  );
  expect(await litecoin.received('ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9')).toBe('15.00000000');
});

test('a payout larger than the hot wallet is held, and paid when there is enough', async () => {
  const wanted = payout({ amount: '25' });
  await custodian.pay(wanted);
  await until('held', () =>
    custodian.events.some(({ event, reason }) => event === 'spend_held' && reason === 'hot_wallet_low: LTC'),
  );
  await litecoin.send(hot, '10');
  await until('sent', () => isSent(wanted.withdrawalId), mineOne);
});

/**
 * Spends on another node the same coins as a transaction on the first, so that only one of the two can be in a block.
 */
async function spendOtherwise(other: Litecoin, txHash: string): Promise<void> {
  const { vin } = (await litecoin.call('getrawtransaction', [txHash, true])) as {
    vin: { txid: string; vout: number }[];
  };
  let atoms = 0n;
  for (const { txid, vout } of vin) {
    const { value } = (await other.call('gettxout', [txid, vout])) as { value: string };
    atoms += parseAmount(value, 8) ?? 0n;
  }
  const outputs = { [toRegtest(RECIPIENT)]: formatAmount(atoms - 100_000n, 8) };
  const inputs = vin.map(({ txid, vout }) => ({ txid, vout }));
  const raw = await other.call('createrawtransaction', [inputs, outputs]);
  const { hex } = (await other.call('signrawtransactionwithwallet', [raw])) as { hex: string };
  await other.call('sendrawtransaction', [hex]);
}

test('a deposit that conflicts with another node’s longer chain waits, and fails only when the conflict is final', async () => {
  await using other = await startLitecoind();
  const isOne = async () => (await litecoin.call('getbestblockhash')) === (await other.call('getbestblockhash'));
  const connect = async () => {
    await other.call('setnetworkactive', [true]);
    await other.call('addnode', [`127.0.0.1:${litecoin.peerPort}`, 'onetry']);
  };
  for (const depth of [1, 2, 3, 4, 5]) {
    await connect();
    await until('two nodes of one chain', isOne);
    await other.call('setnetworkactive', [false]);
    const hash = await litecoin.send(customer, '0.5');
    await spendOtherwise(other, hash);
    await litecoin.mine(depth);
    await until('seen', () => bureau.reports.some(({ txHash }) => txHash === hash));
    await other.mine(depth + 1);
    await connect();
    await until('one chain', isOne);
    await until('orphaned', () =>
      custodian.events.some(({ txHash, state }) => txHash === hash && state === 'ORPHANED'),
    );
    const { outputIndex = -1 } = bureau.reports.find(({ txHash }) => txHash === hash) ?? {};
    expect(bureau.statusOf('LTC', hash, outputIndex)).toBe('PENDING');
    await other.mine(FINAL_DEPTH);
    await until('dead', () => bureau.statusOf('LTC', hash, outputIndex) === 'FAILED');
  }
}, 240_000);

test('a person is called when a credited deposit is reorganised away', async () => {
  await using other = await startLitecoind();
  await other.call('addnode', [`127.0.0.1:${litecoin.peerPort}`, 'onetry']);
  await until('one chain', async () => (await other.call('getblockcount')) === (await litecoin.call('getblockcount')));
  await other.call('setnetworkactive', [false]);
  const hash = await litecoin.send(customer, '0.5');
  // One more than Bureau waits for, and one less than is final.
  await litecoin.mine(FINAL_DEPTH - 1);
  const isCredited = () => bureau.reports.some(({ txHash, confirmations }) => txHash === hash && confirmations >= 6);
  await until('credited', isCredited);
  await other.mine(FINAL_DEPTH);
  await other.call('setnetworkactive', [true]);
  await other.call('addnode', [`127.0.0.1:${litecoin.peerPort}`, 'onetry']);
  await until('called', () => count('credited_deposit_gone') === 1);
  expect(bureau.reports.some(({ failed }) => failed)).toBe(false);
}, 120_000);

test('small coins are joined into one of the hot wallet, and no deposit is lost or seen twice', async () => {
  await custodian.stop();
  custodian = await runCustodian(bureau.url, networks({ gatherFrom: 5 }));
  for (let number = 0; number < 4; number += 1) await litecoin.send(customer, '0.1');
  await litecoin.mine(FINAL_DEPTH);
  await until('sent', () => count('version_broadcast') > 0);
  await litecoin.mine(FINAL_DEPTH);
  await until('gathered', () =>
    custodian.events.some(({ purpose, state }) => purpose === 'sweep' && state === 'FINAL_PAID'),
  );
  expect(await litecoin.received(customer)).toBe('0.00000000');
  expect(Number(await litecoin.received(hot))).toBeCloseTo(20.4, 3);
  expect(new Set(bureau.reports.map(({ txHash, outputIndex }) => `${txHash}:${outputIndex}`)).size).toBe(4);
});

test('a large deposit is credited when a second node has it in the same block, and not before', async () => {
  await using other = await startLitecoind();
  await custodian.stop();
  const changes = { nodes: [litecoin.url, other.url], agreeFrom: { LTC: '1' } };
  custodian = await runCustodian(bureau.url, networks(changes));
  const [small, large] = [await litecoin.send(customer, '0.9'), await litecoin.send(customer, '1')];
  const statusOf = (hash: string) => {
    const { outputIndex = -1 } = bureau.reports.find(({ txHash }) => txHash === hash) ?? {};
    return bureau.statusOf('LTC', hash, outputIndex);
  };
  await until('small credited', () => statusOf(small) === 'COMPLETED', mineOne);
  await litecoin.mine(3);
  expect(statusOf(large)).toBe('PENDING');
  await other.call('addnode', [`127.0.0.1:${litecoin.peerPort}`, 'onetry']);
  await until('large credited', () => statusOf(large) === 'COMPLETED', mineOne);
});

/** The height at which this test network begins with MWEB, if the block before it pays into it. */
const MWEB_HEIGHT = 432;

test('a payment out of MWEB, which a block’s last transaction makes, is a deposit; blocks with MWEB are read', async () => {
  await litecoin.mine(MWEB_HEIGHT - 1 - Number(await litecoin.call('getblockcount')));
  const within = String(await litecoin.call('getnewaddress', ['', 'mweb']));
  await litecoin.call('sendtoaddress', [within, '5']);
  await litecoin.mine(2);
  const coins = (await litecoin.call('listunspent')) as { txid: string; vout?: number; address: string }[];
  const outside = coins.filter(({ address }) => !address.startsWith('tmweb')).map(({ txid, vout }) => ({ txid, vout }));
  await litecoin.call('lockunspent', [false, outside]);
  await litecoin.send(customer, '1.25');
  await litecoin.mine();
  await until('seen', () => bureau.reports.some(({ address, amount }) => address === customer && amount === '1.25'));
  const block = String(await litecoin.call('getbestblockhash'));
  const { tx } = (await litecoin.call('getblock', [block, 1])) as { tx: string[] };
  const [{ txHash, outputIndex } = { txHash: '', outputIndex: -1 }] = bureau.reports;
  expect(txHash).toBe(tx.at(-1));
  await until('credited', () => bureau.statusOf('LTC', txHash, outputIndex) === 'COMPLETED', mineOne);
  // More than the hot wallet has, so that it spends this coin as well.
  const wanted = payout({ amount: '20.5' });
  await custodian.pay(wanted);
  await until('sent', () => isSent(wanted.withdrawalId), mineOne);
  expect(await litecoin.received(customer)).toBe('0.00000000');
});

test('the doctor finds nothing wrong with this node, and names what is wrong with one without an index and on another chain', async () => {
  await using other = await startLitecoind(['-txindex=0']);
  const examine = async (nodes: string[], now_ms: number) => {
    const { LTC } = Config.parse(writeConfig('/nowhere', bureau.url, networks({ nodes }))).bitcoin;
    if (!LTC) throw new Error('it is configured');
    return (await examineBitcoin('LTC', LTC, now_ms)).filter(({ isRight }) => !isRight).map(({ name }) => name);
  };
  expect(await examine([litecoin.url], Date.now())).toEqual([]);
  await other.mine(2 * FINAL_DEPTH);
  expect(await examine([other.url, litecoin.url], Date.now() + 4 * 3_600_000)).toEqual([
    'LTC: the newest block is new',
    'LTC: the index of transactions',
    'LTC: the second node has the same blocks',
  ]);
});

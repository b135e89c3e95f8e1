import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PlayedBureau } from '../support/play-bureau.ts';
import { type RunningCustodian, runCustodian, until, wallet } from '../support/run-custodian.ts';
import { COLD_LTC } from '../support/signing.ts';
import { type Litecoin, startLitecoind } from '../support/start-litecoind.ts';

/** What the custodian says that it holds on Litecoin, to the atom, while money moves. */
const RECIPIENT = 'ltc1qr07zu594qf63xm7l7x6pu3a2v39m2z6hh5pp4t';
const hot = wallet.bitcoinAddress('LTC', { account: 'hot', index: 0 });
const customer = wallet.bitcoinAddress('LTC', { account: 'deposit', index: 3 });
const FINAL_DEPTH = 6;

let litecoin: Litecoin;
let bureau: PlayedBureau;
let custodian: RunningCustodian;

/** The house has put 5 LTC into the hot wallet to pay fees with. */
const networks = (changes: object = {}) => {
  const feeRate = { usual: 1e4, min: 1e3, max: 2e5 };
  const common = {
    nodes: [litecoin.url],
    interval_ms: 20,
    startHeight: 0,
    finalDepth: FINAL_DEPTH,
    bumpAfterBlocks: 3,
  };
  return { bitcoin: { LTC: { ...common, feeRate, feeFloat: '5', ...changes } } };
};

beforeEach(async () => {
  bureau = await PlayedBureau.start();
  litecoin = await startLitecoind();
  await litecoin.send(hot, '5');
  await litecoin.mine(FINAL_DEPTH);
});

afterEach(async () => {
  await custodian.stop();
  await litecoin.stop();
  await bureau.stop();
});

const has = (fields: object) =>
  custodian.events.some((event) =>
    Object.entries(fields).every(([name, value]) => (event as Record<string, unknown>)[name] === value),
  );

async function heldNow(): Promise<string | undefined> {
  const height = Number(await litecoin.call('getblockcount'));
  let found = (await custodian.holdings()).networks[0];
  await until('followed', async () => {
    [found] = (await custodian.holdings()).networks;
    return found?.height === height && found.at !== null;
  });
  return found?.assets[0]?.held;
}

async function mineAndRead(): Promise<string | undefined> {
  await litecoin.mine();
  return heldNow();
}

test('what is held is the same to the atom through a payout’s block, a reorganisation, finality and the cold wallet', async () => {
  custodian = await runCustodian(bureau.url, networks({ hotWallet: { LTC: { target: '6', max: '7' } } }));
  expect(await heldNow()).toBe('0');
  await litecoin.send(customer, '0.7');
  expect(await mineAndRead()).toBe('0.7');
  bureau.isDeaf = true;
  const withdrawalId = randomUUID();
  const payout = { asset: 'LTC', network: 'LTC', contractAddress: null, address: RECIPIENT, amount: '0.25' };
  await custodian.pay({ withdrawalId, ...payout });
  await until('broadcast', () => has({ event: 'version_broadcast' }));
  expect(await mineAndRead()).toBe('0.7');
  expect(await litecoin.received(RECIPIENT)).toBe('0.25000000');
  await litecoin.call('invalidateblock', [await litecoin.call('getbestblockhash')]);
  await until(
    'orphaned',
    () => has({ event: 'block_orphaned' }),
    async () => void (await litecoin.call('generatetoaddress', [2, await litecoin.call('getnewaddress')])),
  );
  const isSent = async () => (await custodian.look(withdrawalId)).body.status === 'sent';
  await until('sent', isSent, async () => expect(await mineAndRead()).toBe('0.7'));
  // The surplus of a large coin goes to the cold wallet, from which nothing is spent here.
  await litecoin.send(hot, '10');
  await until(
    'cold',
    async () => Number(await litecoin.received(COLD_LTC)) > 0,
    async () => expect(['0.7', '10.7']).toContain(await mineAndRead()),
  );
  for (let block = 0; block < FINAL_DEPTH; block += 1) expect(await mineAndRead()).toBe('10.7');
  bureau.isDeaf = false;
  await until('heard', () => bureau.looks.includes(withdrawalId));
  await until('settled', async () => (await heldNow()) === '10.45');
  // What the cold wallet has is not at the house's other addresses, and no payout spends it.
  const [found] = (await custodian.holdings()).networks;
  expect(Number(found?.assets[0]?.amount)).toBeLessThan(8);
}, 120_000);

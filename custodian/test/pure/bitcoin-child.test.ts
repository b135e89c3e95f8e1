import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { BitcoinNode } from '../../src/bitcoin/bitcoin-node.ts';
import { createBitcoinPayer, nameChild } from '../../src/bitcoin/bitcoin-payer.ts';
import { feeFor, estimateSize } from '../../src/bitcoin/fees.ts';
import { bitcoinRules } from '../../src/networks.ts';
import type { BitcoinTransaction } from '../../src/signer/requests.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { beginAt, raiseFinalHeight, takeBlock } from '../../src/store/chain-state.ts';
import { Database } from '../../src/store/database.ts';
import { findSpend, insertSpend, reserveFence, storeVersion } from '../../src/store/spends.ts';
import { MNEMONIC, newFolder } from '../support/signing.ts';

const RECIPIENT = 'ltc1qr07zu594qf63xm7l7x6pu3a2v39m2z6hh5pp4t';
const RATE = 10_000;
const hot = new Wallet(MNEMONIC).bitcoinAddress('LTC', { account: 'hot', index: 0 });
const house = { hot, gas: null, cold: RECIPIENT };
const settings = {
  nodes: ['http://127.0.0.1:1'],
  agreeFrom: {},
  startHeight: null,
  interval_ms: 1_000,
  feeFloat: '0',
  bumpAfterBlocks: 6,
  hotWallet: {},
  finalDepth: 6,
  gatherFrom: 100,
  feeRate: { usual: RATE, min: 1e3, max: 2e5 },
};

let database: Database;
let payer: ReturnType<typeof createBitcoinPayer>;

beforeEach(() => {
  database = new Database(join(newFolder(), 'custodian.sqlite'));
  beginAt(database, 'LTC', { height: 9, hash: 'b9' });
  raiseFinalHeight(database, 'LTC', 9);
  const node = new BitcoinNode(() => Promise.resolve({}), false);
  payer = createBitcoinPayer({ network: 'LTC', rules: bitcoinRules.LTC, node, database, house, settings });
});

const hash = (digit: string) => digit.repeat(64);

function addCoin(txid: string, atoms: string): void {
  database.run(`INSERT INTO coins VALUES ('LTC', ?, 'hot', 0, ?, 5, 5, NULL, NULL)`, `${txid}:0`, atoms);
}

function order(id: string, purpose: 'payout' | 'child', atoms: bigint) {
  const payment = { asset: 'LTC', contract: null, address: RECIPIENT, atoms, sourceIndex: null };
  const signed = purpose === 'payout' ? { body: '{}', signature: '' } : null;
  insertSpend(database, { id, network: 'LTC', purpose, ...payment, order: signed }, 'QUEUED', null, 0);
  const spend = findSpend(database, id);
  if (!spend) throw new Error('it is there');
  return spend;
}

/** Stores a payout that spends its only coin and has this hash. */
function pay(id: string, from: string, change: string, txHash: string): void {
  const key = { account: 'hot', index: 0 } as const;
  const inputs = [{ txid: from, vout: 0, atoms: '100000000', key, previous: null }];
  const outputs = [
    { address: hot, atoms: change },
    { address: RECIPIENT, atoms: '1000' },
  ];
  const plan = JSON.stringify({ inputs, outputs } satisfies BitcoinTransaction);
  reserveFence(database, order(id, 'payout', 1000n), `${from}:0`, plan);
  const spend = findSpend(database, id);
  if (!spend) throw new Error('it is there');
  payer.reserve(spend, plan);
  storeVersion(database, spend, { raw: '00', txHash }, plan, payer.feeOf(plan), 9);
  payer.noteStored(spend, plan, { kind: 'signed', raw: '00', txHash });
}

async function planChild(parent: string): Promise<BitcoinTransaction> {
  const planned = await payer.plan(order(nameChild(parent), 'child', 0n));
  if (planned.kind !== 'plan') throw new Error(planned.reason);
  return JSON.parse(planned.plan) as BitcoinTransaction;
}

const feeOf = (child: BitcoinTransaction) => payer.feeOf(JSON.stringify(child));
const parentSize = estimateSize('LTC', 1, [hot, RECIPIENT]);
const childSize = estimateSize('LTC', 1, [hot]);

test('a child pays for itself and for every transaction of ours in no block that it depends on', async () => {
  addCoin(hash('a'), '100000000');
  pay('first', hash('a'), '90000000', hash('1'));
  pay('second', hash('1'), '80000000', hash('2'));
  pay('third', hash('2'), '70000000', hash('3'));
  const child = await planChild(hash('3'));
  expect(child.inputs.map(({ txid }) => txid)).toEqual([hash('3')]);
  expect(feeOf(child)).toBe(feeFor(BigInt(RATE), 3n * parentSize + childSize));
});

test('a child pays nothing for what is in a block already', async () => {
  addCoin(hash('a'), '100000000');
  pay('first', hash('a'), '90000000', hash('1'));
  pay('second', hash('1'), '80000000', hash('2'));
  const spent = [{ fence: `${hash('a')}:0`, txHash: hash('1'), isReverted: false, fee: null }];
  takeBlock(database, 'LTC', { height: 10, hash: 'b10', parent: 'b9', payments: [], spent });
  expect(feeOf(await planChild(hash('2')))).toBe(feeFor(BigInt(RATE), parentSize + childSize));
  const late = await payer.plan(order(nameChild(hash('1')), 'child', 0n));
  expect(late).toMatchObject({ kind: 'hold' });
});

test('a child whose parent’s change is too small spends another coin as well, and waits when there is none', async () => {
  addCoin(hash('a'), '100000000');
  pay('first', hash('a'), '6000', hash('1'));
  expect(await payer.plan(order(nameChild(hash('1')), 'child', 0n))).toEqual({
    kind: 'hold',
    reason: 'too little to pay for the parent',
  });
  addCoin(hash('b'), '50000000');
  const planned = await payer.plan({ ...order('other', 'child', 0n), id: nameChild(hash('1')) });
  if (planned.kind !== 'plan') throw new Error(planned.reason);
  const child = JSON.parse(planned.plan) as BitcoinTransaction;
  expect(planned.fence).toBe(`${hash('1')}:0`);
  expect(child.inputs.map(({ txid }) => txid)).toEqual([hash('1'), hash('b')]);
  expect(feeOf(child)).toBe(feeFor(BigInt(RATE), parentSize + estimateSize('LTC', 2, [hot])));
  expect(child.outputs.every(({ address }) => address === hot)).toBe(true);
});

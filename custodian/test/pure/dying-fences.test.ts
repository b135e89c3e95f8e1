import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Payment, ScannedBlock } from '../../src/nodes/chain.ts';
import {
  beginAt,
  findDeath,
  halt,
  raiseFinalHeight,
  readBlockHash,
  resumeChain,
  takeBack,
  takeBlock,
} from '../../src/store/chain-state.ts';
import { Database } from '../../src/store/database.ts';
import { updateDeposits } from '../../src/store/deposits.ts';
import { noteRestored } from '../../src/store/restored.ts';
import {
  findSpend,
  insertSpend,
  listEarlierVersions,
  listVersions,
  releaseFence,
  reserveFence,
  storeVersion,
  updateSpends,
} from '../../src/store/spends.ts';
import { newFolder } from '../support/signing.ts';

/** Fences that die: each block is one later than the one before, so its clock is its height. */
const NETWORK = 'ETH';
const ID = '019ac5a4-7c00-7000-8000-000000000001';
const FIRST = 'hot:first';
const SECOND = 'hot:second';
const DIES_AT = 10;

let database: Database;

beforeEach(() => {
  database = new Database(join(newFolder(), 'custodian.sqlite'));
  beginAt(database, NETWORK, { height: 0, hash: 'b0', clock: 0 });
  insertSpend(
    database,
    {
      id: ID,
      network: NETWORK,
      purpose: 'payout',
      asset: 'USDT',
      contract: null,
      address: 'somebody',
      atoms: 5n,
      sourceIndex: null,
      order: { body: '{}', signature: '' },
    },
    'QUEUED',
    null,
    0,
  );
});

const spend = () => {
  const found = findSpend(database, ID);
  if (!found) throw new Error('it is there');
  return found;
};

function sign(fence: string, diesAt = DIES_AT): void {
  const txHash = fence.split(':')[1] ?? '';
  database.transact(() => reserveFence(database, spend(), fence, 'a plan', diesAt));
  database.transact(() => storeVersion(database, spend(), { raw: txHash, txHash }, 'a plan', 1n, 0));
}

const block = (height: number, changes: Partial<ScannedBlock> = {}): ScannedBlock => {
  return { height, hash: `b${height}`, parent: `b${height - 1}`, clock: height, payments: [], spent: [], ...changes };
};

function read(from: number, to: number): void {
  for (let height = from; height <= to; height += 1) takeBlock(database, NETWORK, block(height));
}

const use = (fence: string, changes: object = {}) => {
  return { fence, txHash: fence.split(':')[1] ?? '', isReverted: false, fee: 0n, moves: [], ...changes };
};

test('a version is given up only when a final block is later than its deadline, and none of the interval has it', () => {
  sign(FIRST);
  read(1, 30);
  raiseFinalHeight(database, NETWORK, DIES_AT);
  expect(findDeath(database, NETWORK, FIRST)).toBeUndefined();
  expect(updateSpends(database, NETWORK, DIES_AT)).toEqual([]);
  raiseFinalHeight(database, NETWORK, DIES_AT + 1);
  expect(findDeath(database, NETWORK, FIRST)).toBe(DIES_AT + 1);
  expect(updateSpends(database, NETWORK, DIES_AT + 1)).toMatchObject([{ id: ID, state: 'QUEUED', fence: FIRST }]);
  expect(spend()).toMatchObject({ state: 'QUEUED', fence: null, plan: null });
});

test('a version that a block has is not given up, however late it is', () => {
  sign(FIRST);
  read(1, 10);
  takeBlock(database, NETWORK, block(11, { spent: [use(FIRST)] }));
  read(12, 30);
  raiseFinalHeight(database, NETWORK, 30);
  expect(findDeath(database, NETWORK, FIRST)).toBeUndefined();
  expect(updateSpends(database, NETWORK, 30)).toMatchObject([{ state: 'FINAL_PAID' }]);
});

test('a version is not given up when a block of the interval was not read', () => {
  sign(FIRST);
  read(1, 30);
  database.run('DELETE FROM blocks WHERE height = 7');
  raiseFinalHeight(database, NETWORK, 30);
  expect(updateSpends(database, NETWORK, 30)).toEqual([]);
  expect(spend().state).toBe('SIGNED');
});

test('the blocks that show that a fence was not used are kept until it has ended', () => {
  sign(FIRST, 500);
  read(1, 400);
  raiseFinalHeight(database, NETWORK, 400);
  expect(readBlockHash(database, NETWORK, 1)).toBe('b1');
  read(401, 501);
  raiseFinalHeight(database, NETWORK, 501);
  expect(findDeath(database, NETWORK, FIRST)).toBe(501);
  expect(readBlockHash(database, NETWORK, 1)).toBeUndefined();
});

test('the node that must agree can keep a version from being given up', () => {
  sign(FIRST);
  read(1, 30);
  raiseFinalHeight(database, NETWORK, 30);
  expect(updateSpends(database, NETWORK, 30, () => false)).toEqual([]);
  expect(updateSpends(database, NETWORK, 30, () => true)).toMatchObject([{ state: 'QUEUED' }]);
});

test('the next version has a fence of its own, and the first stays watched', () => {
  sign(FIRST);
  read(1, 11);
  raiseFinalHeight(database, NETWORK, 11);
  updateSpends(database, NETWORK, 11);
  database.transact(() => reserveFence(database, spend(), SECOND, 'a plan', 50));
  database.transact(() => releaseFence(database, spend(), 'the signer waits'));
  sign(SECOND, 50);
  expect(listVersions(database, ID).map(({ txHash }) => txHash)).toEqual(['second']);
  expect(listEarlierVersions(database, ID).map(({ txHash }) => txHash)).toEqual(['first']);
  takeBlock(database, NETWORK, block(12, { spent: [use(FIRST)] }));
  expect(database.one('SELECT tx_hash FROM spent WHERE fence = ?', FIRST)).toEqual({ tx_hash: 'first' });
});

test('a payout whose transaction ran out of its own limit gets another version when that is final, and a sweep does not', () => {
  sign(FIRST);
  takeBlock(database, NETWORK, block(1, { spent: [use(FIRST, { isReverted: true, isStarved: true })] }));
  expect(updateSpends(database, NETWORK, 0)).toMatchObject([{ state: 'INCLUDED' }]);
  expect(updateSpends(database, NETWORK, 1)).toMatchObject([{ state: 'QUEUED' }]);
  const sweep = { ...spend(), id: 'sweep:1', purpose: 'sweep', order: null } as const;
  insertSpend(database, sweep, 'QUEUED', null, 0);
  database.transact(() => reserveFence(database, sweep, SECOND, 'a plan', 50));
  database.transact(() => storeVersion(database, sweep, { raw: '', txHash: 'second' }, 'a plan', 1n, 0));
  takeBlock(database, NETWORK, block(2, { spent: [use(SECOND, { isReverted: true, isStarved: true })] }));
  expect(updateSpends(database, NETWORK, 2)).toMatchObject([{ id: 'sweep:1', state: 'FINAL_REVERTED' }]);
});

const deposit: Payment = {
  txHash: 'deposit',
  outputIndex: 1,
  address: 'a',
  account: 'deposit',
  addressIndex: 3,
  asset: 'USDT',
  contract: null,
  atoms: 7n,
  isDeposit: true,
  isCoin: false,
  isInner: false,
  fences: ['customer:deposit'],
  diesAt: DIES_AT,
};

test('a deposit that was reorganised away fails only when its transaction can never come back', () => {
  const paying = { payments: [deposit], spent: [use('customer:deposit')] };
  takeBlock(database, NETWORK, block(1, paying));
  takeBack(database, NETWORK, 1);
  read(1, 11);
  raiseFinalHeight(database, NETWORK, 10);
  expect(updateDeposits(database, NETWORK, 10)).toMatchObject([{ state: 'ORPHANED' }]);
  raiseFinalHeight(database, NETWORK, 11);
  expect(updateDeposits(database, NETWORK, 11)).toMatchObject([{ state: 'DEAD' }]);
});

test('a deposit that comes back late in its interval is credited', () => {
  const paying = { payments: [deposit], spent: [use('customer:deposit')] };
  takeBlock(database, NETWORK, block(1, paying));
  takeBack(database, NETWORK, 1);
  read(1, 9);
  takeBlock(database, NETWORK, block(10, paying));
  read(11, 30);
  raiseFinalHeight(database, NETWORK, 30);
  expect(updateDeposits(database, NETWORK, 30)).toMatchObject([{ state: 'FINAL' }]);
});

test('a transaction of ours that the database does not have is named', () => {
  sign(FIRST);
  const own = { isOwn: true };
  expect(takeBlock(database, NETWORK, block(1, { spent: [use(FIRST, own)] }))).toEqual([]);
  expect(takeBlock(database, NETWORK, block(2, { spent: [use(SECOND, own)] }))).toMatchObject([{ txHash: 'second' }]);
});

test('after a final block was taken back, what it ended is open again', () => {
  sign(FIRST);
  takeBlock(database, NETWORK, block(1, { spent: [use(FIRST)] }));
  read(2, 5);
  raiseFinalHeight(database, NETWORK, 5);
  updateSpends(database, NETWORK, 5);
  halt(database, NETWORK, 'a final block is gone');
  expect(resumeChain(database, NETWORK, 0)).toBe(true);
  takeBack(database, NETWORK, 1);
  read(1, 9);
  raiseFinalHeight(database, NETWORK, 9);
  expect(updateSpends(database, NETWORK, 9)).toEqual([]);
  read(10, 30);
  raiseFinalHeight(database, NETWORK, 30);
  expect(updateSpends(database, NETWORK, 30)).toMatchObject([{ state: 'QUEUED' }]);
});

test('a payout that was open in a backup with a fence that dies waits for a person when that is dead', () => {
  sign(FIRST);
  noteRestored(database, Date.parse('2026-11-24T12:00:00Z'));
  expect(spend()).toMatchObject({ isRestored: true, isAllowed: false });
});

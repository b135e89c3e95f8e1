import { join } from 'node:path';
import { v7 } from 'uuid';
import { beforeEach, expect, test } from 'vitest';
import type { Payment, ScannedBlock } from '../../src/nodes/chain.ts';
import {
  beginAt,
  halt,
  raiseFinalHeight,
  readBlockHash,
  readHalt,
  readHead,
  resumeChain,
  takeBack,
  takeBlock,
} from '../../src/store/chain-state.ts';
import { listSpendable, sumCoins } from '../../src/store/coins.ts';
import { Database } from '../../src/store/database.ts';
import { listUnsettledDeposits, noteReported, updateDeposits } from '../../src/store/deposits.ts';
import { mayBeForgotten, noteRestored } from '../../src/store/restored.ts';
import {
  allowByHand,
  findSpend,
  holdSpend,
  insertSpend,
  refuseByHand,
  refuseSpend,
  releaseFence,
  reserveFence,
  updateSpends,
  storeVersion,
} from '../../src/store/spends.ts';
import { newFolder } from '../support/signing.ts';

const ID = '019ac5a4-7c00-7000-8000-000000000001';
const HASH = `0x${'ab'.repeat(32)}`;

let file: string;
let database: Database;

beforeEach(() => {
  file = join(newFolder(), 'custodian.sqlite');
  database = new Database(file);
  beginAt(database, 'ETH', { height: 0, hash: 'b0' });
  insertPayout(ID);
});

function insertPayout(id: string): void {
  insertSpend(
    database,
    {
      id,
      network: 'ETH',
      purpose: 'payout',
      asset: 'ETH',
      contract: null,
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
      atoms: 10n ** 18n,
      sourceIndex: null,
      order: { body: '{}', signature: '' },
    },
    'QUEUED',
    null,
    0,
  );
}

const spend = () => {
  const found = findSpend(database, ID);
  if (!found) throw new Error('it is there');
  return found;
};

function reserve(fence: string): void {
  database.transact(() => reserveFence(database, spend(), fence, 'a plan'));
}

function sign(txHash = HASH): void {
  database.transact(() => storeVersion(database, spend(), { raw: '0x', txHash }, 'a plan', 5n, 0));
}

const block = (height: number, hash: string, parent: string, changes: Partial<ScannedBlock> = {}): ScannedBlock => ({
  height,
  hash,
  parent,
  payments: [],
  spent: [],
  ...changes,
});

test('a fence belongs to one spend, and a spend has one fence', () => {
  reserve('hot:0');
  expect(() => reserve('hot:1')).toThrow('has a fence already');
  insertPayout('another');
  const another = findSpend(database, 'another');
  expect(() => database.transact(() => another && reserveFence(database, another, 'hot:0', 'a plan'))).toThrow(
    'UNIQUE',
  );
});

test('a fence with which something was signed is never released', () => {
  reserve('hot:0');
  sign();
  expect(() => releaseFence(database, spend(), 'limit')).toThrow('is signed');
});

test('reserved fences and signed versions are stored when the database is opened again', () => {
  reserve('hot:0');
  sign();
  database.close();
  database = new Database(file);
  expect(spend()).toMatchObject({ state: 'SIGNED', fence: 'hot:0' });
});

test('the same version is stored once, however often it was signed', () => {
  reserve('hot:0');
  sign();
  sign();
  expect(database.all('SELECT * FROM versions')).toHaveLength(1);
});

test('a block that spends the fence changes the state of the payout, and deleting the block changes it back', () => {
  reserve('hot:0');
  sign();
  const spent = [{ fence: 'hot:0', txHash: HASH, isReverted: false, fee: 3n }];
  takeBlock(database, 'ETH', block(1, 'b1', 'b0', { spent }));
  updateSpends(database, 'ETH', 0);
  expect(spend().state).toBe('INCLUDED');
  takeBack(database, 'ETH', 1);
  updateSpends(database, 'ETH', 0);
  expect([spend().state, readHead(database, 'ETH')]).toEqual(['SIGNED', { height: 0, hash: 'b0' }]);
  takeBlock(
    database,
    'ETH',
    block(1, 'c1', 'b0', { spent: [{ fence: 'hot:0', txHash: HASH, isReverted: true, fee: 3n }] }),
  );
  updateSpends(database, 'ETH', 1);
  expect(spend().state).toBe('FINAL_REVERTED');
});

test('a payout is left to a person when another final transaction used its fence', () => {
  reserve('hot:0');
  sign();
  takeBlock(
    database,
    'ETH',
    block(1, 'b1', 'b0', { spent: [{ fence: 'hot:0', txHash: '0xcd', isReverted: false, fee: 3n }] }),
  );
  updateSpends(database, 'ETH', 0);
  expect(spend().state).toBe('SIGNED');
  updateSpends(database, 'ETH', 1);
  expect(spend().state).toBe('DISPLACED');
});

const payment: Payment = {
  txHash: 't1',
  outputIndex: 0,
  address: 'a',
  account: 'deposit',
  addressIndex: 0,
  asset: 'ETH',
  contract: null,
  atoms: 5n,
  isDeposit: true,
  isCoin: false,
  isInner: false,
  fences: ['sender:0'],
};
const spent = (txHash: string) => [{ fence: 'sender:0', txHash, isReverted: false, fee: 3n }];

test('a deposit is dead when another transaction that spends its input is final, and not before', () => {
  const stateOf = () => database.one('SELECT state FROM deposits')?.['state'];
  takeBlock(database, 'ETH', block(1, 'b1', 'b0', { payments: [payment], spent: spent('t1') }));
  takeBack(database, 'ETH', 1);
  updateDeposits(database, 'ETH', 0);
  expect(stateOf()).toBe('ORPHANED');
  takeBlock(database, 'ETH', block(1, 'c1', 'b0', { spent: spent('t2') }));
  updateDeposits(database, 'ETH', 0);
  expect(stateOf()).toBe('ORPHANED');
  updateDeposits(database, 'ETH', 1);
  expect(stateOf()).toBe('DEAD');
});

test('a person can refuse a payout without a fence, and none that may be paid', () => {
  insertPayout('another');
  expect(refuseByHand(database, 'another', 'asked for')).toBe(true);
  expect(findSpend(database, 'another')).toMatchObject({ state: 'REFUSING', reason: 'asked for' });
  reserve('hot:0');
  expect(refuseByHand(database, ID, 'asked for')).toBe(false);
});

test('a halted chain stays halted until a person resumes it', () => {
  halt(database, 'ETH', 'a final block is gone');
  expect(readHalt(database, 'ETH')).toBe('a final block is gone');
  expect(resumeChain(database, 'LTC', -1)).toBe(false);
  // A person cannot make blocks final that never were.
  expect(resumeChain(database, 'ETH', 0)).toBe(false);
  expect(readHalt(database, 'ETH')).toBe('a final block is gone');
  expect(resumeChain(database, 'ETH', -1)).toBe(true);
  expect(readHalt(database, 'ETH')).toBeNull();
});

test('what a transaction pays after a reorganisation replaces all that it paid before', () => {
  // The contract that is called may pay another token in another block, in the same log of the same transaction.
  const before = { ...payment, outputIndex: 1, asset: 'USDT', contract: '0xusdt', atoms: 5n };
  const after = { ...before, asset: 'DAI', contract: '0xdai', atoms: 10n ** 18n, address: 'b', addressIndex: 1 };
  takeBlock(database, 'ETH', block(1, 'b1', 'b0', { payments: [before], spent: spent('t1') }));
  takeBack(database, 'ETH', 1);
  takeBlock(database, 'ETH', block(1, 'c1', 'b0', { payments: [after], spent: spent('t1') }));
  const { asset, contract, atoms, address, addressIndex } = after;
  expect(listUnsettledDeposits(database, 'ETH')).toEqual([
    expect.objectContaining({ asset, contract, atoms, address, addressIndex }),
  ]);
});

test('a deposit is dead when its own transaction is final and no longer makes it', () => {
  takeBlock(database, 'ETH', block(1, 'b1', 'b0', { payments: [payment], spent: spent('t1') }));
  takeBack(database, 'ETH', 1);
  // The same transaction, reverted this time.
  takeBlock(database, 'ETH', block(1, 'c1', 'b0', { spent: spent('t1') }));
  updateDeposits(database, 'ETH', 0);
  expect(listUnsettledDeposits(database, 'ETH')[0]?.state).toBe('ORPHANED');
  updateDeposits(database, 'ETH', 1);
  expect(listUnsettledDeposits(database, 'ETH')[0]?.state).toBe('DEAD');
});

test('the hash of a block is kept as long as Bureau has not settled a deposit of it, or a payout of it has not ended', () => {
  reserve('hot:0');
  sign();
  takeBlock(database, 'ETH', block(1, 'b1', 'b0', { payments: [payment], spent: spent('t1') }));
  takeBlock(database, 'ETH', block(2, 'b2', 'b1'));
  takeBlock(
    database,
    'ETH',
    block(3, 'b3', 'b2', { spent: [{ fence: 'hot:0', txHash: HASH, isReverted: true, fee: 3n }] }),
  );
  const kept = () => [1, 2, 3].map((height) => readBlockHash(database, 'ETH', height));
  raiseFinalHeight(database, 'ETH', 1_000);
  expect(kept()).toEqual(['b1', undefined, 'b3']);
  const [deposit] = listUnsettledDeposits(database, 'ETH');
  if (deposit) noteReported(database, deposit, 32, 'COMPLETED');
  updateSpends(database, 'ETH', 1_000);
  raiseFinalHeight(database, 'ETH', 1_001);
  expect(kept()).toEqual([undefined, undefined, 'b3']);
  refuseSpend(database, ID, 'reverted');
  raiseFinalHeight(database, 'ETH', 1_002);
  expect(kept()).toEqual([undefined, undefined, undefined]);
});

test('every commit is on disk before it returns, and a reader never waits for a writer', () => {
  expect(database.one('PRAGMA synchronous')).toEqual({ synchronous: 2 });
  expect(database.one('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
});

test('coins of the cold address are counted apart, and are never spent', () => {
  const add = (outpoint: string, account: string, atoms: string) =>
    database.run(`INSERT INTO coins VALUES ('LTC', ?, ?, 0, ?, 5, 5, NULL, NULL)`, outpoint, account, atoms);
  add('a:0', 'hot', '3');
  add('b:0', 'deposit', '4');
  add('c:0', 'cold', '900');
  expect(listSpendable(database, 'LTC', 9, 9).map(({ outpoint }) => outpoint)).toEqual(['b:0', 'a:0']);
  expect(sumCoins(database, 'LTC')).toEqual({ cold: 900n, warm: 7n });
});

test('a full disk is named as what it is, changes nothing, and writes go on when there is room', () => {
  const full = new Database(join(newFolder(), 'full.sqlite'));
  const pages = Number(full.one('PRAGMA page_count')?.['page_count']);
  full.one(`PRAGMA max_page_count = ${pages}`);
  const fill = () =>
    full.transact(() => {
      full.run(`INSERT INTO facts VALUES ('first', 'small')`);
      full.run(`INSERT INTO facts VALUES ('second', ?)`, 'x'.repeat(100_000));
    });
  expect(fill).toThrow('disk is full');
  expect(full.all('SELECT * FROM facts')).toEqual([]);
  full.one(`PRAGMA max_page_count = ${pages + 100}`);
  fill();
  expect(full.all('SELECT name FROM facts')).toHaveLength(2);
});

test('what was open in a backup waits for a person once, and ids that are older than the restoring are not called unknown', () => {
  const restored = new Database(join(newFolder(), 'restored.sqlite'));
  const at_ms = 1_795_241_228_000;
  const paid = { asset: 'ETH', contract: null, address: '0x', atoms: 1n, sourceIndex: null };
  const order = { body: '{}', signature: '' };
  const accept = (id: string, accepted_at_ms: number) =>
    insertSpend(restored, { id, network: 'ETH', purpose: 'payout', order, ...paid }, 'QUEUED', null, accepted_at_ms);
  const [before, after, again] = [v7({ msecs: at_ms - 2 }), v7({ msecs: at_ms + 1 }), v7({ msecs: at_ms - 3 })];
  expect(mayBeForgotten(restored, before)).toBe(false);
  accept(before, at_ms - 1);
  accept(after, at_ms + 1);
  // Bureau has submitted it once more, to the restored database.
  accept(again, at_ms + 2);
  noteRestored(restored, at_ms);
  const isRestored = (id: string) => findSpend(restored, id)?.isRestored;
  expect([before, after, again].map(isRestored)).toEqual([true, false, true]);
  holdSpend(restored, before, 'restored_from_backup');
  expect(allowByHand(restored, before)).toBe(true);
  noteRestored(restored, at_ms);
  expect(findSpend(restored, before)?.isAllowed).toBe(true);
  expect([mayBeForgotten(restored, before), mayBeForgotten(restored, after)]).toEqual([true, false]);
});

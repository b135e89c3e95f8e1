import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Config } from '../../src/config.ts';
import { type Holding, NetworkHoldings } from '../../src/holdings.ts';
import type { ChainProgress } from '../../src/nodes/follow.ts';
import { beginAt, halt, takeBack, takeBlock } from '../../src/store/chain-state.ts';
import { Database } from '../../src/store/database.ts';
import { writeConfig } from '../support/run-custodian.ts';
import { newFolder } from '../support/signing.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 12);
const MINUTE_MS = 60_000;
/** Bureau credits deposits on Ethereum after so many blocks. */
const CREDITED = 32;

let database: Database;
let now_ms: number;
let read: () => Promise<Holding[]>;
let holdings: NetworkHoldings;
let events: string[];

const one: Holding = { asset: 'ETH', decimals: 18, atoms: 10n ** 18n, held: 5n * 10n ** 17n };

beforeEach(() => {
  database = new Database(join(newFolder(), 'custodian.sqlite'));
  beginAt(database, 'ETH', { height: 100, hash: 'b100' });
  now_ms = NOW_MS;
  read = () => Promise.resolve([one]);
  events = [];
  holdings = new NetworkHoldings({
    database,
    network: 'ETH',
    readHoldings: () => read(),
    log: (event) => events.push(event),
    now: () => now_ms,
  });
});

const follow = (changes: Partial<ChainProgress> = {}) =>
  holdings.noteFollowed({
    height: 100,
    finalHeight: 0,
    finalByTag: null,
    tipHeight: 100,
    isCurrent: true,
    tipMined_ms: NOW_MS,
    ...changes,
  });

const AT = new Date(NOW_MS).toISOString();

test('holdings are of the newest block and of the time at which it was the chain’s newest', async () => {
  follow();
  now_ms += MINUTE_MS;
  expect(await holdings.read()).toEqual({
    network: 'ETH',
    at: AT,
    height: 100,
    blockHash: 'b100',
    halted: null,
    assets: [{ asset: 'ETH', amount: '1', held: '0.5' }],
  });
});

test('a node whose newest block is old knows nothing newer, so its holdings are of that block’s time', async () => {
  follow({ tipMined_ms: NOW_MS - 11 * MINUTE_MS });
  expect((await holdings.read()).at).toBe(new Date(NOW_MS - 11 * MINUTE_MS).toISOString());
  follow({ tipMined_ms: NOW_MS - 9 * MINUTE_MS });
  expect((await holdings.read()).at).toBe(AT);
});

test('while the node does not answer, the last holdings are given with their own time', async () => {
  follow();
  await holdings.read();
  now_ms += MINUTE_MS;
  follow();
  read = () => Promise.reject(new Error('down'));
  expect(await holdings.read()).toMatchObject({ at: AT, assets: [{ held: '0.5' }] });
  expect(events).toEqual(['holdings_failed']);
});

test('holdings that lack a deposit which Bureau may have credited have no time, so that nobody compares them', async () => {
  follow();
  await holdings.read();
  read = () => Promise.reject(new Error('down'));
  follow({ height: 100 + CREDITED - 1, isCurrent: false });
  expect((await holdings.read()).at).toBe(AT);
  follow({ height: 100 + CREDITED, isCurrent: false });
  expect((await holdings.read()).at).toBeNull();
  follow({ height: 100 + CREDITED, finalByTag: 100, isCurrent: false });
  expect((await holdings.read()).at).toBe(AT);
});

test('holdings of a block that was reorganised away have no time', async () => {
  takeBlock(database, 'ETH', { height: 101, hash: 'b101', parent: 'b100', payments: [], spent: [] });
  follow({ height: 101 });
  expect((await holdings.read()).at).toBe(AT);
  takeBack(database, 'ETH', 101);
  takeBlock(database, 'ETH', { height: 101, hash: 'c101', parent: 'b100', payments: [], spent: [] });
  read = () => Promise.reject(new Error('down'));
  follow({ height: 101 });
  expect((await holdings.read()).at).toBeNull();
});

test('a network that is halted, or was never followed, says so', async () => {
  halt(database, 'ETH', 'a final block is gone');
  expect(await holdings.read()).toMatchObject({ at: null, height: null, halted: 'a final block is gone', assets: [] });
});

test('Litecoin’s blocks are not final before what was paid out of MWEB in them can be spent', () => {
  const configOf = (finalDepth: number) => {
    const LTC = { nodes: ['http://127.0.0.1:1'], finalDepth, feeRate: { usual: 1, min: 1, max: 1 } };
    return Config.safeParse(writeConfig('/nowhere', 'http://127.0.0.1:1', { bitcoin: { LTC } }));
  };
  expect([5, 6].map((depth) => configOf(depth).success)).toEqual([false, true]);
});

test('by the operator’s word nothing is held on networks that are not configured, and on no others', () => {
  const configOf = (networks: object) => Config.safeParse(writeConfig('/nowhere', 'http://127.0.0.1:1', networks));
  const evm = { ETH: { nodes: ['http://127.0.0.1:1'], hasTraces: true } };
  expect(configOf({ evm, nothingHeldOn: ['TRC20', 'SOL'] }).success).toBe(true);
  for (const nothingHeldOn of [['ETH'], ['SOL', 'SOL'], ['NEAR']]) {
    expect(configOf({ evm, nothingHeldOn }).success).toBe(false);
  }
});

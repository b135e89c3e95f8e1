import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Chain } from '../../src/nodes/chain.ts';
import { follow } from '../../src/nodes/follow.ts';
import { readHead } from '../../src/store/chain-state.ts';
import { Database } from '../../src/store/database.ts';
import { newFolder } from '../support/signing.ts';

/** A chain on a played clock: a block every 250 ms, from a node whose every answer takes 150 ms. */
const BLOCK_MS = 250;
const AWAY_MS = 150;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_795_241_228_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

function playChain(awayMs = AWAY_MS) {
  const begun_ms = Date.now();
  const heightNow = () => 100 + Math.floor((Date.now() - begun_ms) / BLOCK_MS);
  const header = (height: number) => ({ height, hash: `b${height}`, parent: `b${height - 1}` });
  const answer = async <T>(value: () => T): Promise<T> => {
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    return value();
  };
  const chain: Chain = {
    network: 'ARBITRUM',
    ahead: 16,
    tip: () => answer(() => ({ ...header(heightNow()), mined_ms: Date.now() })),
    headerAt: (height) => answer(() => (height <= heightNow() ? header(height) : undefined)),
    scan: (block) => answer(() => ({ ...block, payments: [], spent: [] })),
    finalByTag: () => answer(() => heightNow() - 10),
    secondView: () => Promise.resolve(undefined),
    readAgain: () => Promise.resolve(null),
    broadcast: () => Promise.resolve({ kind: 'known' }),
  };
  return { chain, heightNow };
}

test('a chain with a block every 250 ms is read to its end from a node that is 150 ms away, in every look', async () => {
  const { chain } = playChain();
  const database = new Database(join(newFolder(), 'custodian.sqlite'));
  const looks: boolean[] = [];
  const run = async () => {
    for (let look = 0; look < 20; look += 1) {
      const followed = await follow(
        database,
        chain,
        () => undefined,
        { startHeight: 1, finalDepth: 1 },
        () => undefined,
      );
      looks.push(followed?.isCurrent === true);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  };
  const running = run();
  await vi.advanceTimersByTimeAsync(120_000);
  await running;
  expect(looks).toEqual(Array.from({ length: 20 }, () => true));
  expect(readHead(database, 'ARBITRUM')?.height).toBeGreaterThan(250);
});

test('a block that cannot be read stops those after it, and what was read before it is stored', async () => {
  vi.useRealTimers();
  const { chain } = playChain(0);
  const database = new Database(join(newFolder(), 'custodian.sqlite'));
  let isBroken = true;
  const broken: Chain = {
    ...chain,
    scan: (block, ownerOf) =>
      isBroken && block.height === 50 ? Promise.reject(new Error('nonsense')) : chain.scan(block, ownerOf),
  };
  const run = () =>
    follow(
      database,
      broken,
      () => undefined,
      { startHeight: 1, finalDepth: 1 },
      () => undefined,
    );
  await expect(run()).rejects.toThrow('nonsense');
  expect(readHead(database, 'ARBITRUM')?.height).toBe(49);
  isBroken = false;
  await run();
  expect(readHead(database, 'ARBITRUM')?.height).toBeGreaterThanOrEqual(100);
});

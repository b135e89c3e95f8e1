import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Chain, countOn } from '../../src/nodes/chain.ts';
import { follow } from '../../src/nodes/follow.ts';
import { readHead } from '../../src/store/chain-state.ts';
import { Database } from '../../src/store/database.ts';
import { newFolder } from '../support/signing.ts';

/** How often the chain makes a block, and how long its node takes for each answer. */
const BLOCK_MS = 250;
const AWAY_MS = 150;

/** A clock that stands still while anything runs, and moves to the end of the shortest wait when everything waits. */
class PlayedClock {
  now_ms = 1_795_241_228_000;
  readonly #waits: { until_ms: number; end: () => void }[] = [];

  wait(ms: number): Promise<void> {
    return new Promise((end) => {
      this.#waits.push({ until_ms: this.now_ms + ms, end });
    });
  }

  async run<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    for (;;) {
      // Whatever can go on without the clock has done so before this resolves.
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver) return work;
      this.#waits.sort((one, other) => one.until_ms - other.until_ms);
      const next = this.#waits.shift();
      if (!next) throw new Error('it waits for something that is not on this clock');
      this.now_ms = next.until_ms;
      next.end();
    }
  }
}

function playChain(clock: PlayedClock): Chain {
  const begun_ms = clock.now_ms;
  const heightNow = () => 100 + Math.floor((clock.now_ms - begun_ms) / BLOCK_MS);
  const header = (height: number) => ({ height, hash: `b${height}`, parent: `b${height - 1}` });
  const answer = async <T>(value: () => T): Promise<T> => {
    await clock.wait(AWAY_MS);
    return value();
  };
  return {
    network: 'ARBITRUM',
    ahead: 16,
    tip: () => answer(() => ({ ...header(heightNow()), mined_ms: clock.now_ms })),
    heightsAfter: (height, tipHeight) => countOn(16, height, tipHeight),
    headerAt: (height) => answer(() => (height <= heightNow() ? header(height) : undefined)),
    scan: (block) => answer(() => ({ ...block, payments: [], spent: [] })),
    finalByTag: () => answer(() => heightNow() - 10),
    secondView: () => Promise.resolve(undefined),
    readAgain: () => Promise.resolve(null),
    broadcast: () => Promise.resolve({ kind: 'known' }),
  };
}

test('a chain with a block every 250 ms is read to its end from a node that is 150 ms away, in every look', async () => {
  const clock = new PlayedClock();
  const chain = playChain(clock);
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
      await clock.wait(2_000);
    }
  };
  await clock.run(run());
  expect(looks).toEqual(Array.from({ length: 20 }, () => true));
  expect(readHead(database, 'ARBITRUM')?.height).toBeGreaterThan(250);
});

test('a block that cannot be read stops those after it, and what was read before it is stored', async () => {
  const clock = new PlayedClock();
  const chain = playChain(clock);
  const database = new Database(join(newFolder(), 'custodian.sqlite'));
  let isBroken = true;
  const broken: Chain = {
    ...chain,
    scan: (block, ownerOf) =>
      isBroken && block.height === 50 ? Promise.reject(new Error('nonsense')) : chain.scan(block, ownerOf),
  };
  const run = () =>
    clock.run(
      follow(
        database,
        broken,
        () => undefined,
        { startHeight: 1, finalDepth: 1 },
        () => undefined,
      ),
    );
  await expect(run()).rejects.toThrow('nonsense');
  expect(readHead(database, 'ARBITRUM')?.height).toBe(49);
  isBroken = false;
  await run();
  expect(readHead(database, 'ARBITRUM')?.height).toBeGreaterThanOrEqual(100);
});

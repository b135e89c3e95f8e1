import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Arena, openArena } from '../../lab/arbitrage/arena.ts';
import { openStrategies } from '../../lab/arbitrage/open-strategies.ts';
import { Holder, UNLIMITED } from '../../lab/arbitrage/holder.ts';
import { type StrategyResult, playPath } from '../../lab/arbitrage/play-path.ts';
import { drawPath } from '../../lab/arbitrage/price-path.ts';
import { readProductionMarket } from '../../lab/arbitrage/production-market.ts';
import { TwoKeys } from '../../lab/arbitrage/two-keys.ts';
import { TwoLedgers } from '../../lab/arbitrage/two-ledgers.ts';

/** Its first two moves are 99 and 140 bps. */
const SEED = 23;
const SECONDS = 3;
const DUST_PER_STEP = 30;

let arena: Arena;

beforeAll(async () => {
  arena = await openArena(inject('workerBundle'), readProductionMarket().spread_bps);
});

afterAll(() => arena.end());

/** Over streams, on a market that stands still. */
it('thirty orders at once on one key all fill, none at a price from before its admission and the margin', async () => {
  const holder = await Holder.open(arena.operator, { assets: ['BTC'], keys: 1, trades: UNLIMITED });
  const order = () => holder.keys[0]?.order({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
  // The first opens the streams.
  await order();
  await Promise.all(Array.from({ length: 30 }, order));
  expect(holder.tally).toEqual({ filled: 31, refused: {} });
  const rows = await arena.probe.query<{ wait_ms: number }>('SELECT price_as_of - admitted_at AS wait_ms FROM orders');
  expect(rows.length).toBeGreaterThanOrEqual(31);
  expect(Math.min(...rows.map(({ wait_ms }) => wait_ms))).toBeGreaterThanOrEqual(150);
});

/** The short form of `npm run arbitrage`. */
describe('on a random path with jumps, at production’s spread', () => {
  let results: readonly StrategyResult[];
  let pairs: number;
  let looks: number;
  const named = (name: RegExp) => results.filter(({ strategy }) => name.test(strategy));

  beforeAll(async () => {
    const strategies = await openStrategies(arena, { seed: SEED, dustPerStep: DUST_PER_STEP });
    results = await playPath(arena, drawPath(SEED, SECONDS), strategies);
    pairs = strategies.find((strategy) => strategy instanceof TwoKeys)?.pairs ?? 0;
    looks = strategies.find((strategy) => strategy instanceof TwoLedgers)?.looks ?? 0;
  });

  it('two keys of one holder fill at one price, although they traded a second and a move of 1 % apart', () => {
    // Each pair of orders that was tried lost the spread twice.
    expect(pairs).toBeGreaterThan(0);
    const [result] = named(/^two keys$/);
    expect(result?.profit).toBeLessThan(0n);
  });

  it('two accounts in two ledgers, whose prices are compared all the time, gain nothing', () => {
    expect(looks).toBeGreaterThan(10);
    const [result] = named(/^two accounts in two ledgers$/);
    expect(result?.profit).toBeLessThan(0n);
  });

  it('books of two venues, at the edge of the band and back, move a fill by too little to pay, with six venues and with four', () => {
    const books = named(/^2 books of [46]$/);
    expect(books.map(({ filled, refused }) => ({ filled, refused }))).toEqual([
      { filled: 2, refused: {} },
      { filled: 2, refused: {} },
    ]);
    for (const { strategy, profit } of books) expect(profit, strategy).toBeLessThan(0n);
  });

  it('no strategy gains that must not gain: not with two keys, books of two venues, the smallest orders, or venues heard at once', () => {
    const harmless = results.filter(({ mustNotGain }) => mustNotGain);
    expect(harmless.map(({ strategy }) => strategy)).toEqual([
      'two keys',
      'two accounts in two ledgers',
      '2 books of 6',
      '2 books of 4',
      'dust',
      ...[20, 40, 60, 100].map((from_bps) => `hears the venues at once, trades from ${from_bps} bps`),
    ]);
    for (const { strategy, profit, filled, refused } of harmless) {
      // A client who waits for larger moves may find none on a path of three seconds.
      if (filled > 0) expect(profit, strategy).toBeLessThan(0n);
      else expect(strategy).toMatch(/^hears/);
      expect(refused, strategy).toEqual({});
    }
    expect(named(/^hears/).filter(({ filled }) => filled >= 2).length).toBeGreaterThanOrEqual(2);
    expect(named(/^dust$/).map(({ filled }) => filled)).toEqual([SECONDS * DUST_PER_STEP]);
  });

  // Otherwise the exchange might have filled at one price all the time, and the others' losses would prove nothing.
  it('the moves are large enough to pay a client who sees them a second early', () => {
    const ahead = named(/^sees 1 s ahead/);
    expect(ahead).toHaveLength(4);
    for (const { strategy, profit } of ahead) expect(profit, strategy).toBeGreaterThan(0n);
    expect(arena.market.unsettled).toBe(0);
  });
});

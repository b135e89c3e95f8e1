import { describe, expect, it } from 'vitest';
import { type Honest, type Terms, orderAndCancel, outrun, tradeHonestly } from '../../lab/arbitrage/forerunner.ts';
import {
  type MarketFaults,
  type MarketOptions,
  type PathName,
  VirtualMarket,
} from '../../lab/arbitrage/virtual-market.ts';

const SEEDS = [1, 2];
const SECONDS = 120;
const TERMS: Terms = { spread_bps: 10, margin_ms: 150 };

type Options = Partial<Omit<MarketOptions, 'path' | 'seed'>>;

const openMarkets = (path: PathName, options: Options = {}) =>
  SEEDS.map((seed) => new VirtualMarket({ path, seed, seconds: SECONDS, feed: 'streams', ...options }));

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const percentile = (values: readonly number[], part: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * part)] ?? NaN;

/** In USDT a minute. */
const gainOf = (markets: readonly VirtualMarket[], lead_ms: number, terms: Partial<Terms> = {}) =>
  mean(markets.map((market) => outrun(market, lead_ms, { ...TERMS, ...terms })));

function tradeAt(markets: readonly VirtualMarket[]) {
  const all: Honest[] = markets.map((market, at) => tradeHonestly(market, SEEDS[at] ?? 0, TERMS));
  const waits_ms = all.flatMap((one) => one.waits_ms);
  const refused = all.reduce((sum, one) => sum + one.refused, 0);
  return {
    cost_bps: mean(all.flatMap((one) => one.costs_bps)),
    wait_ms: mean(waits_ms),
    longest_ms: percentile(waits_ms, 0.99),
    refusedPart: refused / (refused + waits_ms.length),
  };
}

/** The short form of the tables of docs/arbitrage.md. Paths, venues and delays are assumed; all is drawn from seeds. */
describe('on drawn paths in virtual time, at a spread of 10 bps', () => {
  it.each<[PathName, { cost_bps: [number, number]; wait_ms: [number, number] }]>([
    ['calm', { cost_bps: [10.8, 11.2], wait_ms: [310, 330] }],
    ['fast', { cost_bps: [11.5, 12.9], wait_ms: [320, 345] }],
    ['jumpy', { cost_bps: [11, 15], wait_ms: [320, 345] }],
  ])(
    'an honest order costs little more than the spread, and waits a third of a second: %s',
    (path, { cost_bps, wait_ms }) => {
      const honest = tradeAt(openMarkets(path));
      const isWithin = (value: number, [low, high]: [number, number]) => value >= low && value <= high;
      expect(honest).toSatisfy(() => isWithin(honest.cost_bps, cost_bps) && isWithin(honest.wait_ms, wait_ms));
      expect(honest.longest_ms).toBeLessThanOrEqual(510);
      expect(honest.refusedPart).toBe(0);
    },
  );

  it('polls are as safe and slower: 1 s in the mean, and 99 of 100 within 1.5 s', () => {
    const markets = openMarkets('fast', { feed: 'polls' });
    const honest = tradeAt(markets);
    expect(honest.wait_ms).toBeGreaterThan(800);
    expect(honest.wait_ms).toBeLessThan(1_050);
    expect(honest.longest_ms).toBeLessThan(1_500);
    expect(honest.refusedPart).toBe(0);
    for (const lead_ms of [-100, 0, 100]) expect(gainOf(markets, lead_ms)).toBe(0);
    expect(gainOf(openMarkets('jumpy', { feed: 'polls' }), 0)).toBe(0);
  });

  it.each<[PathName, number]>([
    ['calm', 0],
    ['fast', 50],
    ['jumpy', 1_000],
  ])('who knows the truth up to his order’s arrival gains nothing, who sees 0.3 s further may: %s', (path, gain) => {
    const markets = openMarkets(path);
    for (const spread_bps of [2, 10, 20]) {
      for (const lead_ms of [-100, 0]) expect(gainOf(markets, lead_ms, { spread_bps })).toBe(0);
    }
    // Otherwise the moves might be too small to pay anybody, and nothing would be shown.
    expect(gainOf(markets, 300)).toBeGreaterThanOrEqual(gain);
  });

  it('without the margin he gains, as venues take a while to follow one another', () => {
    expect(gainOf(openMarkets('jumpy'), 0, { margin_ms: 0 })).toBeGreaterThan(500);
  });

  it('a cancel is worth nothing as it is not obeyed, and would pay if it were', () => {
    const markets = openMarkets('jumpy');
    const cancel = (after_ms: number, isObeyed: boolean) =>
      mean(markets.map((market) => orderAndCancel(market, after_ms, TERMS, isObeyed)));
    for (const after_ms of [50, 100, 300, 500, 1_000]) expect(cancel(after_ms, false)).toBeLessThan(-1_000);
    expect(cancel(1_000, true)).toBeGreaterThan(100);
  });
});

describe('while venues fail', () => {
  it.each<[string, MarketFaults]>([
    ['the leader is frozen and its socket talks', { frozen: 1 }],
    ['two are frozen', { frozen: 2 }],
    ['three are dead', { dead: 3 }],
    ['one lies within the band', { liars: { venues: [4], bps: -45 } }],
    ['one lies beyond it', { liars: { venues: [4], bps: -90 } }],
    ['two of six lie', { liars: { venues: [2, 4], bps: -45 } }],
    ['two of four lie', { dead: 2, liars: { venues: [2, 4], bps: -45 } }],
    ['each socket is lost for 3 s of 10', { cutsEach: true }],
    ['all are lost for 1 s of 10', { cutsAll: true }],
    ['messages take 0.8 s longer in one second of five', { delay_ms: 800 }],
  ])('he gains nothing either, and nearly no order is refused: %s', (_case, faults) => {
    const markets = openMarkets('fast', { faults });
    expect(gainOf(markets, 0)).toBe(0);
    const honest = tradeAt(markets);
    expect(honest.refusedPart).toBeLessThan(0.03);
    expect(honest.longest_ms).toBeLessThan(1_300);
  });

  it('with three frozen books of six, most orders are refused rather than filled at what half of them say', () => {
    const markets = openMarkets('fast', { faults: { frozen: 3 } });
    expect(tradeAt(markets).refusedPart).toBeGreaterThan(0.6);
    expect(gainOf(markets, 0)).toBe(0);
  });

  it('two liars of three pay, which is why an order at three votes is small, and two votes make no price', () => {
    expect(
      gainOf(openMarkets('fast', { faults: { dead: 3, liars: { venues: [3, 4], bps: -45 } } }), 0),
    ).toBeGreaterThan(400);
    expect(tradeAt(openMarkets('fast', { faults: { dead: 4 } })).refusedPart).toBe(1);
  });

  it('venues that date their messages ahead would pay a client who is ahead, if they were believed', () => {
    const faults = { believed: { venues: 4, ahead_ms: 500 } };
    const [honest, believed] = [openMarkets('jumpy'), openMarkets('jumpy', { faults })].map((one) => gainOf(one, 100));
    expect((believed ?? 0) - (honest ?? 0)).toBeGreaterThan(1_500);
  });
});

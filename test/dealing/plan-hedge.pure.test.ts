import { describe, expect, it } from 'vitest';
import { type HedgeFacts, planHedge } from '../../src/dealing/plan-hedge.ts';

const facts: HedgeFacts = {
  coin: 'BTC',
  // 0.1 BTC short, at 60,000 USDT: 6,000 USDT.
  position: -10_000_000n,
  middle: 6_000_000_000_000n,
  terms: { venue: 'v', outer: '5000', inner: '2500', maxAgeSeconds: 300, limitBps: 30, maxHedge: '50000', feeBps: 10 },
  part: { share: 1n, whole: 1n },
  since_ms: undefined,
  now_ms: 1_000_000,
  market: {
    coin: 'BTC',
    isOpen: true,
    amountStep: '0.0001',
    priceStep: '0.1',
    minAmount: '0.0002',
    minCost: '10',
    takerFee: '0.001',
  },
  atVenue: { coin: 10n ** 12n, usdt: 10n ** 12n },
  volumeLeft: null,
};

const plan = (change: Partial<HedgeFacts> = {}) => planHedge({ ...facts, ...change });
const at = (usdt: number) => -BigInt(Math.round((usdt / 60_000) * 1e8));

describe('a hedge', () => {
  it('brings a position beyond the outer bound back to the inner one, in whole steps, within its limit', () => {
    // 3,500 USDT are 0.05833 BTC. A purchase sets aside its cost at the limit and twice the fee.
    const terms = { coin: 'BTC', coinAmount: 5_830_000n, middlePrice: facts.middle };
    expect(plan()).toEqual({ ...terms, side: 'BUY', limitPrice: 6_018_000_000_000n, setAside: 3_515_510_989n });
    expect(plan({ position: 10_000_000n })).toEqual({
      ...terms,
      side: 'SELL',
      limitPrice: 5_982_000_000_000n,
      setAside: 5_830_000n,
    });
  });

  it('has a limit of whole steps on the safe side of it', () => {
    const middle = 6_000_012_345_678n;
    const limits = [at(6_000), -at(6_000)].map((position) => plan({ position, middle }));
    expect(limits).toMatchObject([{ limitPrice: 6_018_010_000_000n }, { limitPrice: 5_982_020_000_000n }]);
  });

  it.each<[string, Partial<HedgeFacts>, unknown]>([
    ['at the outer bound', { position: at(5_000) }, 'quiet'],
    ['a little beyond it', { position: at(5_000.01) }, { side: 'BUY' }],
    ['within the inner bound, however old', { position: at(2_499), since_ms: 0 }, 'quiet'],
    ['between them, young', { position: at(4_000), since_ms: 700_001 }, 'quiet'],
    ['between them, old', { position: at(4_000), since_ms: 700_000 }, { side: 'BUY' }],
    [
      'of a ledger with half of it',
      { part: { share: 1n, whole: 2n }, position: at(2_600) },
      { coinAmount: 2_240_000n },
    ],
    ['of a ledger without a part', { part: { share: 0n, whole: 1n }, position: at(60) }, { side: 'BUY' }],
    ['at most the largest', { terms: { ...facts.terms, maxHedge: '600' } }, { coinAmount: 1_000_000n }],
    ['while the market is closed', { market: { ...facts.market, isOpen: false } }, 'closed'],
    ['below the smallest amount', { market: { ...facts.market, minAmount: '0.06' } }, 'too_small'],
    ['below the smallest cost', { market: { ...facts.market, minCost: '3600' } }, 'too_small'],
    ['below a step', { market: { ...facts.market, amountStep: '1' } }, 'too_small'],
    ['beyond the USDT at the venue', { atVenue: { coin: 10n ** 12n, usdt: 3_515_510_988n } }, 'venue_has_too_little'],
    [
      'beyond the coins there',
      { position: 10_000_000n, atVenue: { coin: 5_829_999n, usdt: 0n } },
      'venue_has_too_little',
    ],
    ['beyond what may be hedged today', { volumeLeft: 3_499_999_999n }, 'daily_volume_used'],
    ['within it', { volumeLeft: 3_500_000_000n }, { side: 'BUY' }],
  ])('%s', (_what, change, expected) => {
    if (typeof expected === 'string') expect(plan(change)).toBe(expected);
    else expect(plan(change)).toMatchObject(expected as object);
  });
});

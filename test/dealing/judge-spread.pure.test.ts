import { describe, expect, it } from 'vitest';
import type { CoinTerms } from '../../src/db/coin-terms.ts';
import { findThinSpreads } from '../../src/dealing/judge-spread.ts';
import { boundsFrom } from '../../src/orders/terms.ts';

const hedging = { venue: 'v', outer: '5000', inner: '2500', maxAgeSeconds: 300, limitBps: 30, maxHedge: '50000' };

const judge = (
  terms: NonNullable<CoinTerms['BTC']>,
  { ledgers = 1, spreadBps = null as number | null, minSpread_bps = 0 } = {},
) =>
  findThinSpreads(
    { spreadBps, coinTerms: { BTC: terms } },
    { spread_bps: 20, minSpread_bps, boundsOf: boundsFrom({ min: '1', max: '40000' }, {}) },
    ledgers,
  );

describe('a spread below what hedges cost', () => {
  it('is told with its figures, and what to set', () => {
    expect(judge({ hedging: { ...hedging, feeBps: 25 } })).toEqual([
      'the spread of BTC is 20 bps, and to hedge an order of 40000 USDT, above outer, 5000, costs 28 bps (fee 25, impact 3): set a spread of at least 28, or a maxNotional of at most outer',
    ]);
    expect(judge({ maxNotional: '5000', hedging: { ...hedging, feeBps: 25 } }, { ledgers: 3 })).toEqual([
      'the spread of BTC is 20 bps, and to hedge an order of 5000 USDT, in 3 ledgers, costs 26.25 bps (fee 25, impact 1.25): set a spread of at least 27',
    ]);
  });

  it.each<[string, boolean, NonNullable<CoinTerms['BTC']>, Parameters<typeof judge>[1]?]>([
    ['equal to fee and impact', false, { hedging: { ...hedging, feeBps: 17 } }],
    ['below them by less than a hundredth', true, { maxNotional: '40000', hedging: { ...hedging, feeBps: 18 } }],
    ['of the coin', false, { spreadBps: 28, hedging: { ...hedging, feeBps: 25 } }],
    ['of the coin, too small', true, { spreadBps: 27, hedging: { ...hedging, feeBps: 25 } }],
    ['of the exchange', false, { hedging: { ...hedging, feeBps: 25 } }, { spreadBps: 28 }],
    ['of the exchange, too small', true, { hedging: { ...hedging, feeBps: 16 } }, { spreadBps: 18 }],
    ['that the environment lifts', false, { hedging: { ...hedging, feeBps: 25 } }, { minSpread_bps: 28 }],
    ['where no order is above outer', false, { maxNotional: '5000', hedging: { ...hedging, feeBps: 25 } }],
    ['where one is by an atom', true, { maxNotional: '5000.000001', hedging: { ...hedging, feeBps: 25 } }],
    [
      'where no order is, in two ledgers',
      true,
      { maxNotional: '9', hedging: { ...hedging, feeBps: 25 } },
      { ledgers: 2 },
    ],
    ['where hedges are small', false, { hedging: { ...hedging, maxHedge: '20000', feeBps: 18 } }],
    ['where no more impact is paid than the limit', false, { hedging: { ...hedging, limitBps: 2, feeBps: 18 } }],
    ['of a coin that is not hedged', false, { spreadBps: 0 }],
  ])('%s', (_what, isThin, terms, more) => {
    expect(judge(terms, more)).toHaveLength(isThin ? 1 : 0);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Observation, agreeOnPrice, chooseShown } from '../../src/markets/aggregate.ts';
import type { AgreedMarket } from '../../src/markets/snapshot.ts';
import type { SourceTicker } from '../../src/markets/sources/price-source.ts';
import { formatPrice, parsePrice } from '../../src/money/amounts.ts';
import { forAll } from '../support/for-all.ts';

const now_ms = Date.parse('2026-11-21T12:00:00Z');

const price = (text: string) => parsePrice(text) ?? 0n;

function observe(text: string | bigint, change: Partial<SourceTicker> = {}, received_ms = now_ms): Observation {
  const ticker: SourceTicker = {
    coin: 'BTC',
    price: typeof text === 'bigint' ? text : price(text),
    book: null,
    open24h: null,
    volume24h: null,
    venueTime_ms: null,
    ...change,
  };
  return { source: 'venue', asOf_ms: received_ms, received_ms, isRepeat: false, ticker };
}

const observeAll = (prices: readonly bigint[]) => prices.map((value) => observe(value));

const agreed = (observations: Observation[], last: AgreedMarket | null = null) => {
  const market = agreeOnPrice(observations, last, now_ms);
  return market && formatPrice(market.price);
};

const accepted = (text: string, age_ms: number): AgreedMarket => ({
  price: price(text),
  dispersion: 0n,
  received_ms: now_ms - age_ms,
  venueTime_ms: null,
});

describe('the agreed price of several sources', () => {
  it.each([
    ['nobody answers', [], null],
    ['one answers', ['100'], null],
    ['two are equal', ['100', '100'], '100'],
    ['two are just within 1 %', ['100', '101'], '100.5'],
    ['two are just over 1 % apart', ['100', '101.00000001'], null],
    ['two are left and one is 1000 times off', ['100', '100000'], null],
    ['of three one is 1000 times too high', ['100', '100.2', '100000'], '100.1'],
    ['of three one is 1000 times too low', ['0.1', '100', '100.2'], '100.1'],
    ['all three differ', ['100', '110', '120'], null],
    ['three are just within 0.5 %', ['100', '100.1', '100.5'], '100.1'],
    ['of four, three are just over 0.5 % apart', ['100', '100.2', '100.50000001', '150'], null],
    ['of three, two are within 0.5 % and the third within 1 % of both', ['100', '100.2', '100.9'], '100.2'],
    ['three agree, and a fourth is within 1 % of each', ['100', '100.1', '100.2', '100.9'], '100.15'],
    ['three agree, and a fourth is not within 1 % of each', ['100', '100.1', '100.2', '101.1'], '100.1'],
    ['two stand against two', ['100', '100.1', '105', '105.1'], null],
    ['three stand against two', ['100', '100.1', '100.2', '105', '105.1'], '100.1'],
    ['two stand against three that differ', ['100', '100.1', '105', '110', '120'], null],
    ['the mean of the middle two needs rounding', ['100.00000001', '100.00000002'], '100.00000002'],
    ['the ends of three are too far apart: the closer pair', ['100', '100.9', '101.5'], '101.2'],
  ])('exists only when enough sources agree: %s', (_case, prices, expected) => {
    expect(agreed(prices.map((text) => observe(text)))).toBe(expected);
  });

  it('ignores a price that is not positive', () => {
    expect(agreed([observe('100'), observe(0n)])).toBeNull();
    expect(agreed([observe('100'), observe('100'), observe(-1n)])).toBe('100');
  });

  it('ignores a price whose venue time is over 60 s old or over 10 s ahead', () => {
    const timed = (age_ms: number) => observe('100', { venueTime_ms: now_ms - age_ms });
    expect(agreed([observe('100'), timed(60_000)])).toBe('100');
    expect(agreed([observe('100'), timed(60_001)])).toBeNull();
    expect(agreed([observe('100'), timed(-10_000)])).toBe('100');
    expect(agreed([observe('100'), timed(-10_001)])).toBeNull();
  });

  it('counts a source with such a time among those that answered', () => {
    const stale = observe('100', { venueTime_ms: now_ms - 61_000 });
    expect(agreed([observe('100'), observe('100'), stale])).toBe('100');
    expect(agreed([observe('100'), observe('100'), stale, stale])).toBeNull();
  });

  it('has the oldest time of receipt and the oldest venue time in the group', () => {
    const group = [
      observe('100', { venueTime_ms: now_ms - 2_000 }, now_ms - 10),
      observe('100', { venueTime_ms: now_ms - 3_000 }, now_ms - 5),
      observe('100', {}, now_ms - 20),
      observe('200', { venueTime_ms: now_ms - 9_000 }, now_ms - 90),
    ];
    expect(agreeOnPrice(group, null, now_ms)).toEqual({
      dispersion: 0n,
      price: price('100'),
      received_ms: now_ms - 20,
      venueTime_ms: now_ms - 3_000,
    });
  });
});

describe('the vote of a source', () => {
  const withBook = (bid: string | null, ask: string | null, last = '100') =>
    observe(last, { book: { bid: bid === null ? null : price(bid), ask: ask === null ? null : price(ask) } });
  const votes = (observation: Observation) => agreed([observation, observe('100')]);

  it('is the middle of its book, rounded half up, and not its last trade', () => {
    expect(votes(withBook('100', '100.2', '100.7'))).toBe('100.05');
    expect(votes(withBook('100', '100.00000001', '250'))).toBe('100.00000001');
    expect(votes(withBook('100', '100', '0.1'))).toBe('100');
  });

  it.each([
    ['is wider than the band', '100', '100.50000001'],
    ['is crossed', '100.00000001', '100'],
    ['has no bid', null, '100'],
    ['has no ask', '100', null],
    ['is empty', null, null],
  ])('is missing when its book %s, but the source counts among those that answered', (_case, bid, ask) => {
    expect(votes(withBook(bid, ask))).toBeNull();
    expect(agreed([withBook(bid, ask), observe('100'), observe('100')])).toBe('100');
    expect(agreed([withBook(bid, ask), withBook(bid, ask), observe('100'), observe('100')])).toBeNull();
  });

  it('is valid with a book as wide as the band', () => {
    expect(agreed([withBook('100', '100.5'), observe('100.25')])).toBe('100.25');
  });

  it('is not needed for a shown price, which is the last trade while no source votes', () => {
    const shown = (...observations: Observation[]) => chooseShown(observations, price('100'), now_ms)?.price;
    expect(shown(withBook('90', '110', '101'))).toBe(price('101'));
    expect(shown(withBook('90', '110', '101'), observe('99'))).toBe(price('99'));
    expect(shown(withBook('100', '100.2', '107'))).toBe(price('100.1'));
  });
});

describe('a repeated vote', () => {
  const repeat = (text: string) => ({ ...observe(text, {}, now_ms - 900), isRepeat: true });
  const agree = (...observations: Observation[]) => agreeOnPrice(observations, null, now_ms);

  it('does not set the price or its age when four votes are of this round', () => {
    const market = agree(observe('100'), observe('100'), observe('100'), observe('100'), repeat('100.4'));
    expect(market).toMatchObject({ price: price('100'), dispersion: price('0.4'), received_ms: now_ms });
  });

  it('is used for the price when there are fewer, and the price is then as old as it', () => {
    const market = agree(observe('100'), repeat('100.4'));
    expect(market).toMatchObject({ price: price('100.2'), received_ms: now_ms - 900 });
  });

  it('counts for the majority, on either side', () => {
    const two = [observe('100'), observe('100')];
    expect(agree(...two, observe('105'), repeat('105'))).toBeNull();
    expect(agree(...two, observe('105'), repeat('100'))?.price).toBe(price('100'));
  });
});

describe('a jump of over 10 % within a minute needs three sources', () => {
  const two = (text: string) => [observe(text), observe(text)];
  const three = (text: string) => [...two(text), observe(text)];

  it.each([
    ['two at +10 %', two('110'), '110'],
    ['two beyond +10 %', two('110.00000001'), null],
    ['two at -10 %', two('90'), '90'],
    ['two beyond -10 %', two('89.99999999'), null],
    ['three beyond +10 %', three('150'), '150'],
    ['three beyond -10 %', three('50'), '50'],
  ])('%s', (_case, observations, expected) => {
    expect(agreed(observations, accepted('100', 59_999))).toBe(expected);
  });

  it('two are enough when the last accepted price is a minute old', () => {
    expect(agreed(two('150'), accepted('100', 60_000))).toBe('150');
  });
});

const manyPrices = fc.array(fc.bigInt({ min: 1n, max: 10n ** 18n }), { minLength: 1, maxLength: 7 });
const closePrices = fc.array(fc.bigInt({ min: 9_900_000_000n, max: 10_100_000_000n }), { minLength: 1, maxLength: 7 });
const anyPrices = fc.oneof(manyPrices, closePrices);

describe('whatever prices the sources give', () => {
  it('their order does not matter', () => {
    const shuffles = anyPrices.chain((prices) =>
      fc.tuple(fc.constant(prices), fc.shuffledSubarray(prices, { minLength: prices.length })),
    );
    forAll(shuffles, ([prices, shuffled]) => {
      const [one, other] = [prices, shuffled].map(observeAll);
      expect(agreeOnPrice(one ?? [], null, now_ms)).toEqual(agreeOnPrice(other ?? [], null, now_ms));
      expect(chooseShown(one ?? [], 10n ** 10n, now_ms)).toEqual(chooseShown(other ?? [], 10n ** 10n, now_ms));
    });
  });

  it('one source moves an agreed price only within the others’ range, or with two sources by half the band at most', () => {
    fc.assert(
      fc.property(closePrices, fc.bigInt({ min: 1n, max: 10n ** 18n }), (honest, liar) => {
        const market = agreeOnPrice(observeAll([...honest, liar]), null, now_ms);
        if (!market) return;
        const sorted = honest.toSorted((one, other) => Number(one - other));
        const [lowest = 0n, highest = 0n] = [sorted[0], sorted.at(-1)];
        const slack = honest.length <= 2 ? highest / 200n + 1n : 0n;
        expect(market.price).toBeGreaterThanOrEqual(lowest - slack);
        expect(market.price).toBeLessThanOrEqual(highest + slack);
      }),
      { numRuns: 2_000 },
    );
  });

  it('one source moves a shown price only within the range of three others that agree', () => {
    const agreeing = fc.array(fc.bigInt({ min: 10_000_000_000n, max: 10_100_000_000n }), {
      minLength: 3,
      maxLength: 6,
    });
    const anything = fc.bigInt({ min: 1n, max: 10n ** 18n });
    fc.assert(
      fc.property(
        agreeing,
        fc.oneof(
          anything,
          closePrices.map(([first = 1n]) => first),
        ),
        anything,
        (honest, liar, reference) => {
          const market = chooseShown(observeAll([liar, ...honest]), reference, now_ms);
          const sorted = honest.toSorted((one, other) => Number(one - other));
          expect(market?.price).toBeGreaterThanOrEqual(sorted[0] ?? 0n);
          expect(market?.price).toBeLessThanOrEqual(sorted.at(-1) ?? 0n);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('two books at the edge of the band let nobody buy below the lowest honest price or sell above the highest', () => {
    // The honest sources of a coin with four or more sources, up to 0.4 % apart. The other two are anywhere near.
    const honestPrices = fc.array(fc.bigInt({ min: 10_000_000_000n, max: 10_040_000_000n }), {
      minLength: 2,
      maxLength: 4,
    });
    const pushed = fc.bigInt({ min: 9_850_000_000n, max: 10_200_000_000n });
    fc.assert(
      fc.property(honestPrices, pushed, pushed, fc.boolean(), (honest, one, other, areRepeated) => {
        const observations = [
          ...observeAll(honest),
          ...[one, other].map((value) => ({ ...observe(value), isRepeat: areRepeated })),
        ];
        const market = agreeOnPrice(observations, null, now_ms);
        if (!market) return;
        const sorted = honest.toSorted((left, right) => Number(left - right));
        const [lowest = 0n, highest = 0n] = [sorted[0], sorted.at(-1)];
        // What a client pays and gets before the house's own spread. One unit of the last decimal is rounding.
        expect(market.price * 2n + market.dispersion).toBeGreaterThanOrEqual(lowest * 2n - 1n);
        expect(market.price * 2n - market.dispersion).toBeLessThanOrEqual(highest * 2n + 1n);
      }),
      { numRuns: 20_000 },
    );
  });

  it('an agreed price lies between two sources that are within 1 % of each other, and in a group of more than half', () => {
    fc.assert(
      fc.property(anyPrices, (prices) => {
        const market = agreeOnPrice(observeAll(prices), null, now_ms);
        if (!market) return;
        const near = prices.filter(
          (value) => value * 102n >= market.price * 100n && value * 100n <= market.price * 102n,
        );
        expect(near.length * 2).toBeGreaterThan(prices.length);
        expect(near.length).toBeGreaterThanOrEqual(2);
      }),
      { numRuns: 2_000 },
    );
  });

  it('the shown price is the agreed one when there is one', () => {
    forAll(anyPrices, (prices) => {
      const observations = observeAll(prices);
      const market = agreeOnPrice(observations, null, now_ms);
      if (market) expect(chooseShown(observations, market.price, now_ms)?.price).toBe(market.price);
    });
  });

  it('a price is shown as soon as any source gives a positive one', () => {
    forAll(anyPrices, fc.bigInt({ min: 1n, max: 10n ** 18n }), (prices, reference) => {
      expect(chooseShown(observeAll(prices), reference, now_ms)).not.toBeNull();
    });
  });
});

describe('the shown price', () => {
  const shown = (observations: Observation[], reference = '100') => chooseShown(observations, price(reference), now_ms);

  it('is a single source’s when there is only one', () => {
    expect(shown([observe('100')])?.price).toBe(price('100'));
  });

  it('is that of the group nearest to the reference when groups are equally large', () => {
    const two = [observe('100'), observe('100000')];
    expect(shown(two, '99')?.price).toBe(price('100'));
    expect(shown(two, '99000')?.price).toBe(price('100000'));
  });

  it('is that of the larger group, however far from the reference', () => {
    expect(shown([observe('100'), observe('200'), observe('200')])?.price).toBe(price('200'));
  });

  it('has an old venue time only when there is no other', () => {
    const stale = observe('100', { venueTime_ms: now_ms - 61_000 });
    expect(shown([stale, stale, observe('120')])?.price).toBe(price('120'));
    expect(shown([stale])).toMatchObject({ price: price('100'), dataTime_ms: now_ms - 61_000 });
  });

  it('does not exist without a positive price', () => {
    expect(shown([])).toBeNull();
    expect(shown([observe(0n)])).toBeNull();
  });

  it('has the change since the median of the group’s rolling opens', () => {
    const group = [
      observe('102.34', { open24h: price('100') }),
      observe('102.34', { open24h: price('101') }),
      observe('102.34', { open24h: price('99') }),
      observe('102.34'),
      observe('999', { open24h: price('1') }),
    ];
    expect(shown(group)?.change24h).toBe(0.0234);
    expect(shown([observe('100')])?.change24h).toBe(0);
    expect(shown([observe('90', { open24h: price('100') })])?.change24h).toBe(-0.1);
  });

  it('has the volume of the first configured source that gives one', () => {
    const group = [observe('100'), observe('100', { volume24h: '7' }), observe('100', { volume24h: '9' })];
    expect(shown(group)?.volume24h).toBe('7');
    expect(shown([observe('100')])?.volume24h).toBe('0');
  });

  it('has the names of its group’s sources, in their configured order', () => {
    const named = (source: string, text: string) => ({ ...observe(text), source });
    const all = [named('binance', '100.2'), named('okx', '100'), named('gate', '150'), named('kraken', '100.1')];
    expect(shown(all)?.sources).toEqual(['binance', 'okx', 'kraken']);
  });

  it('has the time of the oldest member, and never a time in the future', () => {
    const group = [
      observe('100', { venueTime_ms: now_ms + 5_000 }, now_ms - 3),
      observe('100', { venueTime_ms: now_ms - 700 }),
      observe('200', { venueTime_ms: now_ms - 9_000 }),
    ];
    expect(shown(group)?.dataTime_ms).toBe(now_ms - 700);
    expect(shown(group.slice(0, 1))?.dataTime_ms).toBe(now_ms - 3);
  });
});

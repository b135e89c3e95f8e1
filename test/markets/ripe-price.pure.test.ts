import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RipeQuestion, type Vote, agreeOnRipePrice } from '../../src/markets/ripe-price.ts';
import { formatPrice, parsePrice } from '../../src/money/amounts.ts';

const now_ms = Date.parse('2026-11-21T12:00:00Z');

/** The moment that a price must be as of. */
const asOf_ms = now_ms - 200;
const [before_ms, after_ms] = [asOf_ms - 1, asOf_ms];

let venues = 0;

/** A vote of a venue of its own, whose book has no width, by default with a message of its own as of that moment. */
function vote(price: string, change: Partial<Vote> = {}): Vote {
  venues += 1;
  const own_ms = change.own_ms ?? after_ms;
  return { venue: `venue ${venues}`, bid: price, ask: price, own_ms, vouched_ms: own_ms, ...change };
}

/** Its socket has spoken as of that moment, but not of this coin. */
const vouched = (price: string) => vote(price, { own_ms: before_ms, vouched_ms: after_ms });
const stale = (price: string) => vote(price, { own_ms: before_ms });
const silent = (price: string) => vote(price, { own_ms: now_ms - 2_001 });

const ask = (votes: readonly Vote[], change: Partial<RipeQuestion> = {}) =>
  agreeOnRipePrice(votes, { coin: 'BTC', asOf_ms, now_ms, alive: 0, lastAccepted: null, ...change });

const priceOf = (votes: readonly Vote[], change: Partial<RipeQuestion> = {}) => {
  const tick = ask(votes, change);
  return tick && formatPrice(tick.price);
};

describe('a ripe price', () => {
  it.each<[string, Vote[], number, string | undefined]>([
    ['four fresh votes make one', [vote('100'), vote('100.01'), vote('100.02'), vote('100.03')], 4, '100.015'],
    ['three of four fresh ones do not', [vote('100'), vote('100'), vote('100'), stale('100')], 4, undefined],
    ['three do not while a fourth venue is alive', [vote('100'), vote('100'), vote('100')], 4, undefined],
    ['three do where no more are alive', [vote('100'), vote('100.01'), vote('100.02')], 3, '100.01'],
    ['three do where a fourth has long been silent', [vote('100'), vote('100'), vote('100'), silent('90')], 3, '100'],
    [
      'three of four polled ones do not, whatever is alive',
      [vote('1'), vote('1'), vote('1'), stale('1')],
      0,
      undefined,
    ],
    ['two do not, however few are alive', [vote('100'), vote('100')], 2, undefined],
    ['two do not just after all sockets were lost', [vote('100'), vote('100')], 6, undefined],
    ['nobody does', [], 0, undefined],
    ['sockets vouch for quiet books', [vote('100'), vouched('100'), vouched('100'), vouched('100.05')], 4, '100'],
    ['not where votes span over 5 bps', [vote('100'), vote('100'), vote('100'), vouched('100.0501')], 4, undefined],
    [
      'then only books with a message of their own count',
      [vote('100'), vote('100'), vote('100.1'), vote('100.1'), vouched('100'), vouched('100')],
      6,
      '100.05',
    ],
    [
      'older votes are not part of the median',
      [vote('100'), vote('100'), vote('100'), vote('100'), ...Array.from({ length: 4 }, () => stale('100.4'))],
      8,
      '100',
    ],
    [
      'older votes count for the majority',
      [vote('100'), vote('100'), vote('100'), vote('100'), ...Array.from({ length: 4 }, () => stale('103'))],
      8,
      undefined,
    ],
    [
      'a book without a middle counts for the majority, and has no price',
      [...['1', '1', '1', '1'].map((one) => vote(one)), ...Array.from({ length: 4 }, () => vote('1', { bid: null }))],
      8,
      undefined,
    ],
    ['a price that is none has no vote', [vote('1'), vote('1'), vote('1'), vote('0'), vote('-1')], 4, undefined],
    [
      'a fresh vote that is not near the others is none',
      [vote('100'), vote('100'), vote('100'), vote('102')],
      4,
      undefined,
    ],
    [
      'a vote from before the clock went back is none',
      [vote('100'), vote('100'), vote('100'), vote('100', { own_ms: now_ms + 1 })],
      4,
      undefined,
    ],
  ])('%s', (_case, votes, alive, expected) => {
    expect(priceOf(votes, { alive })).toBe(expected);
  });

  it('is as of its oldest vote, and says how many there are and how far all near votes lie apart', () => {
    const own = [5, 3, 9, 4].map((later_ms, at) => vote(`100.0${at}`, { own_ms: asOf_ms + later_ms }));
    const tick = ask([...own, stale('99.98')]);
    expect(tick).toMatchObject({ coin: 'BTC', asOf_ms: asOf_ms + 3, votes: 4, dispersion: parsePrice('0.05') });
    const quiet = own.map((one) => ({ ...one, bid: '100', ask: '100', vouched_ms: one.own_ms + 20 }));
    expect(ask(quiet)?.asOf_ms).toBe(asOf_ms + 23);
  });

  it('follows a jump of over a tenth within a minute only where three venues agree closely', () => {
    const last = { price: parsePrice('100') ?? 0n, received_ms: now_ms - 59_999 };
    const close = () => [vote('111'), vote('111.5'), vote('111.55')];
    const loose = () => [vote('111'), vote('111.5'), vote('111.6')];
    expect(priceOf(close(), { alive: 3, lastAccepted: last })).toBe('111.5');
    expect(priceOf(loose(), { alive: 3, lastAccepted: last })).toBeUndefined();
    expect(priceOf(loose(), { alive: 3, lastAccepted: { ...last, received_ms: now_ms - 60_000 } })).toBe('111.5');
    expect(priceOf(loose(), { alive: 3 })).toBe('111.5');
  });
});

const anyVote = fc
  .record({
    bps: fc.oneof(fc.integer({ min: -6, max: 6 }), fc.integer({ min: -120, max: 120 })),
    own_ms: fc.integer({ min: now_ms - 2_500, max: now_ms + 100 }),
    vouched_ms: fc.integer({ min: now_ms - 2_500, max: now_ms + 100 }),
  })
  .map(({ bps, own_ms, vouched_ms }) =>
    vote(String(100 + bps / 100), { own_ms, vouched_ms: Math.max(own_ms, vouched_ms) }),
  );

const anyMarket = fc.record({
  votes: fc.array(anyVote, { maxLength: 7 }),
  asOf_ms: fc.integer({ min: now_ms - 1_500, max: now_ms }),
  alive: fc.nat(7),
});

const middle = ({ bid }: Vote) => parsePrice(bid ?? '') ?? 0n;

describe('whatever venues say', () => {
  it('no price is as of a time before the one that was asked for, and none is made of fewer fresh votes than it says', () => {
    let ripe = 0;
    fc.assert(
      fc.property(anyMarket, ({ votes, ...question }) => {
        const tick = ask(votes, question);
        if (!tick) return;
        ripe += 1;
        expect(tick.asOf_ms).toBeGreaterThanOrEqual(question.asOf_ms);
        const fresh = votes.filter((one) => one.vouched_ms >= question.asOf_ms && one.vouched_ms <= now_ms);
        expect(fresh.length).toBeGreaterThanOrEqual(tick.votes);
        expect(tick.votes).toBeGreaterThanOrEqual(question.alive >= 4 ? 4 : 3);
      }),
      { numRuns: 10_000, seed: 40 },
    );
    expect(ripe).toBeGreaterThan(300);
  });

  it('what is ripe for a later moment is ripe for an earlier one', () => {
    fc.assert(
      fc.property(anyMarket, fc.nat(1_000), ({ votes, ...question }, earlier_ms) => {
        if (ask(votes, question)) {
          expect(ask(votes, { ...question, asOf_ms: question.asOf_ms - earlier_ms })).toBeDefined();
        }
      }),
      { numRuns: 5_000, seed: 41 },
    );
  });

  it('two dishonest venues of four bring no price beyond the honest ones by more than half of the votes’ range', () => {
    const honest = fc.array(fc.integer({ min: -10, max: 10 }), { minLength: 2, maxLength: 5 });
    const liars = fc.array(fc.integer({ min: -200, max: 200 }), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(honest, liars, (truths, lies) => {
        const [own, bent] = [truths, lies].map((all) => all.map((bps) => vote(String(100 + bps / 100))));
        const tick = ask([...(own ?? []), ...(bent ?? [])], { alive: 4 });
        if (!tick) return;
        const prices = (own ?? []).map(middle);
        const [low, high] = prices.reduce<[bigint, bigint]>(
          ([least, most], price) => [price < least ? price : least, price > most ? price : most],
          [prices[0] ?? 0n, prices[0] ?? 0n],
        );
        expect(tick.price + (tick.dispersion + 1n) / 2n + 1n).toBeGreaterThanOrEqual(low);
        expect(tick.price - (tick.dispersion + 1n) / 2n - 1n).toBeLessThanOrEqual(high);
      }),
      { numRuns: 5_000, seed: 42 },
    );
  });
});

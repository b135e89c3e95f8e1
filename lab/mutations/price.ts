import type { Room } from './mutation.ts';

const marketTest = 'test/arbitrage/virtual-market.pure.test.ts';
const arbitrageTest = 'test/arbitrage/arbitrage.node.test.ts';
const clockTest = 'test/markets/streams/venue-clock.pure.test.ts';
const HUB = 'src/markets/price-hub.ts';
const CLOCK = 'src/markets/streams/venue-clock.ts';
const ruleTest = 'test/markets/ripe-price.pure.test.ts';

export const price: Room = {
  name: 'price',
  file: 'src/markets/ripe-price.ts',
  tests: [ruleTest],
  mutations: [
    {
      name: 'three fresh votes of four make a price',
      find: '? MANY_VOTES - 1 : MANY_VOTES',
      replace: '? MANY_VOTES - 1 : MANY_VOTES - 1',
      tests: [marketTest],
    },
    {
      name: 'a book that moved is believed without a message of its own',
      find: 'hasMoved ? vote.own_ms : vote.vouched_ms',
      replace: 'vote.vouched_ms',
      tests: [marketTest],
    },
    {
      name: 'a talking socket never vouches for its quiet books',
      find: 'hasMoved ? vote.own_ms : vote.vouched_ms',
      replace: 'vote.own_ms',
    },
    {
      name: 'a price just before the moment that was asked for is ripe',
      find: 'times_ms(one) >= asOf_ms',
      replace: 'times_ms(one) >= asOf_ms - 1',
    },
    {
      name: 'old votes are part of the median',
      find: 'medianOf(fresh)',
      replace: 'medianOf(near)',
    },
    {
      name: 'old votes do not count for the majority',
      find: 'heard.flatMap(priceVote), heard.length',
      replace: 'heard.flatMap(priceVote), 0',
    },
    {
      name: 'a venue that has long been silent still votes',
      find: 'now_ms - vouched_ms <= MAX_SILENCE_MS',
      replace: 'now_ms - vouched_ms <= 2 * MAX_SILENCE_MS',
    },
    {
      name: 'a vote from before the clock went back is fresh for long',
      find: 'vouched_ms <= now_ms && ',
      replace: '',
    },
    {
      name: 'a tick says that it is as of its newest vote',
      find: 'Math.min(...fresh.map(times_ms))',
      replace: 'Math.max(...fresh.map(times_ms))',
    },
    {
      name: 'an order waits for no margin',
      file: HUB,
      find: 'admitted_ms + this.#settings.margin_ms',
      replace: 'admitted_ms',
      tests: [arbitrageTest],
    },
    {
      name: 'a venue’s clock is believed',
      file: CLOCK,
      find: 'Math.floor(now_ms - this.#delay_ms - this.#way_ms)',
      replace: '(event_ms ?? now_ms)',
      tests: [clockTest],
    },
    {
      name: 'a message that came late counts as new',
      file: CLOCK,
      find: 'now_ms - this.#delay_ms - this.#way_ms',
      replace: 'now_ms - this.#way_ms',
      tests: [clockTest],
    },
    {
      name: 'the way of a message is not taken off',
      file: CLOCK,
      find: 'now_ms - this.#delay_ms - this.#way_ms',
      replace: 'now_ms - this.#delay_ms',
      tests: [clockTest],
    },
    {
      name: 'a price is as of a fraction of a millisecond',
      file: CLOCK,
      find: 'Math.floor(now_ms - this.#delay_ms - this.#way_ms)',
      replace: 'now_ms - this.#delay_ms - this.#way_ms',
      tests: [clockTest],
    },
    {
      name: 'a pair that agrees loosely may jump',
      find: 'if (!mayFollow(lastAccepted, price, group, now_ms)) return undefined;',
      replace: '',
    },
  ],
};

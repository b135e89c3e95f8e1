import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examineVenue } from '../../src/examine.ts';
import { tradeThereAndBack } from '../../src/trade-there-and-back.ts';
import { Clock, type Kind, type Played, openPlayed, play } from '../support/open.ts';

let clock: Clock;
let played: Played;

beforeEach(async () => {
  clock = new Clock();
  played = await play('binance', clock.now);
});

afterEach(() => played.server.stop());

/** What the doctor says is wrong. */
const findFaults = async () => {
  const findings = await examineVenue(openPlayed(played, clock));
  return findings.filter(({ isRight }) => !isRight).map(({ detail }) => detail);
};

it('finds nothing wrong with a venue account as it should be, and sends no order', async () => {
  expect(await findFaults()).toEqual([]);
  expect(played.server.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

const state = () =>
  played.server.state as { clockOffset_ms: number; isRevoked: boolean; rights: Record<string, boolean> };

it.each<[string, () => unknown, RegExp]>([
  ['a clock that is off', () => (state().clockOffset_ms = 1_500), /1500 ms ahead/],
  ['a market that is closed', () => (played.exchange.isOpen = false), /not BTC, ETH/],
  ['a key that may withdraw', () => (state().rights['enableWithdrawals'] = true), /may withdraw/],
  [
    'a key that may move coins to other accounts',
    () => (state().rights['permitsUniversalTransfer'] = true),
    /may withdraw/,
  ],
  ['a key that may not trade', () => (state().rights['enableSpotAndMarginTrading'] = false), /may not trade/],
  ['a key for any address', () => (state().rights['ipRestrict'] = false), /any address/],
  ['fees that are paid in BNB', () => (played.exchange.feeIn = 'BNB'), /fees are paid in BNB/],
  ['a key that is revoked', () => (state().isRevoked = true), /-2015/],
])('finds %s', async (_what, spoil, detail) => {
  spoil();
  expect((await findFaults()).join('; ')).toMatch(detail);
});

const trade = (change = {}) => {
  const settings = { ...played.settings, ...change };
  return tradeThereAndBack(settings, openPlayed(played, clock), 'BTC', '60000', clock.now);
};

describe.each<Kind>(['binance', 'kraken', 'bureau'])('a trade there and back at %s', (kind) => {
  beforeEach(async () => {
    await played.server.stop();
    played = await play(kind, clock.now);
  });

  it('buys the smallest amount and sells it, and the balances move as the venue says', async () => {
    expect(await trade()).toMatchObject({
      isRight: true,
      detail: expect.stringMatching(/; USDT moved by -/) as string,
    });
    expect(played.exchange.orders.map(({ side }) => side)).toEqual(['BUY', 'SELL']);
  });

  it('finds a venue that says something else than it did', async () => {
    const venue = openPlayed(played, clock);
    const { readBalances } = venue;
    let asked = 0;
    const lying = {
      ...venue,
      readBalances: async () => {
        asked += 1;
        const balances = await readBalances();
        return asked === 1 ? balances : new Map([...balances, ['USDT', 1n]]);
      },
    };
    const found = await tradeThereAndBack(played.settings, lying, 'BTC', '60000', clock.now);
    expect(found).toMatchObject({ isRight: false, detail: expect.stringMatching(/^USDT moved by /) as string });
  });

  it('orders nothing at a live venue', async () => {
    expect(await trade({ url: 'https://venue.example' })).toMatchObject({ isRight: false });
    expect(played.exchange.orders).toEqual([]);
  });
});

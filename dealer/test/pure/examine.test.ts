import { afterEach, beforeEach, expect, it } from 'vitest';
import { examineVenue } from '../../src/examine.ts';
import { Clock, type Played, openPlayed, play } from '../support/open.ts';

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

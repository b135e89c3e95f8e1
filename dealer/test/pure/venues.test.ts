import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signBinance } from '../../src/venues/binance.ts';
import { signKraken } from '../../src/venues/kraken.ts';
import type { Venue, VenueOrder } from '../../src/venues/venue.ts';
import { html } from '../support/played-server.ts';
import { Clock, type Kind, type Played, newId, openPlayed, play } from '../support/open.ts';
import { matching } from '../support/matching.ts';

it('signs as Binance’s documents show it', () => {
  const parameters =
    'symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559';
  expect(signBinance(parameters, 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j')).toBe(
    'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71',
  );
});

it('signs as Kraken’s documents show it', () => {
  const body = 'nonce=1616492376594&ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25';
  const secret = 'kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg==';
  expect(signKraken('/0/private/AddOrder', '1616492376594', body, secret)).toBe(
    '4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ==',
  );
});

const kinds: readonly Kind[] = ['binance', 'kraken', 'bureau'];

describe.each(kinds)('the adapter of %s', (kind) => {
  let clock: Clock;
  let played: Played;
  let venue: Venue;

  beforeEach(async () => {
    clock = new Clock();
    played = await play(kind, clock.now);
    venue = openPlayed(played, clock);
  });

  afterEach(() => played.server.stop());

  const order = (change: Partial<VenueOrder> = {}): VenueOrder => ({
    id: newId(),
    coin: 'BTC',
    side: 'BUY',
    amount: '0.03',
    limitPrice: '60100',
    sendBy_ms: clock.now_ms + 5_000,
    ...change,
  });

  const filled = { amount: '0.03', cost: '1800.24' };

  it('reads balances, steps, fees, the clock and the key’s rights', async () => {
    const markets = await venue.readMarkets();
    const steps = kind === 'bureau' ? ['0.00000001', '0.00000001', '0'] : ['0.00001', '0.01', '0.001'];
    expect(markets.map(({ coin }) => coin)).toEqual(['BTC', 'ETH']);
    expect(markets[0]).toMatchObject({
      isOpen: true,
      amountStep: steps[0],
      priceStep: steps[1],
      takerFee: steps[2],
      minCost: '5',
    });
    expect((await venue.readBalances()).get('BTC')).toBe(10n ** 18n);
    expect(Math.abs(await venue.readClockOffset())).toBeLessThanOrEqual(500);
    expect(await venue.readKeyRights()).toMatchObject({ mayWithdraw: false, mayTrade: true, faults: [] });
  });

  it('fills a purchase and a sale, with the fee and the balances that the venue has', async () => {
    const fees = {
      binance: [{ asset: 'BTC', amount: '0.00003' }],
      kraken: [{ asset: 'USDT', amount: '1.80024' }],
      bureau: [],
    };
    const bought = await venue.place(order());
    expect(bought).toMatchObject({ kind: 'dealt', fill: { ...filled, fees: fees[kind] } });
    const sold = await venue.place(order({ side: 'SELL', coin: 'ETH', amount: '1.5', limitPrice: '1990' }));
    expect(sold).toMatchObject({ kind: 'dealt', fill: { amount: '1.5' } });
    const balances = await venue.readBalances();
    expect(balances.get('ETH')).toBe(85n * 10n ** 17n);
    expect(balances.get('BTC')).toBe(played.exchange.balances.get('BTC'));
  });

  it('lists what was filled, with the client’s id, and ids above 2^53 as they are', async () => {
    const one = order();
    await venue.place(one);
    const [listed, ...more] = await venue.readOrders(clock.now_ms - 1_000);
    expect(more).toEqual([]);
    expect(listed).toMatchObject({
      id: one.id,
      coin: 'BTC',
      side: 'BUY',
      ...filled,
      at_ms: clock.now_ms,
    });
    expect(listed?.reference.slice(-12)).toBe('199254740993');
    clock.pass(10_000);
    expect(await venue.readOrders(clock.now_ms - 1_000)).toEqual([]);
  });

  it.skipIf(kind === 'bureau')('fills a part, and nothing beyond the limit', async () => {
    expect(await venue.place(order({ amount: '0.5', limitPrice: '60012' }))).toMatchObject({
      kind: 'dealt',
      fill: { amount: '0.04' },
    });
    expect(await venue.place(order({ limitPrice: '59000' }))).toMatchObject({
      kind: 'refused',
      reason: matching(/^nothing_filled: /),
    });
  });

  it('finds an order by the client’s id: dealt, nothing filled, absent', async () => {
    const [one, nothing] = [order(), order({ limitPrice: '59000' })];
    await venue.place(one);
    await venue.place(nothing);
    expect(await venue.find(one)).toMatchObject({ kind: 'dealt', fill: filled });
    // A Bureau has no order that fills nothing.
    expect((await venue.find(nothing)).kind).toBe(kind === 'bureau' ? 'absent' : 'refused');
    expect(await venue.find(order())).toEqual({ kind: 'absent' });
  });

  it.runIf(kind === 'bureau')('gets the first answer again under the same id, and executes once', async () => {
    const one = order();
    const first = await venue.place(one);
    expect(await venue.place(one)).toEqual(first);
    expect(played.exchange.countFilled(one.id)).toBe(1);
    expect(await venue.place({ ...one, amount: '0.04' })).toMatchObject({ kind: 'unknown' });
  });

  it.skipIf(kind === 'bureau')(
    'sends a window that ends at sendBy by the venue’s clock: what arrives later is not filled',
    async () => {
      const one = order();
      played.server.fault = ({ method, path }) => {
        if (method === 'POST' && /order/i.test(path)) clock.pass(5_001);
        return undefined;
      };
      const outcome = await venue.place(one);
      expect(outcome.kind).not.toBe('dealt');
      expect(played.exchange.countFilled(one.id)).toBe(0);
    },
  );

  it('says refused only for what is listed, and after 429 sends nothing until the venue’s time is over', async () => {
    expect(await venue.place(order({ amount: '0.00001' }))).toMatchObject({
      kind: 'refused',
      reason: matching(/^venue_refused: /),
    });
    expect(await venue.place(order({ side: 'SELL', amount: '1.5', limitPrice: '59000' }))).toMatchObject({
      kind: 'refused',
    });
    played.server.fault = () => ({ kind: 'instead', answer: { ...html(429), headers: { 'Retry-After': '30' } } });
    expect(await venue.place(order())).toMatchObject({ kind: 'unknown' });
    const arrived = played.server.requests.length;
    played.server.fault = () => undefined;
    clock.pass(29_000);
    expect(await venue.place(order())).toMatchObject({ kind: kind === 'bureau' ? 'unknown' : 'refused' });
    await expect(venue.readBalances()).rejects.toThrow('no requests');
    expect(played.server.requests).toHaveLength(arrived);
    clock.pass(2_000);
    expect(await venue.place(order())).toMatchObject({ kind: 'dealt' });
  });

  it('waits longer after 418, without a Retry-After', async () => {
    played.server.fault = () => ({ kind: 'instead', answer: html(418) });
    expect(await venue.place(order())).toMatchObject({ kind: 'unknown' });
    clock.pass(119_000);
    await expect(venue.readBalances()).rejects.toThrow('no requests');
  });
});

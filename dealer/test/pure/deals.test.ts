import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAmount, writeAmount } from '../../src/amounts.ts';
import { type Bench, Clock, type Played, makeDeal, openDealer, openPlayed, play } from '../support/open.ts';
import { matching } from '../support/matching.ts';
import { type Fault, type PlayedRequest, html, json } from '../support/played-server.ts';

const isOrder = ({ method, path }: PlayedRequest) => method === 'POST' && path === '/api/v3/order';

let clock: Clock;
let played: Played;
let bench: Bench;

beforeEach(async () => {
  clock = new Clock();
  played = await play('binance', clock.now);
  bench = openDealer([openPlayed(played, clock)], clock);
});

afterEach(() => played.server.stop());

/** Every order of the played venue goes wrong in this way. */
function breakOrders(fault: Fault): void {
  played.server.fault = (request) => (isOrder(request) ? fault : undefined);
}

const readSigned = (text: string) => (text.startsWith('-') ? -readAmount(text.slice(1)) : readAmount(text));

const countSent = () => played.server.requests.filter(isOrder).length;

describe('a deal', () => {
  it('is sent, and its answer is what the venue moved', async () => {
    const deal = makeDeal(clock);
    expect(await bench.submit(deal)).toMatchObject({
      status: 200,
      body: { status: 'dealt', amount: '0.03', cost: '1800.24', fee: { asset: 'BTC', amount: '0.00003' } },
    });
    expect(played.exchange.balance('BTC')).toBe('1.02997');
    expect(played.exchange.balance('USDT')).toBe('98199.76');
  });

  it('is sent once, however often it is submitted, at once and later', async () => {
    const deal = makeDeal(clock);
    const answers = await Promise.all(Array.from({ length: 50 }, () => bench.submit(deal)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    clock.pass(3_600_000);
    expect(await bench.submit(deal)).toEqual(answers[0]);
    expect(countSent()).toBe(1);
  });

  it('with another body under a known id is refused, and changes nothing', async () => {
    const deal = makeDeal(clock);
    await bench.submit(deal);
    for (const change of [{ amount: '0.04' }, { ledger: 1 }, { side: 'SELL' as const }, { coin: 'ETH' }]) {
      expect(await bench.submit({ ...deal, ...change })).toMatchObject({ status: 400 });
    }
    expect(bench.stateOf(deal)).toMatchObject({ status: 'dealt', amount: '0.03' });
    expect(countSent()).toBe(1);
  });

  it('with another body at the same moment is refused, and one of the two is sent', async () => {
    const deal = makeDeal(clock);
    const answers = await Promise.all([bench.submit(deal), bench.submit({ ...deal, amount: '0.01' })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
    expect(countSent()).toBe(1);
  });

  it('that was refused is looked up with 200', async () => {
    const deal = makeDeal(clock, { limitPrice: '59000' });
    expect(await bench.submit(deal)).toMatchObject({ status: 422 });
    expect(bench.dealer.lookUp(deal.id)).toMatchObject({ status: 200, body: { status: 'refused' } });
  });

  it('that no one has submitted was never seen', () => {
    expect(bench.dealer.lookUp(makeDeal(clock).id)).toEqual({ status: 404, body: { status: 'never_seen' } });
  });

  it.each([
    ['of another venue', { venue: 'nowhere' }],
    ['of a coin that is not traded there', { coin: 'DOGE' }],
    ['with sendBy more than a minute ahead', { sendBy: '2026-11-27T12:01:00.001Z' }],
    ['with an amount of nothing', { amount: '0' }],
  ])('%s is not stored', async (_what, change) => {
    const deal = makeDeal(clock, change);
    expect(await bench.submit(deal)).toMatchObject({ status: 400 });
    expect(bench.stateOf(deal)).toEqual({ status: 'never_seen' });
  });

  it.each([
    ['is no multiple of the step', { amount: '0.030001' }, /^steps: /],
    ['has a price that is no multiple of the step', { limitPrice: '60100.001' }, /^steps: /],
    ['is too small', { amount: '0.00005' }, /^steps: less than 5 USDT/],
    ['costs more than is there', { amount: '1.9', limitPrice: '60100' }, /^venue_refused: 400 -2010/],
    ['finds nothing within its limit', { limitPrice: '59000' }, /^nothing_filled: /],
  ])('that %s is refused', async (_what, change, reason) => {
    const deal = makeDeal(clock, change);
    expect(await bench.submit(deal)).toMatchObject({
      status: 422,
      body: { status: 'refused', reason: matching(reason) },
    });
    expect(played.exchange.countFilled(deal.id)).toBe(0);
  });

  it('that fits steps which the venue has changed since is refused by the venue', async () => {
    await bench.submit(makeDeal(clock));
    played.exchange.amountStep = '0.001';
    expect(await bench.submit(makeDeal(clock, { amount: '0.0305' }))).toMatchObject({
      body: { reason: matching(/-1013/) },
    });
  });

  it('is refused while its market is closed', async () => {
    played.exchange.isOpen = false;
    expect(await bench.submit(makeDeal(clock))).toMatchObject({ status: 422, body: { reason: matching(/^paused: /) } });
    expect(countSent()).toBe(0);
  });
});

describe('an answer that is lost', () => {
  it.each<[string, Fault]>([
    ['after the fill', { kind: 'lost answer' }],
    ['behind a 502', { kind: 'after', answer: html(502) }],
    ['behind a 503 that says it is unknown', { kind: 'after', answer: json(503, { code: -1007, msg: 'Timeout' }) }],
  ])('%s is found by the deal’s id', async (_what, fault) => {
    breakOrders(fault);
    const deal = makeDeal(clock);
    expect(await bench.submit(deal)).toEqual({ status: 200, body: { status: 'unknown' } });
    await bench.pass(5);
    expect(bench.stateOf(deal)).toMatchObject({
      status: 'dealt',
      amount: '0.03',
      fee: { asset: 'BTC', amount: '0.00003' },
    });
    expect(countSent()).toBe(1);
  });

  it.each<[string, Fault]>([
    ['on the way there', { kind: 'lost request' }],
    ['by a 503 before the engine', { kind: 'instead', answer: html(503) }],
    ['in maintenance', { kind: 'instead', answer: json(200, { msg: 'System maintenance.' }) }],
  ])('%s is absent only when asked after sendBy and the lateness', async (_what, fault) => {
    breakOrders(fault);
    const deal = makeDeal(clock);
    await bench.submit(deal);
    // sendBy is five seconds ahead, and the lateness twenty more.
    await bench.pass(25);
    expect(bench.stateOf(deal)).toEqual({ status: 'unknown' });
    await bench.pass(5);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'refused', reason: matching(/^absent: /) });
    expect(countSent()).toBe(1);
  });

  it('of an order that the venue executes late is found', async () => {
    breakOrders({ kind: 'late' });
    const deal = makeDeal(clock);
    await bench.submit(deal);
    await bench.dealer.resolveOpen();
    expect(bench.stateOf(deal)).toEqual({ status: 'unknown' });
    await played.server.releaseLate();
    await bench.pass(5);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'dealt' });
  });

  it('of an order that comes after its window is absent, and the venue fills it never', async () => {
    breakOrders({ kind: 'late' });
    const deal = makeDeal(clock);
    await bench.submit(deal);
    await bench.pass(15);
    await played.server.releaseLate();
    await bench.pass(15);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'refused' });
    expect(played.exchange.countFilled(deal.id)).toBe(0);
  });

  it('is not looked up in vain while look-ups fail, for an hour', async () => {
    const deal = makeDeal(clock);
    breakOrders({ kind: 'lost answer' });
    await bench.submit(deal);
    played.server.fault = () => ({ kind: 'instead', answer: html(502) });
    for (let minute = 0; minute < 60; minute += 1) {
      clock.pass(60_000);
      await bench.dealer.resolveOpen();
    }
    expect(bench.stateOf(deal)).toEqual({ status: 'unknown' });
    played.server.fault = () => undefined;
    clock.pass(60_000);
    await bench.dealer.resolveOpen();
    expect(bench.stateOf(deal)).toMatchObject({ status: 'dealt' });
  });
});

it('a venue that wants no more requests right after a fill has not refused it', async () => {
  const deal = makeDeal(clock);
  played.server.fault = (request) => {
    const { amount, side } = deal;
    const order = {
      symbol: 'BTCUSDT',
      orderId: 28,
      clientOrderId: deal.id,
      side,
      executedQty: amount,
      status: 'FILLED',
    };
    // Without its trades, which are asked for.
    if (isOrder(request)) return { kind: 'after', answer: json(200, { ...order, cummulativeQuoteQty: '1800.24' }) };
    const isTrades = request.path === '/api/v3/myTrades';
    return isTrades ? { kind: 'instead', answer: { ...html(429), headers: { 'Retry-After': '3' } } } : undefined;
  };
  expect(await bench.submit(deal)).toMatchObject({ body: { status: 'unknown' } });
  played.server.fault = () => undefined;
  await bench.pass(5);
  expect(bench.stateOf(deal)).toMatchObject({ status: 'dealt', cost: '1800.24' });
});

describe('a disk that fails', () => {
  it('when the row is written: nothing is sent', async () => {
    const insert = bench.store.insert.bind(bench.store);
    bench.store.insert = () => {
      throw new Error('disk full');
    };
    const deal = makeDeal(clock);
    await expect(bench.submit(deal)).rejects.toThrow('disk full');
    expect(countSent()).toBe(0);
    bench.store.insert = insert;
    expect(await bench.submit(deal)).toMatchObject({ body: { status: 'dealt' } });
  });

  it('when the answer is written: it is looked up, and nothing is sent again', async () => {
    const end = bench.store.end.bind(bench.store);
    bench.store.end = () => {
      throw new Error('disk full');
    };
    const deal = makeDeal(clock);
    await expect(bench.submit(deal)).rejects.toThrow('disk full');
    expect(bench.stateOf(deal)).toEqual({ status: 'unknown' });
    bench.store.end = end;
    await bench.pass(5);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'dealt' });
    expect(countSent()).toBe(1);
  });
});

describe('absence is not believed', () => {
  it('when look-ups are two minutes behind: the balance has moved, and the deal is held until it is found', async () => {
    played.exchange.lag_ms = 120_000;
    breakOrders({ kind: 'lost answer' });
    const deal = makeDeal(clock);
    await bench.submit(deal);
    await bench.pass(30);
    expect(bench.stateOf(deal)).toMatchObject({
      status: 'held',
      reason: 'balance_differs: 1.02997 BTC are there, and 1 are expected',
    });
    await bench.pass(120);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'dealt', amount: '0.03' });
  });

  it('when the venue has forgotten its closed orders', async () => {
    breakOrders({ kind: 'lost answer' });
    const deal = makeDeal(clock);
    await bench.submit(deal);
    played.exchange.forget();
    await bench.pass(600);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'held' });
    // A person has looked.
    bench.store.end(deal.id, { state: 'REFUSED', reason: 'by_hand: seen' }, clock.now_ms);
    expect(bench.stateOf(deal)).toEqual({ status: 'refused', reason: 'by_hand: seen' });
  });

  it('when a funding has arrived meanwhile; when it has left again, it is', async () => {
    breakOrders({ kind: 'lost request' });
    const deal = makeDeal(clock);
    await bench.submit(deal);
    played.exchange.balances.set('BTC', 2n * 10n ** 18n);
    await bench.pass(30);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'held' });
    played.exchange.balances.set('BTC', 10n ** 18n);
    await bench.pass(60);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'refused', reason: matching(/^absent: /) });
  });

  it('when the balance cannot be read', async () => {
    breakOrders({ kind: 'lost answer' });
    const deal = makeDeal(clock);
    await bench.submit(deal);
    played.exchange.forget();
    played.server.fault = ({ path }) =>
      path === '/api/v3/account' ? { kind: 'instead', answer: html(500) } : undefined;
    await bench.pass(600);
    expect(bench.stateOf(deal)).toEqual({ status: 'unknown' });
  });

  it('from what was dealt before: the expected balance follows the deals', async () => {
    for (const side of ['BUY', 'SELL', 'BUY'] as const) {
      await bench.submit(makeDeal(clock, { side, amount: '0.01', limitPrice: side === 'BUY' ? '60100' : '59900' }));
      clock.pass(1_000);
    }
    breakOrders({ kind: 'lost request' });
    const deal = makeDeal(clock);
    await bench.submit(deal);
    await bench.pass(30);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'refused', reason: matching(/^absent: /) });
  });
});

describe('a deal is held for a person', () => {
  it('when its fee is in another asset', async () => {
    played.exchange.feeIn = 'BNB';
    const deal = makeDeal(clock);
    expect(await bench.submit(deal)).toMatchObject({
      body: { status: 'held', reason: matching(/^fee_asset: .*BNB$/) },
    });
    await bench.pass(600);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'held' });
  });

  const said = (change: object) => {
    breakOrders({
      kind: 'after',
      answer: json(200, {
        symbol: 'BTCUSDT',
        orderId: 28,
        clientOrderId: 'set below',
        executedQty: '0.03',
        cummulativeQuoteQty: '1800',
        status: 'FILLED',
        side: 'BUY',
        fills: [{ qty: '0.03', commission: '0', commissionAsset: 'BTC' }],
        ...change,
      }),
    });
  };

  it.each([
    [
      'more than was ordered',
      { executedQty: '0.031', fills: [{ qty: '0.031', commission: '0', commissionAsset: 'BTC' }] },
    ],
    ['a price beyond the limit', { cummulativeQuoteQty: '1803.1' }],
    ['a fill for nothing', { cummulativeQuoteQty: '0' }],
  ])('when the venue says %s', async (_what, change) => {
    const deal = makeDeal(clock);
    said({ clientOrderId: deal.id, ...change });
    expect(await bench.submit(deal)).toMatchObject({ body: { status: 'held', reason: matching(/^contradiction: /) } });
  });

  it.each([
    ['another order', { clientOrderId: 'another' }],
    ['the other side', { side: 'SELL' }],
    ['another market', { symbol: 'ETHUSDT' }],
    ['trades that do not add up', { fills: [{ qty: '0.02', commission: '0', commissionAsset: 'BTC' }] }],
    ['a state that nobody has listed', { status: 'SUSPENDED' }],
  ])('is looked up when the venue answers with %s', async (_what, change) => {
    const deal = makeDeal(clock);
    said({ clientOrderId: deal.id, ...change });
    expect(await bench.submit(deal)).toMatchObject({ body: { status: 'unknown' } });
    await bench.pass(5);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'dealt', cost: '1800.24' });
  });
});

describe('nothing is sent', () => {
  it('after sendBy, when the dealer is paused between row and send', async () => {
    const deal = makeDeal(clock);
    // The row is on disk; the process goes on six seconds later.
    const insert = bench.store.insert.bind(bench.store);
    bench.store.insert = (...given) => {
      const stored = insert(...given);
      clock.pass(6_000);
      return stored;
    };
    expect(await bench.submit(deal)).toMatchObject({
      status: 422,
      body: { status: 'refused', reason: matching(/^deadline_passed: /) },
    });
    expect(countSent()).toBe(0);
  });

  it('of a deal that is first seen after sendBy: it is looked up, and absent after the lateness', async () => {
    await bench.dealer.report('binance');
    clock.pass(120_000);
    const deal = makeDeal(clock, { sendBy: new Date(clock.now_ms - 1).toISOString() });
    expect(await bench.submit(deal)).toEqual({ status: 200, body: { status: 'unknown' } });
    await bench.pass(25);
    expect(bench.stateOf(deal)).toMatchObject({ status: 'refused', reason: matching(/^absent: /) });
    expect(countSent()).toBe(0);
  });

  it('of a deal whose submission was lost, and what was dealt meanwhile is in the balance that is expected', async () => {
    await bench.dealer.report('binance');
    clock.pass(120_000);
    const lost = makeDeal(clock, { ledger: 1 });
    expect(await bench.submit(makeDeal(clock))).toMatchObject({ body: { status: 'dealt' } });
    await bench.pass(30);
    expect(await bench.submit(lost)).toMatchObject({ status: 422, body: { reason: matching(/^absent: /) } });
  });

  it('and a balance that was read while a deal was open is nobody’s witness', async () => {
    await bench.dealer.report('binance');
    clock.pass(120_000);
    breakOrders({ kind: 'lost answer' });
    await bench.submit(makeDeal(clock));
    // It has the fill of the open deal, which is counted once more when that ends.
    await bench.dealer.report('binance');
    await bench.pass(5);
    clock.pass(120_000);
    const lost = makeDeal(clock, { sendBy: new Date(clock.now_ms - 30_000).toISOString() });
    expect(await bench.submit(lost)).toMatchObject({ status: 422, body: { reason: matching(/^absent: /) } });
  });

  it('and a first sight long after sendBy is decided at once', async () => {
    await bench.dealer.report('binance');
    clock.pass(3_600_000);
    const deal = makeDeal(clock, { sendBy: new Date(clock.now_ms - 60_000).toISOString() });
    expect(await bench.submit(deal)).toMatchObject({ status: 422, body: { reason: matching(/^absent: /) } });
  });

  it('and without any balance from before it, a person decides', async () => {
    const deal = makeDeal(clock, { sendBy: new Date(clock.now_ms - 60_000).toISOString() });
    expect(await bench.submit(deal)).toMatchObject({
      body: { status: 'held', reason: matching(/no balance of BTC is known/) },
    });
  });

  it('while the venue does not answer the questions before a deal: nothing is stored, and the same may be submitted again', async () => {
    const deal = makeDeal(clock);
    for (const path of [
      '/api/v3/order',
      '/api/v3/account',
      '/api/v3/exchangeInfo',
      '/sapi/v1/account/apiRestrictions',
    ]) {
      const fresh = openDealer([openPlayed(played, clock)], clock);
      played.server.fault = (request) => (request.path === path ? { kind: 'instead', answer: html(502) } : undefined);
      expect(await fresh.dealer.submit(deal.id, JSON.stringify(deal)), path).toMatchObject({ status: 503 });
      expect(fresh.dealer.lookUp(deal.id).body).toEqual({ status: 'never_seen' });
    }
    expect(countSent()).toBe(0);
    played.server.fault = () => undefined;
    expect(await bench.submit(deal)).toMatchObject({ body: { status: 'dealt' } });
  });

  it('with a key that may withdraw, or that may not trade', async () => {
    const { rights } = played.server.state as { rights: Record<string, boolean> };
    rights['enableWithdrawals'] = true;
    expect(await bench.submit(makeDeal(clock))).toMatchObject({
      status: 422,
      body: { reason: matching(/^key: the key may withdraw/) },
    });
    clock.pass(600_000);
    Object.assign(rights, { enableWithdrawals: false, enableSpotAndMarginTrading: false });
    expect(await bench.submit(makeDeal(clock))).toMatchObject({
      status: 422,
      body: { reason: matching(/^key: the key may not trade/) },
    });
    expect(countSent()).toBe(0);
  });

  it('with a key that the venue has revoked', async () => {
    (played.server.state as { isRevoked: boolean }).isRevoked = true;
    expect(await bench.submit(makeDeal(clock))).toMatchObject({ status: 503 });
    expect(countSent()).toBe(0);
  });
});

it.each([-2_000, 2_000])('a venue whose clock is %d ms ahead of ours takes orders until sendBy', async (offset_ms) => {
  (played.server.state as { clockOffset_ms: number }).clockOffset_ms = offset_ms;
  expect(await bench.submit(makeDeal(clock))).toMatchObject({ body: { status: 'dealt' } });
});

describe('one unresolved deal for each venue account and coin', () => {
  it('another ledger gets busy, for good, and another coin does not', async () => {
    breakOrders({ kind: 'lost answer' });
    const [first, second, other] = [
      makeDeal(clock),
      makeDeal(clock, { ledger: 1 }),
      makeDeal(clock, { ledger: 1, coin: 'ETH', amount: '0.5', limitPrice: '2010' }),
    ];
    expect(await bench.submit(first)).toMatchObject({ body: { status: 'unknown' } });
    const busy = {
      status: 409,
      body: { status: 'busy', reason: `other_deal: ${first.id} of ledger 0 is open at binance` },
    };
    expect(await bench.submit(second)).toEqual(busy);
    expect(await bench.submit(other)).toMatchObject({ body: { status: 'unknown' } });
    await bench.pass(5);
    expect(bench.stateOf(first)).toMatchObject({ status: 'dealt' });
    expect(await bench.submit(second)).toEqual(busy);
    expect(played.exchange.countFilled(second.id)).toBe(0);
  });

  it('of two submissions at once, one is sent', async () => {
    const deals = [0, 1, 2, 3].map((ledger) => makeDeal(clock, { ledger, amount: '0.01' }));
    const answers = await Promise.all(deals.map((deal) => bench.submit(deal)));
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
    expect(countSent()).toBe(1);
  });
});

it('a venue’s balances are what they were and what the deals of all ledgers moved', async () => {
  const before = new Map(played.exchange.balances);
  for (let ledger = 0; ledger < 3; ledger += 1) {
    await bench.submit(makeDeal(clock, { ledger, amount: `0.0${ledger + 1}` }));
    await bench.submit(makeDeal(clock, { ledger, coin: 'ETH', side: 'SELL', amount: '0.7', limitPrice: '1990' }));
    clock.pass(1_000);
  }
  const { body } = await bench.dealer.report('binance');
  if (!('dealt' in body)) throw new Error('no report');
  expect(new Set(body.dealt.map(({ ledger }) => ledger))).toEqual(new Set([0, 1, 2]));
  for (const [asset, there] of played.exchange.balances) {
    const moved = body.dealt
      .filter((one) => one.asset === asset)
      .reduce((sum, { amount }) => sum + readSigned(amount), 0n);
    expect(writeAmount(there), asset).toBe(writeAmount((before.get(asset) ?? 0n) + moved));
    expect(body.balances.find((one) => one.asset === asset)?.amount).toBe(writeAmount(there));
  }
  expect(body.unresolved).toEqual([]);
  expect(body.orders).toHaveLength(6);
  expect(new Set(body.orders.map(({ id }) => id)).size).toBe(6);
});

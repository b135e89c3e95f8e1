import { describe, expect, it, vi } from 'vitest';
import { admittedKeys } from '../../src/access/admit-read.ts';
import { KeyLane } from '../../src/lane/key-lane.ts';
import { type Trader, asOperator, openTrader, expectCode } from '../support/exchange.ts';
import { databaseInternals, measureDatabase } from '../support/runtime/meter.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';

const BALANCES = '/api/v1/wallet/balances';

const READS = [
  BALANCES,
  '/api/v1/wallet/addresses',
  '/api/v1/wallet/transactions',
  '/api/v1/wallet/deposits',
  '/api/v1/wallet/withdrawals',
  '/api/v1/orders',
  '/api/v1/orders?side=BUY',
  '/api/v1/events',
  '/api/v1/account/api-key',
];

/**
 * Notes the order in which the database is asked for something of this key or its account, and in which the lane has
 * answered, while the lane takes its time.
 */
function followOrder({ accountId, keyId }: Trader): string[] {
  const order: string[] = [];
  const { admit } = KeyLane.prototype;
  vi.spyOn(KeyLane.prototype, 'admit').mockImplementation(async function slow(this: KeyLane, call) {
    const reply = await admit.call(this, call);
    await scheduler.wait(20);
    order.push('lane');
    return reply;
  });
  const internals = databaseInternals();
  const { _send } = internals;
  vi.spyOn(internals, '_send').mockImplementation(function noted(this: typeof internals, ...values) {
    const asked = JSON.stringify(values);
    if (asked.includes(accountId) || asked.includes(keyId)) order.push('database');
    return _send.apply(this, values);
  });
  return order;
}

describe('a read of a key that this isolate has seen admitted', () => {
  it.each(READS)('%s asks the database before the lane has answered, and not again', async (path) => {
    const trader = await openTrader({ USDT: '100' });
    // A first read of addresses makes them, and one of events begins to listen.
    const first = await trader.get(path);
    expect(first.status).toBe(200);
    const trips = (await measureDatabase(() => trader.get(path))).databaseTrips;
    const order = followOrder(trader);
    expect((await trader.get(path)).status).toBe(200);
    expect(order.at(-1)).toBe('lane');
    expect(order.slice(0, -1)).toEqual(Array.from({ length: trips }, () => 'database'));
  });

  it('asks before for a single record', async () => {
    const trader = await openTrader({ USDT: '100' });
    const { id } = await trader.trade({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
    await trader.balances();
    const order = followOrder(trader);
    expect((await trader.get(`/api/v1/orders/${id}`)).status).toBe(200);
    expect(order).toEqual(['database', 'lane']);
  });

  it('asks the lane first when the isolate sees the key for the first time', async () => {
    const trader = await openTrader({ USDT: '100' });
    const order = followOrder(trader);
    expect((await trader.get(BALANCES)).status).toBe(200);
    // The lane itself reads the key's record.
    expect(order).toEqual(['database', 'lane', 'database']);
  });

  it('shows what the key’s own account has, whatever account the isolate remembers', async () => {
    const [trader, other] = [await openTrader({ USDT: '100' }), await openTrader({ USDT: '7' })];
    await trader.balances();
    admittedKeys.set(trader.keyId, other.accountId);
    expect(await trader.balances()).toMatchObject({ USDT: '100' });
    const { databaseTrips } = await measureDatabase(() => trader.balances());
    expect(databaseTrips).toBe(1);
  });
});

it('an isolate knows at most 1,000 keys, the newest', () => {
  for (let index = 0; index <= 1_000; index += 1) admittedKeys.set(`key ${index}`, 'account');
  expect([0, 1, 1_000].map((index) => admittedKeys.has(`key ${index}`))).toEqual([false, true, true]);
});

describe('a key that its lane refuses', () => {
  it('that was revoked sees nothing, and causes no database read from then on', async () => {
    const trader = await openTrader({ USDT: '100' });
    await trader.balances();
    stopClock();
    expect((await asOperator('DELETE', `/accounts/${trader.accountId}/api-keys/${trader.keyId}`)).ok).toBe(true);
    const order = followOrder(trader);
    const asked: number[] = [];
    for (const pause_ms of [0, 0, 5_000, 86_400_000]) {
      moveClock(pause_ms);
      await expectCode(trader.get(BALANCES), '401 invalid_api_key');
      asked.push(order.splice(0).filter((part) => part === 'database').length);
    }
    expect(asked).toEqual([1, 0, 0, 0]);
  });

  it('costs no database for as long as Retry-After says when it is at its limit', async () => {
    const trader = await openTrader({}, { rateLimits: { read: { perMinute: 2, perDay: 1_000 } } });
    stopClock();
    await trader.balances();
    await trader.balances();
    const refused = await trader.get(BALANCES);
    expect(refused.status).toBe(429);
    const pause_ms = Number(refused.headers.get('Retry-After')) * 1_000;
    moveClock(pause_ms - 1);
    const order = followOrder(trader);
    const again = await Promise.all(Array.from({ length: 5 }, () => trader.get(BALANCES)));
    expect(again.map(({ status }) => status)).toEqual([429, 429, 429, 429, 429]);
    expect(order).toEqual(['lane', 'lane', 'lane', 'lane', 'lane']);
  });

  it('is refused as such when the database fails as well', async () => {
    const trader = await openTrader({}, { rateLimits: { read: { perMinute: 1, perDay: 1_000 } } });
    stopClock();
    await trader.balances();
    vi.spyOn(databaseInternals(), '_send').mockRejectedValue(new Error('D1_ERROR: Network connection lost.'));
    expect((await trader.get(BALANCES)).status).toBe(429);
  });
});

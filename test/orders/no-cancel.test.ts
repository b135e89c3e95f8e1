import { createExecutionContext } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { app } from '../../src/app.ts';
import { LedgerGate } from '../../src/orders/gate.ts';
import { PriceHub } from '../../src/markets/price-hub.ts';
import { ORIGIN, type OrderAnswer, type Trader, createKey, expectCode, json, openTrader } from '../support/exchange.ts';
import { accepted, signIn } from '../support/holder/holders.ts';
import { readEffects, sumOfBalances } from '../support/db/probes.ts';
import { env, holderEntrypoint } from '../support/runtime/test-env.ts';
import { sql } from '../support/db/sql.ts';
import { until } from '../support/gate.ts';

/** No deadline passes while an order is held, however busy the machine is. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));

const ALL = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '100' } as const;

/**
 * Has the hub keep orders of BTC waiting for their price until the test has it answer, then and ever after: an order whose
 * price has grown old meanwhile asks again. Other coins have theirs at once.
 */
function holdPrices() {
  let [waiting, isReleased] = [0, false];
  const { after } = PriceHub.prototype;
  vi.spyOn(PriceHub.prototype, 'after').mockImplementation(async function wait(this: PriceHub, question) {
    if (question.coin === 'BTC' && !isReleased) {
      waiting += 1;
      await until(() => isReleased);
    }
    return after.call(this, question);
  });
  return {
    reach: (count = 1) => until(() => waiting === count),
    release: () => void (isReleased = true),
  };
}

/** An order that waits for its price, and what its holder then tries. It fills first, whatever he does. */
async function tryToTakeBack<T>(trader: Trader, act: () => Promise<T>, isHeldUp: () => boolean) {
  const { reach, release } = holdPrices();
  const ordering = trader.order(ALL, 'admitted');
  await reach();
  let isDone = false;
  const acting = act().finally(() => (isDone = true));
  await until(isHeldUp);
  expect(isDone).toBe(false);
  release();
  const [order, done] = await Promise.all([ordering, acting]);
  expect(order.status).toBe(201);
  expect((await readEffects(trader.accountId)).orders).toBeGreaterThan(0);
  expect(await sumOfBalances()).toEqual([]);
  return done;
}

/** Whether the gate was asked to let orders end. */
function spyOnGate(): () => boolean {
  const asked = vi.spyOn(LedgerGate.prototype, 'awaitOrders');
  return () => asked.mock.calls.length > 0;
}

describe('an order that waits for its price is not taken back', () => {
  it('by hanging up: the platform is told to keep the call until the order has ended', async () => {
    const trader = await openTrader({ USDT: '100' });
    const { reach, release } = holdPrices();
    const context = createExecutionContext();
    const kept = vi.spyOn(context, 'waitUntil');
    const headers = { Authorization: `Bearer ${trader.token}`, 'Content-Type': 'application/json' };
    const request = new Request(`${ORIGIN}/api/v1/orders`, { method: 'POST', headers, body: JSON.stringify(ALL) });
    const answering = app.fetch(request, env, context);
    await reach();
    expect(kept).toHaveBeenCalled();
    release();
    await Promise.all(kept.mock.calls.map(([call]) => call));
    expect((await readEffects(trader.accountId)).orders).toBe(1);
    expect((await answering).status).toBe(201);
  });

  it('by a withdrawal of the money, which another key sends', async () => {
    const trader = await openTrader({ USDT: '100' });
    const other = await createKey(trader.accountId);
    const isAsked = spyOnGate();
    const answer = await tryToTakeBack(trader, () => other.withdraw({ amount: '50' }), isAsked);
    await expectCode(answer, '422 insufficient_balance');
  });

  it('by an order of another key for a coin that has its price sooner', async () => {
    const trader = await openTrader({ USDT: '100' });
    const other = await createKey(trader.accountId);
    const placed = vi.spyOn(LedgerGate.prototype, 'placeOrder');
    const answer = await tryToTakeBack(
      trader,
      () => other.order({ ...ALL, coin: 'ETH' }),
      () => placed.mock.calls.length === 2,
    );
    await expectCode(answer, '422 insufficient_balance');
  });

  it.each([
    ['revokes its key', (token: string, keyId: string) => holderEntrypoint.revokeKey(token, keyId)],
    ['freezes the account', (token: string) => holderEntrypoint.freeze(token)],
  ])('when its holder %s', async (_case, act) => {
    const trader = await openTrader({ USDT: '100' });
    const { token } = await signIn(trader.accountId);
    const isAsked = spyOnGate();
    await tryToTakeBack(trader, () => accepted(act(token, trader.keyId) as Promise<never>), isAsked);
    expect((await trader.order(ALL)).status).toBeGreaterThanOrEqual(401);
  });

  it('when a sixth session ends the one that sent it', async () => {
    const trader = await openTrader({ USDT: '100' });
    const { api } = await signIn(trader.accountId);
    for (let session = 2; session <= 5; session += 1) await signIn(trader.accountId);
    const isAsked = spyOnGate();
    await tryToTakeBack(api, () => signIn(trader.accountId), isAsked);
    expect((await api.order(ALL)).status).toBe(401);
  });
});

it('an order of another account waits for none that waits for its price', async () => {
  const [one, other] = [await openTrader({ USDT: '100' }), await openTrader({ USDT: '100' })];
  const { reach, release } = holdPrices();
  const held = one.order(ALL);
  await reach();
  expect((await other.order({ ...ALL, coin: 'ETH' })).status).toBe(201);
  release();
  expect((await held).status).toBe(201);
});

it('thirty orders of one key at once wait beside one another, and each price is as of after its order', async () => {
  const trader = await openTrader({ USDT: '1000' });
  const { reach, release } = holdPrices();
  const ordering = Array.from({ length: 30 }, () => trader.order({ ...ALL, value: '10' }));
  await reach(30);
  release();
  const orders = await Promise.all(ordering);
  expect(orders.map(({ status }) => status)).toEqual(Array(30).fill(201));
  const { order } = await json<OrderAnswer>(orders[0] as Response);
  expect(order.coin).toBe('BTC');
  const { late } = (await sql(
    'SELECT count(*) AS late FROM orders WHERE account_id = ? AND price_as_of < admitted_at',
    trader.accountId,
  ).first<{ late: number }>()) ?? { late: -1 };
  expect(late).toBe(0);
});

import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PlaceOrder } from '../../src/orders/terms.ts';
import type { GateReply } from '../../src/orders/place-order.ts';
import { type Trader, json, openTrader } from '../support/exchange.ts';
import { handOver, isSettingsRead, termsOf, ledgerGate, openGate, until } from '../support/gate.ts';
import { readEffects, unexplainedBalances } from '../support/db/probes.ts';
import { CONNECTION_LOST, aroundBatch, fail } from '../support/runtime/faults.ts';
import { databaseInternals, holdWakingsThroughout } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';
import { moveClock, resetSettings, setSettings, stopClock } from '../support/withdrawals/withdrawals.ts';
import { sql } from '../support/db/sql.ts';
import { atOnce } from '../support/at-once.ts';

/** As many as the gate sends in one batch. */
const ORDERS = 50;

const BUY: PlaceOrder = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

const openRich = () => openTrader({ USDT: '1000', ETH: '1' });

holdWakingsThroughout();

let [rich, poor]: Trader[][] = [];
beforeAll(async () => {
  rich = await atOnce(ORDERS, openRich);
  poor = await atOnce(ORDERS, () => openTrader());
});
beforeEach(stopClock);

type Wanted = readonly [trader: Trader, order: PlaceOrder, orderId?: string];

/** Places orders that all wait for one batch, and counts the round trips to the database from there on. */
async function place(wanted: readonly Wanted[]) {
  const [gate, first] = [openGate(), await openRich()];
  await gate.placeOrder(handOver(first, BUY));
  let isOpen = false;
  const held = aroundBatch('order', 'before', 1, () => until(() => isOpen));
  const leader = gate.placeOrder(handOver(first, BUY));
  await until(() => held.state.injected === 1);
  const calls = wanted.map(([trader, order, orderId]) =>
    handOver(trader, order, orderId === undefined ? {} : { orderId }),
  );
  const answers = calls.map((call) => gate.placeOrder(call));
  // The gate has taken all of them up when it answers a later call.
  await gate.preview(0, termsOf(BUY));
  const sends = vi.spyOn(databaseInternals(), '_send').mock.calls;
  const before = sends.length;
  isOpen = true;
  await leader;
  const replies = await Promise.all(answers);
  // Gates of earlier tests read their settings by themselves.
  const trips = sends.slice(before).filter((call) => !isSettingsRead(call[1])).length;
  held.restore();
  return { trips, replies, calls };
}

const sayReply = (reply: GateReply) => (reply.kind === 'refused' ? reply.refusal.code : reply.kind);

describe('a refused order', () => {
  it.each<[string, (index: number) => boolean]>([
    ['none', () => false],
    ['the first', (index) => index === 0],
    ['the last', (index) => index === ORDERS - 1],
    ['every third', (index) => index % 3 === 1],
    ['all but one', (index) => index !== 20],
    ['every one', () => true],
  ])('adds no call of the database to anybody, where it is %s of fifty', async (_which, isRefused) => {
    const wanted = rich?.map((trader, index): Wanted => [(isRefused(index) ? poor?.[index] : trader) ?? trader, BUY]);
    const { trips, replies } = await place(wanted ?? []);
    expect(replies.map(sayReply)).toEqual(
      Array.from({ length: ORDERS }, (_, index) => (isRefused(index) ? 'insufficient_balance' : 'committed')),
    );
    expect(trips).toBe(1);
    expect(await unexplainedBalances()).toEqual([]);
  });

  it('among fifty of every kind in one batch gets its own answer, and so does each of the others', async () => {
    const [frozen, revoked, expired, seller, spender, doge, before] = await atOnce(7, openRich);
    if (!frozen || !revoked || !expired || !seller || !spender || !doge || !before) throw new Error('no traders');
    const gate = openGate();
    const made = handOver(before, BUY);
    expect((await gate.placeOrder(made)).kind).toBe('committed');
    await setSettings({ exposure: { DOGE: '0' } });
    await env.DB.batch([
      sql(`UPDATE accounts SET status = 'frozen' WHERE id = ?`, frozen.accountId),
      sql('UPDATE api_keys SET revoked_at = 1 WHERE id = ?', revoked.keyId),
      sql('UPDATE api_keys SET expires_at = 1 WHERE id = ?', expired.keyId),
    ]);
    const sale: PlaceOrder = { coin: 'ETH', side: 'SELL', mode: 'COIN_QTY', value: '0.75' };
    const mixed: readonly (readonly [Wanted, string])[] = [
      [[frozen, BUY], 'account_frozen'],
      [[spender, { ...BUY, value: '995' }], 'committed'],
      [[revoked, BUY], 'invalid_api_key'],
      [[seller, sale], 'committed'],
      [[spender, BUY], 'insufficient_balance'],
      [[expired, BUY], 'api_key_expired'],
      [[doge, { ...BUY, coin: 'DOGE' }], 'order_rejected'],
      [[seller, sale], 'insufficient_balance'],
      [[before, BUY, made.orderId], 'unknown'],
      [[spender, { ...BUY, value: '5' }], 'committed'],
    ];
    const all = [...mixed, ...(rich ?? []).slice(mixed.length).map((trader) => [[trader, BUY], 'committed'] as const)];
    const { trips, replies, calls } = await place(all.map(([wanted]) => wanted));
    await resetSettings();
    expect(replies.map(sayReply)).toEqual(all.map(([, answer]) => answer));
    expect(trips).toBe(1);
    for (const [index, reply] of replies.entries()) {
      if (reply.kind === 'committed') expect(reply.row.id).toBe(calls[index]?.orderId);
    }
    const members = (index: number) => {
      const reply = replies[index];
      return reply?.kind === 'refused' && reply.refusal.members;
    };
    expect(members(4)).toEqual({ asset: 'USDT', available: '5', required: '10' });
    expect(members(7)).toEqual({ asset: 'ETH', available: '0.25', required: '0.75' });
    expect(await unexplainedBalances()).toEqual([]);
  });
});

describe('a batch that is lost after its commit', () => {
  it('leaves each caller its own truth: a filled order is found, and a refused one is never told as filled', async () => {
    const [leader, filled, refused] = [await openRich(), await openRich(), await openTrader({ USDT: '5' })];
    // The lanes know their keys, and the gate its prices.
    for (const trader of [leader, filled, refused]) await trader.order({ ...BUY, value: '1' }, 'earlier');
    let isOpen = false;
    const held = aroundBatch('order', 'before', 1, () => until(() => isOpen));
    const first = leader.order(BUY, 'first');
    await until(() => held.state.injected === 1);
    const answers = [filled.order(BUY, 'lost'), refused.order(BUY, 'lost')];
    while ((await ledgerGate().readLoad()).orders < 3) await scheduler.wait(1);
    held.restore();
    const lost = aroundBatch('order', 'after', 1, fail(CONNECTION_LOST));
    isOpen = true;
    expect((await first).status).toBe(201);
    const [found, open] = await Promise.all(answers);
    expect(lost.state.injected).toBe(1);
    expect(found?.status).toBe(201);
    expect(open?.status).toBe(504);
    expect([await countOrders(filled), await countOrders(refused)]).toEqual([2, 1]);
    // By then no write that was lost can still land.
    moveClock(61_000);
    const again = await refused.order(BUY, 'lost');
    expect(await json(again)).toMatchObject({ code: 'insufficient_balance', available: '4', required: '10' });
    expect([await countOrders(filled), await countOrders(refused)]).toEqual([2, 1]);
  });
});

const countOrders = async ({ accountId }: Trader) => (await readEffects(accountId)).orders;

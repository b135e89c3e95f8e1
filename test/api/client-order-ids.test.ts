import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_LOOKED_AT } from '../../src/http/list.ts';
import {
  type OrderAnswer,
  type ProblemBody,
  type Trader,
  codeOf,
  createKey,
  expectCode,
  json,
  openTrader,
} from '../support/exchange.ts';
import { openTraderIn, runFor } from '../support/db/open-in-ledger.ts';
import { writeHistory } from '../support/growth/write-history.ts';
import { expectReplay } from '../support/replays.ts';
import { countRowsRead } from '../support/runtime/meter.ts';
import { readAttempts, setSettings, switchOnTotp } from '../support/withdrawals/withdrawals.ts';

const BUY = { value: '10', clientOrderId: 'mine' };

let trader: Trader;
beforeEach(async () => {
  trader = await openTrader({ USDT: '1000' });
});

async function place(): Promise<OrderAnswer['order']> {
  return (await json<OrderAnswer>(await trader.order(BUY))).order;
}

/** A refusal that names the first one. */
async function expectReused(answer: Promise<Response>, named: { orderId: string } | { withdrawalId: string }) {
  expect(await expectCode(answer, '422 client_order_id_reused')).toMatchObject({ ...named, retryable: false });
}

describe('the clientOrderId of an order', () => {
  it('is shown wherever the order is, and finds it', async () => {
    const order = await place();
    expect(order.clientOrderId).toBe('mine');
    const other = await trader.trade({ value: '10' });
    expect(other).not.toHaveProperty('clientOrderId');
    expect(await trader.read(`/api/v1/orders/${order.id}`)).toEqual({ order });
    expect(await trader.read('/api/v1/orders')).toMatchObject({ orders: [other, order] });
    const find = (query: string) => trader.read(`/api/v1/orders?clientOrderId=${query}`);
    expect(await find('mine')).toEqual({ orders: [order], nextCursor: null });
    expect(await find('Mine')).toEqual({ orders: [], nextCursor: null });
    expect(await find('mine&coin=ETH')).toEqual({ orders: [], nextCursor: null });
  });

  it('finds an order in one page however many came after it, by its index', async () => {
    // History is written into the first ledger.
    const old = await openTraderIn(0);
    await writeHistory('orders', { account: `'${old.accountId}'`, count: 1 }, MAX_LOOKED_AT);
    // As if it had been placed in 2020.
    const id = '0170a1fc-895a-7000-b43c-11f474a4f8d5';
    await runFor(
      old.accountId,
      `INSERT INTO orders (account_id, id, coin, side, executed_price, coin_amount, usdt_amount, status, price_round, key_id,
         admitted_at, price_as_of, client_order_id)
       VALUES (?, ?, 'DOGE', 'BUY', 10000000, 100000000, 100000, 'FAILED', 9000000000000, ?, 0, 0, 'mine')`,
      old.accountId,
      id,
      old.keyId,
    );
    const reads = await countRowsRead(async () => {
      const found = await old.read('/api/v1/orders?clientOrderId=mine');
      expect(found).toMatchObject({ orders: [{ id, clientOrderId: 'mine' }], nextCursor: null });
    });
    expect(reads).toBeLessThan(10);
  });

  it('is used once, for good, whichever key and whatever order', async () => {
    const { id: orderId } = await place();
    const before = await trader.balances();
    await expectReused(trader.order(BUY), { orderId });
    await expectReused(trader.order(BUY, 'another'), { orderId });
    await expectReused(trader.order({ ...BUY, coin: 'ETH', value: '20' }), { orderId });
    await expectReused((await createKey(trader.accountId)).order(BUY), { orderId });
    expect(await trader.balances()).toEqual(before);
    expect((await (await openTrader({ USDT: '100' })).order(BUY)).status).toBe(201);
  });

  it('leaves a repetition under the same Idempotency-Key what it is, and its refusal is kept as well', async () => {
    const first = await trader.order(BUY, 'k');
    await expectReplay(await trader.order(BUY, 'k'), first);
    await expectCode(trader.order({ ...BUY, clientOrderId: 'other' }, 'k'), '422 idempotency_key_reused');
    const refused = await trader.order(BUY, 'l');
    await expectReplay(await trader.order(BUY, 'l'), refused);
  });

  // A client that lost the answer sends the order again. It must not read that it has none.
  it.each([
    ['price_limit_exceeded', { limitPrice: '1' }],
    ['insufficient_balance', { value: '5000' }],
    ['amount_below_minimum', { mode: 'COIN_QTY', value: '0.00000001' }],
  ])('is named also where the order would be refused with %s', async (code, change) => {
    const { id: orderId } = await place();
    await expectReused(trader.order({ ...BUY, ...change }), { orderId });
    expect(await codeOf(trader.order({ ...BUY, ...change, clientOrderId: 'new' }))).toBe(`422 ${code}`);
  });

  it('goes to one of twenty orders at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => trader.order(BUY)));
    const filled = answers.filter(({ status }) => status === 201);
    expect(filled).toHaveLength(1);
    const { order } = await json<OrderAnswer>(filled[0] ?? new Response());
    const refused = answers.filter(({ status }) => status !== 201);
    const named = await Promise.all(refused.map((answer) => json<ProblemBody & { orderId?: string }>(answer)));
    expect(new Set(named.map(({ code, orderId }) => `${code} ${orderId}`))).toEqual(
      new Set([`client_order_id_reused ${order.id}`]),
    );
  });

  it.each(['', 'n'.repeat(65), 'two words', 'näme', 'line\n', 7])('is 1 to 64 visible ASCII: not %j', async (name) => {
    const body = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10', clientOrderId: name };
    const problem = await expectCode(trader.post('/api/v1/orders', body), '400 invalid_request');
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/clientOrderId']);
    const longest = '!~'.repeat(32);
    expect((await trader.order({ value: '10', clientOrderId: longest })).status).toBe(201);
  });
});

describe('the clientOrderId of a withdrawal', () => {
  it('is shown, finds it, and is used once, for good', async () => {
    const withdrawal = await trader.takeOut({ clientOrderId: 'mine' });
    expect(withdrawal.clientOrderId).toBe('mine');
    const other = await trader.takeOut();
    expect(other).not.toHaveProperty('clientOrderId');
    const list = '/api/v1/wallet/withdrawals';
    expect(await trader.read(`${list}?clientOrderId=mine`)).toEqual({ withdrawals: [withdrawal], nextCursor: null });
    const before = await trader.balances();
    await expectReused(trader.withdraw({ clientOrderId: 'mine' }), { withdrawalId: withdrawal.id });
    await expectReused(trader.withdraw({ clientOrderId: 'mine', amount: '9999' }), { withdrawalId: withdrawal.id });
    expect(await trader.balances()).toEqual(before);
    expect((await trader.order(BUY)).status).toBe(201);
  });

  it('costs no attempt of the second factor, and is named during a halt as well', async () => {
    const { id: withdrawalId } = await trader.takeOut({ clientOrderId: 'mine' });
    const codes = await switchOnTotp(trader.accountId);
    await expectReused(trader.withdraw({ clientOrderId: 'mine', totpCode: await codes.code(0) }), { withdrawalId });
    await setSettings({ withdrawalsHalted: true });
    await expectReused(trader.withdraw({ clientOrderId: 'mine', totpCode: await codes.code(0) }), { withdrawalId });
    await setSettings({ withdrawalsHalted: false });
    expect(await readAttempts(trader.accountId)).toMatchObject({ attempts: 0 });
  });

  it('goes to one of two at once, of two keys', async () => {
    const other = await createKey(trader.accountId);
    const answers = await Promise.all(
      [trader, other, trader, other].map((key) => key.withdraw({ clientOrderId: 'mine' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(3);
  });
});

import { describe, expect, it, vi } from 'vitest';
import {
  ORDER,
  type OrderAnswer,
  type Trader,
  createKey,
  expectCode,
  json,
  openTrader,
  operate,
} from '../support/exchange.ts';
import { expectReplay, isReplay } from '../support/replays.ts';
import { WITHDRAWAL, WITHDRAWALS_PATH, readHoldings } from '../support/withdrawals/withdrawals.ts';
import { readFor } from '../support/db/open-in-ledger.ts';

/** What moves money once, with bodies that are other requests, and bodies that are the same. */
const operations = [
  {
    name: 'an order',
    table: 'orders',
    path: '/api/v1/orders',
    body: ORDER as Record<string, string>,
    others: [{ value: '11' }, { value: '10.0' }, { side: 'SELL' }, { mode: 'COIN_QTY' }, { coin: 'ETH' }],
    same: [{ coin: 'btc' }],
  },
  {
    name: 'a withdrawal',
    table: 'withdrawals',
    path: WITHDRAWALS_PATH,
    body: WITHDRAWAL,
    others: [
      { amount: '51' },
      { amount: '50.0' },
      { network: 'SOL' },
      { address: 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH' },
    ],
    same: [{ totpCode: '' }, { totpCode: null }],
  },
];

describe.each(operations)('the Idempotency-Key of $name', ({ table, path, body, others, same }) => {
  const post = (trader: Trader, key?: string, change: object = {}) =>
    trader.post(path, { ...body, ...change }, key === undefined ? {} : { 'Idempotency-Key': key });
  const count = ({ accountId }: Trader) =>
    readFor(accountId, `SELECT count(*) FROM ${table} WHERE account_id = ?`, accountId);
  const open = () => openTrader({ USDT: '1000' });

  it('returns the first answer, byte for byte, and executes nothing again', async () => {
    const trader = await open();
    const first = await post(trader, 'k');
    expect([first.status, isReplay(first)]).toEqual([201, false]);
    const after = await readHoldings(trader.accountId);
    await expectReplay(await post(trader, 'k'), first);
    expect(await readHoldings(trader.accountId)).toEqual(after);
    expect(await count(trader)).toBe(1);
  });

  it('has one effect and fifty equal answers when it is sent fifty times in parallel', async () => {
    const trader = await open();
    const responses = await Promise.all(Array.from({ length: 50 }, () => post(trader, 'k')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(responses.filter(isReplay)).toHaveLength(49);
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
    expect(await count(trader)).toBe(1);
  });

  it('ignores the order of fields, white space, and what is the same in another form', async () => {
    const trader = await open();
    const first = await post(trader, 'k');
    const shuffled = JSON.stringify(Object.fromEntries(Object.entries(body).toReversed()), null, 3);
    await expectReplay(await trader.post(path, shuffled, { 'Idempotency-Key': '"k"' }), first);
    for (const change of same) await expectReplay(await post(trader, 'k', change), first);
  });

  it.each<object>(others)('with another body is refused and executes nothing: %o', async (change) => {
    const trader = await open();
    const first = await post(trader, 'k');
    const before = await readHoldings(trader.accountId);
    await expectCode(post(trader, 'k', change), '422 idempotency_key_reused');
    expect(await readHoldings(trader.accountId)).toEqual(before);
    await expectReplay(await post(trader, 'k'), first);
  });

  it('belongs to one API key: another key of the account executes', async () => {
    const trader = await open();
    await post(trader, 'k');
    expect(isReplay(await post(await createKey(trader.accountId), 'k'))).toBe(false);
    expect(await count(trader)).toBe(2);
  });

  it('keeps a refusal for lack of money as the answer, also after a deposit', async () => {
    const trader = await openTrader();
    const first = await post(trader, 'k');
    expect(first.status).toBe(422);
    const credit = { asset: 'USDT', amount: '100', reference: 'late' };
    await operate('POST', `/accounts/${trader.accountId}/credits`, credit);
    await expectReplay(await post(trader, 'k'), first);
    expect(await trader.balances()).toMatchObject({ USDT: '100' });
    expect((await post(trader, 'another')).status).toBe(201);
  });

  it('is optional: without it every request is executed', async () => {
    const trader = await open();
    await post(trader);
    await post(trader);
    expect(await count(trader)).toBe(2);
  });
});

describe('the Idempotency-Key of an order (spec, "Errors" and "Limits")', () => {
  it('is not used up by an invalid request', async () => {
    const trader = await openTrader({ USDT: '1000' });
    expect((await trader.order({ ...ORDER, side: 'buy' }, 'k')).status).toBe(400);
    const response = await trader.order(ORDER, 'k');
    expect([response.status, isReplay(response)]).toEqual([201, false]);
  });

  it('protects for 24 hours from the first receipt, and not a second longer', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const received = Date.parse((await json<OrderAnswer>(await trader.order(ORDER, 'k'))).order.ts);
    vi.useFakeTimers({ toFake: ['Date'], now: received + 86_400_000 - 1_000 });
    expect(isReplay(await trader.order(ORDER, 'k'))).toBe(true);
    vi.setSystemTime(received + 86_400_000 + 1_000);
    expect(isReplay(await trader.order(ORDER, 'k'))).toBe(false);
  });
});

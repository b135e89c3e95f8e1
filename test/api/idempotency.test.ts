import { describe, expect, it, vi } from 'vitest';
import {
  type OrderAnswer,
  type ProblemBody,
  asOperator,
  createKey,
  json,
  openAccount,
  openTrader,
} from '../support/exchange.ts';
import { readEffects } from '../support/db/probes.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

const isReplay = (response: Response) => response.headers.get('X-Idempotency-Replay') === 'true';

describe('Idempotency-Key (spec, "Errors" and "Limits")', () => {
  it('returns the first answer, byte for byte, and executes nothing again', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const first = await trader.order(ORDER, 'k');
    const second = await trader.order(ORDER, 'k');
    expect([first.status, second.status, isReplay(first), isReplay(second)]).toEqual([201, 201, false, true]);
    expect(second.headers.get('Location')).toBe(first.headers.get('Location'));
    expect(await second.text()).toBe(await first.text());
    expect((await readEffects(trader.accountId)).orders).toBe(1);
  });

  it('ignores the order of fields, white space and the case of the coin', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const first = await json<OrderAnswer>(await trader.order(ORDER, 'k'));
    const shuffled = '{ "value":"10",\n "mode" : "USDT_AMOUNT", "side":"BUY", "coin":"btc" }';
    const second = await trader.post('/api/v1/orders', shuffled, { 'Idempotency-Key': 'k' });
    expect(isReplay(second)).toBe(true);
    expect(await json<OrderAnswer>(second)).toEqual(first);
  });

  it.each([{ value: '11' }, { value: '10.0' }, { side: 'SELL' }, { mode: 'COIN_QTY' }, { coin: 'ETH' }])(
    'with another body is refused and executes nothing: %o',
    async (change) => {
      const trader = await openTrader({ USDT: '1000' });
      await trader.order(ORDER, 'k');
      const before = await readEffects(trader.accountId);
      const response = await trader.order({ ...ORDER, ...change }, 'k');
      expect([response.status, (await json<ProblemBody>(response)).code]).toEqual([422, 'idempotency_key_reused']);
      expect(await readEffects(trader.accountId)).toEqual(before);
      expect(isReplay(await trader.order(ORDER, 'k'))).toBe(true);
    },
  );

  it('belongs to one API key: another key of the account executes', async () => {
    const accountId = await openAccount({ USDT: '1000' });
    const [one, other] = await Promise.all([createKey(accountId), createKey(accountId)]);
    await one.order(ORDER, 'k');
    expect(isReplay(await other.order(ORDER, 'k'))).toBe(false);
    expect((await readEffects(accountId)).orders).toBe(2);
  });

  it('keeps a refusal for lack of money as the answer, also after a deposit', async () => {
    const trader = await openTrader();
    const first = await trader.order(ORDER, 'k');
    expect(first.status).toBe(422);
    await asOperator('POST', `/accounts/${trader.accountId}/credits`, {
      asset: 'USDT',
      amount: '100',
      reference: 'late',
    });
    const second = await trader.order(ORDER, 'k');
    expect([second.status, isReplay(second)]).toEqual([422, true]);
    expect(await second.text()).toBe(await first.text());
    expect((await trader.order(ORDER, 'another')).status).toBe(201);
  });

  it('is not used up by an invalid request', async () => {
    const trader = await openTrader({ USDT: '1000' });
    expect((await trader.order({ ...ORDER, side: 'buy' }, 'k')).status).toBe(400);
    const response = await trader.order(ORDER, 'k');
    expect([response.status, isReplay(response)]).toEqual([201, false]);
  });

  it('means the same in quotes and without', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await trader.order(ORDER, 'abc');
    expect(isReplay(await trader.order(ORDER, '"abc"'))).toBe(true);
  });

  it.each([
    ['1 character', 'x', 201],
    ['255 characters', 'x'.repeat(255), 201],
    ['256 characters', 'x'.repeat(256), 400],
    ['empty', '', 400],
    ['a blank inside', 'a b', 400],
    ['empty quotes', '""', 400],
  ])('must be 1 to 255 visible characters: %s', async (_name, key, status) => {
    const trader = await openTrader({ USDT: '1000' });
    const response = await trader.order(ORDER, key);
    expect(response.status).toBe(status);
    if (status === 400) expect((await json<ProblemBody>(response)).code).toBe('invalid_idempotency_key');
  });

  it('is optional: without it every request is executed', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await trader.order(ORDER);
    await trader.order(ORDER);
    expect((await readEffects(trader.accountId)).orders).toBe(2);
  });

  it('protects for 24 hours from the first receipt, and not a second longer', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const received = Date.parse((await json<OrderAnswer>(await trader.order(ORDER, 'k'))).order.ts);
    try {
      vi.useFakeTimers({ toFake: ['Date'], now: received + 86_400_000 - 1_000 });
      expect(isReplay(await trader.order(ORDER, 'k'))).toBe(true);
      vi.setSystemTime(received + 86_400_000 + 1_000);
      expect(isReplay(await trader.order(ORDER, 'k'))).toBe(false);
    } finally {
      vi.useRealTimers();
    }
    expect((await readEffects(trader.accountId)).orders).toBe(2);
  });
});

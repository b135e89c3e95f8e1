import { afterEach, describe, expect, it } from 'vitest';
import { type ProblemBody, type Trader, asOperator, json, openTrader } from '../support/exchange.ts';
import { aroundBatches } from '../support/faults.ts';
import { readEffects, sumOfBalances } from '../support/probes.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' };

let restore: () => void = () => undefined;
afterEach(() => restore());

const isOrder = (text: string) => text.includes('insert into \\"orders\\"');

async function expectNoKey(response: Response): Promise<void> {
  expect([response.status, (await json<ProblemBody>(response)).code]).toEqual([401, 'invalid_api_key']);
}

/** Holds the order's batch, lets something happen meanwhile, and gives the status that the order got. */
async function placeWhile(trader: Trader, meanwhile: () => Promise<unknown>): Promise<number> {
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  ({ restore } = aroundBatches(
    'before',
    1,
    () => {
      reached.resolve();
      return held.promise;
    },
    isOrder,
  ));
  const ordering = trader.order(ORDER, 'in-flight');
  await reached.promise;
  await meanwhile();
  held.resolve();
  return (await ordering).status;
}

describe('a key that loses its right while its order is on the way to D1', () => {
  it('by being revoked: the order that was admitted ends whole, and nothing is admitted after it', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const { accountId, keyId } = trader;
    const status = await placeWhile(trader, async () => {
      expect((await asOperator('DELETE', `/accounts/${accountId}/api-keys/${keyId}`)).status).toBe(200);
      await expectNoKey(await trader.order(ORDER));
      await expectNoKey(await trader.get('/api/v1/orders'));
    });
    expect(status).toBe(201);
    await expectNoKey(await trader.order(ORDER, 'in-flight'));
    expect((await readEffects(accountId)).orders).toBe(1);
    expect(await sumOfBalances()).toEqual([]);
  });

  it('by its account’s being frozen: the batch refuses the order', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const before = await readEffects(trader.accountId);
    const status = await placeWhile(trader, () =>
      asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'frozen' }),
    );
    expect(status).toBe(403);
    expect(await readEffects(trader.accountId)).toEqual(before);
  });
});

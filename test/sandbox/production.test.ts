import { expect, it } from 'vitest';
import { scenarios } from '../../src/sandbox/scenario.ts';
import { worker } from '../support/runtime/test-env.ts';
import { ORIGIN, asOperator, json, openTrader } from '../support/exchange.ts';

// These tests run in production's own Worker. `npm run check:deploy` checks its bundle.
it.each([...Object.keys(scenarios), 'order_lost'])('production does not know the scenario %s', async (scenario) => {
  const trader = await openTrader({ USDT: '1000' });
  const post = (path: string, body: object) =>
    worker.fetch(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${trader.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': crypto.randomUUID(),
        'X-Sandbox-Scenario': scenario,
      },
      body: JSON.stringify(body),
    });
  const ordered = await post('/api/v1/orders', { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' });
  expect(ordered.status).toBe(201);
  const payout = { asset: 'USDT', network: 'TRC20', amount: '50', address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' };
  const paid = await post('/api/v1/wallet/withdrawals', payout);
  expect(await json(paid)).toMatchObject({ withdrawal: { status: 'COMPLETED' } });
});

it.each([
  ['PATCH', '/sandbox/market', { prices: { BTC: '1' } }],
  ['POST', '/sandbox/deposits', { accountId: '', asset: 'USDT', network: 'TRC20', amount: '1000000' }],
])('production has no %s %s', async (method, path, body) => {
  const answered = await asOperator(method, path, body);
  expect([answered.status, await json(answered)]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
});

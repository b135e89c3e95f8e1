import { expect, it } from 'vitest';
import { scenarios } from '../../src/sandbox/scenario.ts';
import { WITHDRAWAL } from '../support/client.ts';
import { ORDER, asOperator, json, openTrader } from '../support/exchange.ts';

// These tests run in production's own Worker. `npm run check:deploy` checks its bundle.
it.each([...Object.keys(scenarios), 'order_lost'])('production does not know the scenario %s', async (scenario) => {
  const trader = await openTrader({ USDT: '1000' });
  const headers = { 'X-Sandbox-Scenario': scenario };
  const ordered = await trader.post('/api/v1/orders', ORDER, headers);
  expect(ordered.status).toBe(201);
  const paid = await trader.post('/api/v1/wallet/withdrawals', WITHDRAWAL, headers);
  expect(await json(paid)).toMatchObject({ withdrawal: { status: 'COMPLETED' } });
});

it.each([
  ['PATCH', '/sandbox/market', { prices: { BTC: '1' } }],
  ['POST', '/sandbox/deposits', { accountId: '', asset: 'USDT', network: 'TRC20', amount: '1000000' }],
])('production has no %s %s', async (method, path, body) => {
  const answered = await asOperator(method, path, body);
  expect([answered.status, await json(answered)]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
});

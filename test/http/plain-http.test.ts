import { expect, it } from 'vitest';
import { json, openTrader, send } from '../support/exchange.ts';

const over = (scheme: string) => ({ 'CF-Visitor': JSON.stringify({ scheme }) });

it('a request over HTTP is refused on every path and changes nothing, and one over HTTPS is answered', async () => {
  const trader = await openTrader({ USDT: '1000' });
  const order = (scheme: string) =>
    send('/api/v1/orders', {
      method: 'POST',
      headers: { Authorization: `Bearer ${trader.token}`, 'Content-Type': 'application/json', ...over(scheme) },
      body: JSON.stringify({ coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' }),
    });
  const refused = await order('http');
  expect([refused.status, await json(refused)]).toMatchObject([400, { code: 'invalid_request' }]);
  expect((await trader.balances())['USDT']).toBe('1000');
  expect((await send('/operator/v1/settings', { headers: over('http') })).status).toBe(400);
  expect((await order('https')).status).toBe(201);
});

import { findAmount, writeAmount } from '../../src/amounts.ts';
import type { PlayedExchange } from './played-exchange.ts';
import { type PlayedAnswer, type PlayedServer, json, serveVenue } from './played-server.ts';

export const BUREAU_KEY = { key: 'bk_played', secret: '' };

const problem = (status: number, code: string) => json(status, { type: 'about:blank', status, code });

/** Plays another Bureau before an exchange: whole orders or none, and an answer kept for 24 hours under its Idempotency-Key, and a clientOrderId for good. */
export async function playBureau(
  exchange: PlayedExchange,
  coins: readonly string[],
): Promise<PlayedServer & { readonly state: { scopes: string[] } }> {
  exchange.feeRate = '0';
  exchange.amountStep = '0.00000001';
  exchange.priceStep = '0.00000001';
  const state = { scopes: ['read', 'trade'] };
  const kept = new Map<string, { readonly at_ms: number; readonly body: string; readonly answer: PlayedAnswer }>();

  const place = (body: string): PlayedAnswer => {
    const { coin, side, value, limitPrice, clientOrderId } = JSON.parse(body) as Record<string, string>;
    const [amount, price] = [findAmount(value), findAmount(limitPrice)];
    if (coin === undefined || !coins.includes(coin)) return problem(422, 'symbol_not_supported');
    if (amount === undefined || price === undefined || (side !== 'BUY' && side !== 'SELL')) {
      return problem(400, 'invalid_request');
    }
    const order = { clientId: clientOrderId ?? null, coin, side, amount, price } as const;
    if (exchange.orders.some((one) => one.clientId === clientOrderId)) return problem(422, 'client_order_id_reused');
    const refusal = exchange.findRefusal(order);
    if (refusal === 'closed') return problem(503, 'trading_halted');
    if (refusal) return problem(422, refusal === 'no money' ? 'insufficient_balance' : 'amount_below_minimum');
    if (!exchange.canFill(order)) return problem(422, 'price_limit_exceeded');
    return json(201, { order: show(exchange.execute(order)) });
  };

  const server = await serveVenue(({ method, path, query, headers, body }) => {
    if (path === '/api/v1/time') return json(200, { serverTime: new Date(exchange.now()).toISOString() });
    if (path === '/api/v1/exchange-info') return json(200, { symbols: coins.map((coin) => describe(coin, exchange)) });
    if (headers.authorization !== `Bearer ${BUREAU_KEY.key}`) return problem(401, 'invalid_api_key');
    if (path === '/api/v1/account/api-key') return json(200, { apiKey: { scopes: state.scopes, ipAllowlist: null } });
    if (path === '/api/v1/wallet/balances') {
      const balances = [...exchange.balances].map(([asset, amount]) => ({ asset, amount: writeAmount(amount) }));
      return json(200, { balances });
    }
    if (path !== '/api/v1/orders') return problem(404, 'not_found');
    if (method === 'GET') {
      const from = Number(new URLSearchParams(query).get('cursor') ?? 0);
      const id = new URLSearchParams(query).get('clientOrderId');
      const all = exchange
        .listVisible()
        .filter(({ clientId }) => id === null || clientId === id)
        .toReversed();
      const page = all.slice(from, from + 200);
      const nextCursor = from + page.length < all.length ? String(from + page.length) : null;
      return json(200, { orders: page.map(show), nextCursor });
    }
    const key = String(headers['idempotency-key']);
    const first = kept.get(key);
    if (first && exchange.now() - first.at_ms < 86_400_000) {
      return first.body === body ? first.answer : problem(422, 'idempotency_key_reused');
    }
    const answer = place(body);
    if (answer.status < 500) kept.set(key, { at_ms: exchange.now(), body, answer });
    return answer;
  });
  return Object.assign(server, { state });
}

function show(order: ReturnType<PlayedExchange['execute']>) {
  const { reference, clientId, at_ms, coin, side, filled, cost } = order;
  return {
    id: `01a1fcca-895a-7000-b43c-${String(reference).slice(-12)}`,
    ts: new Date(at_ms).toISOString(),
    coin,
    side,
    executedPrice: writeAmount(order.price),
    coinAmount: writeAmount(filled),
    usdtAmount: writeAmount(cost),
    status: 'COMPLETED',
    ...(clientId !== null && { clientOrderId: clientId }),
  };
}

function describe(coin: string, { amountStep, minCost, isOpen }: PlayedExchange) {
  return {
    symbol: coin,
    base: coin,
    quote: 'USDT',
    status: isOpen ? 'TRADING' : 'HALTED',
    baseStep: amountStep,
    quoteStep: '0.000001',
    minNotional: minCost,
    maxNotional: '50000',
  };
}

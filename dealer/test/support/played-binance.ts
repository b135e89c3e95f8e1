import { findAmount, writeAmount } from '../../src/amounts.ts';
import { signBinance } from '../../src/venues/binance.ts';
import { marketOf } from '../../src/venues/spelling.ts';
import type { PlayedExchange, PlayedOrder } from './played-exchange.ts';
import { type PlayedAnswer, type PlayedRequest, type PlayedServer, json, serveVenue } from './played-server.ts';

export const BINANCE_KEY = { key: 'played-binance-key', secret: 'played-binance-secret' };

const problem = (status: number, code: number, msg: string) => json(status, { code, msg });

/** What the key may do, and how the venue's clock is. */
export interface BinanceState {
  clockOffset_ms: number;
  isRevoked: boolean;
  rights: Record<string, boolean>;
}

/** Plays Binance's spot API before an exchange: signatures, windows, filters, and ids that are unique among open orders only. */
export async function playBinance(
  exchange: PlayedExchange,
  coins: readonly string[],
): Promise<PlayedServer & { readonly state: BinanceState }> {
  const state: BinanceState = {
    clockOffset_ms: 0,
    isRevoked: false,
    rights: { ipRestrict: true, enableWithdrawals: false, enableSpotAndMarginTrading: true },
  };
  const now = () => exchange.now() + state.clockOffset_ms;
  const coinOf = (symbol: string | null) => coins.find((coin) => marketOf('binance', coin) === symbol);

  const findFault = ({ headers, query, body }: PlayedRequest): PlayedAnswer | undefined => {
    const sent = [query, body].filter((part) => part !== '').join('&');
    const at = sent.lastIndexOf('&signature=');
    const isSigned = signBinance(sent.slice(0, at), BINANCE_KEY.secret) === sent.slice(at + '&signature='.length);
    if (state.isRevoked || headers['x-mbx-apikey'] !== BINANCE_KEY.key) {
      return problem(401, -2015, 'Invalid API-key, IP, or permissions for action.');
    }
    if (!isSigned) return problem(400, -1022, 'Signature for this request is not valid.');
    const parameters = new URLSearchParams(sent);
    const [timestamp, window_ms] = [Number(parameters.get('timestamp')), Number(parameters.get('recvWindow') ?? 5_000)];
    const isInside = timestamp < now() + 1_000 && now() - timestamp <= window_ms && window_ms <= 60_000;
    return isInside ? undefined : problem(400, -1021, 'Timestamp for this request is outside of the recvWindow.');
  };

  const place = (parameters: URLSearchParams): PlayedAnswer => {
    const coin = coinOf(parameters.get('symbol'));
    const amount = findAmount(parameters.get('quantity'));
    const price = findAmount(parameters.get('price'));
    if (coin === undefined) return problem(400, -1121, 'Invalid symbol.');
    if (amount === undefined || price === undefined)
      return problem(400, -1100, 'Illegal characters found in a parameter.');
    const side = parameters.get('side') === 'BUY' ? 'BUY' : 'SELL';
    const order = { clientId: parameters.get('newClientOrderId'), coin, side, amount, price } as const;
    switch (exchange.findRefusal(order)) {
      case 'steps':
        return problem(400, -1013, 'Filter failure: LOT_SIZE');
      case 'too small':
        return problem(400, -1013, 'Filter failure: NOTIONAL');
      case 'no money':
        return problem(400, -2010, 'Account has insufficient balance for requested action.');
      case 'closed':
        return problem(400, -2010, 'Market is closed.');
      case undefined: {
        const done = exchange.execute(order);
        const fee = done.filled === 0n ? 0n : done.fee.amount;
        const fills = done.fills.map((fill, index) => ({
          price: writeAmount(fill.price),
          qty: writeAmount(fill.amount),
          commission: writeAmount(index === 0 ? fee : 0n),
          commissionAsset: done.fee.asset,
          tradeId: done.reference,
        }));
        return json(200, { ...show(done), transactTime: done.at_ms, fills });
      }
    }
  };

  const listOf = (symbol: string | null, since_ms = 0) =>
    exchange.listVisible().filter((one) => one.coin === coinOf(symbol) && one.at_ms >= since_ms);

  const server = await serveVenue((request) => {
    const { method, path, query, body } = request;
    const parameters = new URLSearchParams([query, body].filter((part) => part !== '').join('&'));
    const symbol = parameters.get('symbol');
    if (path === '/api/v3/time') return json(200, { serverTime: Math.floor(now()) });
    if (path === '/api/v3/exchangeInfo') return json(200, describeExchange(exchange, coins, now()));
    const fault = findFault(request);
    if (fault) return fault;
    switch (`${method} ${path}`) {
      case 'POST /api/v3/order':
        return place(parameters);
      case 'GET /api/v3/order': {
        const found = exchange.find(parameters.get('origClientOrderId') ?? '');
        return found ? json(200, show(found)) : problem(400, -2013, 'Order does not exist.');
      }
      case 'GET /api/v3/account':
        return json(200, {
          permissions: ['SPOT'],
          balances: [...exchange.balances].map(([asset, free]) => {
            return { asset, free: writeAmount(free), locked: '0.00000000' };
          }),
        });
      case 'GET /api/v3/account/commission':
        return json(200, {
          symbol,
          standardCommission: { maker: '0.001', taker: exchange.feeRate, buyer: '0', seller: '0' },
          specialCommission: { maker: '0', taker: '0', buyer: '0', seller: '0' },
          taxCommission: { maker: '0', taker: '0', buyer: '0', seller: '0' },
          discount: {
            enabledForAccount: exchange.feeIn === 'BNB',
            enabledForSymbol: true,
            discountAsset: 'BNB',
            discount: '0.75',
          },
        });
      case 'GET /api/v3/myTrades':
        return json(
          200,
          listOf(symbol)
            .filter(({ reference }) => String(reference) === parameters.get('orderId'))
            .flatMap((one) =>
              one.fills.map((fill, index) => ({
                symbol,
                orderId: one.reference,
                qty: writeAmount(fill.amount),
                commission: writeAmount(index === 0 ? one.fee.amount : 0n),
                commissionAsset: one.fee.asset,
              })),
            ),
        );
      case 'GET /api/v3/allOrders':
        return json(200, listOf(symbol, Number(parameters.get('startTime') ?? 0)).map(show));
      case 'GET /sapi/v1/account/apiRestrictions':
        return json(200, state.rights);
      default:
        return json(200, []);
    }
  });
  return Object.assign(server, { state });
}

function show(order: PlayedOrder) {
  return {
    symbol: marketOf('binance', order.coin),
    orderId: order.reference,
    orderListId: -1,
    clientOrderId: order.clientId,
    price: writeAmount(order.price),
    origQty: writeAmount(order.amount),
    executedQty: writeAmount(order.filled),
    cummulativeQuoteQty: writeAmount(order.cost),
    status: order.filled === order.amount ? 'FILLED' : 'EXPIRED',
    timeInForce: 'IOC',
    type: 'LIMIT',
    side: order.side,
    time: order.at_ms,
    updateTime: order.at_ms,
    workingTime: order.at_ms,
    selfTradePreventionMode: 'EXPIRE_MAKER',
  };
}

function describeExchange(
  { amountStep, priceStep, minCost, isOpen }: PlayedExchange,
  coins: readonly string[],
  now_ms: number,
) {
  return {
    timezone: 'UTC',
    serverTime: Math.floor(now_ms),
    rateLimits: [],
    exchangeFilters: [],
    symbols: coins.map((coin) => ({
      symbol: marketOf('binance', coin),
      status: isOpen ? 'TRADING' : 'BREAK',
      baseAsset: marketOf('binance', coin).replace(/USDT$/, ''),
      baseAssetPrecision: 8,
      quoteAsset: 'USDT',
      quotePrecision: 8,
      quoteAssetPrecision: 8,
      orderTypes: ['LIMIT', 'MARKET'],
      isSpotTradingAllowed: true,
      permissions: [],
      permissionSets: [['SPOT']],
      filters: [
        { filterType: 'PRICE_FILTER', minPrice: '0.01', maxPrice: '1000000', tickSize: priceStep },
        { filterType: 'LOT_SIZE', minQty: amountStep, maxQty: '9000', stepSize: amountStep },
        { filterType: 'NOTIONAL', minNotional: minCost, applyMinToMarket: true, maxNotional: '9000000' },
      ],
    })),
  };
}

import {
  type Currencies,
  type Dict,
  type Int,
  type Market,
  NotSupported,
  type Num,
  type OHLCV,
  type Order,
  type OrderSide,
  type OrderType,
  type Str,
  type Strings,
  type Ticker,
  type Tickers,
  type Trade,
} from 'ccxt';
import { BureauRows } from './bureau-rows.ts';

/** Parameters that ask for another kind of order. They are refused, because ignoring them would place a wrong order. */
const refusedOrderParams = [
  'postOnly',
  'reduceOnly',
  'stopLoss',
  'stopLossPrice',
  'stopPrice',
  'takeProfit',
  'takeProfitPrice',
  'trailingAmount',
  'trailingPercent',
  'triggerPrice',
];

const statuses: Dict = { OK: 'ok', DEGRADED: 'error', HALTED: 'maintenance' };

/** Markets and orders. */
export abstract class BureauTrading extends BureauRows {
  override async fetchTime(params: Dict = {}): Promise<Int> {
    return this.parse8601(this.safeString(await this.publicGetTime(params), 'serverTime'));
  }

  override async fetchStatus(params: Dict = {}) {
    const info = await this.publicGetStatus(params);
    const status = this.safeString(statuses, info['status'] as string);
    return { status, updated: undefined, eta: undefined, url: undefined, info };
  }

  override async fetchMarkets(params: Dict = {}): Promise<Market[]> {
    const { symbols } = await this.publicGetExchangeInfo(params);
    return (symbols as Dict[]).map((row) => this.parseMarket(row));
  }

  override async fetchCurrencies(params: Dict = {}): Promise<Currencies> {
    const { assets } = await this.publicGetAssets(params);
    const currencies = (assets as Dict[]).map((row) => this.parseCurrency(row));
    return this.indexBy(currencies, 'code') as Currencies;
  }

  override async fetchTicker(symbol: string, params: Dict = {}): Promise<Ticker> {
    await this.loadMarkets();
    const market = this.market(symbol);
    const { ticker } = await this.publicGetMarketsSymbol({ symbol: market['id'], ...params });
    return this.parseTicker(ticker as Dict, market);
  }

  override async fetchTickers(symbols?: Strings, params: Dict = {}): Promise<Tickers> {
    await this.loadMarkets();
    const { tickers } = await this.publicGetMarketsTickers(params);
    return this.parseTickers(tickers as Dict[], this.marketSymbols(symbols));
  }

  /** At most 1,000 candles; with `since` the oldest from there on. `params.until` is the last start. */
  override async fetchOHLCV(
    symbol: string,
    timeframe = '1m',
    since?: Int,
    limit?: Int,
    params: Dict = {},
  ): Promise<OHLCV[]> {
    await this.loadMarkets();
    const market = this.market(symbol);
    const until = this.safeInteger(params, 'until');
    const { candles } = await this.publicGetMarketsSymbolCandles({
      symbol: market['id'],
      interval: this.safeString(this.timeframes, timeframe, timeframe),
      ...(limit !== undefined && { limit }),
      ...(since !== undefined && { startTime: this.iso8601(since) }),
      ...(until !== undefined && { endTime: this.iso8601(until) }),
      ...this.omit(params, 'until'),
    });
    return this.parseOHLCVs(candles as Dict[], market, timeframe, since, limit);
  }

  /**
   * Places a market order that fills at once, whole or not at all: for `amount` of the base, or for `params.cost` of
   * USDT. The account's orders have each `params.clientOrderId` once, for good; it is also the Idempotency-Key, unless
   * `params.idempotencyKey` is another, so that a repetition within 24 hours returns the first order. `params.limitPrice`
   * is the worst price to accept; if the market's is worse, it throws `OrderNotFillable`.
   */
  override async createOrder(
    symbol: string,
    type: OrderType,
    side: OrderSide,
    amount: number,
    _price?: Num,
    params: Dict = {},
  ): Promise<Order> {
    await this.loadMarkets();
    const market = this.market(symbol);
    if (type !== 'market') throw new NotSupported(`${this.id} createOrder() allows market orders only`);
    const refused = refusedOrderParams.find((name) => params[name] !== undefined && params[name] !== false);
    if (refused !== undefined) throw new NotSupported(`${this.id} createOrder() does not support ${refused}`);
    const cost = this.safeString(params, 'cost');
    const limitPrice = this.safeString(params, 'limitPrice');
    const clientOrderId = this.safeString(params, 'clientOrderId');
    const { order } = await this.privatePostOrders({
      coin: market['id'],
      side: side?.toUpperCase(),
      mode: cost === undefined ? 'COIN_QTY' : 'USDT_AMOUNT',
      value: cost === undefined ? this.amountToPrecision(symbol, amount) : this.costToPrecision(symbol, cost),
      // The exchange refuses unknown members, even when their value is false, so they are left out.
      ...this.omit(params, ['cost', 'clientOrderId', 'timeInForce', 'limitPrice', ...refusedOrderParams]),
      ...(limitPrice !== undefined && { limitPrice }),
      ...(clientOrderId !== undefined && { clientOrderId }),
      idempotencyKey: this.safeString(params, 'idempotencyKey', clientOrderId ?? crypto.randomUUID()),
    });
    return this.parseOrder(order as Dict, market);
  }

  override createMarketOrderWithCost(symbol: string, side: OrderSide, cost: number, params: Dict = {}): Promise<Order> {
    return this.createOrder(symbol, 'market', side, 0, undefined, { ...params, cost });
  }

  override createMarketBuyOrderWithCost(symbol: string, cost: number, params: Dict = {}): Promise<Order> {
    return this.createMarketOrderWithCost(symbol, 'buy', cost, params);
  }

  override createMarketSellOrderWithCost(symbol: string, cost: number, params: Dict = {}): Promise<Order> {
    return this.createMarketOrderWithCost(symbol, 'sell', cost, params);
  }

  override async fetchOrder(id: string, symbol?: Str, params: Dict = {}): Promise<Order> {
    await this.loadMarkets();
    const { order } = await this.privateGetOrdersId({ id, ...params });
    return this.parseOrder(order as Dict, symbol === undefined ? undefined : this.market(symbol));
  }

  override async fetchOrders(symbol?: Str, since?: Int, limit?: Int, params: Dict = {}): Promise<Order[]> {
    const market = await this.#loadMarket(symbol);
    const wanted = (row: Dict) => market === undefined || row['coin'] === market['id'];
    const rows = await this.readRows(this.privateGetOrders, 'orders', { since, limit, wanted, params });
    return this.parseOrders(rows, market, since, limit);
  }

  override async fetchClosedOrders(symbol?: Str, since?: Int, limit?: Int, params: Dict = {}): Promise<Order[]> {
    const market = await this.#loadMarket(symbol);
    return this.parseOrders(await this.#readFilled(market, since, limit, params), market, since, limit);
  }

  /** Every filled order, as one trade. */
  override async fetchMyTrades(symbol?: Str, since?: Int, limit?: Int, params: Dict = {}): Promise<Trade[]> {
    const market = await this.#loadMarket(symbol);
    return this.parseTrades(await this.#readFilled(market, since, limit, params), market, since, limit);
  }

  override async fetchOrderTrades(
    id: string,
    symbol?: Str,
    since?: Int,
    limit?: Int,
    params: Dict = {},
  ): Promise<Trade[]> {
    const { info } = await this.fetchOrder(id, symbol, params);
    const row = info as Dict;
    return this.parseTrades(row['status'] === 'COMPLETED' ? [row] : [], undefined, since, limit);
  }

  #readFilled(market: Market | undefined, since: Int, limit: Int, params: Dict): Promise<Dict[]> {
    const wanted = (row: Dict) =>
      row['status'] === 'COMPLETED' && (market === undefined || row['coin'] === market['id']);
    return this.readRows(this.privateGetOrders, 'orders', { since, limit, wanted, params });
  }

  async #loadMarket(symbol: Str): Promise<Market | undefined> {
    await this.loadMarkets();
    return symbol === undefined ? undefined : this.market(symbol);
  }
}

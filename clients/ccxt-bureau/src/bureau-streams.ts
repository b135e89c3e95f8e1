import {
  type Balances,
  type Dict,
  type Int,
  type Order,
  type Str,
  type Strings,
  type Ticker,
  type Tickers,
  type Trade,
} from 'ccxt';
import { BureauTrading } from './bureau-trading.ts';

type Row = Order | Trade;

/** What came is acknowledged this often at most: a socket takes 60 messages a minute. */
const ACK_PAUSE_MS = 1_100;

/** The part of CCXT's client of a WebSocket that is used here. */
interface WsClient {
  readonly url: string;
  readonly subscriptions: Dict;
  send(message: Dict): Promise<unknown>;
  resolve(result: unknown, messageHash: string): void;
  reject(error: unknown): void;
}

/**
 * What CCXT Pro watches, over the exchange's two streams. When a socket is cut, the call that waits throws a
 * `NetworkError`, as everywhere in CCXT; the next one connects again and goes on after the last event that came, so
 * no order, trade or balance is missed.
 */
export abstract class BureauStreams extends BureauTrading {
  /** The number of the newest event that came. */
  #reached: number | undefined;
  /** The orders that came, and their trades. */
  readonly #came: { readonly orders: Order; readonly myTrades: Trade }[] = [];
  /** How many of them a call was given, by what it watches. */
  readonly #given = new Map<string, number>();
  #acknowledging: ReturnType<typeof setTimeout> | undefined;

  override async watchTicker(symbol: string, params: Dict = {}): Promise<Ticker> {
    await this.loadMarkets();
    return (await this.#watchMarket(`ticker:${this.symbol(symbol)}`, params)) as Ticker;
  }

  override async watchTickers(symbols?: Strings, params: Dict = {}): Promise<Tickers> {
    await this.loadMarkets();
    const wanted = this.marketSymbols(symbols);
    return this.filterByArray(await this.#watchMarket('tickers', params), 'symbol', wanted) as Tickers;
  }

  override async watchOrders(symbol?: Str, since?: Int, limit?: Int, params: Dict = {}): Promise<Order[]> {
    return (await this.#watchRows('orders', symbol, since, limit, params)) as Order[];
  }

  override async watchMyTrades(symbol?: Str, since?: Int, limit?: Int, params: Dict = {}): Promise<Trade[]> {
    return (await this.#watchRows('myTrades', symbol, since, limit, params)) as Trade[];
  }

  override async watchBalance(params: Dict = {}): Promise<Balances> {
    await this.loadMarkets();
    return (await this.#watchAccount('balance', params)) as Balances;
  }

  override handleMessage(client: WsClient, message: Dict): void {
    if (message['channel'] === 'tickers') this.#takeTickers(client, message['data'] as Dict[]);
    if (message['channel'] === 'events') this.#takeEvents(client, message);
    if (message['type'] === 'problem') this.#fail(client, message['problem'] as Dict);
  }

  /** What came since the last call, at once if there is something; with `newUpdates` off all that is kept. */
  async #watchRows(name: 'orders' | 'myTrades', symbol: Str, since: Int, limit: Int, params: Dict): Promise<Row[]> {
    await this.loadMarkets();
    const known = symbol === undefined ? undefined : this.symbol(symbol);
    const messageHash = known === undefined ? name : `${name}:${known}`;
    const given = this.#given.get(messageHash);
    const isMeant = (row: Row) => known === undefined || row.symbol === known;
    const isWaiting = given !== undefined && this.#came.slice(given).some((row) => isMeant(row[name]));
    const begun = given ?? this.#came.length;
    this.#given.set(messageHash, begun);
    if (!isWaiting) await this.#watchAccount(messageHash, params);
    const rows = this.#came.slice(this.newUpdates ? begun : 0).map((row) => row[name]);
    this.#given.set(messageHash, this.#came.length);
    return this.filterBySymbolSinceLimit(rows, known, since, limit, true) as Row[];
  }

  #watchMarket(messageHash: string, params: Dict): Promise<unknown> {
    const message = { method: 'subscribe', params: { channel: 'tickers', ...params } };
    return this.#watch('stream', messageHash, message);
  }

  /** All that is watched of the account comes over one subscription. */
  #watchAccount(messageHash: string, params: Dict): Promise<unknown> {
    this.checkRequiredCredentials();
    const after = this.#reached === undefined ? {} : { after: this.#reached };
    const message = { method: 'subscribe', params: { channel: 'events', ...after, ...params } };
    return this.#watch('account/stream', messageHash, message);
  }

  async #watch(path: string, messageHash: string, message: Dict): Promise<unknown> {
    const url = this.sign(path)['url'].replace(/^http/, 'ws') as string;
    // CCXT opens no socket without TLS before this.
    if (url.startsWith('ws:')) await this.loadHttpProxyAgent();
    if (this.apiKey) {
      const headers = { Authorization: `Bearer ${this.apiKey}` };
      this.options['ws'] = this.deepExtend(this.options['ws'] ?? {}, { options: { headers } });
    }
    return this.watch(url, messageHash, message, path) as Promise<unknown>;
  }

  #takeTickers(client: WsClient, rows: readonly Dict[]): void {
    for (const row of rows) {
      const ticker = this.parseTicker(row);
      const { symbol = '' } = ticker as { symbol?: string };
      this.tickers[symbol] = ticker;
      client.resolve(ticker, `ticker:${symbol}`);
    }
    client.resolve(this.tickers, 'tickers');
  }

  #takeEvents(client: WsClient, message: Dict): void {
    const rows = (message['data'] as Dict[]).flatMap(({ data }: Dict) => (data['order'] ?? []) as Dict);
    const came = rows.map((row) => ({ orders: this.parseOrder(row), myTrades: this.parseTrade(row) }));
    this.#came.push(...came);
    for (const name of ['orders', 'myTrades'] as const) {
      const symbols = new Set(came.map((row) => row[name].symbol));
      for (const symbol of symbols) client.resolve(true, `${name}:${symbol}`);
      if (symbols.size > 0) client.resolve(true, name);
    }
    const balances = message['balances'] as Dict[] | undefined;
    if (balances && balances.length > 0) {
      this.balance = this.safeBalance({ ...this.balance, ...this.parseBalance({ balances }), info: message });
      client.resolve(this.balance, 'balance');
    }
    this.#reached = message['sequence'] as number;
    if (this.#acknowledging !== undefined) return;
    this.#acknowledging = setTimeout(() => this.#acknowledge(client), ACK_PAUSE_MS);
  }

  #acknowledge(client: WsClient): void {
    this.#acknowledging = undefined;
    client.send({ method: 'ack', params: { sequence: this.#reached } }).catch(() => undefined);
  }

  /** Whoever waits gets the error of the problem's code, and the next call subscribes anew. */
  #fail(client: WsClient, problem: Dict): void {
    for (const name of Object.keys(client.subscriptions)) delete client.subscriptions[name];
    try {
      const status = this.safeInteger(problem, 'status', 500);
      this.handleErrors(status, '', client.url, 'GET', {}, this.json(problem), problem);
    } catch (error) {
      client.reject(error);
    }
  }
}

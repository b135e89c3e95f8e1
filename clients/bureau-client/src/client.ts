import type { Fetch } from './attempt.ts';
import { type CallInput, type CallOptions, type Connection, call, pickDefined } from './call.ts';
import { type Clock, systemClock } from './clock.ts';
import { BureauError } from './errors.ts';
import type {
  AnswerOf,
  InputOf,
  Method,
  NewOrder,
  NewWithdrawal,
  OperationOf,
  Order,
  PathOf,
  QueryOf,
  ResultOf,
  Transaction,
  Withdrawal,
} from './operations.ts';
import { walkPages } from './pages.ts';
import { type RetryLimits, defaultLimits } from './retry.ts';
import type { operations } from './schema.d.ts';

/** How a client is made. All but `origin` may be absent; a client without a key reads what is public. */
export interface BureauClientOptions extends Partial<RetryLimits> {
  /** Where the exchange is, such as `https://exchange.example`. */
  readonly origin: string;
  readonly apiKey?: string | undefined;
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly createKey?: () => string;
}

/** What a read may have of its own. */
export interface ReadOptions extends CallOptions {
  /** The client's own id of the request, which the exchange echoes and logs. */
  readonly requestId?: string;
}

/** What a request that moves money may have of its own. */
export interface WriteOptions extends ReadOptions {
  /**
   * Stands for this one intent: whatever is sent under it takes effect once in 24 hours. One is made unless told; tell
   * your own to have an intent survive the end of the process.
   */
  readonly idempotencyKey?: string;
}

/** A walk through a list. */
export interface WalkOptions extends ReadOptions {
  /** Rows of a page, 1 to 200; 50 unless told. It makes no difference to what comes. */
  readonly pageSize?: number;
}

type Query<Name extends keyof operations> = QueryOf<operations[Name]>;
type Result<Name extends keyof operations> = Promise<ResultOf<operations[Name]>>;

/** An operation's answer, whichever it is, and what it took. */
export type CallAnswer<Operation> = AnswerOf<Operation> & {
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;
};

/**
 * A client of Bureau. Its methods are the operations of the document under their own names; each resolves to the body
 * that the document promises, with amounts as decimal strings, and rejects with a `BureauError` when the exchange
 * refuses and with a `BureauConnectionError` when it was not to be reached.
 */
export class BureauClient {
  readonly #connection: Connection;

  constructor(options: BureauClientOptions) {
    this.#connection = {
      ...defaultLimits,
      // Called as a function of its own: some runtimes refuse `fetch` as a method of another object.
      fetch: (url, init) => fetch(url, init),
      clock: systemClock,
      random: () => Math.random(),
      createKey: () => crypto.randomUUID(),
      apiKey: undefined,
      ...pickDefined(options),
    };
  }

  /**
   * Any operation, by its method and path, with exactly what the document allows. A refusal is an answer like any
   * other here, once retrying it is of no use; rejects only when no answer arrived.
   */
  async call<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[input, options]: object extends InputOf<OperationOf<M, P>>
      ? [input?: InputOf<OperationOf<M, P>>, options?: CallOptions]
      : [input: InputOf<OperationOf<M, P>>, options?: CallOptions]
  ): Promise<CallAnswer<OperationOf<M, P>>> {
    const { outcome, ...details } = await call(this.#connection, method, path, input, options);
    return { ...outcome.answer, ...details } as CallAnswer<OperationOf<M, P>>;
  }

  async #ask(method: Method, path: string, input: CallInput, options: WriteOptions): Promise<unknown> {
    const { requestId, idempotencyKey, ...limits } = options;
    const header = { 'X-Request-Id': requestId, 'Idempotency-Key': idempotencyKey };
    const { outcome, ...details } = await call(this.#connection, method, path, { ...input, header }, limits);
    if (outcome.kind === 'refused') throw new BureauError(outcome.problem, details);
    return outcome.answer.body;
  }

  async #read<Name extends keyof operations>(path: string, options: ReadOptions, input: CallInput = {}): Result<Name> {
    return (await this.#ask('get', path, input, options)) as ResultOf<operations[Name]>;
  }

  /** What the account holds, every asset. */
  listBalances(options: ReadOptions = {}): Result<'listBalances'> {
    return this.#read('/api/v1/wallet/balances', options);
  }

  /** Where the account receives, one address per network. */
  listAddresses(options: ReadOptions = {}): Result<'listAddresses'> {
    return this.#read('/api/v1/wallet/addresses', options);
  }

  /** A page of the activity feed; `transactions` walks through all of it. */
  listTransactions(query: Query<'listTransactions'> = {}, options: ReadOptions = {}): Result<'listTransactions'> {
    return this.#read('/api/v1/wallet/transactions', options, { query });
  }

  /** The activity of the account, newest first. */
  transactions({ pageSize, ...options }: WalkOptions = {}): AsyncGenerator<Transaction, void, undefined> {
    return walkPages(
      (cursor) => this.listTransactions(pageQuery(pageSize, cursor), options),
      (page) => page.transactions,
    );
  }

  /** Withdraws to an address, once however often it is sent. */
  async createWithdrawal(withdrawal: NewWithdrawal, options: WriteOptions = {}): Result<'createWithdrawal'> {
    const body = await this.#ask('post', '/api/v1/wallet/withdrawals', { body: withdrawal }, options);
    return body as ResultOf<operations['createWithdrawal']>;
  }

  /** A page of the withdrawals; `withdrawals` walks through all of them. */
  listWithdrawals(query: Query<'listWithdrawals'> = {}, options: ReadOptions = {}): Result<'listWithdrawals'> {
    return this.#read('/api/v1/wallet/withdrawals', options, { query });
  }

  /** The withdrawals of the account, newest first. */
  withdrawals({ pageSize, ...options }: WalkOptions = {}): AsyncGenerator<Withdrawal, void, undefined> {
    return walkPages(
      (cursor) => this.listWithdrawals(pageQuery(pageSize, cursor), options),
      (page) => page.withdrawals,
    );
  }

  getWithdrawal(id: string, options: ReadOptions = {}): Result<'getWithdrawal'> {
    return this.#read('/api/v1/wallet/withdrawals/{id}', options, { path: { id } });
  }

  /** Places an order, which fills at once and whole or not at all, once however often it is sent. */
  async placeOrder(order: NewOrder, options: WriteOptions = {}): Result<'placeOrder'> {
    const body = await this.#ask('post', '/api/v1/orders', { body: order }, options);
    return body as ResultOf<operations['placeOrder']>;
  }

  /** What an order would fill at now. It does nothing, and the price of the order itself is that of its own moment. */
  async previewOrder(order: NewOrder, options: ReadOptions = {}): Result<'previewOrder'> {
    const body = await this.#ask('post', '/api/v1/orders/preview', { body: order }, options);
    return body as ResultOf<operations['previewOrder']>;
  }

  /** A page of the orders; `orders` walks through all of them. */
  listOrders(query: Query<'listOrders'> = {}, options: ReadOptions = {}): Result<'listOrders'> {
    return this.#read('/api/v1/orders', options, { query });
  }

  /** The orders of the account, newest first. */
  orders({ pageSize, ...options }: WalkOptions = {}): AsyncGenerator<Order, void, undefined> {
    return walkPages(
      (cursor) => this.listOrders(pageQuery(pageSize, cursor), options),
      (page) => page.orders,
    );
  }

  getOrder(id: string, options: ReadOptions = {}): Result<'getOrder'> {
    return this.#read('/api/v1/orders/{id}', options, { path: { id } });
  }

  /** Every market's price; `degraded` tells whether one of them is a static fallback, at which nothing ever fills. */
  listTickers(options: ReadOptions = {}): Result<'listTickers'> {
    return this.#read('/api/v1/markets/tickers', options);
  }

  getTicker(symbol: string, options: ReadOptions = {}): Result<'getTicker'> {
    return this.#read('/api/v1/markets/{symbol}', options, { path: { symbol } });
  }

  /** Candles in ascending order; the last may still be running. */
  listCandles(symbol: string, query: Query<'listCandles'> = {}, options: ReadOptions = {}): Result<'listCandles'> {
    return this.#read('/api/v1/markets/{symbol}/candles', options, { path: { symbol }, query });
  }

  /** Assets, the networks that carry them, fees and minimums. */
  listAssets(options: ReadOptions = {}): Result<'listAssets'> {
    return this.#read('/api/v1/assets', options);
  }

  /** Markets with their steps and bounds, intervals, rate limits. */
  getExchangeInfo(options: ReadOptions = {}): Result<'getExchangeInfo'> {
    return this.#read('/api/v1/exchange-info', options);
  }

  getServerTime(options: ReadOptions = {}): Result<'getServerTime'> {
    return this.#read('/api/v1/time', options);
  }

  /** Whether trading, withdrawals and prices are as they should be. */
  getStatus(options: ReadOptions = {}): Result<'getStatus'> {
    return this.#read('/api/v1/status', options);
  }

  /** What the key of this client may do, and how often. */
  getApiKey(options: ReadOptions = {}): Result<'getApiKey'> {
    return this.#read('/api/v1/account/api-key', options);
  }

  /** The document that this client is typed by, as the exchange serves it. */
  getOpenApi(options: ReadOptions = {}): Result<'getOpenApi'> {
    return this.#read('/api/v1/openapi.json', options);
  }
}

function pageQuery(limit: number | undefined, cursor: string | undefined): { limit?: number; cursor?: string } {
  return { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
}

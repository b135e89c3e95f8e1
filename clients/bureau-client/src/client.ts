import type { Fetch } from './attempt.ts';
import { type CallInput, type CallOptions, type Connection, call, pickDefined } from './call.ts';
import { type Clock, systemClock } from './clock.ts';
import { BureauError } from './errors.ts';
import { followEvents } from './follow-events.ts';
import { type MessageOf, type OpenSocket, type Subscription, followStream } from './follow-stream.ts';
import type {
  AnswerOf,
  Deposit,
  Event,
  EventType,
  InputOf,
  Method,
  NewOrder,
  NewWebhookEndpoint,
  NewWithdrawal,
  OperationOf,
  Order,
  PathOf,
  QueryOf,
  ResultOf,
  Transaction,
  WebhookEndpointChange,
  Withdrawal,
} from './operations.ts';
import { readAllPages } from './pages.ts';
import { type RetryLimits, defaultLimits } from './retry.ts';
import type { operations } from './schema.d.ts';

/** Options of a client. Only `origin` is required. A client without a key can read what is public. */
export interface BureauClientOptions extends Partial<RetryLimits> {
  /** The address of the exchange, such as `https://exchange.example`. */
  readonly origin: string;
  readonly apiKey?: string | undefined;
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly createKey?: () => string;
  /** Opens a WebSocket for `stream`; by default the runtime's own, as of Node 22. */
  readonly openSocket?: OpenSocket;
}

export interface ReadOptions extends CallOptions {
  /** Your own id of the request. The exchange logs it and returns it in a header. */
  readonly requestId?: string;
}

/** Options of a request that moves money. */
export interface WriteOptions extends ReadOptions {
  /**
   * A request with this key takes effect once in 24 hours, however often it is sent. By default each call makes a new
   * key. Set and store your own if the request may be sent again after your process has ended.
   */
  readonly idempotencyKey?: string;
}

type Query<Name extends keyof operations> = QueryOf<operations[Name]>;

/** Options for reading all rows of a list. */
export interface WalkOptions<Filter = object> extends ReadOptions {
  /** Rows in each request's page, 1 to 200, by default 50. It does not change which rows are returned. */
  readonly pageSize?: number;
  /** Which rows: a span of time, an asset, a state. All unless told. */
  readonly filter?: Filter;
}

/** Options for reading the feed of events. */
export interface FollowOptions extends ReadOptions {
  /** The `sequence` of the last event that you have dealt with; without it, from the oldest that is kept. */
  readonly after?: number;
  /** Events of these types; all unless told. */
  readonly types?: readonly EventType[];
  /** Events in each request's page, 1 to 200, by default 50. */
  readonly pageSize?: number;
  /** With this, the reading does not end at the newest event: it asks again after so many milliseconds. */
  readonly pauseMs?: number;
}

type FilterOf<Name extends keyof operations> = Omit<Query<Name>, 'limit' | 'cursor'>;
type Result<Name extends keyof operations> = Promise<ResultOf<operations[Name]>>;

/** An operation's answer, of any status, and how often the request was sent. */
export type CallAnswer<Operation> = AnswerOf<Operation> & {
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;
};

/**
 * A client of Bureau. Its methods have the names of the operations in the OpenAPI document. Each resolves to the
 * documented body, with amounts as decimal strings. It rejects with a `BureauError` when the exchange refuses, and with
 * a `BureauConnectionError` when no answer arrived.
 */
export class BureauClient {
  readonly #connection: Connection;
  readonly #openSocket: OpenSocket;

  constructor({ openSocket = openOwnSocket, ...options }: BureauClientOptions) {
    this.#openSocket = openSocket;
    this.#connection = {
      ...defaultLimits,
      // A new function, because some runtimes refuse to call `fetch` as a method of another object.
      fetch: (url, init) => fetch(url, init),
      clock: systemClock,
      random: () => Math.random(),
      createKey: () => crypto.randomUUID(),
      apiKey: undefined,
      ...pickDefined(options),
    };
  }

  /**
   * Calls any operation by its method and path, with exactly the input that the document allows. Here a refusal is an
   * answer like any other, after the retries. Rejects only when no answer arrived.
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

  async #send<Name extends keyof operations>(
    method: Method,
    path: string,
    input: CallInput,
    options: ReadOptions,
  ): Result<Name> {
    return (await this.#ask(method, path, input, options)) as ResultOf<operations[Name]>;
  }

  /** The balance of every asset. */
  listBalances(options: ReadOptions = {}): Result<'listBalances'> {
    return this.#read('/api/v1/wallet/balances', options);
  }

  /** The deposit addresses, one for each network. */
  listAddresses(options: ReadOptions = {}): Result<'listAddresses'> {
    return this.#read('/api/v1/wallet/addresses', options);
  }

  /** A page of the activity feed; `transactions` reads all of it. */
  listTransactions(query: Query<'listTransactions'> = {}, options: ReadOptions = {}): Result<'listTransactions'> {
    return this.#read('/api/v1/wallet/transactions', options, { query });
  }

  /** The activity of the account, newest first. */
  transactions({ pageSize, filter, ...options }: WalkOptions<FilterOf<'listTransactions'>> = {}): AsyncGenerator<
    Transaction,
    void,
    undefined
  > {
    return readAllPages(
      (cursor) => this.listTransactions({ ...filter, ...pageQuery(pageSize, cursor) }, options),
      (page) => page.transactions,
    );
  }

  /** Withdraws to an address. Retries of this call never withdraw twice. */
  async createWithdrawal(withdrawal: NewWithdrawal, options: WriteOptions = {}): Result<'createWithdrawal'> {
    const body = await this.#ask('post', '/api/v1/wallet/withdrawals', { body: withdrawal }, options);
    return body as ResultOf<operations['createWithdrawal']>;
  }

  /** A page of the withdrawals; `withdrawals` reads all of them. */
  listWithdrawals(query: Query<'listWithdrawals'> = {}, options: ReadOptions = {}): Result<'listWithdrawals'> {
    return this.#read('/api/v1/wallet/withdrawals', options, { query });
  }

  /** The withdrawals of the account, newest first. */
  withdrawals({ pageSize, filter, ...options }: WalkOptions<FilterOf<'listWithdrawals'>> = {}): AsyncGenerator<
    Withdrawal,
    void,
    undefined
  > {
    return readAllPages(
      (cursor) => this.listWithdrawals({ ...filter, ...pageQuery(pageSize, cursor) }, options),
      (page) => page.withdrawals,
    );
  }

  getWithdrawal(id: string, options: ReadOptions = {}): Result<'getWithdrawal'> {
    return this.#read('/api/v1/wallet/withdrawals/{id}', options, { path: { id } });
  }

  /** A page of the deposits; `deposits` walks through all of them. */
  listDeposits(query: Query<'listDeposits'> = {}, options: ReadOptions = {}): Result<'listDeposits'> {
    return this.#read('/api/v1/wallet/deposits', options, { query });
  }

  /** The deposits of the account, newest first. */
  deposits({ pageSize, filter, ...options }: WalkOptions<FilterOf<'listDeposits'>> = {}): AsyncGenerator<
    Deposit,
    void,
    undefined
  > {
    return readAllPages(
      (cursor) => this.listDeposits({ ...filter, ...pageQuery(pageSize, cursor) }, options),
      (page) => page.deposits,
    );
  }

  getDeposit(id: string, options: ReadOptions = {}): Result<'getDeposit'> {
    return this.#read('/api/v1/wallet/deposits/{id}', options, { path: { id } });
  }

  /** Places an order, which fills at once, whole or not at all. Retries of this call never place a second order. */
  async placeOrder(order: NewOrder, options: WriteOptions = {}): Result<'placeOrder'> {
    const body = await this.#ask('post', '/api/v1/orders', { body: order }, options);
    return body as ResultOf<operations['placeOrder']>;
  }

  /** What an order would get now. It has no effect, and an order that is sent later may get another price. */
  async previewOrder(order: NewOrder, options: ReadOptions = {}): Result<'previewOrder'> {
    const body = await this.#ask('post', '/api/v1/orders/preview', { body: order }, options);
    return body as ResultOf<operations['previewOrder']>;
  }

  /** A page of the orders; `orders` reads all of them. */
  listOrders(query: Query<'listOrders'> = {}, options: ReadOptions = {}): Result<'listOrders'> {
    return this.#read('/api/v1/orders', options, { query });
  }

  /** The orders of the account, newest first. */
  orders({ pageSize, filter, ...options }: WalkOptions<FilterOf<'listOrders'>> = {}): AsyncGenerator<
    Order,
    void,
    undefined
  > {
    return readAllPages(
      (cursor) => this.listOrders({ ...filter, ...pageQuery(pageSize, cursor) }, options),
      (page) => page.orders,
    );
  }

  getOrder(id: string, options: ReadOptions = {}): Result<'getOrder'> {
    return this.#read('/api/v1/orders/{id}', options, { path: { id } });
  }

  /** The price of every market. `degraded`: at least one is an old price or a fallback, at which no order fills. */
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

  /** Whether trading, withdrawals and prices work. */
  getStatus(options: ReadOptions = {}): Result<'getStatus'> {
    return this.#read('/api/v1/status', options);
  }

  /** The scopes and rate limits of this client's key. */
  getApiKey(options: ReadOptions = {}): Result<'getApiKey'> {
    return this.#read('/api/v1/account/api-key', options);
  }

  /** What the account held, every movement, and what it holds after them; one a minute for each account. */
  getStatement(query: Omit<Query<'getStatement'>, 'format'>, options: ReadOptions = {}): Result<'getStatement'> {
    return this.#read('/api/v1/account/statement', options, { query });
  }

  /** A page of the events of the account, oldest first; `events` reads all of them. */
  listEvents(query: Query<'listEvents'> = {}, options: ReadOptions = {}): Result<'listEvents'> {
    return this.#read('/api/v1/events', options, { query });
  }

  /**
   * What happened to the account, oldest first, each event once. Store the `sequence` of each event that you have dealt
   * with, and begin `after` it next time. The first call ever makes the account listen: earlier events do not exist.
   */
  events({ after, types, pageSize, pauseMs, ...options }: FollowOptions = {}): AsyncGenerator<Event, void, undefined> {
    const { clock } = this.#connection;
    return followEvents(
      after,
      (reached) =>
        this.listEvents(
          {
            ...(reached !== undefined && { after: reached }),
            ...(types && { types: types.join(',') }),
            ...(pageSize !== undefined && { limit: pageSize }),
          },
          options,
        ),
      pauseMs === undefined ? undefined : () => clock.sleep(pauseMs, options.signal),
    );
  }

  /**
   * Follows events and balances, tickers or the status as they change, without an end: it connects again after every cut,
   * and leaves out no event and gives none twice. Store the `sequence` of a message that you have dealt with. Rejects only
   * with what is refused for good, such as a revoked key, and when the signal aborts.
   */
  stream<const Channel extends Subscription['channel']>({
    signal,
    ...subscription
  }: Subscription<Channel> & Pick<CallOptions, 'signal'>): AsyncGenerator<MessageOf<Channel>, void, undefined> {
    const { origin, apiKey, clock, random } = this.#connection;
    const path = subscription.channel === 'events' ? '/api/v1/account/stream' : '/api/v1/stream';
    const url = new URL(path, origin);
    url.protocol = url.protocol.replace('http', 'ws');
    const headers: Record<string, string> = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };
    return followStream(subscription, {
      openSocket: () => this.#openSocket(url.href, headers),
      clock,
      random,
      signal,
      askWhy: async () => {
        const options = { attempts: 1, ...(signal && { signal }) };
        const asked = await call(this.#connection, 'get', path, {}, options).catch(() => undefined);
        // Of a request that is no upgrade `invalid_request` is the answer when all is well.
        if (asked?.outcome.kind !== 'refused') return undefined;
        const { problem } = asked.outcome;
        const isForGood = !problem.retryable && problem.code !== 'invalid_request';
        return isForGood ? new BureauError(problem, { attempts: 1 }) : undefined;
      },
    });
  }

  /** Has events sent to an address. The secret that signs them is in this answer alone. */
  createWebhookEndpoint(endpoint: NewWebhookEndpoint, options: ReadOptions = {}): Result<'createWebhookEndpoint'> {
    return this.#send('post', '/api/v1/webhook-endpoints', { body: endpoint }, options);
  }

  /** The addresses that events are sent to. */
  listWebhookEndpoints(options: ReadOptions = {}): Result<'listWebhookEndpoints'> {
    return this.#read('/api/v1/webhook-endpoints', options);
  }

  getWebhookEndpoint(id: string, options: ReadOptions = {}): Result<'getWebhookEndpoint'> {
    return this.#read('/api/v1/webhook-endpoints/{id}', options, { path: { id } });
  }

  /** Changes what is given, and leaves the rest. */
  changeWebhookEndpoint(
    id: string,
    change: WebhookEndpointChange,
    options: ReadOptions = {},
  ): Result<'changeWebhookEndpoint'> {
    return this.#send('patch', '/api/v1/webhook-endpoints/{id}', { path: { id }, body: change }, options);
  }

  deleteWebhookEndpoint(id: string, options: ReadOptions = {}): Result<'deleteWebhookEndpoint'> {
    return this.#send('delete', '/api/v1/webhook-endpoints/{id}', { path: { id } }, options);
  }

  /** Makes a new secret. For 24 hours each delivery is signed with the old one as well. */
  rotateWebhookSecret(id: string, options: ReadOptions = {}): Result<'rotateWebhookSecret'> {
    return this.#send('post', '/api/v1/webhook-endpoints/{id}/rotate-secret', { path: { id } }, options);
  }

  /** Sends one event that says nothing, and tells how the attempt ended. */
  testWebhookEndpoint(id: string, options: ReadOptions = {}): Result<'testWebhookEndpoint'> {
    return this.#send('post', '/api/v1/webhook-endpoints/{id}/test', { path: { id } }, options);
  }

  /** Sends one event again at once, out of its order, and tells how the attempt ended. */
  resendEvent(id: string, resend: { eventId: string }, options: ReadOptions = {}): Result<'resendEvent'> {
    return this.#send('post', '/api/v1/webhook-endpoints/{id}/resend', { path: { id }, body: resend }, options);
  }

  /** Sends every event after a number again, or all that are kept, in order. */
  replayEvents(id: string, replay: { after?: number }, options: ReadOptions = {}): Result<'replayEvents'> {
    return this.#send('post', '/api/v1/webhook-endpoints/{id}/replay', { path: { id }, body: replay }, options);
  }

  /** The newest attempts of an endpoint, and how far it is. */
  listWebhookDeliveries(id: string, options: ReadOptions = {}): Result<'listWebhookDeliveries'> {
    return this.#read('/api/v1/webhook-endpoints/{id}/deliveries', options, { path: { id } });
  }

  /** The OpenAPI document that the exchange serves. This client's types are made from such a document. */
  getOpenApi(options: ReadOptions = {}): Result<'getOpenApi'> {
    return this.#read('/api/v1/openapi.json', options);
  }

  /** The AsyncAPI document of the streams. */
  getAsyncApi(options: ReadOptions = {}): Result<'getAsyncApi'> {
    return this.#read('/api/v1/asyncapi.json', options);
  }
}

/** Opens the runtime's own WebSocket. Browsers take no headers, and need none where a cookie signs them in. */
function openOwnSocket(url: string, headers: Readonly<Record<string, string>>) {
  const hasHeaders = Object.keys(headers).length > 0;
  return hasHeaders ? new WebSocket(url, { headers } as unknown as string[]) : new WebSocket(url);
}

function pageQuery(limit: number | undefined, cursor: string | undefined): { limit?: number; cursor?: string } {
  return { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
}

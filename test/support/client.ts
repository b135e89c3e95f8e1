import type { Order, Withdrawal } from '../../clients/bureau-client/src/index.ts';
import type { BucketName, Scope } from '../../src/keys/rights.ts';

const ORDERS = '/api/v1/orders';
const WITHDRAWALS = '/api/v1/wallet/withdrawals';

/** The default fields of an order. */
export const BUY = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT' } as const;

/** A withdrawal of 50 USDT to an address that no account of the exchange owns, with a fee of 1. */
export const WITHDRAWAL: Readonly<Record<string, string>> = {
  asset: 'USDT',
  network: 'TRC20',
  amount: '50',
  address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC',
};

/** Limits so high that no test reaches them by accident. */
const MOST = { perMinute: 100_000, perDay: 1_000_000 };
export const RAISED = { read: MOST, trade: MOST, withdraw: MOST };

/** What a key of a test has else than all scopes and raised limits. */
export interface KeyOptions {
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: string;
  readonly ipAllowlist?: readonly string[];
  readonly rateLimits?: Readonly<Partial<Record<BucketName, typeof MOST>>>;
}

/** The body of an order. Without other values it buys bitcoin for an amount of USDT. */
export interface OrderBody {
  readonly coin?: string;
  readonly side?: string;
  readonly mode?: string;
  readonly value: unknown;
  readonly limitPrice?: string | undefined;
  readonly clientOrderId?: string | undefined;
}

/** Sends a request to an exchange, and checks the answer against its documents. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

interface Call {
  readonly method: string;
  readonly path: string;
  /** Is sent as JSON; a text as it is. */
  readonly body?: unknown;
  readonly headers?: object | undefined;
}

const keyed = (idempotencyKey?: string) => (idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey });

/** Whoever has one API key of an exchange, wherever it runs. */
export class Client {
  readonly accountId: string;
  readonly keyId: string;
  readonly token: string;
  readonly #send: Send;

  constructor(accountId: string, keyId: string, token: string, send: Send) {
    this.accountId = accountId;
    this.keyId = keyId;
    this.token = token;
    this.#send = send;
  }

  send({ method, path, body, headers }: Call): Promise<Response> {
    const type = method !== 'GET' && { 'Content-Type': 'application/json' };
    return this.#send(path, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, ...type, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  get(path: string, headers?: Record<string, string>): Promise<Response> {
    return this.send({ method: 'GET', path, headers });
  }

  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response> {
    return this.send({ method: 'POST', path, body, headers });
  }

  /** The JSON of an answer. Throws when it is a refusal. */
  read<T>(path: string): Promise<T> {
    return must<T>(this.get(path));
  }

  /** Places an order, and returns the answer, also a refusal. */
  order(body: OrderBody, idempotencyKey?: string): Promise<Response> {
    return this.post(ORDERS, { ...BUY, ...body }, keyed(idempotencyKey));
  }

  /** Buys or sells until the order is filled: while the exchange is unavailable, the same request is sent again. */
  async trade(body: OrderBody): Promise<Order> {
    const key = crypto.randomUUID();
    for (let tries = 1; ; tries += 1) {
      const answer = await this.order(body, key);
      if (answer.status !== 503 || tries === 20) return (await must<{ order: Order }>(answer)).order;
      await answer.body?.cancel();
    }
  }

  /** Requests a withdrawal, and returns the answer, also a refusal. */
  withdraw(change: Readonly<Record<string, unknown>> = {}, idempotencyKey?: string): Promise<Response> {
    return this.post(WITHDRAWALS, { ...WITHDRAWAL, ...change }, keyed(idempotencyKey));
  }

  /** Requests a withdrawal, and returns it when it is accepted. Throws when it is refused. */
  async takeOut(...wanted: Parameters<Client['withdraw']>): Promise<Withdrawal> {
    return (await must<{ withdrawal: Withdrawal }>(this.withdraw(...wanted))).withdrawal;
  }

  async readWithdrawal(id: string): Promise<Withdrawal> {
    return (await this.read<{ withdrawal: Withdrawal }>(`${WITHDRAWALS}/${id}`)).withdrawal;
  }

  /** The account's balances by asset, as the API shows them. */
  async balances(): Promise<Record<string, string>> {
    const { balances } = await this.read<{ balances: { asset: string; amount: string }[] }>('/api/v1/wallet/balances');
    return Object.fromEntries(balances.map(({ asset, amount }) => [asset, amount]));
  }

  /** The account's deposit address on a network. */
  async addressOn(network: string): Promise<string> {
    type Addresses = { addresses: { network: string; address: string }[] };
    const { addresses } = await this.read<Addresses>('/api/v1/wallet/addresses');
    return addresses.find((one) => one.network === network)?.address ?? '';
  }
}

/** The JSON of an answer. Throws when it is a refusal. */
export async function must<T>(answer: Response | Promise<Response>): Promise<T> {
  const response = await answer;
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

export async function readRefusal(response: Response): Promise<readonly [number, string | undefined]> {
  return [response.status, ((await response.json()) as { code?: string }).code];
}

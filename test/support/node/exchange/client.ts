import { fetchDocumented } from './fetch-documented.ts';

const ORDERS = '/api/v1/orders';
const WITHDRAWALS = '/api/v1/wallet/withdrawals';

/** The default fields of an order. */
export const BUY = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT' } as const;

/** A withdrawal of 50 USDT to an address outside, with a fee of 1. */
const WITHDRAWAL = { asset: 'USDT', network: 'TRC20', amount: '50', address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' };

/** An API key and where it is used. */
export interface Credentials {
  /** The address of the exchange. */
  readonly origin: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly token: string;
}

export interface OrderAnswer {
  readonly id: string;
  readonly executedPrice: string;
  readonly coinAmount: string;
  readonly usdtAmount: string;
  readonly keyId: string;
}

export interface WithdrawalAnswer {
  readonly id: string;
  readonly status: string;
  readonly txHash: string | null;
  readonly reason: string | null;
  readonly keyId: string | null;
}

/** The body of an order. Without other values it buys bitcoin for an amount of USDT. */
export interface OrderWish {
  readonly coin?: string;
  readonly side?: string;
  readonly mode?: string;
  readonly value: string;
  readonly limitPrice?: string;
}

/** A client with one API key. It uses HTTP alone, and checks every answer against the OpenAPI documents. */
export class Client {
  readonly accountId: string;
  readonly keyId: string;
  readonly token: string;
  readonly #origin: string;

  constructor({ origin, accountId, keyId, token }: Credentials) {
    this.#origin = origin;
    this.accountId = accountId;
    this.keyId = keyId;
    this.token = token;
  }

  get(path: string): Promise<Response> {
    return fetchDocumented(this.#origin, path, { headers: { Authorization: `Bearer ${this.token}` } });
  }

  post(path: string, body: unknown, idempotencyKey?: string): Promise<Response> {
    return fetchDocumented(this.#origin, path, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${this.token}`,
        'Content-Type': 'application/json',
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
      body: JSON.stringify(body),
    });
  }

  /** Places an order, and returns the answer, also a refusal. */
  order(wish: OrderWish, idempotencyKey?: string): Promise<Response> {
    return this.post(ORDERS, { ...BUY, ...wish }, idempotencyKey);
  }

  /** Places an order, and returns it when it is filled. Rejects when it is refused. */
  async trade(wish: OrderWish): Promise<OrderAnswer> {
    return (await readBody<{ order: OrderAnswer }>(await this.order(wish))).order;
  }

  /** Requests a withdrawal, and returns the answer, also a refusal. */
  withdraw(change: Readonly<Record<string, unknown>> = {}, idempotencyKey?: string): Promise<Response> {
    return this.post(WITHDRAWALS, { ...WITHDRAWAL, ...change }, idempotencyKey);
  }

  /** Requests a withdrawal, and returns it when it is accepted. Rejects when it is refused. */
  async takeOut(change: Readonly<Record<string, unknown>> = {}): Promise<WithdrawalAnswer> {
    return (await readBody<{ withdrawal: WithdrawalAnswer }>(await this.withdraw(change))).withdrawal;
  }

  async readWithdrawal(id: string): Promise<WithdrawalAnswer> {
    return (await readBody<{ withdrawal: WithdrawalAnswer }>(await this.get(`${WITHDRAWALS}/${id}`))).withdrawal;
  }

  async readBalances(): Promise<Record<string, string>> {
    const { balances } = await readBody<{ balances: { asset: string; amount: string }[] }>(
      await this.get('/api/v1/wallet/balances'),
    );
    return Object.fromEntries(balances.map(({ asset, amount }) => [asset, amount]));
  }

  /** The account's deposit address on a network. */
  async readAddress(network: string): Promise<string> {
    const { addresses } = await readBody<{ addresses: { network: string; address: string }[] }>(
      await this.get('/api/v1/wallet/addresses'),
    );
    return addresses.find((one) => one.network === network)?.address ?? '';
  }
}

/** The JSON of an answer. Rejects when it is a refusal. */
async function readBody<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

export async function readRefusal(response: Response): Promise<readonly [number, string | undefined]> {
  return [response.status, ((await response.json()) as { code?: string }).code];
}

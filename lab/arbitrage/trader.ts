import type { Coin } from '../../src/money/assets.ts';
import type { Mode, Side } from '../../src/orders/terms.ts';

export interface Wish {
  readonly coin: Coin;
  readonly side: Side;
  readonly mode: Mode;
  readonly value: string;
}

/** A filled order. Amounts and the price are decimal strings. */
export interface Filled {
  readonly executedPrice: string;
  readonly coinAmount: string;
  readonly usdtAmount: string;
}

/** How many orders were filled, and how many were refused, by code. */
export interface Tally {
  filled: number;
  readonly refused: Record<string, number>;
}

/** How long an order counts towards a key's limit. */
const WINDOW_MS = 60_000;

/** A client with one API key. It does not retry, and counts its orders to stay within the key's limit. */
export class Trader {
  readonly #origin: string;
  readonly #token: string;
  readonly #perMinute: number;
  readonly #tally: Tally;
  /** The times of the orders of the last minute. An order in progress has `Infinity`. */
  #orders: { answered_ms: number }[] = [];

  constructor(origin: string, token: string, perMinute: number, tally: Tally) {
    this.#origin = origin;
    this.#token = token;
    this.#perMinute = perMinute;
    this.#tally = tally;
  }

  /** How many orders the key's limit admits now. */
  get left(): number {
    const since_ms = Date.now() - WINDOW_MS;
    this.#orders = this.#orders.filter(({ answered_ms }) => answered_ms > since_ms);
    return this.#perMinute - this.#orders.length;
  }

  /** Places an order. Returns `undefined` when it is refused. */
  async order(wish: Wish): Promise<Filled | undefined> {
    const order = { answered_ms: Infinity };
    this.#orders.push(order);
    const response = await this.#send('/api/v1/orders', wish);
    const answer = (await response.json()) as { order: Filled; code: string };
    order.answered_ms = Date.now();
    if (response.ok) {
      this.#tally.filled += 1;
      return answer.order;
    }
    this.#tally.refused[answer.code] = (this.#tally.refused[answer.code] ?? 0) + 1;
    return undefined;
  }

  /** What an order would fill at now. Returns `undefined` when it would be refused. */
  async preview(wish: Wish): Promise<Filled | undefined> {
    const response = await this.#send('/api/v1/orders/preview', wish);
    const answer = (await response.json()) as { preview: Filled };
    return response.ok ? answer.preview : undefined;
  }

  async readBalances(): Promise<Record<string, string>> {
    const response = await this.#send('/api/v1/wallet/balances');
    if (!response.ok) throw new Error(`balances: ${response.status} ${await response.text()}`);
    const { balances } = (await response.json()) as { balances: { asset: string; amount: string }[] };
    return Object.fromEntries(balances.map(({ asset, amount }) => [asset, amount]));
  }

  #send(path: string, wish?: Wish): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.#token}`, 'Content-Type': 'application/json' };
    return fetch(this.#origin + path, { headers, ...(wish && { method: 'POST', body: JSON.stringify(wish) }) });
  }
}

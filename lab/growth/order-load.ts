import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { quantiles } from '../spread.ts';

/** How many orders may wait for their answers. At that number, none is sent until one is answered. */
const MOST_OPEN = 200;

/** How long answers took, in milliseconds, and how many orders were refused. */
export interface Latencies {
  readonly median_ms: number;
  readonly p95_ms: number;
  readonly orders: number;
  readonly refused: number;
  readonly perSecond: number;
}

/** Sends orders at a steady rate. Each is sent when it is due, whether or not the one before it was answered. */
export class OrderLoad {
  readonly #pool: Pool;
  readonly #tokens: readonly string[];
  #sent = 0;
  #open = 0;
  #taken_ms: number[] = [];
  #refused = 0;

  constructor(origin: string, tokens: readonly string[]) {
    this.#pool = new Pool(origin, { connections: MOST_OPEN, pipelining: 1 });
    this.#tokens = tokens;
  }

  /** How many orders per second the exchange fills for a number of clients that each wait for their answer. */
  async findMost(atOnce: number, time_ms: number): Promise<number> {
    const end_ms = performance.now() + time_ms;
    let taken = 0;
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (; performance.now() < end_ms; taken += 1) await this.#place();
      }),
    );
    return (taken / time_ms) * 1_000;
  }

  /** Sends `perSecond` orders a second until `isDone`. Returns how long each took from the time when it was due. */
  async send(perSecond: number, isDone: () => boolean): Promise<Latencies> {
    [this.#taken_ms, this.#refused] = [[], 0];
    const begun_ms = performance.now();
    const open: Promise<void>[] = [];
    for (let due = 0; !isDone(); due += 1) {
      const due_ms = begun_ms + (due * 1_000) / perSecond;
      const early_ms = due_ms - performance.now();
      if (early_ms > 0) await sleep(early_ms);
      while (this.#open >= MOST_OPEN) await sleep(1);
      open.push(this.#time(due_ms));
    }
    const time_ms = performance.now() - begun_ms;
    await Promise.all(open);
    const at = quantiles(this.#taken_ms);
    const orders = this.#taken_ms.length;
    return {
      median_ms: at(0.5),
      p95_ms: at(0.95),
      orders,
      refused: this.#refused,
      perSecond: (orders / time_ms) * 1_000,
    };
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #time(due_ms: number): Promise<void> {
    this.#open += 1;
    try {
      if (!(await this.#place())) this.#refused += 1;
      this.#taken_ms.push(performance.now() - due_ms);
    } finally {
      this.#open -= 1;
    }
  }

  /** Places an order; returns whether it was filled. Each client buys and sells in turn. */
  async #place(): Promise<boolean> {
    this.#sent += 1;
    const token = this.#tokens[this.#sent % this.#tokens.length] ?? '';
    const side = Math.floor(this.#sent / this.#tokens.length) % 2 === 0 ? 'BUY' : 'SELL';
    const answer = await this.#pool.request({
      method: 'POST',
      path: '/api/v1/orders',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': `${this.#sent}`,
        'cf-connecting-ip': '192.0.2.1',
      },
      body: JSON.stringify({ coin: 'BTC', side, mode: 'USDT_AMOUNT', value: '5' }),
    });
    const text = await answer.body.text();
    if (answer.statusCode === 201) return true;
    // After a planted fault, the halt refuses orders.
    if (answer.statusCode === 503) return false;
    throw new Error(`an order: ${answer.statusCode} ${text}`);
  }
}

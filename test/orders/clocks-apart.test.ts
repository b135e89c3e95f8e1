// @runtime outside-by-hand
import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it, vi } from 'vitest';
import { LedgerGate } from '../../src/orders/gate.ts';
import { type LiveBooks, PriceHub } from '../../src/markets/price-hub.ts';
import type { Vote } from '../../src/markets/ripe-price.ts';
import { parsePrice } from '../../src/money/amounts.ts';
import { handOver, openGate } from '../support/gate.ts';
import { Draw } from '../support/draw.ts';
import { openTrader } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';
import { listRows } from '../support/db/sql.ts';

const ORDERS = env.TEST_LENGTH === 'long' ? 10_000 : 300;
const AT_ONCE = 100;
const MARGIN_MS = 150;

/** How far each object's clock is from the true time. */
type Clock = { readonly ahead_ms: number };
const clocks = {
  lane: { ahead_ms: 0 },
  gate: { ahead_ms: 1_000 },
  hub: { ahead_ms: -1_000 },
} satisfies Record<string, Clock>;

const running = new AsyncLocalStorage<Clock>();
const readTrueTime = Date.now;
const begun_ms = readTrueTime();

/** A price says of which moment it is: it rises by so much in a millisecond. */
const FIRST_PRICE = 60_000;
const STEP = 0.0001;
const priceAt = (true_ms: number) => (FIRST_PRICE + (true_ms - begun_ms) * STEP).toFixed(4);
const momentOf = (price: bigint) =>
  begun_ms + Number(price - (parsePrice(String(FIRST_PRICE)) ?? 0n)) / Number(parsePrice(String(STEP)));

/**
 * Seven streams as the hub hears them: each message is of the moment that it names by the hub's clock. They are late,
 * some are silent for a while, and all are lost at once now and then.
 */
class FaultyBooks implements LiveBooks {
  readonly isInMemory = false;
  readonly #draw = new Draw(7);
  readonly #books = new Map<string, { readonly asOf_ms: number; readonly silentUntil_ms: number }>();
  readonly #hear: () => void;
  #isListening = false;

  constructor(hear: () => void) {
    this.#hear = hear;
  }

  open(): void {}
  close(): void {}
  states() {
    return {};
  }
  alive(): number {
    return 7;
  }

  votes(): readonly Vote[] {
    const now_ms = readTrueTime();
    this.#hearSoon();
    if (this.#draw.happens(0.02)) this.#books.clear();
    return Array.from({ length: 7 }, (_, venue) => this.#read(`venue ${venue}`, now_ms));
  }

  /** While orders ask, messages come. */
  #hearSoon(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    setTimeout(() => {
      this.#isListening = false;
      this.#hear();
    }, 10);
  }

  #read(venue: string, now_ms: number): Vote {
    let book = this.#books.get(venue);
    if (!book || now_ms >= book.silentUntil_ms) {
      const late_ms = 10 + this.#draw.below(160);
      const pause_ms = this.#draw.happens(0.05) ? 600 : this.#draw.below(80);
      book = { asOf_ms: Math.max(now_ms - late_ms, book?.asOf_ms ?? 0), silentUntil_ms: now_ms + pause_ms };
      this.#books.set(venue, book);
    }
    const price = priceAt(book.asOf_ms);
    const own_ms = book.asOf_ms + clocks.hub.ahead_ms;
    return { venue, bid: price, ask: price, own_ms, vouched_ms: own_ms };
  }
}

it('no order fills at a price of before its admission and the margin, with the clocks of lane, gate and hub a second apart', async () => {
  vi.spyOn(Date, 'now').mockImplementation(() => readTrueTime() + (running.getStore() ?? clocks.lane).ahead_ms);
  const { placeOrder } = LedgerGate.prototype;
  vi.spyOn(LedgerGate.prototype, 'placeOrder').mockImplementation(function place(this: LedgerGate, call) {
    return running.run(clocks.gate, () => placeOrder.call(this, call));
  });
  const silent = { name: 'silent', leastInterval_ms: 0, fetchTickers: () => Promise.resolve([]) };
  let hub: PriceHub | undefined;
  const { after } = PriceHub.prototype;
  vi.spyOn(PriceHub.prototype, 'after').mockImplementation(function ask(this: PriceHub, question) {
    hub ??= new PriceHub(Reflect.get(this, 'ctx') as DurableObjectState, env, [silent], {
      margin_ms: MARGIN_MS,
      streams: 'off',
      openBooks: (_breakers, hear) => new FaultyBooks(hear),
    });
    const own = hub;
    return running.run(clocks.hub, () => after.call(own, question));
  });

  const draw = new Draw(40);
  const gate = openGate();
  const trader = await openTrader({ USDT: '1000000' });
  const admissions = new Map<string, number>();
  let filled = 0;
  while (admissions.size < ORDERS) {
    const calls = Array.from({ length: AT_ONCE }, () => {
      const waited_ms = draw.happens(0.5) ? 0 : draw.below(400);
      const call = handOver(trader, { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' }, { waited_ms });
      admissions.set(call.orderId, readTrueTime() - waited_ms);
      return call;
    });
    const replies = await Promise.all(calls.map((call) => gate.placeOrder(call)));
    filled += replies.filter(({ kind }) => kind === 'committed').length;
  }
  const rows = await listRows(
    'SELECT id, admitted_at, price_as_of, CAST(middle_price AS TEXT) AS middle FROM orders WHERE account_id = ?',
    trader.accountId,
  );
  expect(rows).toHaveLength(filled);
  expect(filled).toBeGreaterThan(ORDERS / 10);
  for (const row of rows) {
    const admitted_ms = admissions.get(String(row['id'])) ?? Infinity;
    expect(momentOf(BigInt(String(row['middle']))), `order ${String(row['id'])}`).toBeGreaterThanOrEqual(
      admitted_ms + MARGIN_MS,
    );
    expect(Number(row['price_as_of']) - Number(row['admitted_at'])).toBeGreaterThanOrEqual(MARGIN_MS);
  }
});

import { openDatabase } from '../../../src/ledger/database.ts';
import { SLICE_LIMITS, reconcile } from '../../../src/ledger/reconciliation/reconcile.ts';
import type { SliceLimits } from '../../../src/ledger/reconciliation/take-step.ts';
import { newRecordId } from '../../../src/ledger/record-id.ts';
import { commitOrder } from '../../../src/trade/commit-order.ts';
import type { OrderPlan } from '../../../src/trade/plan-order.ts';
import { type Trader, openTrader } from '../exchange.ts';
import { type DatabaseCost, measureDatabase } from '../meter.ts';
import { env } from '../test-env.ts';
import { idInCrowd, openCrowd } from './open-crowd.ts';
import { measureOperations } from './operations.ts';
import { type RecordTable, recordKinds } from './record-kinds.ts';
import { type Owners, type Written, writeHistory } from './write-history.ts';

/** How large the exchange is when it is measured. */
export interface Size {
  readonly accounts: number;
  /** Rows of all histories together. */
  readonly rows: number;
  /** Orders of the account that is measured, and its records of every other kind. */
  readonly orders: number;
  readonly others: number;
}

/** What everything took at one size. */
export interface Stage extends Size {
  readonly costs: Readonly<Record<string, DatabaseCost>>;
  /** Of steps of the reconciliation: one that has most of the journal ahead of it, and those that have caught up. */
  readonly steps: readonly DatabaseCost[];
  /** Milliseconds that D1 took for an order's batch, the way there and back included: the mean of many in a row. */
  readonly batch_ms: number;
}

/** So many steps of those that have caught up with the journal, and look at every table. */
const STEPS = 3;

const NEWEST_ROUND = `SELECT price_round AS round FROM balances WHERE account = 'house:liquidity' AND asset = 'BTC'`;

/** So many orders in a row are timed. */
const BATCHES = 200;

/** Slices in which a journal of millions is soon read. */
const LARGE: SliceLimits = { transfers: 50_000, rows: SLICE_LIMITS.rows };

/** An exchange that only grows, and what it keeps per row, in bytes. */
export class GrowingExchange {
  #accounts = 0;
  #rows = 0;
  #size = 0;
  /** The newest transfer that the reconciliation knows. */
  #journal = 0;
  readonly #bytes: Record<string, number> = {};

  /** Bytes of the database for each account and each record of a kind, its transfers included; the newest measurement. */
  get bytes(): Readonly<Record<string, number>> {
    return this.#bytes;
  }

  /** Grows to a size, and measures everything on behalf of an account that is new to it but for its long history. */
  async growTo(size: Size): Promise<Stage> {
    const trader = await openTrader({ USDT: '100000', ETH: '10' });
    await this.#openAccounts(size.accounts - 1);
    await this.#writeOwn(trader, size);
    await this.#writeCrowds(size.rows);
    const costs = await measureOperations(trader);
    const batch_ms = await timeBatches(trader);
    const before = await lookAtDatabase();
    const steps = await measureSteps();
    const after = await lookAtDatabase();
    this.#size = before.size;
    this.#keep('transfers, to the reconciliation', after.size, after.journal - this.#journal);
    this.#journal = after.journal;
    return { ...size, rows: this.#rows, costs, steps, batch_ms };
  }

  async #openAccounts(count: number): Promise<void> {
    if (count <= this.#accounts) return;
    const size = await openCrowd(this.#accounts, count);
    this.#keep('accounts', size, count - this.#accounts);
    const crowd = {
      account: idInCrowd(`i % ${count - this.#accounts} + ${this.#accounts}`),
      count: count - this.#accounts,
    };
    this.#accounts = count;
    await this.#write('deposits', crowd, crowd.count);
  }

  async #writeOwn({ accountId }: Trader, { orders, others }: Size): Promise<void> {
    for (const table of Object.keys(recordKinds) as RecordTable[]) {
      await this.#write(table, { account: `'${accountId}'`, count: 1 }, table === 'orders' ? orders : others);
    }
  }

  /** What is left of the rows is orders of all the others, in turns, as they would have come. */
  async #writeCrowds(rows: number): Promise<void> {
    const orders = Math.ceil((rows - this.#rows) / 3);
    if (this.#accounts === 0 || orders <= 0) return;
    await this.#write('orders', { account: idInCrowd(`i % ${this.#accounts}`), count: this.#accounts }, orders);
  }

  async #write(table: RecordTable, owners: Owners, count: number): Promise<void> {
    const written: Written = await writeHistory(table, owners, count);
    this.#rows += written.rows;
    this.#keep(table, written.size, count);
  }

  #keep(what: string, size: number, count: number): void {
    if (this.#size > 0) this.#bytes[what] = Math.round((size - this.#size) / count);
    this.#size = size;
  }
}

async function lookAtDatabase(): Promise<{ readonly size: number; readonly journal: number }> {
  const { results, meta } = await env.DB.prepare('SELECT max(id) AS journal FROM transfers').run<{ journal: number }>();
  return { size: meta.size_after, journal: results[0]?.journal ?? 0 };
}

async function measureSteps(): Promise<DatabaseCost[]> {
  const costs = [await measureDatabase(() => takeStep(SLICE_LIMITS))];
  while (await takeStep(LARGE));
  for (let taken = 0; taken < STEPS; taken += 1) costs.push(await measureDatabase(() => takeStep(SLICE_LIMITS)));
  return costs;
}

async function timeBatches({ accountId, keyId }: Trader): Promise<number> {
  const database = openDatabase(env.DB);
  const plan: OrderPlan = {
    coin: 'BTC',
    side: 'BUY',
    executedPrice: 5_000_000_000_000n,
    coinAmount: 10_000n,
    usdtAmount: 5_000_000n,
    // That of the newest fill, so that these orders overtake nobody and nobody them.
    priceRound: (await env.DB.prepare(NEWEST_ROUND).first<number>('round')) ?? 0,
  };
  const begun_ms = Date.now();
  for (let committed = 0; committed < BATCHES; committed += 1) {
    const { kind } = await commitOrder(database, { orderId: newRecordId(Date.now()), accountId, keyId }, plan);
    if (kind !== 'committed') throw new Error(`an order was not committed: ${kind}`);
  }
  return (Date.now() - begun_ms) / BATCHES;
}

/** Takes a step, and says whether the journal is still ahead of it. */
async function takeStep(limits: SliceLimits): Promise<boolean> {
  const outcome = await reconcile(openDatabase(env.DB), limits, Date.now());
  if (outcome.kind !== 'stands') throw new Error(`a step was not taken: ${outcome.kind}`);
  return outcome.isBehind;
}

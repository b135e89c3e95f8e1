import { vi } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { CHAINS } from '../../../src/reconciliation/history.ts';
import { SLICE_LIMITS } from '../../../src/reconciliation/reconciler.ts';
import { newRecordId } from '../../../src/db/record-id.ts';
import { commitOrders } from '../../../src/orders/batches.ts';
import type { OrderPlan } from '../../../src/orders/plan.ts';
import { type Trader, openTrader } from '../exchange.ts';
import { type DatabaseCost, measureDatabase } from '../runtime/meter.ts';
import { type PassResult, followAll, showOwn, withOwn } from '../reconciliation.ts';
import { env } from '../runtime/test-env.ts';
import { idInCrowd } from './compose-crowd.ts';
import { openCrowd } from './open-crowd.ts';
import { measureOperations } from './operations.ts';
import { type HistorySize, writeHistory } from './write-history.ts';
import { type Owners, type RecordTable, recordTables } from './compose-history.ts';
import { sql } from '../db/sql.ts';

/** How large the exchange is when it is measured. */
export interface Size {
  readonly accounts: number;
  /** Rows of all histories together. */
  readonly rows: number;
  /** Orders of the account that is measured, and its records of every other kind. */
  readonly orders: number;
  readonly others: number;
}

export interface Stage extends Size {
  readonly costs: Readonly<Record<string, DatabaseCost>>;
  /** A whole pass of the reconciliation, from nothing. */
  readonly pass: PassCost;
  /** Milliseconds of an order's batch in D1, round trip included: the mean of many in a row. */
  readonly batch_ms: number;
}

const NEWEST_ROUND = `SELECT price_round AS round FROM balances WHERE account = 'house:liquidity' AND asset = 'BTC'`;

/** How many orders in a row are timed. */
const BATCHES = 200;

/** The cost of a pass, without that of reading new transfers before it. */
export interface PassCost {
  readonly slices: number;
  readonly mostRowsRead: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  /** Milliseconds as D1 reports them, and from the beginning to the end of the pass. */
  readonly database_ms: number;
  readonly longest_ms: number;
  readonly wall_ms: number;
  readonly found: Pick<PassResult, 'status' | 'violations'>;
}

/** An exchange that only grows, and how many bytes it stores per row. */
export class GrowingExchange {
  #accounts = 0;
  #rows = 0;
  #size = 0;
  readonly #bytes: Record<string, number> = {};

  /**
   * Bytes of the database for each account and for each record of a kind with its transfers, by the newest measurement.
   */
  get bytes(): Readonly<Record<string, number>> {
    return this.#bytes;
  }

  /** Grows to a size, and measures everything for an account that is new except for its long history. */
  async growTo(size: Size): Promise<Stage> {
    const trader = await openTrader({ USDT: '100000', ETH: '10' });
    await this.#openAccounts(size.accounts - 1);
    await this.#writeOwn(trader, size);
    await this.#writeCrowds(size.rows);
    const costs = await measureAtOneTime(trader);
    const batch_ms = await timeBatches(trader);
    const before = await lookAtDatabase();
    this.#size = before;
    const pass = await measurePass();
    return { ...size, rows: this.#rows, costs, pass, batch_ms };
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
    for (const table of recordTables) {
      await this.#write(table, { account: `'${accountId}'`, count: 1 }, table === 'orders' ? orders : others);
    }
  }

  /** The remaining rows are orders of all other accounts in turns. */
  async #writeCrowds(rows: number): Promise<void> {
    const orders = Math.ceil((rows - this.#rows) / 3);
    if (this.#accounts === 0 || orders <= 0) return;
    await this.#write('orders', { account: idInCrowd(`i % ${this.#accounts}`), count: this.#accounts }, orders);
  }

  async #write(table: RecordTable, owners: Owners, count: number): Promise<void> {
    const written: HistorySize = await writeHistory(table, owners, count);
    this.#rows += written.rows;
    this.#keep(table, written.size, count);
  }

  #keep(what: string, size: number, count: number): void {
    if (this.#size > 0) this.#bytes[what] = Math.round((size - this.#size) / count);
    this.#size = size;
  }
}

/** With the clock stopped: the first order of a new round of prices reads three rows more than those that follow it. */
async function measureAtOneTime(trader: Trader): Promise<Record<string, DatabaseCost>> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  try {
    return await measureOperations(trader);
  } finally {
    vi.useRealTimers();
  }
}

async function lookAtDatabase(): Promise<number> {
  const { meta } = await sql('SELECT 1').run();
  return meta.size_after;
}

/** Runs a pass without a pause between its slices. */
export function measurePass(): Promise<PassCost> {
  return withOwn(async (own) => {
    const { reconciler } = own;
    const begun_ms = Date.now();
    await followAll(reconciler, SLICE_LIMITS);
    reconciler.begin(Date.now());
    const cost = { slices: 0, mostRowsRead: 0, rowsRead: 0, rowsWritten: 0, database_ms: 0, longest_ms: 0 };
    while (reconciler.isUnderWay) {
      const { databaseRowsRead: read, databaseRowsWritten } = await measureDatabase(async () => {
        const { duration_ms } = await reconciler.advance(SLICE_LIMITS, Date.now());
        cost.database_ms += duration_ms;
        cost.longest_ms = Math.max(cost.longest_ms, duration_ms);
      });
      cost.slices += 1;
      cost.mostRowsRead = Math.max(cost.mostRowsRead, read);
      cost.rowsRead += read;
      cost.rowsWritten += databaseRowsWritten;
    }
    const { status, violations } = await showOwn(own);
    return { ...cost, wall_ms: Date.now() - begun_ms, found: { status, violations } };
  }, CHAINS);
}

async function timeBatches({ accountId, keyId }: Trader): Promise<number> {
  const database = openDatabase(env.DB);
  const plan: OrderPlan = {
    coin: 'BTC',
    side: 'BUY',
    executedPrice: 5_000_000_000_000n,
    middlePrice: 4_995_000_000_000n,
    coinAmount: 10_000n,
    usdtAmount: 5_000_000n,
    // The round of the newest fill, so that no order is refused for an older round.
    priceRound: (await sql(NEWEST_ROUND).first<number>('round')) ?? 0,
    priceAsOf_ms: Date.now(),
    clientOrderId: null,
  };
  const begun_ms = Date.now();
  for (let committed = 0; committed < BATCHES; committed += 1) {
    const placement = { orderId: newRecordId(Date.now()), accountId, keyId };
    const outcome = await commitOrders(database, [{ placement, admitted_ms: plan.priceAsOf_ms, plan }]);
    if (outcome.kind !== 'decided' || outcome.refused.size > 0) throw new Error(`no order: ${outcome.kind}`);
  }
  return (Date.now() - begun_ms) / BATCHES;
}

import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openTrader } from '../support/exchange.ts';
import { GrowingExchange, type Stage } from '../support/growth/grow.ts';
import { boundedReads, operations } from '../support/growth/operations.ts';
import { writeHistory } from '../support/growth/write-history.ts';
import { countRowsRead, holdWakings } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';

/** `npm run growth` measures with more rows, and prints the results. */
const ROWS = Number(env.GROWTH_ROWS);

/** With a hundred rows of history each. */
const ACCOUNTS = ROWS / 100;

/** Longer than any page, and than the rows before a page in the middle. */
const SHORT = 600;

const exchange = new GrowingExchange();
const stages: Stage[] = [];

beforeAll(
  async () => {
    const tell = console.log;
    // The exchange logs a line for every request, and two for every order.
    vi.spyOn(console, 'log').mockReturnValue();
    // The scan of an index also reads the row before an account's own, so there is another account from the start.
    await openTrader();
    const wakings = await holdWakings();
    stages.push(await exchange.growTo({ accounts: 1, rows: 0, orders: SHORT, others: SHORT }));
    stages.push(await exchange.growTo({ accounts: 1_000, rows: 50_000, orders: SHORT, others: SHORT }));
    stages.push(await exchange.growTo({ accounts: ACCOUNTS, rows: ROWS, orders: 12_000, others: 1_000 }));
    wakings.restore();
    tell(`figures ${JSON.stringify({ stages, bytes: exchange.bytes })}`);
  },
  60_000 + ROWS / 10,
);

describe(`from 1 account to ${ACCOUNTS}, and to ${ROWS} rows of history`, () => {
  it.each(Object.keys(operations))('%s needs the same rows and round trips', (name) => {
    const [first, ...later] = stages.map(({ costs }) => costs[name]);
    // No withdrawal waits for the custodian here, so the index of open withdrawals has no row to read.
    if (name === 'the list of what waits for the custodian') expect(first?.databaseRowsRead).toBe(0);
    else expect(first?.databaseRowsRead).toBeGreaterThan(0);
    expect(later).toEqual([first, first]);
  });

  it.each(Object.entries(boundedReads))('%s looks at a bounded number of rows', (name, [, mostRows]) => {
    for (const { costs } of stages) expect(costs[name]?.databaseRowsRead).toBeLessThanOrEqual(mostRows);
  });

  it('a slice of the reconciliation reads equally many rows, and a pass writes none', () => {
    for (const { pass } of stages) {
      expect(pass.mostRowsRead).toBeLessThan(18_000);
      expect(pass.rowsWritten).toBe(0);
    }
  });

  it('a pass over everything reads seven rows for each row of history, and finds no violation', () => {
    const last = stages.at(-1);
    expect(last?.pass.found).toEqual({ status: 'ok', violations: [] });
    expect((last?.pass.rowsRead ?? 0) / (last?.rows ?? 1)).toBeLessThan(7);
  });
});

describe('the daily limit', () => {
  it('reads two rows for each withdrawal of the last two days, and none for the thousands before', async () => {
    const trader = await openTrader({ USDT: '20000' });
    await writeHistory('withdrawals', { account: `'${trader.accountId}'`, count: 1 }, 5_000);
    // An empty range reads the row after it, as a range of one does.
    for (let taken = 0; taken < 2; taken += 1) await trader.withdraw({ amount: '10' });
    const costs = [];
    for (let taken = 0; taken < 3; taken += 1) {
      costs.push(await countRowsRead(() => trader.withdraw({ amount: '10' })));
    }
    const [first = 0, second = 0, third = 0] = costs;
    expect(first).toBeLessThan(65);
    expect([second - first, third - second]).toEqual([2, 2]);
  });
});

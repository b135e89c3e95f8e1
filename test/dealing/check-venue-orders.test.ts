// @runtime three-ledgers
import { beforeAll, describe, expect, it } from 'vitest';
import { compareVenueOrders } from '../../src/dealing/check-venue-orders.ts';
import type { VenueReport } from '../../src/dealing/contract.ts';
import { openLedger } from '../../src/db/database.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import type { Counts, Finding } from '../../src/reconciliation/invariants.ts';
import { listViolations, reportFindings } from '../../src/reconciliation/violations.ts';
import { VENUE_NAME, dealtRow, endHedge, fundVenue, neverRow, openHedge } from '../support/db/house-money.ts';
import { NOON_MS } from '../support/db/raw-ledger.ts';
import { reopen } from '../support/reconciliation.ts';
import { sql } from '../support/db/sql.ts';
import { env } from '../support/runtime/test-env.ts';

type ListedOrder = VenueReport['orders'][number];

const AFTER = new Date(NOON_MS + 60_000).toISOString();
const hedges = { dealt: newRecordId(NOON_MS), never: newRecordId(NOON_MS), open: newRecordId(NOON_MS) };

const order = (id: string | null, change: Partial<ListedOrder> = {}): ListedOrder => {
  return { id, reference: '28', coin: 'BTC', side: 'BUY', amount: '0.000009', cost: '0.5832', at: AFTER, ...change };
};

/** What a ledger's keeper finds when the venue lists these orders. */
async function check(orders: readonly ListedOrder[], ledger = 0) {
  const found: { checked: Counts; findings: readonly Finding[] }[] = [];
  const context = {
    bindings: env as never,
    ledger,
    database: openLedger(env, ledger),
    state: {} as never,
    sums: {} as never,
    note: (checked: Counts, findings: readonly Finding[]) => Promise.resolve(void found.push({ checked, findings })),
  };
  const report = { orders } as unknown as VenueReport;
  const venues = [{ venue: VENUE_NAME, report, differences: [] }];
  await compareVenueOrders(() => Promise.resolve(venues)).run(context);
  return found;
}

async function faultsOf(orders: readonly ListedOrder[]): Promise<(string | undefined)[]> {
  const [found] = await check(orders);
  expect(found?.checked).toEqual({ hedges_sent_once: orders.length });
  return (found?.findings ?? []).map(({ example }) => example['fault']);
}

beforeAll(async () => {
  await fundVenue({ USDT: '5000000000' });
  for (const id of [hedges.dealt, hedges.never, hedges.open]) {
    await openHedge(id).run();
    if (id === hedges.dealt) await endHedge(id, dealtRow()).run();
    if (id === hedges.never) await endHedge(id, neverRow()).run();
  }
});

describe('a venue’s own list of orders', () => {
  it('has nothing that no hedge was sent for', async () => {
    expect(await faultsOf([order(hedges.dealt), order(hedges.open)])).toEqual([]);
  });

  it.each<[string, ListedOrder[], string]>([
    ['an order without an id', [order(null)], 'no hedge has it'],
    ['an order with another program’s id', [order('web_1')], 'no hedge has it'],
    ['an id that no hedge has', [order(newRecordId(NOON_MS))], 'no hedge has it'],
    ['an id of a ledger that does not exist', [order(newRecordId(NOON_MS, 3))], 'no hedge has it'],
    ['an order of a hedge that was believed absent', [order(hedges.never)], 'its hedge has ended as never dealt'],
    ['two orders of one hedge', [order(hedges.dealt), order(hedges.dealt)], 'its hedge has another order'],
  ])('is a violation with %s', async (_what, orders, fault) => {
    expect(await faultsOf(orders)).toEqual([fault]);
  });

  it('leaves to another ledger what bears its number, and is nothing to a ledger without money there', async () => {
    const others = [order(newRecordId(NOON_MS, 1))];
    expect(await check(others)).toEqual([{ checked: { hedges_sent_once: 0 }, findings: [] }]);
    expect(await check([order(null)], 1)).toEqual([]);
  });

  it('says nothing about the time before money of the house came there', async () => {
    const at = new Date(NOON_MS - 1).toISOString();
    expect(await check([order(null, { at })])).toEqual([{ checked: { hedges_sent_once: 0 }, findings: [] }]);
  });

  it('halts the exchange, and what a person has cleared is not found again', async () => {
    const database = openLedger(env, 0);
    const [found] = await check([order(null)]);
    await reportFindings({ database, ledger: 0 }, found?.findings ?? [], 1, NOON_MS + 120_000);
    const [violation] = await listViolations(database);
    expect(violation).toMatchObject({ invariant: 'hedges_sent_once', examples: [{ fault: 'no hedge has it' }] });
    const halts = () =>
      sql('SELECT trading_halted AS trading, withdrawals_halted AS withdrawals FROM settings').first();
    expect(await halts()).toEqual({ trading: 1, withdrawals: 1 });
    await reopen();
    expect((await check([order(null)]))[0]?.findings).toEqual([]);
    const at = new Date(NOON_MS + 120_001).toISOString();
    expect((await check([order(null, { at })]))[0]?.findings).toHaveLength(1);
  });
});

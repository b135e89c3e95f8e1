import { runInDurableObject } from 'cloudflare:test';
import { beforeAll, expect, it } from 'vitest';
import { openLedger } from '../../src/db/database.ts';
import { recordKinds } from '../../src/record-kinds.ts';
import { DaySums } from '../../src/reconciliation/day-sums.ts';
import { type FlowsOfDay, mergeFlows } from '../../src/reconciliation/flows.ts';
import { CHAINS } from '../../src/reconciliation/history.ts';
import { KeptLinks } from '../../src/reconciliation/kept-links.ts';
import { NO_PROGRESS } from '../../src/reconciliation/progress.ts';
import { Reconciler } from '../../src/reconciliation/reconciler.ts';
import { listRows } from '../support/db/sql.ts';
import { operate } from '../support/exchange.ts';
import { SMALL, makeActivity, runKeeper } from '../support/reconciliation.ts';
import { env } from '../support/runtime/test-env.ts';

beforeAll(async () => {
  await makeActivity(3);
});

/** Counts all of the journal twice, in slices of five transfers. */
function countTwice(): Promise<FlowsOfDay[]> {
  return runInDurableObject(env.KEY_LANE.getByName(crypto.randomUUID()), async (_instance, { storage }) => {
    for (const _ of [1, 2]) {
      // Whoever forgets its progress, and not its sums, counts nothing a second time.
      const sums = new DaySums(storage.sql);
      const links = new KeptLinks(storage.sql);
      const parts = { database: openLedger(env, 0), ledger: 0, kinds: recordKinds, links, sums };
      const reconciler = new Reconciler(parts, NO_PROGRESS, CHAINS);
      for (let isMore = true; isMore;) ({ isMore } = await reconciler.follow(SMALL, 0));
    }
    return new DaySums(storage.sql).listFlows('');
  });
}

const sumUp = async (query: string) => {
  const [row] = await listRows<{ count: number; atoms: string }>(
    `SELECT count(*) AS count, CAST(coalesce(sum(value), 0) AS TEXT) AS atoms FROM (${query})`,
  );
  return row;
};

it('what came in, left and was traded is counted once, but not what stayed within the exchange', async () => {
  const days = await countTwice();
  const [total] = mergeFlows(days.map((flows) => ({ ...flows, day: 'all' })));
  const deposits = `SELECT usd_value AS value FROM deposits WHERE transfer IS NOT NULL AND withdrawal_id IS NULL`;
  const paid = `SELECT usd_value AS value FROM withdrawals WHERE paid_transfer IS NOT NULL AND recipient IS NULL`;
  const orders = `SELECT usdt_amount AS value FROM orders WHERE status = 'COMPLETED'`;
  expect(total?.deposits).toEqual(await sumUp(deposits));
  expect(total?.withdrawals).toEqual(await sumUp(paid));
  expect(total?.orders).toEqual(await sumUp(orders));
  for (const flow of [total?.deposits, total?.withdrawals, total?.orders]) expect(flow?.count).toBeGreaterThan(0);
});

it('GET /operator/v1/flows has them by day', async () => {
  await runKeeper();
  const { flows } = await operate<{ flows: { days: { day: string; orders: { count: number } }[] } }>('GET', '/flows');
  const today = new Date().toISOString().slice(0, 10);
  const known = await sumUp(`SELECT usdt_amount AS value FROM orders WHERE status = 'COMPLETED'`);
  const counts = flows.days.map(({ orders }) => orders.count);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(known?.count);
  expect(flows.days.every(({ day }) => day <= today)).toBe(true);
});

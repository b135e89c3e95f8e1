// @runtime outside
import { beforeAll, expect, it } from 'vitest';
import { listMatters } from '../../src/exchange/matters.ts';
import { sql } from '../support/db/sql.ts';
import { openTrader, operate } from '../support/exchange.ts';
import { employ } from '../support/operator/access.ts';
import { quarantine } from '../support/operator/quarantine.ts';
import { env } from '../support/runtime/test-env.ts';
import { readTaken, withdraw } from '../support/withdrawals/withdrawals.ts';

const HOUR_MS = 3_600_000;
const ADMIN = 'ada@bureau.test';
const REVIEWER = 'carol@bureau.test';
const TREASURER = 'tim@bureau.test';

const listAt = async (hours: number) => {
  const found = await listMatters(env, Date.now() + hours * HOUR_MS);
  return new Map(
    found.map(({ kind, subject, count, to }) => [`${kind} ${subject}`.trim(), { count, to: to.toSorted() }]),
  );
};

beforeAll(async () => {
  await employ(REVIEWER, 'compliance');
  await employ(TREASURER, 'treasury');
  await employ('leo@bureau.test', 'auditor');
  await employ(ADMIN, 'admin');
});

it('a withdrawal that waits for hours, and a deposit in quarantine, are matters of who decides them', async () => {
  await operate('PATCH', '/settings', { reviewThreshold: '1' });
  const trader = await openTrader({ USDT: '100' });
  for (const _ of [1, 2]) await readTaken(await withdraw(trader, { amount: '20' }));
  await quarantine('ETH', '0.5');
  expect([...(await listAt(0)).keys()]).toEqual([]);
  const later = await listAt(5);
  expect(later.get('review')).toEqual({ count: 2, to: [ADMIN, REVIEWER] });
  expect(later.get('quarantine')).toEqual({ count: 1, to: [ADMIN, REVIEWER] });
  expect((await listAt(2)).has('review')).toBe(false);
});

it('a halt of hedging is one of the treasury’s and the admins’ at once', async () => {
  await operate('PATCH', '/settings', { hedgingHalted: true });
  expect((await listAt(0)).get('hedging_halted')).toEqual({ count: 1, to: [ADMIN, TREASURER] });
});

it('each broken invariant is one of the admins’', async () => {
  for (const id of ['a', 'b']) {
    await sql(
      `INSERT INTO reconciliation_violations (id, invariant, pass, found_at, examples) VALUES (?, 'x', 1, 1, '[]')`,
      id,
    ).run();
  }
  const now = await listAt(0);
  expect([now.get('violation a'), now.get('violation b')]).toEqual([
    { count: 1, to: [ADMIN] },
    { count: 1, to: [ADMIN] },
  ]);
});

// @runtime outside
import { beforeAll, expect, it, vi } from 'vitest';
import alerts from '../../docs/alerts.yml?raw';
import { haltExchange } from '../../src/db/copy-settings.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import { LedgerHedger } from '../../src/dealing/ledger-hedger.ts';
import { listMatters } from '../../src/exchange/matters.ts';
import { PriceHub } from '../../src/markets/price-hub.ts';
import { coinSymbols } from '../../src/money/assets.ts';
import { VENUE_NAME, fundVenue, openHedge } from '../support/db/house-money.ts';
import { sql } from '../support/db/sql.ts';
import { reportOf } from '../support/dealing/venue-report.ts';
import { openTrader, operate } from '../support/exchange.ts';
import { employ } from '../support/operator/access.ts';
import { quarantine } from '../support/operator/quarantine.ts';
import { agreeQuick, readSettled, settle } from '../support/operator/settlements.ts';
import { env } from '../support/runtime/test-env.ts';
import { withdrawFrom } from '../support/withdrawals/withdrawal-custodian.ts';

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

/** How long a metric has to be as it is before the alert fires: what its age may be, and for how long it may be more. */
function minutesOf(alert: string): number {
  const rule = new RegExp(`alert: ${alert}\n +expr: .*? > (\\d+).*\n(?: +for: (\\d+)([mh]))?`).exec(alerts);
  const [, age, wait = '0', unit = 'm'] = rule ?? [];
  return Number(age) / 60 + Number(wait) * (unit === 'h' ? 60 : 1);
}

/** Whether something is a matter a minute before the alert upon the same fires, and a minute after it. */
const aroundAlert = async (alert: string, matter: string) =>
  Promise.all([-1, 1].map(async (minute) => (await listAt((minutesOf(alert) + minute) / 60)).has(matter)));

beforeAll(async () => {
  await employ(REVIEWER, 'compliance');
  await employ(TREASURER, 'treasury');
  await employ('leo@bureau.test', 'auditor');
  await employ(ADMIN, 'admin');
});

it('a payout without an end, and one that is held, are matters of the treasury after the time of their alerts', async () => {
  const body = JSON.stringify({ status: 'held', reason: 'hot_wallet_low' });
  const held = { method: 'PUT', act: 'accept', answer: { status: 200, body } } as const;
  await withdrawFrom(await openTrader({ USDT: '100' }), held);
  expect(await aroundAlert('BureauWithdrawalStuck', 'payout')).toEqual([false, true]);
  expect(await aroundAlert('BureauPayoutHeld', 'held')).toEqual([false, true]);
  expect((await listAt(2)).get('held')).toEqual({ count: 1, to: [ADMIN, TREASURER] });
});

it('a withdrawal that waits for hours, and a deposit in quarantine, are matters of who decides them', async () => {
  await operate('PATCH', '/settings', { reviewThreshold: '1' });
  const trader = await openTrader({ USDT: '100' });
  for (const _ of [1, 2]) await trader.takeOut({ amount: '20' });
  await quarantine('ETH', '0.5');
  expect([...(await listAt(0)).keys()]).toEqual([]);
  const later = await listAt(5);
  expect(later.get('review')).toEqual({ count: 2, to: [ADMIN, REVIEWER] });
  expect(later.get('quarantine')).toEqual({ count: 1, to: [ADMIN, REVIEWER] });
  expect(await aroundAlert('BureauReviewWaits', 'review')).toEqual([false, true]);
  expect(await aroundAlert('BureauDepositQuarantined', 'quarantine')).toEqual([false, true]);
});

it('a halt of hedging is one of the treasury’s and the admins’ at once', async () => {
  await operate('PATCH', '/settings', { hedgingHalted: true });
  expect((await listAt(0)).get('hedging_halted')).toEqual({ count: 1, to: [ADMIN, TREASURER] });
});

it('a hedge is one once it has no end for five minutes and the lateness of its venue', async () => {
  await operate('PATCH', '/settings', { hedgingHalted: false });
  await fundVenue({ USDT: '5000000000' });
  await openHedge(newRecordId(Date.now())).run();
  const isTold = async (minutes: number) => (await listAt(minutes / 60)).has(`hedge_open ${VENUE_NAME}`);
  expect([await isTold(7), await isTold(8)]).toEqual([false, true]);
  const report = { ...reportOf([]), lateness_ms: 20_000 };
  vi.spyOn(LedgerHedger.prototype, 'readVenues').mockResolvedValue([{ venue: VENUE_NAME, report, differences: null }]);
  expect(await aroundAlert('BureauHedgeOpen', `hedge_open ${VENUE_NAME}`)).toEqual([false, true]);
  expect((await listAt(0.1)).get(`hedge_open ${VENUE_NAME}`)).toEqual({ count: 1, to: [ADMIN, TREASURER] });
});

it('a halt for the day’s loss is one until people lift it, and theirs is none', async () => {
  const isTold = async () => (await listAt(0)).has('loss_halted');
  await haltExchange(env, { tradingHalted: true }, 'trading', { reason: 'lost 2' }, Date.now());
  expect((await listAt(0)).get('loss_halted')).toEqual({ count: 1, to: [ADMIN, TREASURER] });
  await operate('PATCH', '/settings', { tradingHalted: false });
  expect(await isTold()).toBe(false);
  await operate('PATCH', '/settings', { tradingHalted: true });
  expect(await isTold()).toBe(false);
  await operate('PATCH', '/settings', { tradingHalted: false });
});

it('an exposure of which more than 80 % is used is one, short or long', async () => {
  const limit = (ETH: string) => operate('PATCH', '/settings', { exposure: { ETH } });
  const trader = await openTrader({ USDT: '10000', ETH: '4' });
  for (const side of ['BUY', 'SELL'] as const) {
    await limit('100');
    await readSettled(await settle(agreeQuick(trader, side, { coinAmount: side === 'BUY' ? '0.8' : '1.6' })));
    await limit('1');
    expect((await listAt(0)).has('exposure ETH')).toBe(false);
    await limit('0.99');
    expect((await listAt(0)).get('exposure ETH')).toEqual({ count: 1, to: [ADMIN, TREASURER] });
  }
});

it('a coin without a price for six minutes is one, and prices that do not answer are', async () => {
  for (const coin of coinSymbols) {
    expect(await aroundAlert('BureauPriceOld', `no_price ${coin}`), coin).toEqual([false, true]);
  }
  vi.spyOn(PriceHub.prototype, 'snapshot').mockRejectedValue(new Error('no hub'));
  expect((await listAt(0)).has('no_prices')).toBe(true);
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

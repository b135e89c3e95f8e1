// @runtime three-ledgers
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import guide from '../../docs/performance.md?raw';
import { priceDay, showDollars } from '../../lab/cost/cost-model.ts';
import { type CountedRequests, idleHours, requestCounts } from '../../lab/cost/request-counts.ts';
import { bindingOf } from '../../src/db/record-id.ts';
import { listLedgers } from '../../src/db/database.ts';
import { LedgerKeeper } from '../../src/keeper/ledger-keeper.ts';
import { runScheduled } from '../../src/scheduled.ts';
import { measure } from '../support/runtime/meter.ts';
import { env } from '../support/runtime/test-env.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';

const MINUTES = 60;

const keepers = () => listLedgers(env).map((ledger) => env.LEDGER_KEEPER.getByName(String(ledger)));

/** The schedule's minute, with the alarms that it sets. The keepers have slept since the last one. */
async function passMinute(): Promise<void> {
  for (const keeper of keepers()) await evictDurableObject(keeper);
  moveClock(60_000);
  await runScheduled(env, false);
  for (const keeper of keepers()) while (await runDurableObjectAlarm(keeper));
}

/** An hour after the first pass, so that the next pass is in it. */
async function countHour() {
  for (const keeper of keepers()) await runInDurableObject(keeper, (_keeper, { storage }) => storage.deleteAlarm());
  await passMinute();
  const calls = (['wake', 'alarm'] as const).map((method) => vi.spyOn(LedgerKeeper.prototype, method));
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const cost = await measure(env.KEY_LANE.getByName('meter'), async () => {
    for (let minute = 0; minute < MINUTES; minute += 1) await passMinute();
  });
  const counts = {
    workerRequests: MINUTES,
    objectCalls: calls.reduce((sum, { mock }) => sum + mock.calls.length, 0) + cost.laneCalls + cost.hubCalls,
    // To a hundred: on a slow machine a keeper sleeps once more, and then reads its rows again.
    objectRowsRead: Math.round(cost.objectRowsRead / 100) * 100,
    objectRowsWritten: cost.objectRowsWritten,
    databaseRowsRead: cost.databaseRowsRead,
    databaseRowsWritten: cost.databaseRowsWritten,
    logLines: log.mock.calls.length,
  };
  for (const spy of [...calls, log]) spy.mockRestore();
  return counts;
}

const bindings = env as unknown as Record<string, D1Database>;

describe('an exchange that nobody uses', () => {
  stopClock();
  moveClock(86_400_000);

  // Sixty minutes of three keepers, one after the other.
  it('costs as much in an hour as the model says, with three ledgers and with one', { timeout: 120_000 }, async () => {
    expect(await countHour()).toEqual(idleHours['three ledgers'].counts);
    for (const ledger of listLedgers(env).slice(1)) delete bindings[bindingOf(ledger)];
    expect(await countHour()).toEqual(idleHours['one ledger'].counts);
  });

  it('costs less than 15 dollars a month beside the plan, with three ledgers too, and the document says how much', () => {
    const rows = (Object.entries(idleHours) as [string, CountedRequests][]).map(([name, hour]) => {
      const { worker, objects, database, total, log } = priceDay(hour, 24);
      expect(30 * (total + log)).toBeLessThan(15_000_000);
      const month = [worker, objects, database, total, log].map((part) => showDollars(30 * part));
      return `| an exchange of ${name} that nobody uses | ${month.join(' | ')} |`;
    });
    const text = guide.replaceAll(/\s+/g, ' ');
    const watched = priceDay(requestCounts['round of prices, every 8 s while anyone asks'], 86_400 / 8);
    const traded = priceDay(requestCounts['settings beside orders, every 2 s while anyone trades'], 86_400 / 2);
    expect(guide).toContain(rows.join('\n'));
    expect(text).toContain(`**${showDollars(traded.total)} dollars a day** while orders come`);
    expect(text).toContain(`**${showDollars(30 * watched.total)} dollars a month** while anyone reads prices`);
  });
});

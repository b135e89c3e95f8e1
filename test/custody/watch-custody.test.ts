// @runtime outside
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { NEVER_ASKED } from '../../src/db/custody-standing.ts';
import { openDatabase } from '../../src/db/database.ts';
import { config } from '../../src/env.ts';
import { assets } from '../../src/money/assets.ts';
import { chooseCustody } from '../../src/providers.ts';
import { watchCustody } from '../../src/custody/watch-custody.ts';
import { asOperator, json, openAccount, send } from '../support/exchange.ts';
import { emptyEdgeCache } from '../support/runtime/edge-cache.ts';
import { VENUE, funding } from '../support/db/house-money.ts';
import { runKeeper } from '../support/reconciliation.ts';
import { env } from '../support/runtime/test-env.ts';
import { custodian } from '../support/withdrawals/custodian.ts';
import { moveClock, stopClock } from '../support/withdrawals/withdrawals.ts';

const MINUTE_MS = 60_000;

/** Has the custodian say that it holds so much LTC, which one network carries. */
function hold(held: string): Promise<void> {
  const networks = [{ network: 'LTC', at: new Date().toISOString(), assets: [{ asset: 'LTC', held }] }];
  return custodian.setHoldings({ status: 200, body: JSON.stringify({ networks }) });
}

const look = () => runKeeper();

interface Shown {
  readonly house: {
    readonly custodyAnsweredAt: string | null;
    readonly assets: readonly {
      readonly asset: string;
      readonly custodyHolds: string | null;
      readonly custodyCovers: string;
    }[];
  };
}

async function readCover(): Promise<unknown> {
  const { house } = await json<Shown>(await asOperator('GET', '/house'));
  const shown = house.assets.find(({ asset }) => asset === 'LTC');
  return [shown?.custodyHolds, shown?.custodyCovers];
}

async function readStatus(): Promise<string> {
  await emptyEdgeCache();
  return (await json<{ withdrawals: string }>(await send('/api/v1/status'))).withdrawals;
}

const logged: Record<string, string>[] = [];
beforeEach(async () => {
  stopClock();
  logged.length = 0;
  vi.spyOn(console, 'error').mockImplementation((line) => logged.push(JSON.parse(String(line))));
  await custodian.reset();
});
describe('what the custodian holds', () => {
  it('is asked every minute, and shown against what it should hold', async () => {
    expect(assets.LTC.networks.map(({ network }) => network)).toEqual(['LTC']);
    await openAccount({ LTC: '3' });
    await look();
    expect(await readCover()).toEqual([null, 'unknown']);
    await hold('3');
    await look();
    expect(await readCover()).toEqual(['3', 'covered']);
    expect(logged.filter(({ event }) => event === 'custody_shortfall')).toEqual([]);
    await hold('2.99999999');
    await look();
    expect(await readCover()).toEqual(['2.99999999', 'shortfall']);
    expect(logged.filter(({ event }) => event === 'custody_shortfall')).toMatchObject([{ assets: 'LTC' }]);
    const metrics = await (await asOperator('GET', '/metrics')).text();
    expect(metrics).toContain('bureau_custody_short{asset="LTC"} 1\n');
    expect(await readStatus()).toBe('OK');
  });

  it('may be less by what went to a venue, and no more', async () => {
    await openAccount({ LTC: '3' });
    await env.DB.batch(funding('house:custody', VENUE, 'LTC', '100000000'));
    // Another test has brought 3 as well.
    for (const [held, cover] of [
      ['5', 'covered'],
      ['4.99999999', 'shortfall'],
    ] as const) {
      await hold(held);
      await look();
      expect(await readCover()).toEqual([held, cover]);
    }
  });

  it('is unknown again, and withdrawals are degraded, once it was silent for three minutes', async () => {
    await openAccount({ LTC: '3' });
    await hold('1000');
    await look();
    expect(await readCover()).toEqual(['1000', 'covered']);
    await custodian.setHoldings('error');
    for (let minute = 0; minute < 3; minute += 1) {
      moveClock(MINUTE_MS);
      await look();
    }
    expect([await readStatus(), await readCover()]).toEqual(['OK', ['1000', 'covered']]);
    moveClock(1);
    expect([await readStatus(), await readCover()]).toEqual(['DEGRADED', [null, 'unknown']]);
    await hold('1000');
    await look();
    expect([await readStatus(), await readCover()]).toEqual(['OK', ['1000', 'covered']]);
  });

  it('halts withdrawals after three complete reports in a row that are short, where it is to', async () => {
    const watch = { databases: [openDatabase(env.DB)], custody: chooseCustody(config), now: () => Date.now() };
    await openAccount({ LTC: '3' });
    const isHalted = async () =>
      (await json<{ settings: { withdrawalsHalted: boolean } }>(await asOperator('GET', '/settings'))).settings
        .withdrawalsHalted;
    for (const haltsOnShortfall of [false, true]) {
      let standing = NEVER_ASKED;
      const report = async (held: string | undefined) => {
        await (held === undefined ? custodian.setHoldings('error') : hold(held));
        standing = await watchCustody({ ...watch, haltsOnShortfall }, standing);
        return isHalted();
      };
      expect(await report('0')).toBe(false);
      expect(await report('0')).toBe(false);
      expect(await report('1000')).toBe(false);
      expect(await report('0')).toBe(false);
      // Silence, and a report that is not complete, are no part of the row.
      expect(await report(undefined)).toBe(false);
      await custodian.setHoldings({ status: 200, body: '{"networks":[]}' });
      standing = await watchCustody({ ...watch, haltsOnShortfall }, standing);
      expect(await report('0')).toBe(false);
      expect(await report('0')).toBe(haltsOnShortfall);
    }
    const { entries } = await json<{ entries: object[] }>(await asOperator('GET', '/audit?target=custody'));
    expect(entries).toMatchObject([{ actor: 'reconciliation', action: 'halt', detail: { shortfall: ['LTC'] } }]);
    expect((await asOperator('PATCH', '/settings', { withdrawalsHalted: false })).status).toBe(200);
  });
});

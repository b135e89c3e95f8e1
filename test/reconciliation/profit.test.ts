import { runInDurableObject } from 'cloudflare:test';
import { beforeAll, describe, expect, it } from 'vitest';
import { openLedger } from '../../src/db/database.ts';
import { recordKinds } from '../../src/record-kinds.ts';
import { CHAINS } from '../../src/reconciliation/history.ts';
import { KeptLinks } from '../../src/reconciliation/kept-links.ts';
import { NO_PROGRESS, type Progress } from '../../src/reconciliation/progress.ts';
import { DaySums } from '../../src/reconciliation/day-sums.ts';
import { addParts, profitParts, sumParts } from '../../src/reconciliation/profit-of-day.ts';
import { Reconciler } from '../../src/reconciliation/reconciler.ts';
import { type Coin, scaleOf } from '../../src/money/assets.ts';
import { dealtRow, endHedge, openHedge } from '../support/db/house-money.ts';
import { NOON_MS } from '../support/db/raw-ledger.ts';
import { agreeQuick, readSettled, settle } from '../support/operator/settlements.ts';
import { newRecordId, timestampOfRecord } from '../../src/db/record-id.ts';
import { listRows, sql } from '../support/db/sql.ts';
import { SMALL, expectBroken, followAll, invariantOf, makeActivity, saveMoney } from '../support/reconciliation.ts';
import { env } from '../support/runtime/test-env.ts';

beforeAll(async () => {
  const [trader] = await makeActivity(2);
  await readSettled(await settle(agreeQuick(trader!, 'BUY', { usdtAmount: '101.5', coinAmount: '0.03' })));
  // What costs more than the middle price, and fees in either asset, one of them of another coin.
  for (const fee_asset of ['USDT', 'ETH', 'BTC']) {
    const id = newRecordId(NOON_MS);
    const change = { coin: 'ETH', middle_price: '310000000000', limit_price: '320000000000', set_aside: 40_000 };
    const end = dealtRow({ dealt_usdt: 28_345, fee_asset, fee: 7 });
    await env.DB.batch([openHedge(id, 'BUY', change), endHedge(id, end)]);
  }
  await saveMoney();
});

/** A reconciliation that has read nothing yet, or, by `resume`, goes on from there with the same sums. */
function count<T>(
  use: (sums: DaySums, reconciler: Reconciler, resume: (from: Progress) => Reconciler) => T | Promise<T>,
): Promise<T> {
  return runInDurableObject(env.KEY_LANE.getByName(crypto.randomUUID()), async (_instance, { storage }) => {
    const sums = new DaySums(storage.sql);
    const parts = {
      database: openLedger(env, 0),
      ledger: 0,
      kinds: recordKinds,
      links: new KeptLinks(storage.sql),
      sums,
    };
    const resume = (from: Progress) => new Reconciler(parts, from, CHAINS);
    return use(sums, resume(NO_PROGRESS), resume);
  });
}

const price = (usdt: number) => BigInt(usdt) * 10n ** 8n;

/** What the house has beyond its capital, by asset, straight from the balances. */
async function readPositions(): Promise<Map<string, bigint>> {
  const rows = await listRows<{ asset: string; amount: string }>(
    `SELECT asset, CAST(sum(amount - capital) AS TEXT) AS amount FROM balances
     WHERE account IN ('house:liquidity', 'house:hedging') GROUP BY asset`,
  );
  return new Map(rows.map(({ asset, amount }) => [asset, BigInt(amount)]));
}

/** What each record changed of the house's position in its coin, and on which day, straight from the records. */
async function listChanges(): Promise<{ day: string; coin: string; atoms: bigint }[]> {
  const rows = await listRows<{ id: string; ended: number | null; coin: string; atoms: string }>(
    `SELECT id, NULL AS ended, coin, CAST(iif(side = 'BUY', -coin_amount, coin_amount) AS TEXT) AS atoms FROM orders
     UNION ALL
     SELECT id, ended_at, coin, CAST(iif(side = 'BUY', dealt_coin, -dealt_coin) AS TEXT) FROM hedges WHERE status = 'DEALT'
     UNION ALL
     SELECT id, ended_at, fee_asset, CAST(-fee AS TEXT) FROM hedges WHERE fee > 0
     UNION ALL
     SELECT id, NULL, coin, CAST(iif(type = 'QUICK_BUY', -coin_amount, coin_amount) AS TEXT) FROM settlements
     WHERE counterparty = 'house:liquidity'`,
  );
  return rows.map(({ id, ended, coin, atoms }) => ({
    day: ended === null ? timestampOfRecord(id).slice(0, 10) : new Date(ended).toISOString().slice(0, 10),
    coin,
    atoms: BigInt(atoms),
  }));
}

/** The value of an amount, of which both amounts and prices are exact: rounded down. */
function valueOf(coin: string, atoms: bigint, usdt: number): bigint {
  const unit = 10n ** BigInt(scaleOf(coin as Coin));
  const exact = atoms * BigInt(usdt) * 10n ** 6n;
  return exact >= 0n ? exact / unit : -((-exact + unit - 1n) / unit);
}

describe('profit and loss', () => {
  const last = { BTC: 64_000, ETH: 3_100, DOGE: 1 };

  it('of all days adds up to the value of what the house has beyond its capital, to the atom', () =>
    count(async (sums, reconciler) => {
      let slices = 0;
      for (let isMore = true; isMore; slices += 1) {
        ({ isMore } = await reconciler.follow(SMALL, 0));
        const moved = new Map<Coin, bigint>([['BTC', price(60_000 + 31 * slices)]]);
        sums.mark(moved, Date.UTC(2026, 10, 20 + (slices % 5)));
      }
      expect(slices).toBeGreaterThan(10);
      sums.mark(new Map(Object.entries(last).map(([coin, usdt]) => [coin as Coin, price(usdt)])), Date.now());
      const positions = await readPositions();
      const value = [...positions].reduce((sum, [asset, atoms]) => {
        const usdt = last[asset as keyof typeof last];
        expect(asset === 'USDT' || usdt !== undefined || atoms === 0n).toBe(true);
        return sum + (usdt === undefined ? (asset === 'USDT' ? atoms : 0n) : valueOf(asset, atoms, usdt));
      }, 0n);
      const days = sums.listProfit('');
      expect(sumParts(days)).toBe(value);
      const sum = addParts(days);
      for (const part of profitParts) expect([part, sum[part]]).not.toEqual([part, '0']);
    }));

  it('is of each part what its records say', () =>
    count(async (sums, reconciler) => {
      await followAll(reconciler);
      const sum = addParts(sums.listProfit(''));
      const [hedged] = await listRows<{ gain: number; fees: number }>(
        `SELECT sum(iif(side = 'BUY', dealt_coin, -dealt_coin) * middle_price / 1e10
             + iif(side = 'BUY', -dealt_usdt, dealt_usdt)) AS gain,
           sum(CASE fee_asset WHEN 'USDT' THEN fee WHEN coin THEN fee * middle_price / 1e10 
             ELSE fee * (SELECT middle_price FROM orders WHERE coin = fee_asset ORDER BY first_transfer DESC) / 1e10
             END) AS fees
         FROM hedges WHERE status = 'DEALT'`,
      );
      const dealt = await sql("SELECT count(*) AS n FROM hedges WHERE status = 'DEALT'").first<number>('n');
      expect(Math.abs(Number(sum.hedges) - hedged!.gain)).toBeLessThanOrEqual(dealt!);
      expect(Math.abs(Number(sum.fees) + hedged!.fees)).toBeLessThanOrEqual(dealt!);
      expect(Number(sum.hedges)).not.toBe(0);
    }));

  it('counts capital as no profit', () =>
    count(async (sums, reconciler) => {
      await followAll(reconciler);
      const before = sumParts(sums.listProfit(''));
      const capital = await sql("SELECT sum(capital) AS n FROM balances WHERE asset = 'USDT'").first<number>('n');
      expect(capital).toBeGreaterThan(4_000_000_000);
      expect(Math.abs(Number(before))).toBeLessThan(100_000_000);
    }));

  it('is counted again from the beginning when its sums are lost, and no record twice', () =>
    count(async (sums, reconciler, resume) => {
      await reconciler.follow(SMALL, 0);
      const { progress: early } = reconciler;
      await followAll(reconciler);
      const before = sums.listProfit('');
      await followAll(resume(early));
      expect(sums.listProfit('')).toEqual(before);
      sums.forget();
      const again = resume(reconciler.progress);
      await followAll(again);
      expect(sums.listProfit('')).toEqual(before);
      expect(again.progress.newest).toEqual(reconciler.progress.newest);
    }));

  it('has the position of each coin at the end of each day, by the days of the records and valued at its last price', () =>
    count(async (sums, reconciler) => {
      // In slices, so that days change while records come, and some are counted after a later day was valued.
      for (let isMore = true; isMore;) {
        ({ isMore } = await reconciler.follow(SMALL, 0));
        sums.mark(new Map([['BTC', price(60_000)]]), Date.UTC(2030, 0, 1));
      }
      sums.mark(new Map([['BTC', price(50_000)]]), Date.UTC(2030, 0, 2));
      sums.mark(new Map([['BTC', price(53_000)]]), Date.UTC(2030, 0, 4));
      const changes = await listChanges();
      const until = (day: string, coin: string) =>
        changes.reduce((sum, one) => sum + (one.coin === coin && one.day <= day ? one.atoms : 0n), 0n);
      const first = changes.map(({ day }) => day).toSorted()[0]!;
      const before = new Date(Date.parse(first) - 2 * 86_400_000).toISOString().slice(0, 10);
      expect(new Set(changes.map(({ day }) => day)).size).toBeGreaterThan(1);
      const shown = sums.listPositions(before, '2030-01-05');
      const days = [before, ...new Set(changes.map(({ day }) => day)), '2030-01-01', '2030-01-03', '2030-01-05'];
      for (const day of days) {
        for (const coin of ['BTC', 'ETH', 'DOGE']) {
          const found = shown.find((one) => one.day === day && one.coin === coin);
          expect([day, coin, found?.position ?? '0']).toEqual([day, coin, until(day, coin).toString()]);
        }
      }
      const position = until('2030-01-05', 'BTC');
      expect(position).not.toBe(0n);
      const values = ['2030-01-01', '2030-01-03', '2030-01-05'].map(
        (day) => shown.find((one) => one.day === day && one.coin === 'BTC')?.value,
      );
      expect(values).toEqual([60_000, 50_000, 53_000].map((usdt) => valueOf('BTC', position, usdt).toString()));
      expect(sums.listPositions('2030-01-05', '2030-01-05')).toEqual(shown.filter(({ day }) => day === '2030-01-05'));
    }));

  it('is of a move of the price the position times the change, within an atom a record', () =>
    count(async (sums, reconciler) => {
      await followAll(reconciler);
      const at = Date.UTC(2030, 0, 1);
      sums.mark(new Map([['BTC', price(50_000)]]), at);
      sums.mark(new Map([['BTC', price(53_000)]]), at + 86_400_000);
      const position = (await readPositions()).get('BTC') ?? 0n;
      const [rise] = sums.listProfit('2030-01-02');
      const exact = valueOf('BTC', position, 3_000);
      expect(BigInt(rise!.revaluation) - exact).toBeLessThanOrEqual(1n);
      expect(BigInt(rise!.revaluation) - exact).toBeGreaterThanOrEqual(-1n);
      expect(position).not.toBe(0n);
      expect(rise).toMatchObject({ day: '2030-01-02', coin: 'BTC', orders: 0, spread: '0', hedges: '0' });
    }));
});

describe('a transfer of the house with another amount than its record', () => {
  it.each([
    ['of an order’s coin', "kind = 'order' AND asset = 'ETH'", 'inventory'],
    ['of an order’s USDT', "kind = 'order' AND asset = 'USDT'", 'inventory'],
    ['that sets aside', "kind = 'hedge' AND credit = 'house:hedging'", 'inventory', 'hedging'],
    ['to a venue', "kind = 'hedge' AND debit = 'house:hedging' AND credit GLOB 'house:venue:*'", 'hedging'],
    [
      'that a hedge leaves',
      "kind = 'hedge' AND debit = 'house:hedging' AND credit = 'house:liquidity'",
      'inventory',
      'hedging',
    ],
    ['from a venue', "kind = 'hedge' AND debit GLOB 'house:venue:*' AND credit = 'house:liquidity'", 'inventory'],
    ['of a fee', "kind = 'hedge' AND debit = 'house:liquidity' AND credit GLOB 'house:venue:*'", 'inventory'],
    ['of a settlement', "kind = 'settlement' AND debit = 'house:liquidity'", 'inventory'],
    ['of capital', "kind = 'funding' AND credit = 'house:liquidity'", 'inventory'],
  ])('is found to be unexplained: %s', async (_what, where, ...of) => {
    const change = sql(
      `UPDATE transfers SET amount = amount + 1 WHERE id = (SELECT min(id) FROM transfers WHERE ${where})`,
    );
    const broken = ['balances_match_transfers', 'records_match_transfers', 'pnl_unexplained'] as const;
    const found = await expectBroken(broken, ['transfers_are_not_changed'], change);
    expect(invariantOf(found, 'pnl_unexplained').examples.map((example) => example['of'])).toEqual(of);
  });

  it('is found of capital that no funding explains', async () => {
    const more = sql("UPDATE balances SET capital = capital + 1 WHERE account = 'house:liquidity' AND asset = 'USDT'");
    const found = await expectBroken(['pnl_unexplained'], ['balances_keep_their_capital'], more);
    expect(invariantOf(found, 'pnl_unexplained').examples).toMatchObject([{ of: 'capital', asset: 'USDT' }]);
  });
});

import { describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/ledger/record-id.ts';
import { NOON_MS, type OrderChange, expectRefused, openFunded, order, sql } from '../support/raw-ledger.ts';
import { env } from '../support/test-env.ts';

/** The statements of an order of 1 atom of BTC for 1 atom of USDT, as its batch sends them. */
function fill(accountId: string, change: OrderChange = {}, id = newRecordId(NOON_MS)): D1PreparedStatement[] {
  const leg = (debit: string, credit: string, asset: string, kind = 'order') =>
    sql(
      `INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference, ts)
       VALUES ((SELECT coalesce(max(id), 0) + 1 FROM transfers), ?, ?, ?, 1, ?, ?, ?)`,
      debit,
      credit,
      asset,
      kind,
      id,
      NOON_MS,
    );
  return [
    order(accountId, id, change),
    leg(accountId, 'house:liquidity', 'USDT'),
    leg('house:liquidity', accountId, 'BTC'),
  ];
}

async function roundsOfHouse(): Promise<Record<string, number>> {
  const { results } = await sql(`SELECT account, asset, price_round FROM balances WHERE price_round <> 0`).all<{
    account: string;
    asset: string;
    price_round: number;
  }>();
  return Object.fromEntries(results.map((row) => [`${row.account} ${row.asset}`, row.price_round]));
}

describe('the round of prices that an order was filled at', () => {
  it('stands in the house’s balance of the coin alone, and no order of an older one is filled from then on', async () => {
    const account = await openFunded();
    await env.DB.batch(fill(account, { priceRound: 1_000 }));
    expect(await roundsOfHouse()).toEqual({ 'house:liquidity BTC': 1_000 });
    await expectRefused('guard: price_overtaken', ...fill(account, { priceRound: 999 }));
    await env.DB.batch(fill(account, { priceRound: 1_000 }));
    await env.DB.batch(fill(account, { priceRound: 1_001 }));
    await expectRefused('guard: price_overtaken', ...fill(account, { priceRound: 1_000 }));
    expect(await roundsOfHouse()).toEqual({ 'house:liquidity BTC': 1_001 });
  });

  it('costs the order no row: seven are written', async () => {
    const account = await openFunded();
    const results = await env.DB.batch(fill(account, { priceRound: 1_002 }));
    expect(results.reduce((sum, { meta }) => sum + meta.rows_written, 0)).toBe(7);
  });

  it('is not touched by money that moves for another reason', async () => {
    const account = await openFunded();
    const before = await roundsOfHouse();
    const id = newRecordId(NOON_MS);
    const settlement = [
      sql(
        `INSERT INTO settlements VALUES (?, ?, 'QUICK_BUY', 'house:liquidity', 'BTC', 1, 1, ?,
           (SELECT max(id) + 1 FROM transfers))`,
        account,
        id,
        id,
      ),
      ...(
        [
          [account, 'house:liquidity', 'USDT'],
          ['house:liquidity', account, 'BTC'],
        ] as const
      ).map(([debit, credit, asset]) =>
        sql(
          `INSERT INTO transfers SELECT max(id) + 1, ?, ?, ?, 1, 'settlement', ?, 1 FROM transfers`,
          debit,
          credit,
          asset,
          id,
        ),
      ),
    ];
    await env.DB.batch(settlement);
    expect(await roundsOfHouse()).toEqual(before);
  });

  it('is moved by nothing but such a fill, and never back', async () => {
    const account = await openFunded();
    await env.DB.batch(fill(account, { priceRound: 2_000 }));
    const change = (round: string, where: string) => sql(`UPDATE balances SET price_round = ${round} WHERE ${where}`);
    const house = `account = 'house:liquidity' AND asset = 'BTC'`;
    for (const round of ['1999', '2001', '0']) {
      await expectRefused('ledger: no order explains the round', change(round, house));
    }
    await expectRefused('ledger: no order explains the round', change('2001', `account = '${account}'`));
    // What a fill of an old round would leave, had its guard been passed.
    await sql('DROP TRIGGER orders_are_guarded').run();
    await expectRefused('ledger: no order explains the round', ...fill(account, { priceRound: 1_999 }));
    await expectRefused(
      'ledger: a balance begins without a round',
      sql(`INSERT INTO balances (account, asset, price_round) VALUES ('new', 'BTC', 1)`),
    );
  });
});

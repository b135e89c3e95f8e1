import { describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/db/record-id.ts';
import { NOON_MS, expectRefused, openFunded, order } from '../support/db/raw-ledger.ts';
import { sql, listRows } from '../support/db/sql.ts';

async function roundsOfHouse(): Promise<Record<string, number>> {
  const results = await listRows<{
    account: string;
    asset: string;
    price_round: number;
  }>(`SELECT account, asset, price_round FROM balances WHERE price_round <> 0`);
  return Object.fromEntries(results.map((row) => [`${row.account} ${row.asset}`, row.price_round]));
}

describe('the round of prices that an order was filled at', () => {
  it('is stored in the house’s balance of the coin, and orders of an older round are refused from then on', async () => {
    const account = await openFunded();
    await order(account, { priceRound: 1_000 }).run();
    expect(await roundsOfHouse()).toEqual({ 'house:liquidity BTC': 1_000 });
    await expectRefused('guard: price_overtaken', order(account, { priceRound: 999 }));
    await order(account, { priceRound: 1_000 }).run();
    await order(account, { priceRound: 1_001 }).run();
    await expectRefused('guard: price_overtaken', order(account, { priceRound: 1_000 }));
    expect(await roundsOfHouse()).toEqual({ 'house:liquidity BTC': 1_001 });
  });

  it('costs no additional row: an order writes seven', async () => {
    const account = await openFunded();
    expect((await order(account, { priceRound: 1_002 }).run()).meta.rows_written).toBe(7);
  });

  it('is not changed by transfers of other records', async () => {
    const account = await openFunded();
    const before = await roundsOfHouse();
    const id = newRecordId(NOON_MS);
    await sql(
      `INSERT INTO settlements VALUES (?, ?, 'QUICK_BUY', 'house:liquidity', 'BTC', 1, 1, ?,
         (SELECT max(id) + 1 FROM transfers))`,
      account,
      id,
      id,
    ).run();
    expect(await roundsOfHouse()).toEqual(before);
  });

  it('is changed only by such a fill, and never lowered', async () => {
    const account = await openFunded();
    await order(account, { priceRound: 2_000 }).run();
    const change = (round: string, where: string) => sql(`UPDATE balances SET price_round = ${round} WHERE ${where}`);
    const house = `account = 'house:liquidity' AND asset = 'BTC'`;
    for (const round of ['1999', '0']) await expectRefused('guard: price_overtaken', change(round, house));
    await expectRefused('ledger: no order explains the round', change('2001', house));
    await expectRefused('ledger: no order explains the round', change('2001', `account = '${account}'`));
    await expectRefused(
      'ledger: a balance begins once, at zero',
      sql(`INSERT INTO balances (account, asset, price_round) VALUES ('${account}', 'NEW', 1)`),
    );
  });
});

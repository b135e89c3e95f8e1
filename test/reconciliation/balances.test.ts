import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/db/record-id.ts';
import { type Trader, openTrader } from '../support/exchange.ts';
import { VENUE, funding } from '../support/db/house-money.ts';
import { NEXT, order, transfer } from '../support/db/raw-ledger.ts';
import { expectAllWell, expectBroken, invariantOf, makeActivity, saveMoney } from '../support/reconciliation.ts';
import { sql } from '../support/db/sql.ts';

let one: Trader;
let other: Trader;
let bare: Trader;
let head: number;
beforeAll(async () => {
  [one, other] = (await makeActivity(2)) as [Trader, Trader];
  bare = await openTrader();
  head = (await sql('SELECT max(id) AS id FROM transfers').first<number>('id')) ?? 0;
  await saveMoney();
  await expectAllWell();
});
afterAll(expectAllWell);

const add = ({ accountId }: Trader, asset: string, atoms: number) =>
  sql(`UPDATE balances SET amount = amount + (${atoms}) WHERE account = ? AND asset = ?`, accountId, asset);

describe('a balance that was changed by hand', () => {
  it('is found by its transfers, and by the sum of its asset', async () => {
    const found = await expectBroken(
      ['ledger_sums_to_zero', 'balances_match_transfers'],
      ['balances_are_explained'],
      add(one, 'BTC', 7),
    );
    expect(invariantOf(found, 'ledger_sums_to_zero').figures['BTC']).toEqual({ sum: '0.00000007' });
    expect(invariantOf(found, 'ledger_sums_to_zero').examples).toEqual([{ asset: 'BTC', sum: '0.00000007' }]);
    const [example] = invariantOf(found, 'balances_match_transfers').examples;
    expect(example).toMatchObject({ account: one.accountId, asset: 'BTC' });
    expect(BigInt(example?.['balance'] ?? 0) - BigInt(example?.['transfers'] ?? 0)).toBe(7n);
  });

  it('is found by the sum of its asset, also when a record of another asset is wrong', async () => {
    const found = await expectBroken(
      ['ledger_sums_to_zero', 'balances_match_transfers', 'records_match_transfers'],
      ['balances_are_explained', 'deposits_move_on', 'deposits_take_their_next_effect'],
      add(one, 'BTC', 7),
      sql(
        `UPDATE deposits SET amount = amount + 1 WHERE account_id = ? AND asset = 'ETH' AND status = 'COMPLETED'`,
        other.accountId,
      ),
    );
    const { figures } = invariantOf(found, 'ledger_sums_to_zero');
    expect([figures['BTC'], figures['ETH']]).toEqual([{ sum: '0.00000007' }, { sum: 'unknown' }]);
  });

  it('is found also when another balance was changed by the opposite, so that the sum is zero', async () => {
    const found = await expectBroken(
      ['balances_match_transfers'],
      ['balances_are_explained'],
      add(one, 'USDT', -1),
      add(other, 'USDT', 1),
    );
    expect(invariantOf(found, 'balances_match_transfers').figures['broken']).toBe('2');
  });

  it('is found above 2^53, exact to the atom, and above all caps', async () => {
    const found = await expectBroken(
      ['ledger_sums_to_zero', 'balances_match_transfers', 'debts_within_caps'],
      ['balances_are_explained'],
      add(bare, 'BTC', 2 ** 53),
      add(bare, 'BTC', 1),
    );
    expect(invariantOf(found, 'balances_match_transfers').examples[0]?.['balance']).toBe('9007199254740993');
    expect(invariantOf(found, 'ledger_sums_to_zero').figures['BTC']).toEqual({ sum: '90071992.54740993' });
  });

  it('is found when only the number of its newest transfer is wrong', async () => {
    await expectBroken(
      ['balances_match_transfers'],
      ['balances_are_explained'],
      sql(`UPDATE balances SET last_transfer = last_transfer - 1 WHERE account = ? AND asset = 'BTC'`, one.accountId),
    );
  });

  it('is found when its row is gone', async () => {
    const found = await expectBroken(
      ['ledger_sums_to_zero', 'balances_match_transfers'],
      ['balances_are_kept'],
      sql(`DELETE FROM balances WHERE account = ? AND asset = 'ETH'`, one.accountId),
    );
    expect(invariantOf(found, 'balances_match_transfers').examples).toMatchObject([
      { account: one.accountId, asset: 'ETH', balance: 'missing' },
    ]);
  });
});

describe('what is owed', () => {
  it('may be more than caps and exposure by what moved in from another ledger, and no more', async () => {
    const receive = sql(
      `INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, withdrawal_id, transfer)
       VALUES (?, ?, 'INTERNAL_DEPOSIT', 'LTC', 60, 1, 'COMPLETED', ?, ${NEXT})`,
      one.accountId,
      newRecordId(Date.now()),
      newRecordId(Date.now(), 1),
    );
    const floor = (account: string) =>
      sql(`UPDATE balances SET floor = 0 WHERE account = ? AND asset = 'LTC'`, account);
    const floors = [floor('house:liquidity'), floor('house:custody')];
    const guards = ['balances_keep_to_their_share'];
    const found = await expectBroken([], guards, receive, ...floors);
    const debts = {
      owed: '0.0000006',
      broughtIn: '0',
      movedIn: '0.0000006',
      atVenues: '0',
      supplyCap: '0',
      exposure: '0',
    };
    expect(invariantOf(found, 'debts_within_caps').figures['LTC']).toEqual(debts);
  });

  it('may be more by what the house has at venues, and no more', async () => {
    const sold = order(one.accountId, { coin: 'LTC', price: '100000000', coinAmount: '60', usdtAmount: '1' });
    const floors = ['house:liquidity', 'house:custody'].map((account) =>
      sql(`UPDATE balances SET floor = 0 WHERE account = ? AND asset = 'LTC'`, account),
    );
    const found = await expectBroken(
      [],
      ['balances_keep_to_their_share'],
      ...funding('house:liquidity', VENUE, 'LTC', '60'),
      sold,
      ...floors,
    );
    const figures = { owed: '0.0000006', broughtIn: '0', movedIn: '0', atVenues: '0.0000006' };
    expect(invariantOf(found, 'debts_within_caps').figures['LTC']).toMatchObject(figures);
  });
});

describe('a floor', () => {
  it('that a balance is below is found, even when all transfers are right', async () => {
    const id = newRecordId(Date.now());
    const { accountId } = one;
    // A sale of 2 LTC at 50 USDT by an account that has none.
    const found = await expectBroken(
      ['balances_above_floor'],
      ['balances_keep_to_their_share'],
      sql(`UPDATE balances SET floor = -200000000 WHERE account = ? AND asset = 'LTC'`, accountId),
      order(accountId, {
        id,
        coin: 'LTC',
        side: 'SELL',
        price: '5000000000',
        coinAmount: '200000000',
        usdtAmount: '100000000',
      }),
    );
    expect(invariantOf(found, 'balances_above_floor').examples).toEqual([
      { account: accountId, asset: 'LTC', balance: '-200000000', floor: '0' },
    ]);
  });

  it.each([
    ['of the inventory', 'house:liquidity', ['balances_above_floor']],
    ['of custody, which is the supply cap', 'house:custody', ['balances_above_floor', 'debts_within_caps']],
  ] as const)('%s is found to be passed', async (_, account, broken) => {
    const found = await expectBroken(
      broken,
      ['balances_keep_to_their_share'],
      sql(`UPDATE balances SET floor = amount + 1 WHERE account = ? AND asset = 'BTC'`, account),
    );
    expect(invariantOf(found, 'balances_above_floor').examples).toMatchObject([{ account, asset: 'BTC' }]);
  });
});

describe('the journal', () => {
  it('is found to be changed long after it was first read', async () => {
    await expectBroken(
      ['balances_match_transfers', 'records_match_transfers'],
      ['transfers_are_not_changed'],
      sql('UPDATE transfers SET amount = amount + 1 WHERE id = 1'),
    );
  });

  it('is found to be renumbered', async () => {
    const found = await expectBroken(
      ['balances_match_transfers', 'journal_has_no_gap', 'records_match_transfers'],
      ['transfers_are_not_changed', 'balances_are_explained'],
      sql('UPDATE transfers SET id = id + 5 WHERE id = ?', head),
      sql('UPDATE balances SET last_transfer = last_transfer + 5 WHERE last_transfer = ?', head),
    );
    expect(invariantOf(found, 'journal_has_no_gap').examples).toEqual([
      { after: String(head - 1), next: String(head + 5) },
    ]);
  });

  it('is found to begin before its first number', async () => {
    const found = await expectBroken(
      ['journal_has_no_gap'],
      ['transfers_are_numbered', 'transfers_move_balances', 'transfers_of_orders_are_explained'],
      sql(`INSERT INTO transfers (id, debit, credit, asset, amount, kind, reference)
        VALUES (0, 'house:custody', 'house:fees', 'BTC', 1, 'order', 'x')`),
    );
    expect(invariantOf(found, 'journal_has_no_gap').examples).toEqual([{ after: 'the beginning', next: '0' }]);
  });

  it('is found to lack a transfer, in the middle or at the end', async () => {
    const lack = (id: number) => sql('DELETE FROM transfers WHERE id = ?', id);
    await expectBroken(
      ['balances_match_transfers', 'journal_has_no_gap', 'records_match_transfers', 'pnl_unexplained'],
      ['transfers_are_not_deleted'],
      lack(head - 3),
    );
    await expectBroken(
      ['balances_match_transfers', 'records_match_transfers'],
      ['transfers_are_not_deleted'],
      lack(head),
    );
  });

  it('is found to hold a transfer that no record explains', async () => {
    const found = await expectBroken(
      ['balances_match_transfers', 'records_match_transfers', 'pnl_unexplained'],
      ['transfers_of_orders_are_explained'],
      transfer('house:liquidity', one.accountId, 'USDT', '5'),
    );
    expect(invariantOf(found, 'records_match_transfers').examples).toMatchObject([{ transfer: String(head + 1) }]);
  });

  it('is found to be broken also when its sums exceed 64 bits', async () => {
    const much = sql('UPDATE transfers SET amount = 9223372036854775807 WHERE id IN (1, 3)');
    await expectBroken(['balances_match_transfers', 'records_match_transfers'], ['transfers_are_not_changed'], much);
  });
});

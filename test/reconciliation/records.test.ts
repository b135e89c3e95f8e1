import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Invariant } from '../../src/reconciliation/invariants.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import { type Trader, asOperator, openTrader } from '../support/exchange.ts';
import { NEXT, insertRow, transfer, withdrawalRow, order as writeOrder } from '../support/db/raw-ledger.ts';
import {
  allOk,
  expectAllWell,
  expectBroken,
  invariantOf,
  makeActivity,
  reconcileAnew,
  reopen,
  restoreMoney,
  saveMoney,
  statusesOf,
} from '../support/reconciliation.ts';
import { quarantine } from '../support/operator/quarantine.ts';
import { env } from '../support/runtime/test-env.ts';
import { sql } from '../support/db/sql.ts';

let one: Trader;
let bare: Trader;
beforeAll(async () => {
  [one] = (await makeActivity(2)) as [Trader];
  bare = await openTrader();
  const { id } = await quarantine('LTC', '2');
  await asOperator('POST', `/deposits/${id}/credit`, { accountId: one.accountId, reason: 'its owner asked' });
  await saveMoney();
  await expectAllWell();
});
afterAll(expectAllWell);

type Row = Record<string, string>;

async function find(table: string, where: string): Promise<Row> {
  const query = `SELECT * FROM ${table} WHERE account_id = ? AND ${where} LIMIT 1`;
  const row = await sql(query, one.accountId).first<Row>();
  if (!row) throw new Error(`no row of ${table} is as the test needs it: ${where}`);
  return row;
}

const text = (row: Row, name: string) => row[name] ?? '';

const leg = (kind: string, reference: string, debit: string, credit: string, asset: string, amount: string) =>
  transfer(debit, credit, asset, amount, kind, reference);

/** Writes an order of ETH as a row alone, without the trigger `orders_move_money`, and then its two transfers. */
function order(id: string, side: string, price: string, coinAmount: string, usdtAmount: string) {
  const [from, to] = side === 'BUY' ? ['house:liquidity', one.accountId] : [one.accountId, 'house:liquidity'];
  const coin = leg('order', id, from, to, 'ETH', coinAmount);
  const usdt = leg('order', id, to, from, 'USDT', usdtAmount);
  return {
    row: writeOrder(one.accountId, { id, coin: 'ETH', side, price, coinAmount, usdtAmount }),
    legs: side === 'BUY' ? ([usdt, coin] as const) : ([coin, usdt] as const),
  };
}

const tie = 'records_match_transfers';
const sums = 'balances_match_transfers';
const profit = 'pnl_unexplained';

describe('a record and its transfers', () => {
  it.each([
    ['an order', 'orders', "status = 'COMPLETED'", '2', [sums, tie, profit]],
    ['a deposit', 'deposits', "type = 'ONCHAIN_DEPOSIT' AND status = 'COMPLETED'", '1', [sums, tie]],
    ['a withdrawal', 'withdrawals', "status = 'COMPLETED' AND fee > 0", '3', [sums, tie]],
    ['a settlement', 'settlements', "type = 'QUICK_BUY'", '2', [sums, tie, profit]],
  ] as const)('are found to disagree when %s is gone', async (_, table, where, transfers, broken) => {
    const trigger = `${table}_are_not_deleted`;
    const id = text(await find(table, where), 'id');
    const found = await expectBroken(broken, [trigger], sql(`DELETE FROM ${table} WHERE id = ?`, id));
    expect(invariantOf(found, tie).figures['broken']).toBe(transfers);
    expect(invariantOf(found, tie).examples[0]).toMatchObject({ reference: id, fault: 'no record explains it' });
  });

  const guards = ['orders_move_money', 'transfers_of_orders_are_explained'];

  it('are found to disagree when an order moved nothing', async () => {
    const id = newRecordId(Date.now());
    const { row } = order(id, 'BUY', '100000000000', '1000000', '10000000');
    const found = await expectBroken([sums, tie], guards, row);
    expect(invariantOf(found, tie).examples).toMatchObject([
      { order: id, accountId: one.accountId, status: 'COMPLETED' },
    ]);
  });

  it('are found to disagree when an order moved half, twice, or more than it says', async () => {
    const id = newRecordId(Date.now());
    const { row, legs } = order(id, 'BUY', '100000000000', '1000000', '10000000');
    await expectBroken([sums, tie, profit], guards, row, legs[0]);
    await expectBroken([sums, tie, profit], guards, row, ...legs, ...legs);
    const more = leg('order', id, 'house:liquidity', one.accountId, 'ETH', '1000001');
    await expectBroken([sums, tie, profit], guards, row, legs[0], more);
  });

  it('are found to disagree when another account paid', async () => {
    const id = newRecordId(Date.now());
    const { row, legs } = order(id, 'BUY', '100000000000', '1000000', '10000000');
    const other =
      (await sql(
        "SELECT account FROM balances WHERE asset = 'USDT' AND amount > 10000000 AND account <> ? AND account NOT LIKE 'house:%'",
        one.accountId,
      ).first<string>('account')) ?? '';
    const paid = leg('order', id, other, 'house:liquidity', 'USDT', '10000000');
    await expectBroken([sums, tie, profit], guards, row, paid, legs[1]);
  });

  it('are found to disagree when a deposit was credited twice, never, or although it failed', async () => {
    const done = await find('deposits', "type = 'ONCHAIN_DEPOSIT' AND status = 'COMPLETED'");
    const credit = leg('deposit', text(done, 'id'), 'house:custody', one.accountId, 'ETH', text(done, 'amount'));
    const found = await expectBroken([sums, tie], ['transfers_of_deposits_are_explained'], credit);
    expect(invariantOf(found, tie).examples).toMatchObject([{ reference: done['id'] }]);

    const waiting = text(await find('deposits', "status = 'PENDING'"), 'id');
    const complete = sql(`UPDATE deposits SET status = 'COMPLETED', transfer = ${NEXT} WHERE id = ?`, waiting);
    await expectBroken([sums, tie], ['deposits_take_their_next_effect'], complete);
    const fail = sql(`UPDATE deposits SET status = 'FAILED' WHERE id = ?`, text(done, 'id'));
    await expectBroken([tie], ['deposits_move_on'], fail);
  });

  it.each<[string, string, string, readonly string[]]>([
    ['failed, and the money was kept', "status = 'PENDING'", `status = 'FAILED', reason = 'x'`, [tie]],
    [
      'failed, and nothing came back under its number',
      "status = 'PENDING'",
      `status = 'FAILED', reason = 'x', returned_transfer = ${NEXT}`,
      [sums, tie],
    ],
    ['failed, and the money was paid', "status = 'COMPLETED' AND fee > 0", `status = 'FAILED', reason = 'x'`, [tie]],
    [
      'was paid, and the money is still held',
      "status = 'PENDING' AND fee > 0",
      `status = 'COMPLETED', tx_hash = 'x', paid_transfer = ${NEXT}`,
      [tie],
    ],
    ['is being paid, and was given back', "status = 'FAILED'", `status = 'PROCESSING', reason = NULL`, [tie]],
    ['cost another fee', "status = 'COMPLETED' AND fee > 0", 'fee = fee + 1, amount = amount - 1', [tie]],
    [
      'was completed inside, and nobody has the money',
      "type = 'INTERNAL_WITHDRAWAL' AND status = 'PENDING'",
      `status = 'COMPLETED', receipt_id = 'x', paid_transfer = ${NEXT}`,
      [tie],
    ],
    [
      'was paid and given back, as its row says',
      "status = 'FAILED'",
      'paid_transfer = returned_transfer',
      [tie, 'withdrawals_paid_once'],
    ],
  ])('are found to disagree when a withdrawal %s', async (_, where, change, broken) => {
    const { id = '' } = await find('withdrawals', where);
    const found = await expectBroken(
      broken as Invariant[],
      ['withdrawals_move_on', 'withdrawals_pay_or_return_money'],
      sql(`UPDATE withdrawals SET ${change} WHERE id = ?`, id),
    );
    expect(invariantOf(found, tie).examples).toContainEqual(expect.objectContaining({ withdrawal: id }));
  });

  it('are found to disagree when a settlement has another amount or names other transfers', async () => {
    const { id = '' } = await find('settlements', "type = 'QUICK_SELL'");
    for (const [change, broken] of [
      ['coin_amount = coin_amount + 1', [sums, tie, profit]],
      // Later transfers moved both balances.
      ['first_transfer = first_transfer + 1', [tie]],
    ] as const) {
      const changed = sql(`UPDATE settlements SET ${change} WHERE id = ?`, id);
      const found = await expectBroken(broken, ['settlements_are_not_changed'], changed);
      expect(invariantOf(found, tie).examples).toContainEqual(
        expect.objectContaining({ settlement: id, type: 'QUICK_SELL' }),
      );
    }
  });

  it('are found to disagree when one of the two rows of a trade is missing', async () => {
    const { id = '', counterparty = '' } = await find('settlements', "type = 'P2P_SELL'");
    const remove = sql('DELETE FROM settlements WHERE account_id = ? AND id = ?', one.accountId, id);
    const found = await expectBroken([sums, tie], ['settlements_are_not_deleted'], remove);
    expect(invariantOf(found, tie).examples).toMatchObject([
      { settlement: id, accountId: counterparty },
      { reference: id, debit: one.accountId },
    ]);
  });

  it('are found to disagree when a receipt is missing or names another withdrawal', async () => {
    const { id = '' } = await find('withdrawals', "type = 'INTERNAL_WITHDRAWAL' AND status = 'COMPLETED'");
    const remove = sql('DELETE FROM deposits WHERE withdrawal_id = ?', id);
    const gone = await expectBroken([sums, tie], ['deposits_are_not_deleted'], remove);
    expect(invariantOf(gone, tie).examples).toMatchObject([{ withdrawal: id }]);
    const renamed = sql(`UPDATE deposits SET withdrawal_id = 'nobody' WHERE withdrawal_id = ?`, id);
    const found = await expectBroken([tie], ['deposits_move_on', 'deposits_take_their_next_effect'], renamed);
    expect(invariantOf(found, tie).figures['broken']).toBe('2');
  });
});

describe('a quarantined deposit that was credited', () => {
  it('and the deposit by which it was received are found to disagree when one is gone or is another', async () => {
    const credited = await sql("SELECT id, credit_id FROM deposits WHERE decision = 'CREDITED' LIMIT 1").first<Row>();
    const { id = '', credit_id: creditId = '' } = credited ?? {};
    const guards = ['deposits_are_decided_once', 'deposits_are_credited_by_decision'];
    const forgotten = sql(
      `UPDATE deposits SET decision = NULL, credit_account = NULL, credit_id = NULL, credit_usd_value = NULL WHERE id = ?`,
      id,
    );
    const found = await expectBroken([tie], guards, forgotten);
    expect(invariantOf(found, tie).examples).toMatchObject([{ deposit: creditId, accountId: one.accountId }]);
    const renamed = sql(`UPDATE deposits SET credit_id = 'x' WHERE id = ?`, id);
    const both = await expectBroken([tie], guards, renamed);
    expect(invariantOf(both, tie).figures['broken']).toBe('2');
  });
});

describe('a withdrawal', () => {
  const paid = ['records_match_transfers', 'withdrawals_paid_once'] as const;

  it('that was paid out twice is found', async () => {
    const { id = '', amount = '' } = await find('withdrawals', "status = 'COMPLETED' AND fee > 0");
    const again = leg('withdrawal', id, 'house:payouts', 'house:custody', 'USDT', amount);
    const found = await expectBroken(paid, ['transfers_of_withdrawals_are_explained'], again);
    expect(invariantOf(found, 'withdrawals_paid_once').examples).toMatchObject([{ reference: id }]);
  });

  it('that was paid and also returned is found', async () => {
    const { id = '', amount = '' } = await find('withdrawals', "status = 'COMPLETED' AND fee > 0");
    const back = leg('withdrawal', id, 'house:payouts', one.accountId, 'USDT', amount);
    await expectBroken([sums, ...paid], ['transfers_of_withdrawals_are_explained'], back);
  });

  /** A withdrawal of this value at this time, which the trigger would refuse. */
  const beyond = (usd: number, committedAt: number, id = newRecordId(committedAt)) => {
    const value = { amount: 1, fee: 0, usd_value: usd, committed_at: committedAt, key_id: one.keyId };
    const times = { released_at: committedAt, next_ask_at: committedAt };
    return [insertRow('withdrawals', { ...withdrawalRow(one.accountId, id), ...value, ...times })];
  };
  const DAY_MS = 86_400_000;
  const guard = ['withdrawals_are_guarded'];

  it('above the daily limit is found, whatever else the account did', async () => {
    const found = await expectBroken(['withdrawals_within_limit'], guard, ...beyond(4_900_000_000, Date.now()));
    const [example] = invariantOf(found, 'withdrawals_within_limit').examples;
    expect(example).toMatchObject({ accountId: one.accountId, limit: '5000000000' });
    expect(BigInt(example?.['used'] ?? 0)).toBeGreaterThan(5_000_000_000n);
  });

  it('is counted for 24 hours to the millisecond, by the time of its commit', async () => {
    const long = Date.now() - 30 * DAY_MS;
    const half = 2_500_000_001;
    const first = beyond(half, long);
    await expectBroken([], guard, ...first, ...beyond(half, long + DAY_MS));
    await expectBroken(['withdrawals_within_limit'], guard, ...first, ...beyond(half, long + DAY_MS - 1));
    // Its id is a day older than its commit, and older than the first withdrawal that counts in the same 24 hours.
    const late = beyond(half, long + DAY_MS + 1, newRecordId(long - 1));
    await expectBroken(['withdrawals_within_limit'], guard, ...first, ...beyond(half, long + 2), ...late);
  });

  it('above the daily limit is found when its 24 hours are in several slices', async () => {
    const third = 2_000_000_000;
    const start = Date.now() - 30 * DAY_MS;
    const fill = (from: number) => [1, 2, 3, 4, 5].flatMap((hour) => beyond(0, from + hour * 3_600_000));
    const found = await expectBroken(
      ['withdrawals_within_limit'],
      guard,
      // Its id is a day older than its commit, and so is the id of the one that counts in the same 24 hours.
      ...beyond(third, start + 1, newRecordId(start - DAY_MS + 2)),
      ...fill(start - DAY_MS),
      ...beyond(third, start + DAY_MS, newRecordId(start)),
      ...fill(start),
      ...beyond(third, start + DAY_MS - 1),
    );
    expect(invariantOf(found, 'withdrawals_within_limit').examples).toMatchObject([{ used: '6000000000' }]);
  });

  it('is compared with the limit of its own time, not of today', async () => {
    const limit = (usdt: string) => asOperator('PATCH', `/accounts/${one.accountId}`, { dailyWithdrawalLimit: usdt });
    expect((await limit('1')).status).toBe(200);
    expect(statusesOf(await reconcileAnew())).toEqual(allOk);
    await limit('5000');
  });
});

describe('the receipt of a withdrawal in another ledger', () => {
  const insert = (id: string) =>
    sql(
      `INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, withdrawal_id, transfer)
       VALUES (?, ?, 'INTERNAL_DEPOSIT', 'BTC', 7, 1, 'COMPLETED', ?, ${NEXT})`,
      one.accountId,
      id,
      newRecordId(Date.now(), 1),
    );

  it('that has its transfer is right', async () => {
    await expectBroken([], [], insert(newRecordId(Date.now())));
  });

  it.each([
    ['amount', 'amount = 8', [sums, tie]],
    ['asset', "asset = 'ETH'", [sums, tie]],
    ['number', 'transfer = transfer + 1', [sums, tie]],
  ] as const)('with another %s than its transfer is found', async (_, change, broken) => {
    const id = newRecordId(Date.now());
    const changed = sql(`UPDATE deposits SET ${change} WHERE id = ?`, id);
    const found = await expectBroken(
      broken,
      ['deposits_move_on', 'deposits_take_their_next_effect'],
      insert(id),
      changed,
    );
    expect(invariantOf(found, tie).examples.length).toBeGreaterThan(0);
  });

  it('is missed by its transfer when it is gone', async () => {
    const id = newRecordId(Date.now());
    const remove = sql('DELETE FROM deposits WHERE id = ?', id);
    const found = await expectBroken([sums, tie], ['deposits_are_not_deleted'], insert(id), remove);
    expect(invariantOf(found, tie).examples).toMatchObject([{ kind: 'deposit', reference: id }]);
  });
});

describe('a fill', () => {
  const price = '333333333333';
  // 0.00300000 ETH at 3333.33333333 are 9.99999999999 USDT.
  const fill = (side: string, usdt: number) => order(newRecordId(Date.now()), side, price, '300000', String(usdt)).row;

  // An atom of ETH is 33.3 atoms of USDT here.
  it.each([
    ['a buy below the price', 'BUY', 9_999_999, 1],
    ['a buy rounded up by an atom of USDT', 'BUY', 10_000_000, 0],
    ['a buy rounded by just less than an atom of ETH', 'BUY', 10_000_033, 0],
    ['a buy an atom of ETH above the price', 'BUY', 10_000_034, 1],
    ['a sale above the price', 'SELL', 10_000_000, 1],
    ['a sale rounded down by an atom of USDT', 'SELL', 9_999_999, 0],
    ['a sale rounded by just less than an atom of ETH', 'SELL', 9_999_967, 0],
    ['a sale an atom of ETH below the price', 'SELL', 9_999_966, 1],
  ])(
    'is found, when it is new, if it is not rounded in the house’s favour by less than an atom: %s',
    async (_, side, usdt, broken) => {
      await fill(side, usdt).run();
      try {
        const found = await reconcileAnew();
        expect(found.violations.map(({ invariant }) => invariant)).toEqual(broken ? ['rounding_favours_house'] : []);
      } finally {
        await restoreMoney();
        await reopen();
      }
    },
  );

  it('is found in every pass when its price was changed', async () => {
    const { id = '' } = await find('orders', "coin = 'ETH'");
    const change = sql('UPDATE orders SET executed_price = executed_price + 100000000 WHERE id = ?', id);
    const found = await expectBroken(['rounding_favours_house'], ['orders_are_not_changed'], change);
    expect(invariantOf(found, 'rounding_favours_house').examples).toMatchObject([{ order: id }]);
  });
});

describe('an address', () => {
  const give = (accountId: string, network: string, address: string) =>
    sql('INSERT INTO addresses (account_id, network, address) VALUES (?, ?, ?)', accountId, network, address);

  it('is found when two accounts have it, on two networks or on one', async () => {
    const { address = '' } = await find('addresses', "network = 'ETH'");
    const found = await expectBroken(['addresses_have_one_owner'], [], give(bare.accountId, 'DOGE', address));
    const examples = invariantOf(found, 'addresses_have_one_owner').examples;
    expect(examples).toContainEqual({ address, networks: 'DOGE', accountId: bare.accountId, other: one.accountId });
    const networks = expect.stringContaining('ETH') as string;
    expect(examples).toContainEqual({ address, networks, accountId: one.accountId, other: bare.accountId });

    const index = await sql("SELECT sql FROM sqlite_master WHERE name = 'addresses_have_one_owner'").first<string>(
      'sql',
    );
    await env.DB.exec('DROP INDEX addresses_have_one_owner');
    await expectBroken(
      ['addresses_have_one_owner'],
      ['addresses_are_given_once'],
      give(bare.accountId, 'ETH', address),
    );
    await env.DB.exec(index ?? '');
  });
});

import { applyD1Migrations } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/ledger/database.ts';
import { newRecordId } from '../../src/ledger/record-id.ts';
import { readOrder } from '../../src/trade/order.ts';
import { env } from '../support/test-env.ts';
import { takeDueWithdrawals } from '../../src/wallet/withdrawals/withdrawal.ts';
import { NOON_MS, database, expectRefused, readLedger, sql, transfer } from '../support/raw-ledger.ts';

async function listObjects(type: 'table' | 'trigger'): Promise<Record<string, string>> {
  const { results } = await sql(
    `SELECT name, sql FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'`,
    type,
  ).all<{ name: string; sql: string }>();
  return Object.fromEntries(results.map((row) => [row.name, row.sql]));
}

/** Takes the database back to before its first migration. What refers to the accounts goes before they do. */
async function dropEverything(): Promise<void> {
  const names = Object.keys(await listObjects('table')).filter((name) => name !== 'accounts');
  for (const name of [...names, 'accounts']) await sql(`DROP TABLE ${name}`).run();
}

/** An account with a hundred atoms of each of two assets, in the columns that there were at first. */
async function openAsAtFirst(): Promise<string> {
  const id = newRecordId(NOON_MS);
  const index = '(SELECT coalesce(max(address_index) + 1, 0) FROM accounts)';
  await env.DB.batch([
    sql(`INSERT INTO accounts (id, address_index, label, created_at) VALUES (?, ${index}, 'test', 1)`, id),
    ...['USDT', 'BTC', 'LTC'].map((asset) => sql('INSERT INTO balances (account, asset) VALUES (?, ?)', id, asset)),
    ...['USDT', 'BTC'].map((asset) => transfer('house:custody', id, asset, '100')),
  ]);
  return id;
}

it('the migration that copies the journal keeps every transfer, every balance and every trigger as it was', async () => {
  await dropEverything();
  const before = env.MIGRATIONS.filter(({ name }) => name < '0005');
  await applyD1Migrations(env.DB, before);
  const [one, other] = [await openAsAtFirst(), await openAsAtFirst()];
  const order = sql(
    `INSERT INTO orders VALUES (?, '01a1fcca-895a-734c-b43c-11f474a4f8d5', 'BTC', 'BUY', 1, 1, 1, 'COMPLETED')`,
    one,
  );
  await env.DB.batch([order, transfer(one, other, 'BTC', '30'), transfer(other, 'house:liquidity', 'USDT', '7')]);
  await sql(`UPDATE balances SET floor = -9223372036854775808 WHERE account = 'house:custody' AND asset = 'LTC'`).run();
  await transfer('house:custody', one, 'LTC', '9007199254740993').run();
  const tables = ['accounts', 'orders', 'deposits'];
  const [ledger, triggers] = [await readLedger(tables), await listObjects('trigger')];

  await applyD1Migrations(
    env.DB,
    env.MIGRATIONS.filter(({ name }) => name < '0006'),
  );
  expect(await readLedger(tables)).toEqual(ledger);
  const kept = await listObjects('trigger');
  expect(kept).toMatchObject(triggers);
  expect(Object.keys(triggers)).toContain('balances_are_explained');

  await transfer(other, one, 'BTC', '1').run();
  await expectRefused('ledger: a transfer is never changed', sql('UPDATE transfers SET amount = 1 WHERE id = 1'));
  await expectRefused(
    'ledger: no such kind of transfer',
    sql(`INSERT INTO transfers SELECT max(id) + 1, ?, ?, 'BTC', 1, 'gift', 'x', 1 FROM transfers`, one, other),
  );
});

it('the migration that numbers prices keeps every order and balance, and the order of before is read as one', async () => {
  await dropEverything();
  await applyD1Migrations(
    env.DB,
    env.MIGRATIONS.filter(({ name }) => name < '0007'),
  );
  const account = await openAsAtFirst();
  const id = '01a1fcca-895a-734c-b43c-11f474a4f8d5';
  await env.DB.batch([
    sql(`INSERT INTO orders VALUES (?, ?, 'BTC', 'BUY', 1, 1, 1, 'COMPLETED')`, account, id),
    transfer(account, 'house:liquidity', 'USDT', '1'),
  ]);
  const before = (await readLedger(['deposits'])) as unknown[];

  await applyD1Migrations(env.DB, env.MIGRATIONS);
  expect(await readLedger(['deposits'])).toEqual(before);
  expect(await readOrder(openDatabase(env.DB), account, id)).toMatchObject({ id, coinAmount: 1n, keyId: 'unknown' });
  await expectRefused('guard: an order is never changed', sql(`UPDATE orders SET key_id = 'x' WHERE id = ?`, id));
});

it('the migration that lets payouts out keeps the withdrawals that are there, and has the open ones asked about', async () => {
  await dropEverything();
  await applyD1Migrations(
    env.DB,
    env.MIGRATIONS.filter(({ name }) => name < '0009'),
  );
  const account = await openAsAtFirst();
  const states = ['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'] as const;
  await env.DB.batch(
    states.map((status, at) =>
      sql(
        `INSERT INTO withdrawals (account_id, id, type, asset, network, address, amount, fee, usd_value, status,
           committed_at, allowlist_required, tx_hash, reason, daily_limit)
         VALUES (?, ?, 'ONCHAIN_WITHDRAWAL', 'USDT', 'TRC20', 'x', 1, 0, 1, ?, ?, 0, 'x',
           iif(?3 = 'FAILED', 'rejected', NULL), 5000000000)`,
        account,
        newRecordId(NOON_MS + at),
        status,
        NOON_MS + at,
      ),
    ),
  );
  const kept = 'SELECT id, status, committed_at, tx_hash, reason FROM withdrawals ORDER BY id';
  const { results: before } = await sql(kept).all();

  await applyD1Migrations(env.DB, env.MIGRATIONS);
  expect((await sql(kept).all()).results).toEqual(before);
  const added = 'SELECT key_id, released_at, asks, next_ask_at FROM withdrawals ORDER BY id';
  const fresh = { key_id: null, released_at: null, asks: 0, next_ask_at: null };
  expect((await sql(added).all()).results).toEqual([fresh, { ...fresh, next_ask_at: NOON_MS + 1 }, fresh, fresh]);

  const due = await takeDueWithdrawals(database, NOON_MS + 60_000, 60);
  expect(due.map(({ status, keyId }) => [status, keyId])).toEqual([['PROCESSING', null]]);
  await sql(
    `UPDATE withdrawals SET status = 'PROCESSING', released_at = 1, next_ask_at = 1 WHERE status = 'PENDING'`,
  ).run();
});

import { beforeAll, describe, expect, it } from 'vitest';
import { FIRST_LEDGER, newRecordId } from '../../src/db/record-id.ts';
import { readSettings } from '../../src/db/settings.ts';
import { openInLedger } from '../support/db/open-in-ledger.ts';
import {
  INSERTS,
  NOON_MS,
  audit,
  credit,
  database,
  expectRefused,
  openFunded,
  order,
} from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';
import { listRows, sql } from '../support/db/sql.ts';

let victim: string;
beforeAll(async () => {
  victim = await openFunded();
});

function deposit(accountId: string, id: string, reference: string, insert = 'INSERT'): D1PreparedStatement {
  return credit(accountId, 'BTC', '5', id, reference, insert);
}

describe('an account', () => {
  it.each([
    [
      'with the id of another',
      `INSERT OR REPLACE INTO accounts (id, address_index, label, created_at) VALUES (?1, 4242, 'x', 1)`,
    ],
    [
      'with the index of another',
      `INSERT OR REPLACE INTO accounts (id, address_index, label, created_at)
      SELECT '019ac5a4-7c00-7000-8000-000000000001', address_index, 'x', 1 FROM accounts WHERE id = ?1`,
    ],
  ])('never replaces another: refuses one %s', async (_, query) => {
    await expectRefused('guard: account exists', sql(query, victim));
  });

  it.each([
    ['deleted', 'DELETE FROM accounts WHERE id = ?1', 'guard: accounts are never deleted'],
    ['renamed', `UPDATE OR REPLACE accounts SET id = 'new' WHERE id = ?1`, 'guard: an account keeps what it is'],
    [
      'given other addresses',
      'UPDATE accounts SET address_index = 4242 WHERE id = ?1',
      'guard: an account keeps what it is',
    ],
  ])('is never %s', async (_, query, message) => {
    await expectRefused(message, sql(query, victim));
  });

  it('is opened with a balance of every asset at zero, under an index that no other has', async () => {
    const [one, other] = [await openInLedger(FIRST_LEDGER, NOON_MS), await openInLedger(FIRST_LEDGER, NOON_MS)];
    const results = await listRows(
      'SELECT account, count(*) AS assets, max(abs(amount)) AS most FROM balances WHERE account IN (?, ?) GROUP BY account',
      one,
      other,
    );
    expect(results).toEqual([one, other].toSorted().map((account) => ({ account, assets: 9, most: 0 })));
    const indexes = await sql('SELECT address_index FROM accounts WHERE id IN (?, ?)', one, other).all();
    expect(new Set(indexes.results.map((row) => row['address_index'])).size).toBe(2);
  });
});

describe('a record', () => {
  it('of an order is written once, and never changed or deleted', async () => {
    const id = newRecordId(NOON_MS);
    await order(victim, { id }).run();
    await expectRefused('guard: order exists', order(victim, { id }));
    await expectRefused(
      'guard: order exists',
      sql('INSERT OR REPLACE INTO orders SELECT * FROM orders WHERE id = ?', id),
    );
    await expectRefused('guard: an order is never changed', sql('UPDATE orders SET usdt_amount = 2 WHERE id = ?', id));
    await expectRefused('guard: an order is never deleted', sql('DELETE FROM orders WHERE id = ?', id));
  });

  it('of an order has a listed coin, and a price that agrees with its amounts', async () => {
    const message = 'guard: no such coin, or not at this price';
    for (const coin of ['NOPE', 'USDT', 'btc', '']) {
      await expectRefused(message, order(victim, { coin }));
      await expectRefused(message, order(victim, { coin, status: 'FAILED' }));
    }
    // At 50,000 USDT for one BTC, 100 atoms of BTC are 50,000 atoms of USDT.
    const fair = { price: '5000000000000', coinAmount: '100', usdtAmount: '50000' };
    for (const change of [
      { price: '5500000000000' },
      { price: '1' },
      { coinAmount: '102' },
      { coinAmount: '98' },
      { usdtAmount: '50502' },
      { usdtAmount: '49498' },
      { usdtAmount: '1' },
    ]) {
      await expectRefused(message, order(victim, { ...fair, ...change }));
    }
    await expectRefused(`ledger: floor ${victim} USDT`, order(victim, fair));
  });

  it('of an order has a price that is as of its admission or later', async () => {
    for (const status of ['COMPLETED', 'FAILED']) {
      const early = order(victim, { status, priceAsOf: NOON_MS - 1 });
      await expectRefused('guard: a price from before the order', early);
    }
    await order(victim, { priceAsOf: NOON_MS + 1 }).run();
  });

  it('of a deposit is written once, by its id and by its reference', async () => {
    const id = newRecordId(NOON_MS);
    await deposit(victim, id, 'first').run();
    for (const insert of INSERTS) {
      await expectRefused('guard: deposit exists', deposit(victim, id, 'second', insert));
      await expectRefused('guard: deposit exists', deposit(victim, newRecordId(NOON_MS), 'first', insert));
    }
    await expectRefused('guard: a deposit is never deleted', sql('DELETE FROM deposits WHERE id = ?', id));
  });

  it('of a deposit is written by a report only if that says something new', async () => {
    const id = newRecordId(NOON_MS);
    await sql(
      `INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, network, tx_hash, output_index,
         address, exact_amount, confirmations)
       VALUES (?1, ?2, 'ONCHAIN_DEPOSIT', 'BTC', 5, 1, 'PENDING', 'BTC', ?2, 0, 'x', '0.00000005', 1)`,
      victim,
      id,
    ).run();
    const again = sql(`UPDATE deposits SET status = 'PENDING', confirmations = 2 WHERE id = ?`, id);
    await expectRefused('guard: deposit_unchanged', again);
  });

  it('of a deposit keeps the credited amount, and replaces no other', async () => {
    const account = await openFunded();
    const [id, other] = [newRecordId(NOON_MS), newRecordId(NOON_MS)];
    await deposit(account, id, 'first').run();
    await deposit(account, other, 'second').run();
    await expectRefused('guard: ', sql('UPDATE deposits SET amount = 6 WHERE id = ?', id));
    await expectRefused('guard: ', sql('UPDATE OR REPLACE deposits SET id = ? WHERE id = ?', other, id));
  });

  it('of a revoked key never becomes valid again, not even by deleting and inserting it', async () => {
    const insert = `INSERT INTO api_keys (id, account_id, label, scopes, token_hash, created_at) VALUES (?, ?, 'x', 'r', 'h', 1)`;
    const id = newRecordId(NOON_MS);
    await sql(insert, id, victim).run();
    await sql('UPDATE api_keys SET revoked_at = 5 WHERE id = ?', id).run();
    for (const change of ['UPDATE', 'UPDATE OR REPLACE']) {
      await expectRefused(
        'guard: a revoked key stays revoked',
        sql(`${change} api_keys SET revoked_at = NULL WHERE id = ?`, id),
      );
    }
    for (const [column, value] of [
      ['account_id', await openFunded()],
      ['token_hash', 'another'],
      ['scopes', 'rtw'],
      ['id', newRecordId(NOON_MS)],
    ] as const) {
      const change = sql(`UPDATE OR REPLACE api_keys SET ${column} = ? WHERE id = ?`, value, id);
      await expectRefused('guard: a key keeps its account, scopes and hash', change);
    }
    await sql(`UPDATE api_keys SET label = 'other', expires_at = 9 WHERE id = ?`, id).run();
    await expectRefused('guard: api key exists', sql(insert.replace('INSERT', 'INSERT OR REPLACE'), id, victim));
    await expectRefused('guard: ', sql('DELETE FROM api_keys WHERE id = ?', id), sql(insert, id, victim));
  });

  it('are numbered with their account, and no number falls', async () => {
    const owner = await openFunded();
    await sql('UPDATE accounts SET record_number = 5 WHERE id = ?', owner).run();
    await expectRefused('guard: the number of', sql('UPDATE accounts SET record_number = 4 WHERE id = ?', owner));
  });

  it('belongs to an account that exists', async () => {
    await expectRefused('guard: key_revoked', order('nobody'));
    await expectRefused('guard: no such account', deposit('nobody', 'x', 'y'));
  });
});

it.each([
  [
    'the audit, without a gap',
    'guard: an audit row takes the next number',
    `INSERT INTO audit (id, ts, role, action, target, detail) SELECT max(id) + 2, 1, 'admin', 'a', 't', '{}' FROM audit`,
  ],
  ['the audit, as it was written', 'guard: an audit row is never changed', 'UPDATE audit SET ts = ts + 1'],
  [
    'the audit, of which no row is replaced',
    'guard: an audit row takes the next number',
    "INSERT OR REPLACE INTO audit VALUES (1, 1, 'x', 'x', 'x', '{}', NULL, NULL, NULL)",
  ],
  ['all of the audit', 'guard: an audit row is never deleted', 'DELETE FROM audit'],
  ['an API key', 'guard: an api key is revoked, never deleted', 'DELETE FROM api_keys WHERE account_id = ?1'],
  [
    'a second factor, with the codes that were used',
    'guard: totp exists',
    'INSERT OR REPLACE INTO totp (account_id) VALUES (?1)',
  ],
  [
    'a second factor, of its account',
    'guard: a second factor keeps its account',
    `UPDATE OR REPLACE totp SET account_id = 'other' WHERE account_id = ?1`,
  ],
  [
    'a second factor that is off',
    'guard: a second factor is switched off, never deleted',
    'DELETE FROM totp WHERE account_id = ?1',
  ],
  [
    'an approved address, with its time',
    'guard: allowlist entry exists',
    `INSERT OR REPLACE INTO allowlist SELECT account_id, id || 'x', network, address, label, 0 FROM allowlist
     WHERE account_id = ?1`,
  ],
  [
    'an approved address, as it was approved',
    'guard: an allowlist entry is never changed',
    'UPDATE allowlist SET usable_at = 0 WHERE account_id = ?1',
  ],
])('what is kept by the database itself: %s', async (_, message, query) => {
  const account = await openFunded();
  await env.DB.batch([
    audit('a', 't'),
    sql('INSERT INTO totp (account_id, used_step) VALUES (?, 7)', account),
    sql(`INSERT INTO allowlist VALUES (?, ?, 'BTC', 'x', 'l', 9)`, account, newRecordId(NOON_MS)),
  ]);
  await expectRefused(message, sql(query, ...(query.includes('?1') ? [account] : [])));
});

describe('a halt', () => {
  it.each([
    ['trading', 'trading_halted = 1', 'trading_halted = 0'],
    ['the coin', `halted_coins = '["ETH","BTC"]'`, `halted_coins = '["ETH"]'`],
  ])('of %s is enforced by the database itself', async (_, halt, lift) => {
    const account = await openFunded();
    await sql(`UPDATE settings SET ${halt}`).run();
    await expectRefused('guard: trading_halted', order(account));
    await sql(`UPDATE settings SET ${lift}`).run();
    await expect(order(account).run()).resolves.toMatchObject({ success: true });
  });

  it('of one account is enforced by the database itself', async () => {
    const account = await openFunded();
    await sql(`UPDATE accounts SET status = 'frozen' WHERE id = ?`, account).run();
    await expectRefused('guard: account_frozen', order(account));
  });

  it('cannot be lost with the one row of the settings', async () => {
    await expectRefused('guard: the settings are never deleted', sql('DELETE FROM settings'));
    await expectRefused('CHECK constraint failed: id = 1', sql('UPDATE settings SET id = 2'));
    await expectRefused('guard: settings exist', sql('INSERT INTO settings (id) VALUES (2)'));
    await expectRefused('guard: settings exist', sql('INSERT OR REPLACE INTO settings (id) VALUES (1)'));
    await expectRefused(
      'guard: a setting is never nothing',
      sql('UPDATE OR REPLACE settings SET trading_halted = NULL'),
    );
  });

  it('is in force when the row of the settings is missing', async () => {
    const guard = await sql(`SELECT sql FROM sqlite_schema WHERE name = 'settings_are_kept'`).first<{ sql: string }>();
    const account = await openFunded();
    await sql('DROP TRIGGER settings_are_kept').run();
    await sql('DELETE FROM settings').run();
    await expectRefused('guard: trading_halted', order(account));
    await expect(readSettings(database)).rejects.toThrow('the settings row is missing');
    await sql(`INSERT INTO settings (id, shares) VALUES (1, '{}')`).run();
    await sql(guard?.sql ?? 'the trigger was not there').run();
    await expectRefused('guard: the settings are never deleted', sql('DELETE FROM settings'));
  });
});

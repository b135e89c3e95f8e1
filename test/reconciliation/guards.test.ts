import { beforeAll, describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/db/record-id.ts';
import { NEXT, NOON_MS, expectRefused, keyOf, openFunded, order, sql } from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';

let account: string;
beforeAll(async () => {
  account = await openFunded();
});

const settings = () => sql('SELECT trading_halted, withdrawals_halted FROM settings').first();

describe('a violation', () => {
  const id = newRecordId(NOON_MS);
  const lift = 'SET trading_halted = 0, withdrawals_halted = 0';
  beforeAll(async () => {
    await env.DB.batch([
      sql(
        `INSERT INTO reconciliation_violations (id, invariant, pass, found_at, examples) VALUES (?, 'x', 1, 1, '[]')`,
        id,
      ),
      sql('UPDATE settings SET trading_halted = 1, withdrawals_halted = 1'),
    ]);
  });

  it.each([
    ['the one', 'UPDATE settings SET trading_halted = 0'],
    ['the other', 'UPDATE settings SET withdrawals_halted = 0'],
    ['both', `UPDATE settings ${lift}`],
    ['both by default', 'UPDATE OR REPLACE settings SET trading_halted = NULL, withdrawals_halted = NULL'],
  ])('keeps both halts: refuses to lift %s', async (_, query) => {
    const before = await settings();
    await expect(sql(query).run()).rejects.toThrow('guard: ');
    expect(await settings()).toEqual(before);
    await expectRefused('guard: trading_halted', order(account));
  });

  it.each([
    ['changed', "UPDATE reconciliation_violations SET examples = '[1]'", 'guard: a violation keeps what it is'],
    ['renamed', "UPDATE reconciliation_violations SET id = 'x'", 'guard: a violation keeps what it is'],
    ['deleted', 'DELETE FROM reconciliation_violations', 'guard: a violation is never deleted'],
    ['cleared without a reason', 'UPDATE reconciliation_violations SET cleared_at = 1', 'CHECK constraint failed'],
    [
      'replaced',
      `INSERT OR REPLACE INTO reconciliation_violations (id, invariant, pass, found_at, examples)
       SELECT id, 'y', 1, 1, '[]' FROM reconciliation_violations`,
      'guard: violation exists',
    ],
    [
      'recorded as cleared',
      `INSERT INTO reconciliation_violations VALUES ('y', 'y', 1, 1, '[]', 1, 'x')`,
      'guard: violation exists',
    ],
  ])('is never %s', async (_, query, message) => {
    await expectRefused(message, sql(query));
  });

  it('is cleared once, and then lets the halts be lifted', async () => {
    const clear = sql("UPDATE reconciliation_violations SET cleared_at = 1, reason = 'x'");
    await clear.run();
    await expectRefused('guard: violation_cleared', clear);
    await expectRefused(
      'guard: violation_cleared',
      sql('UPDATE reconciliation_violations SET cleared_at = NULL, reason = NULL'),
    );
    await sql(`UPDATE settings ${lift}`).run();
    expect(await settings()).toEqual({ trading_halted: 0, withdrawals_halted: 0 });
    await order(account).run();
  });
});

describe('a withdrawal', () => {
  const withdrawal = (limit: string) =>
    sql(
      `INSERT INTO withdrawals (account_id, id, type, asset, network, address, amount, fee, usd_value, status,
         committed_at, allowlist_required, daily_limit, key_id, released_at, next_ask_at, taken_transfer)
       VALUES (?1, ?2, 'ONCHAIN_WITHDRAWAL', 'USDT', 'TRC20', 'x', 1, 0, 1, 'PROCESSING', ?3, 0, ${limit}, ?4, ?3, ?3, ${NEXT})`,
      account,
      newRecordId(NOON_MS),
      NOON_MS,
      keyOf(account),
    );

  it.each(['4999999999', '5000000001'])('has the daily limit of its account: refuses %s', async (limit) => {
    await expectRefused('guard: a withdrawal names the daily limit of its account', withdrawal(limit));
  });

  it('keeps it when the account’s limit changes', async () => {
    await withdrawal('5000000000').run();
    await sql('UPDATE accounts SET daily_withdrawal_limit = 7 WHERE id = ?', account).run();
    const change = `UPDATE withdrawals SET status = 'FAILED', reason = 'x', returned_transfer = ${NEXT}`;
    await expectRefused('guard: a withdrawal keeps what it is', sql(`${change}, daily_limit = 7`));
    await expectRefused('guard: a withdrawal keeps what it is', sql(`${change}, daily_limit = NULL`));
    await sql(change).run();
    expect(await sql('SELECT daily_limit FROM withdrawals').first('daily_limit')).toBe(5_000_000_000);
  });
});

import { beforeAll, describe, it } from 'vitest';
import { expectRefused, openFunded, sql, transfer } from '../support/raw-ledger.ts';

let victim: string;
beforeAll(async () => {
  victim = await openFunded();
});

describe('a balance', () => {
  const unexplained = 'ledger: no transfer explains the balance';

  it.each([
    ['is raised', 'UPDATE balances SET amount = amount + 1 WHERE account = ?1'],
    ['is emptied', 'UPDATE balances SET amount = 0 WHERE account = ?1'],
    ['is emptied by what stands for its default', 'UPDATE OR REPLACE balances SET amount = NULL WHERE account = ?1'],
    ['is raised where errors are ignored', 'UPDATE OR IGNORE balances SET amount = amount + 1 WHERE account = ?1'],
    [
      'names a transfer to come',
      'UPDATE balances SET amount = amount + 1, last_transfer = last_transfer + 1000 WHERE account = ?1',
    ],
    [
      'names the transfer again that it has seen',
      `UPDATE balances SET amount = amount + 100, last_transfer =
      (SELECT id FROM transfers WHERE credit = ?1 AND asset = 'BTC') WHERE account = ?1 AND asset = 'BTC'`,
    ],
    ['forgets the transfer that it has seen', 'UPDATE balances SET last_transfer = 0 WHERE account = ?1'],
    [
      'forgets it by what stands for its default',
      'UPDATE OR REPLACE balances SET last_transfer = NULL WHERE account = ?1',
    ],
    ['claims to have seen a later one', 'UPDATE balances SET last_transfer = last_transfer + 1 WHERE account = ?1'],
  ])('is never changed without a transfer that explains it: refuses one that %s', async (_, query) => {
    await expectRefused(unexplained, sql(query, victim));
  });

  it('is not moved a second time by a transfer of which it was made to forget the number', async () => {
    const account = await openFunded();
    const forget = sql('UPDATE OR REPLACE balances SET last_transfer = NULL WHERE account = ?', account);
    const repeat = sql(
      `UPDATE balances SET amount = amount + 100, last_transfer =
        (SELECT id FROM transfers WHERE credit = ?1 AND asset = 'BTC') WHERE account = ?1 AND asset = 'BTC'`,
      account,
    );
    await expectRefused(unexplained, forget, repeat);
  });

  it.each([
    [
      'an owner',
      `UPDATE balances SET account = 'thief' WHERE account = ?1`,
      'ledger: a balance keeps its owner and asset',
    ],
    [
      'an asset',
      `UPDATE balances SET asset = 'ETH2' WHERE account = ?1 AND asset = 'BTC'`,
      'ledger: a balance keeps its owner and asset',
    ],
    [
      'a lower floor',
      'UPDATE balances SET floor = -1 WHERE account = ?1',
      'ledger: only inventory and custody may be negative',
    ],
    [
      'a higher floor',
      'UPDATE balances SET floor = 1 WHERE account = ?1',
      'ledger: only inventory and custody may be negative',
    ],
  ])('never gets %s that is not its own', async (_, query, message) => {
    await expectRefused(message, sql(query, victim));
  });

  it.each(['house:payouts', 'house:fees'])('of %s never goes below zero', async (account) => {
    const message = 'ledger: only inventory and custody may be negative';
    await expectRefused(message, sql(`UPDATE balances SET floor = -1 WHERE account = ?`, account));
    await expectRefused(`ledger: floor ${account} USDT`, transfer(account, victim, 'USDT', '1'));
  });

  it.each([
    ['is replaced', `INSERT OR REPLACE INTO balances (account, asset, amount) VALUES (?1, 'BTC', 0)`],
    ['is inserted again', `INSERT OR IGNORE INTO balances (account, asset) VALUES (?1, 'BTC')`],
    ['is upserted', `INSERT INTO balances (account, asset) VALUES (?1, 'BTC') ON CONFLICT DO UPDATE SET amount = 1`],
    ['begins above zero', `INSERT INTO balances (account, asset, amount) VALUES (?1, 'NEW', 1)`],
    [
      'begins as if it had seen transfers',
      `INSERT INTO balances (account, asset, last_transfer) VALUES (?1, 'NEW', -5)`,
    ],
  ])('begins once, at zero: refuses one that %s', async (_, query) => {
    await expectRefused('ledger: a balance begins once, at zero', sql(query, victim));
  });

  it('begins without a debt allowed', async () => {
    const query = `INSERT INTO balances (account, asset, floor) VALUES (?, 'NEW', -1)`;
    await expectRefused('ledger: only inventory and custody may be negative', sql(query, victim));
  });

  it('is never deleted', async () => {
    await expectRefused('ledger: a balance is never deleted', sql('DELETE FROM balances WHERE account = ?', victim));
  });
});

describe('a transfer', () => {
  it.each([
    ['changed', `UPDATE transfers SET amount = amount + 1`, 'ledger: a transfer is never changed'],
    [
      'changed by replacing',
      `UPDATE OR REPLACE transfers SET id = 1 WHERE id = 2`,
      'ledger: a transfer is never changed',
    ],
    ['deleted', `DELETE FROM transfers`, 'ledger: a transfer is never deleted'],
    [
      'replaced',
      `INSERT OR REPLACE INTO transfers SELECT id, debit, credit, asset, 1, kind, reference, ts FROM transfers WHERE id = 1`,
      'ledger: a transfer takes the next number',
    ],
    [
      'replaced by an upsert',
      `INSERT INTO transfers SELECT * FROM transfers WHERE id = 1 ON CONFLICT DO UPDATE SET amount = 1`,
      'ledger: a transfer takes the next number',
    ],
  ])('is never %s', async (_, query, message) => {
    await expectRefused(message, sql(query));
  });

  it.each(['0', '-1', '1', 'NULL', '(SELECT max(id) FROM transfers)', '(SELECT max(id) + 2 FROM transfers)'])(
    'takes the next number and no other: refuses %s',
    async (number) => {
      const query = `INSERT INTO transfers VALUES (${number}, 'house:custody', ?, 'BTC', 1, 'order', 'test', 1)`;
      await expectRefused('ledger: a transfer takes the next number', sql(query, victim));
    },
  );

  it.each([
    ['nothing', '0', 'CHECK constraint failed: amount > 0'],
    ['less than nothing', '-5', 'CHECK constraint failed: amount > 0'],
    ['a fraction of an atom', '0.5', 'cannot store REAL value in INTEGER column'],
    ['one more than 64 bits hold', '9223372036854775808', 'cannot store REAL value in INTEGER column'],
    ['what only begins like a number', '12abc', 'cannot store TEXT value in INTEGER column'],
    ['nothing at all', '', 'cannot store TEXT value in INTEGER column'],
  ])('moves whole atoms: refuses %s', async (_, amount, message) => {
    await expectRefused(message, transfer('house:custody', victim, 'BTC', amount));
  });

  it('never goes from an account to itself', async () => {
    await expectRefused('CHECK constraint failed: debit <> credit', transfer(victim, victim, 'BTC', '1'));
  });

  it.each([
    ['from nobody', 'nobody', 'house:custody', 'BTC', 'ledger: no such balance nobody BTC'],
    ['to nobody', 'house:custody', 'nobody', 'BTC', 'ledger: no such balance nobody BTC'],
    [
      'of an asset that there is not',
      'house:custody',
      'house:fees',
      'XYZ',
      'ledger: no such balance house:custody XYZ',
    ],
  ])('never goes %s', async (_, debit, credit, asset, message) => {
    await expectRefused(message, transfer(debit, credit, asset, '1'));
  });
});

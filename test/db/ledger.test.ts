import { beforeAll, describe, expect, it } from 'vitest';
import { audit, expectEachRefused, expectRefused, openFunded, setFloor, transfer } from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';
import { sql } from '../support/db/sql.ts';

let victim: string;
beforeAll(async () => {
  victim = await openFunded();
});

describe('a balance', () => {
  const unexplained = 'ledger: no transfer explains the balance';
  const seen = `(SELECT id FROM transfers WHERE credit = ?1 AND asset = 'BTC')`;
  const change = (set: string, account = victim, update = 'UPDATE') =>
    sql(`${update} balances SET ${set} WHERE account = ?1 AND asset = 'BTC'`, account);

  it.each([
    ['is raised', 'amount = amount + 1'],
    ['is emptied', 'amount = 0'],
    ['is emptied by what stands for its default', 'amount = NULL', 'UPDATE OR REPLACE'],
    ['is raised where errors are ignored', 'amount = amount + 1', 'UPDATE OR IGNORE'],
    ['names a future transfer', 'amount = amount + 1, last_transfer = last_transfer + 1000'],
    ['names the transfer again that it has seen', `amount = amount + 100, last_transfer = ${seen}`],
    ['forgets the transfer that it has seen', 'last_transfer = 0'],
    ['sets it to NULL, which OR REPLACE makes the default', 'last_transfer = NULL', 'UPDATE OR REPLACE'],
    ['claims to have seen a later one', 'last_transfer = last_transfer + 1'],
  ] as const)(
    'never changes without a transfer that explains it: refuses an UPDATE that %s',
    (_, set, update?: string) => expectRefused(unexplained, change(set, victim, update)),
  );

  it('accepts no transfer twice, even after its number of the newest transfer was set back', async () => {
    const account = await openFunded();
    const forget = change('last_transfer = NULL', account, 'UPDATE OR REPLACE');
    await expectRefused(unexplained, forget, change(`amount = amount + 100, last_transfer = ${seen}`, account));
  });

  it.each([
    ['owner', `account = 'thief'`],
    ['asset', `asset = 'ETH2'`],
  ])('keeps its %s', (_, set) => expectRefused('ledger: a balance keeps its owner and asset', change(set)));

  it('of a client, of house:payouts and of house:fees never gets a floor below zero, even with an audit row', async () => {
    for (const account of [victim, 'house:payouts', 'house:fees']) {
      for (const floor of ['-1', '1']) {
        await expectRefused('ledger: only inventory and custody may be negative', ...setFloor(account, 'USDT', floor));
      }
    }
  });

  it('has the share of its ledger for a floor, which changes with an audit row and the next revision', async () => {
    const [named, plan, set] = setFloor('house:custody', 'BNB', '-5');
    await expectRefused('guard: a floor is the share of its ledger', set);
    await expectRefused('guard: a floor is the share of its ledger', named, set);
    const [, ofAnother] = setFloor('house:custody', 'LTC', '-5');
    const [, another] = setFloor('house:custody', 'BNB', '-6');
    for (const other of [ofAnother, another]) {
      await expectRefused('guard: a floor is the share of its ledger', named, other, set);
    }
    await expectRefused('guard: no audit row names the shares', plan);
    await expectRefused(
      'guard: no audit row names the shares',
      setFloor('house:custody', 'BNB', '-5', 'else')[0],
      plan,
    );
    const same = sql(`UPDATE settings SET shares = json_set(shares, '$."house:custody".BNB', json_array('5'))`);
    await expectRefused('guard: settings_overtaken', named, same);
    await env.DB.batch([named, plan, set]);
    expect(
      await sql(`SELECT floor FROM balances WHERE account = 'house:custody' AND asset = 'BNB'`).first('floor'),
    ).toBe(-5);
  });

  it('has a lower floor only by the batch of the change, or by one that says which revision all ledgers have', async () => {
    const raise = (action: string) => setFloor('house:custody', 'BNB', '-9', action);
    await expectRefused('guard: no audit row names the raised share', ...raise('change_shares'));
    await env.DB.batch(raise('change_shares').slice(0, 2));
    const [, , set] = raise('change_shares');
    const revision = await sql('SELECT revision FROM settings').first<number>('revision');
    const say = (number: number) => audit('raise_shares', 'settings', { revision: number }, { role: 'reconciliation' });
    await expectRefused('guard: no audit row names the raised share', set);
    await expectRefused('guard: no audit row names the raised share', say((revision ?? 0) - 1), set);
    await env.DB.batch([say(revision ?? 0), set]);
  });

  const begins = 'ledger: a balance begins once, at zero';
  it.each([
    ['starts twice: is replaced', `INSERT OR REPLACE INTO balances (account, asset, amount) VALUES (?1, 'BTC', 0)`],
    ['starts twice: is inserted again', `INSERT OR IGNORE INTO balances (account, asset) VALUES (?1, 'BTC')`],
    [
      'starts twice: is upserted',
      `INSERT INTO balances (account, asset) VALUES (?1, 'BTC') ON CONFLICT DO UPDATE SET amount = 1`,
    ],
    ['starts above zero', `INSERT INTO balances (account, asset, amount) VALUES (?1, 'NEW', 1)`],
    [
      'starts as if it had seen transfers',
      `INSERT INTO balances (account, asset, last_transfer) VALUES (?1, 'NEW', -5)`,
    ],
    [
      'starts with a floor below zero',
      `INSERT INTO balances (account, asset, floor) VALUES (?, 'NEW', -1)`,
      'ledger: a balance begins with the floor of its owner',
    ],
    ['is deleted', 'DELETE FROM balances WHERE account = ?', 'ledger: a balance is never deleted'],
  ] as const)('never %s', (_, query, message: string = begins) => expectRefused(message, sql(query, victim)));
});

describe('a transfer', () => {
  const again = 'ledger: a transfer takes the next number';
  it.each([
    ['changed', 'UPDATE transfers SET amount = amount + 1', 'ledger: a transfer is never changed'],
    [
      'changed by replacing',
      'UPDATE OR REPLACE transfers SET id = 1 WHERE id = 2',
      'ledger: a transfer is never changed',
    ],
    ['deleted', 'DELETE FROM transfers', 'ledger: a transfer is never deleted'],
    ['replaced', 'INSERT OR REPLACE INTO transfers SELECT * FROM transfers WHERE id = 1', again],
    [
      'replaced by another',
      `INSERT OR REPLACE INTO transfers SELECT id, debit, credit, asset, 1, kind, reference, ts FROM transfers WHERE id = 1`,
      'ledger: no deposit explains the transfer',
    ],
    [
      'replaced by an upsert',
      'INSERT INTO transfers SELECT * FROM transfers WHERE id = 1 ON CONFLICT DO UPDATE SET amount = 1',
      again,
    ],
  ])('is never %s', (_, query, message) => expectRefused(message, sql(query)));

  it.each(['0', '-1', '2', 'NULL', '(SELECT max(id) + 1 FROM transfers)', '(SELECT max(id) + 2 FROM transfers)'])(
    'has exactly the number that its record names: refuses %s',
    async (number) => {
      const query = `INSERT INTO transfers SELECT ${number}, debit, credit, asset, amount, kind, reference, ts
        FROM transfers WHERE id = 1`;
      await expectRefused('ledger: no deposit explains the transfer', sql(query));
    },
  );

  it.each(['order', 'deposit', 'withdrawal', 'settlement', 'gift', ''])(
    'of any kind belongs to a record: refuses %s',
    async (kind) => {
      const message = ['gift', ''].includes(kind)
        ? 'ledger: no such kind of transfer'
        : `ledger: no ${kind} explains the transfer`;
      const incoming = ['custody', 'liquidity', 'payouts'].map((house) => [`house:${house}`, victim] as const);
      const outgoing = ['liquidity', 'payouts'].map((house) => [victim, `house:${house}`] as const);
      const moves = [...incoming, ...outgoing, ['house:liquidity', 'house:fees'] as const];
      await expectEachRefused(message, ...moves.map(([from, to]) => transfer(from, to, 'BTC', '1', kind)));
    },
  );
});

describe('an asset', () => {
  it.each([
    ['changed', `UPDATE assets SET unit = 1`, 'guard: an asset is never changed'],
    ['deleted, since it has balances', `DELETE FROM assets`, 'FOREIGN KEY constraint failed'],
    ['replaced', `INSERT OR REPLACE INTO assets VALUES ('BTC', 1)`, 'guard: asset exists'],
  ])('is never %s', (_, query, message) => expectRefused(message, sql(query)));

  it('is held only when it is in the list of assets, and only by an account or the house', async () => {
    const insert = 'INSERT INTO balances (account, asset) VALUES (?, ?)';
    await expectRefused('FOREIGN KEY constraint failed', sql(insert, victim, 'NOPE'));
    await expectRefused('ledger: a balance belongs to an account or to the house', sql(insert, 'nobody', 'BTC'));
    await expectRefused('ledger: a balance belongs to an account or to the house', sql(insert, 'house:thief', 'BTC'));
  });
});

import { applyD1Migrations } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { env } from '../support/test-env.ts';
import { expectRefused, openFunded, order, readLedger, sql, transfer } from '../support/raw-ledger.ts';

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

it('the migration that copies the journal keeps every transfer, every balance and every trigger as it was', async () => {
  await dropEverything();
  // 0010 adds the column without which today's code opens no account.
  const before = env.MIGRATIONS.filter(({ name }) => name < '0005' || name.startsWith('0010'));
  await applyD1Migrations(env.DB, before);
  const [one, other] = [await openFunded(), await openFunded()];
  await env.DB.batch([order(one), transfer(one, other, 'BTC', '30'), transfer(other, 'house:liquidity', 'USDT', '7')]);
  await sql(`UPDATE balances SET floor = -9223372036854775808 WHERE account = 'house:custody' AND asset = 'LTC'`).run();
  await transfer('house:custody', one, 'LTC', '9007199254740993').run();
  const tables = ['accounts', 'orders', 'deposits'];
  const [ledger, triggers] = [await readLedger(tables), await listObjects('trigger')];

  await applyD1Migrations(env.DB, env.MIGRATIONS);
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

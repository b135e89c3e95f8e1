import { describe, expect, it } from 'vitest';
import { numberLedger } from '../../src/ledger/number-ledger.ts';
import { newRecordId } from '../../src/ledger/record-id.ts';
import { openInLedger } from '../support/ledger/open-in-ledger.ts';
import { NOON_MS, database, setFloor, sql } from '../support/ledger/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';

/**
 * What the database itself refuses about quotas. Here it is ledger 0 at first, and gives ledger 1 five atoms of its supply
 * cap of BTC.
 */

const LIMIT = 1_000_000_000_000;

/** The audit row that names a grant. */
const name = (id: string, action = 'grant_quota') =>
  sql(
    `INSERT INTO audit (id, ts, role, action, target, detail)
     SELECT coalesce(max(id), 0) + 1, 1, 'operator', ?, ?, '{}' FROM audit`,
    action,
    id,
  );

const standing = {
  giver: 0,
  receiver: 1,
  account: 'house:custody',
  asset: 'BTC',
  amount: 5,
  floor: 5 - LIMIT,
  given: 5 as number | null,
  received: 0,
};

/** The row of a grant of five atoms by ledger 0 to ledger 1, which has nothing before. */
function grant(id: string, change: Partial<typeof standing> = {}, insert = 'INSERT'): D1PreparedStatement {
  const row = { ...standing, ...change };
  return env.DB.prepare(
    `${insert} INTO quota_grants (id, giver, receiver, account, asset, amount, floor, given, received)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).bind(id, row.giver, row.receiver, row.account, row.asset, row.amount, row.floor, row.given, row.received);
}

const readQuotas = async () => {
  const [floors, quotas, grants] = await env.DB.batch([
    sql(`SELECT account, asset, floor FROM balances WHERE account IN ('house:custody', 'house:liquidity')`),
    sql('SELECT * FROM quotas'),
    sql('SELECT * FROM quota_grants'),
  ]);
  return [floors?.results, quotas?.results, grants?.results];
};

async function expectRefused(message: string, ...statements: D1PreparedStatement[]): Promise<void> {
  const before = await readQuotas();
  await expect(env.DB.batch(statements)).rejects.toThrow(message);
  expect(await readQuotas()).toEqual(before);
}

const floorOf = (asset: string) =>
  sql(`SELECT floor FROM balances WHERE account = 'house:custody' AND asset = ?`, asset).first('floor');

describe('ledger 0', () => {
  it('accepts no account of another ledger', async () => {
    await openInLedger(0, NOON_MS);
    const id = newRecordId(NOON_MS, 3);
    const insert = sql(`INSERT INTO accounts (id, address_index, label, created_at) VALUES (?, 77, 'x', 1)`, id);
    await expectRefused('guard: an account is in the ledger that its id names', insert);
  });
});

describe('a grant', () => {
  const made = newRecordId(NOON_MS);

  it.each([
    ['without an audit row that names it', [grant(made)], 'guard: no audit row names the grant'],
    ['under another’s audit row', [name('other'), grant(made)], 'guard: no audit row names the grant'],
    ['under a row of another action', [name(made, 'x'), grant(made)], 'guard: no audit row names the grant'],
    [
      'between two other ledgers',
      [name(made), grant(made, { giver: 2, receiver: 3 })],
      'guard: a grant is between this ledger and another',
    ],
    [
      'as received by its giver',
      [name(made), grant(made, { received: 1 })],
      'guard: a grant is between this ledger and another',
    ],
    [
      'with another floor',
      [name(made), grant(made, { floor: 4 - LIMIT })],
      'guard: a grant changes the floor by its amount',
    ],
    [
      'that lowers the floor of its giver',
      [name(made), grant(made, { floor: -5 - LIMIT })],
      'guard: a grant changes the floor by its amount',
    ],
    [
      'with another sum of what was given',
      [name(made), grant(made, { given: 6 })],
      'guard: a grant changes what was given by its amount',
    ],
    [
      'without what was given',
      [name(made), grant(made, { given: null })],
      'guard: a grant changes what was given by its amount',
    ],
    [
      'of more than the giver has',
      [name(made), grant(made, { amount: LIMIT + 1, floor: 1, given: LIMIT + 1 })],
      'ledger: floor house:custody BTC',
    ],
    [
      'of a limit that is none',
      [name(made), grant(made, { account: 'house:fees', floor: 5 })],
      'ledger: floor house:fees BTC',
    ],
    ['of nothing', [name(made), grant(made, { amount: 0, floor: -LIMIT, given: 0 })], 'CHECK'],
  ])('is refused %s', async (_, statements, message) => {
    await expectRefused(message, ...statements);
  });

  it('changes the floor and what was given, once', async () => {
    await env.DB.batch([name(made), grant(made)]);
    expect(await floorOf('BTC')).toBe(5 - LIMIT);
    expect(await sql('SELECT * FROM quotas').all()).toMatchObject({
      results: [{ ledger: 1, account: 'house:custody', asset: 'BTC', amount: 5 }],
    });
    const again = { floor: 10 - LIMIT, given: 10 };
    for (const insert of ['INSERT', 'INSERT OR IGNORE', 'INSERT OR REPLACE']) {
      await expectRefused('guard: grant exists', name(made), grant(made, again, insert));
    }
  });

  it.each([
    ['is never changed', 'UPDATE quota_grants SET amount = 6', 'guard: a grant is never changed'],
    ['is never given back by its row', 'UPDATE quota_grants SET received = 0', 'guard: a grant is never changed'],
    ['is never deleted', 'DELETE FROM quota_grants', 'guard: a grant is never deleted'],
  ])('%s', async (_, statement, message) => {
    await expectRefused(message, sql(statement));
    await env.DB.batch([sql('UPDATE quota_grants SET received = 1')]);
    await expectRefused(message, sql(statement));
  });
});

describe('what was given', () => {
  it.each([
    ['rises without a grant', 'UPDATE quotas SET amount = 6', 'guard: no grant explains the quota'],
    ['falls without a grant', 'UPDATE quotas SET amount = 0', 'guard: no grant explains the quota'],
    ['is of another ledger', 'UPDATE quotas SET ledger = 2', 'guard: no grant explains the quota'],
    ['is deleted', 'DELETE FROM quotas', 'guard: a quota is never deleted'],
    [
      'begins above zero',
      `INSERT INTO quotas VALUES (2, 'house:custody', 'BTC', 5)`,
      'guard: a quota begins once, at zero',
    ],
    [
      'begins again',
      `INSERT OR REPLACE INTO quotas VALUES (1, 'house:custody', 'BTC', 0)`,
      'guard: a quota begins once, at zero',
    ],
  ])('never %s', async (_, statement, message) => {
    await expectRefused(message, sql(statement));
  });
});

describe('the floor of a limit', () => {
  it('is changed by a grant to the value of that grant, and to no other', async () => {
    const set = (floor: number, asset = 'BTC') =>
      sql(`UPDATE balances SET floor = ? WHERE account = 'house:custody' AND asset = ?`, floor, asset);
    await expectRefused('guard: no audit row names the floor', set(10 - LIMIT));
    await expectRefused('guard: no audit row names the floor', set(5 - LIMIT, 'LTC'));
  });

  it('is set by the operator as what the other ledgers do not have of the limit', async () => {
    const set = sql(`UPDATE balances SET floor = -95 WHERE account = 'house:custody' AND asset = 'BTC'`);
    await expectRefused('guard: no audit row names the floor', setFloor('house:custody', 'BTC', '-90')[0], set);
    await env.DB.batch([setFloor('house:custody', 'BTC', '-95')[0], set]);
    expect(await namedFloor()).toBe('-100');
    expect(await floorOf('BTC')).toBe(-95);
  });

  it('is never above zero, also where more was brought out than in', async () => {
    const set = sql(`UPDATE balances SET floor = 1 WHERE account = 'house:custody' AND asset = 'BTC'`);
    await expectRefused('ledger: floor house:custody BTC', setFloor('house:custody', 'BTC', '1')[0], set);
  });

  /** The whole limit, as the newest audit row names it. */
  const namedFloor = () =>
    env.DB.prepare(
      `SELECT detail ->> '$.floors."house:custody".BTC' AS floor FROM audit ORDER BY id DESC LIMIT 1`,
    ).first('floor');
});

describe('a ledger’s number', () => {
  it('is kept once it has an account', async () => {
    await expect(numberLedger(database, 3, NOON_MS)).rejects.toThrow('before it has an account');
    await expect(numberLedger(database, 0, NOON_MS)).resolves.toBeUndefined();
  });
});

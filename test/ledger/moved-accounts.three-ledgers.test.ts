import { beforeAll, describe, expect, it } from 'vitest';
import { newRecordId } from '../../src/ledger/record-id.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { readFeed } from '../support/events/feed.ts';
import { asOperator, createKey } from '../support/exchange.ts';
import { databaseOf, openInLedger, openTraderIn } from '../support/ledger/open-in-ledger.ts';
import { askMove, expectNothingLost, readHeldIn, setStatus } from '../support/operator/moves.ts';

/** What the databases themselves refuse about an account that moves from ledger 0 to ledger 1. */

const LABEL = 'moved by the test';

const sql = (ledger: number, query: string, ...values: (string | number | null)[]) =>
  databaseOf(ledger)
    .prepare(query)
    .bind(...values);

/** The row of the audit without which nothing leaves or arrives. */
const audit = (ledger: number, action: string, target: string, detail: object, ts = Date.now()) =>
  sql(
    ledger,
    `INSERT INTO audit (id, ts, role, action, target, detail)
     SELECT coalesce(max(id), 0) + 1, ?, 'operator', ?, ?, ? FROM audit`,
    ts,
    action,
    target,
    JSON.stringify(detail),
  );

async function expectRefused(message: string, ledger: number, ...writes: D1PreparedStatement[]): Promise<void> {
  await expect(databaseOf(ledger).batch(writes)).rejects.toThrow(message);
}

async function recordNumberOf(accountId: string): Promise<number> {
  return Number(await sql(0, 'SELECT record_number AS n FROM accounts WHERE id = ?', accountId).first('n'));
}

describe('an account that leaves', () => {
  let accountId: string;
  let recordNumber: number;
  beforeAll(async () => {
    ({ accountId } = await openTraderIn(0));
    await setStatus({ accountId }, 'frozen');
    recordNumber = await recordNumberOf(accountId);
  });

  const leave = (change = 'moved_to = 1, arrived = 0') =>
    sql(0, `UPDATE accounts SET ${change} WHERE id = ?`, accountId);
  const named = (detail: object = {}, ts?: number) =>
    audit(0, 'move_account', accountId, { ledger: 1, recordNumber, ...detail }, ts);

  it.each([
    ['says where it goes', 'arrived = 0'],
    ['is on its way at first', 'moved_to = 1'],
    ['goes to another ledger', 'moved_to = 0, arrived = 0'],
  ])('%s', async (_rule, change) => {
    await expectRefused('guard: an account moves once', 0, named({ ledger: 0 }), leave(change));
    await expectRefused('guard: an account moves once', 0, named(), leave(change));
  });

  it('is named by the row of the audit', async () => {
    await expectRefused('guard: no audit row names the move', 0, leave());
    await expectRefused('guard: no audit row names the move', 0, named({ ledger: 2 }), leave());
    await expectRefused(
      'guard: no audit row names the move',
      0,
      audit(0, 'move_account', 'another', { ledger: 1, recordNumber }),
      leave(),
    );
  });

  it('is frozen, and has not been changed since its lanes were told', async () => {
    const refused = 'guard: account_not_at_rest';
    await expectRefused(refused, 0, named({ recordNumber: recordNumber - 1 }), leave());
    await expectRefused(refused, 0, named(), leave("moved_to = 1, arrived = 0, status = 'active'"));
    await expectRefused(
      refused,
      0,
      sql(0, "UPDATE accounts SET status = 'active' WHERE id = ?", accountId),
      named(),
      leave(),
    );
  });

  it('has nothing open, by the time of the audit’s row', async () => {
    const begun_ms = Date.now() + 1_000_000;
    const propose = sql(
      0,
      `INSERT INTO proposals (id, method, path, body, digest, duty, proposed_by, proposed_at, expires_at, status)
       VALUES (?1, 'POST', ?2, '', ?1, 'credit', 'ada', ?3, ?3 + 86400000, 'OPEN')`,
      crypto.randomUUID(),
      `/operator/v1/accounts/${accountId}/credits`,
      begun_ms,
    );
    const refused = 'guard: account_not_at_rest';
    await expectRefused(refused, 0, propose, named({}, begun_ms), leave());
    await expectRefused(refused, 0, propose, named({}, begun_ms + 86_399_999), leave());
    // The last write shows that the rest was not refused.
    const last = sql(0, "UPDATE accounts SET label = 'x' WHERE id = ?", accountId);
    await expectRefused('guard: account_moved', 0, propose, named({}, begun_ms + 86_400_000), leave(), last);
  });

  it('does not stay on its way, or come from anywhere, without a move', async () => {
    const came = sql(0, 'UPDATE accounts SET moved_from = 2 WHERE id = ?', accountId);
    await expectRefused('guard: an account keeps the ledger that it came from', 0, came);
  });
});

describe('an account that arrives', () => {
  const arrive = (id: string, change: Readonly<Record<string, string | number | null>> = {}) => {
    const row = {
      id,
      address_index: 1_000_000,
      label: 'test',
      status: 'frozen',
      created_at: 0,
      moved_from: 0,
      ...change,
    };
    const columns = Object.keys(row);
    const text = `INSERT INTO accounts (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    return sql(1, text, ...Object.values(row));
  };
  const id = newRecordId(Date.now(), 0);
  const named = (detail: object = { from: 0 }) => audit(1, 'receive_account', id, detail);

  it.each([
    ['frozen', { status: 'active' }],
    ['and goes no further', { moved_to: 2 }],
    ['and is there', { arrived: 0 }],
  ])('is %s', async (_rule, change) => {
    await expectRefused('guard: an account that moves arrives frozen', 1, named(), arrive(id, change));
  });

  it('is from the ledger that its id names, which is another one', async () => {
    const refused = 'guard: an account is in the ledger that its id names';
    const of = (from: number | null) => audit(1, 'receive_account', id, { from });
    await expectRefused(refused, 1, of(2), arrive(id, { moved_from: 2 }));
    await expectRefused(refused, 1, of(null), arrive(id, { moved_from: null }));
    const own = newRecordId(Date.now(), 1);
    const from = audit(1, 'receive_account', own, { from: 1 });
    await expectRefused('guard: an account that moves arrives frozen', 1, from, arrive(own, { moved_from: 1 }));
  });

  it('is named by the row of the audit', async () => {
    await expectRefused('guard: no audit row names the arrival', 1, arrive(id));
    await expectRefused('guard: no audit row names the arrival', 1, named({ from: 2 }), arrive(id));
  });
});

describe('the ledger that an account has left', () => {
  let full: string;
  let bare: string;
  beforeAll(async () => {
    full = await openInLedger(0, Date.now(), 'customer-1');
    const credit = { asset: 'USDT', amount: '500', reference: 'f' };
    expect((await asOperator('POST', `/accounts/${full}/credits`, credit)).status).toBe(201);
    const trader = await createKey(full);
    bare = await openInLedger(0, Date.now());
    await readAddresses(trader);
    await readFeed(trader);
    await databaseOf(0).batch([
      sql(0, `UPDATE accounts SET holder = 'h', held_until = 7, daily_withdrawal_limit = 9 WHERE id = ?`, full),
      sql(
        0,
        `UPDATE api_keys SET ip_allowlist = '["1.2.3.4"]', rate_limits = '{"a":1}', expires_at = 9000000000000, revoked_at = 8
         WHERE account_id = ?`,
        full,
      ),
      sql(0, "INSERT INTO allowlist VALUES (?, 'e', 'BTC', 'x', 'x', 0)", full),
      sql(0, "INSERT INTO totp VALUES (?, 'x', 1, 2, 3, 4)", full),
      sql(
        0,
        `INSERT INTO webhook_endpoints VALUES
           (?, 'w', 'https://a.test', 'd', '["order.filled"]', 'disabled', 'failing', 'x', '[1]', 2, 3)`,
        full,
      ),
    ]);
    for (const accountId of [full, bare]) {
      await setStatus({ accountId }, 'frozen');
      const moved = await askMove({ accountId }, 1);
      expect([moved.status, moved.ok || (await moved.text())]).toEqual([200, true]);
    }
  });

  it.each([
    ['accounts', 'id', ['moved_to', 'moved_from', 'arrived']],
    ['api_keys', 'account_id', []],
    ['allowlist', 'account_id', []],
    ['totp', 'account_id', []],
    ['addresses', 'account_id', []],
    ['webhook_endpoints', 'account_id', []],
  ] as const)('has given a copy of all columns of %s', async (table, column, others) => {
    const rows = await Promise.all(
      [0, 1].map(async (ledger) => {
        const { results } = await sql(ledger, `SELECT * FROM ${table} WHERE ${column} = ?`, full).all();
        return results.map((row) =>
          Object.fromEntries(Object.entries(row).filter(([name]) => !others.some((other) => other === name))),
        );
      }),
    );
    expect(rows[0]?.length).toBeGreaterThan(0);
    expect(rows[1]).toEqual(rows[0]);
    // A column that the copy left out would have its default, unless it is NULL here.
    for (const [name, value] of Object.entries(rows[0]?.[0] ?? {})) expect([name, value]).not.toEqual([name, null]);
  });

  it('has none of its money, and the other ledger all', async () => {
    expect([await readHeldIn(0, full), await readHeldIn(1, full)]).toEqual([{}, { USDT: 500_000_000 }]);
    await expectNothingLost();
  });

  it.each([
    `label = '${LABEL}'`,
    "status = 'active'",
    'daily_withdrawal_limit = 7',
    'record_number = record_number + 1',
    "holder = 'h'",
    'held_until = held_until + 1',
    'moved_to = 2',
    'moved_to = NULL',
    'arrived = 0',
  ])('refuses to change it: %s', async (change) => {
    await expectRefused('guard: account_moved', 0, sql(0, `UPDATE accounts SET ${change} WHERE id = ?`, bare));
  });

  const writes: readonly (readonly [what: string, write: () => D1PreparedStatement])[] = [
    [
      'a deposit',
      () =>
        sql(
          0,
          `INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, network, tx_hash, output_index,
             address, exact_amount, confirmations)
           VALUES (?, 'd', 'ONCHAIN_DEPOSIT', 'BTC', 5, 1, 'PENDING', 'BTC', 'd', 0, 'x', '0.00000005', 0)`,
          full,
        ),
    ],
    [
      'an API key',
      () =>
        sql(
          0,
          `INSERT INTO api_keys (id, account_id, label, scopes, token_hash, created_at)
           SELECT ?, account_id, label, scopes, token_hash, created_at FROM api_keys WHERE account_id = ? LIMIT 1`,
          newRecordId(Date.now(), 0),
          full,
        ),
    ],
    ['the revocation of one', () => sql(0, 'UPDATE api_keys SET revoked_at = 1 WHERE account_id = ?', full)],
    ['an approved address', () => sql(0, "INSERT INTO allowlist VALUES (?, 'f', 'BTC', 'y', 'y', 0)", full)],
    ['the removal of one', () => sql(0, 'DELETE FROM allowlist WHERE account_id = ?', full)],
    ['a second factor', () => sql(0, "INSERT INTO totp (account_id, sealed_secret) VALUES (?, 'x')", bare)],
    ['the use of one', () => sql(0, 'UPDATE totp SET attempts = attempts + 1 WHERE account_id = ?', full)],
    ['a deposit address', () => sql(0, "INSERT INTO addresses VALUES (?, 'BTC', 'z')", bare)],
    ['a listener', () => sql(0, 'INSERT INTO listeners (account_id) VALUES (?)', bare)],
    [
      'a webhook endpoint',
      () =>
        sql(
          0,
          `INSERT INTO webhook_endpoints (account_id, id, url, description, types, status, sealed_secret, delivered)
           VALUES (?, 'v', 'https://b.test', '', '[]', 'enabled', 'x', 0)`,
          full,
        ),
    ],
    ['a change of one', () => sql(0, "UPDATE webhook_endpoints SET description = 'y' WHERE account_id = ?", full)],
    ['the end of one', () => sql(0, 'DELETE FROM webhook_endpoints WHERE account_id = ?', full)],
  ];

  it.each(writes)('refuses %s', async (_what, write) => {
    await expectRefused('guard: account_moved', 0, write());
  });

  it('refuses to let its holder recover it', async () => {
    const [id, now_ms] = [crypto.randomUUID(), Date.now()];
    const propose = sql(
      0,
      `INSERT INTO proposals (id, method, path, body, digest, duty, proposed_by, proposed_at, expires_at, status)
       VALUES (?1, 'POST', '/', '', ?1, 'credit', 'ada', ?2, ?2 + 86400000, 'OPEN')`,
      id,
      now_ms,
    );
    const approve = sql(
      0,
      `INSERT INTO audit (id, ts, role, actor, action, target, detail, proposal, request)
       SELECT coalesce(max(id), 0) + 1, ?1, 'admin', 'bob', 'allow_recovery', ?2, '{}', ?3, ?3 FROM audit`,
      now_ms,
      full,
      id,
    );
    const allow = sql(0, 'INSERT INTO allowed_recoveries VALUES (?, ?)', full, now_ms + 259_200_000);
    await expectRefused('guard: account_moved', 0, propose, approve, allow);
  });

  it.each([
    [0, 'OUT', 1],
    [1, 'IN', 0],
  ])('moves its money once: ledger %i refuses another half', async (ledger, half, peer) => {
    const insertHalf = (named: string) =>
      sql(
        ledger,
        `INSERT INTO movements (account_id, id, half, asset, amount, ledger, peer, purpose, transfer, record_id)
         SELECT ?1, ?1 || '/' || ?5, ?2, 'USDT', 1, ?3, ?4, 'ACCOUNT', max(id) + 1, ?1 FROM transfers`,
        full,
        half,
        ledger,
        peer,
        named,
      );
    await expectRefused('guard: movement exists', ledger, insertHalf('USDT'));
    await expectRefused('guard: a movement is for something', ledger, insertHalf('USDC'));
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { purgeEvents } from '../../src/events/purge-events.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import {
  NOON_MS,
  credit,
  database,
  keyOf,
  makeKey,
  openFunded,
  order,
  setFloor,
  expectEachRefused,
} from '../support/db/raw-ledger.ts';
import { env } from '../support/runtime/test-env.ts';
import { sql, listRows } from '../support/db/sql.ts';

/** What the database itself promises about events, whatever the code does. */

const DAY_MS = 86_400_000;

/** So long ago that nobody who begins to listen is told of it. */
const LONG_AGO_MS = Date.UTC(2026, 0, 1);

let account: string;
beforeEach(async () => {
  account = await openFunded(LONG_AGO_MS);
  await sql('INSERT INTO listeners (account_id) VALUES (?)', account).run();
});

interface EventRow {
  readonly sequence: number;
  readonly type: string;
  readonly subject: string;
}

const listEvents = (accountId = account, columns = 'sequence, type, subject') =>
  listRows<EventRow>(`SELECT ${columns} FROM events WHERE account_id = ? ORDER BY sequence`, accountId);

/** An event of a kind that no record explains, so that a test may choose its time. */
function tell(sequence: number, ts = Date.now(), accountId = account): D1PreparedStatement {
  return sql(
    `INSERT INTO events (account_id, sequence, type, subject, detail, ts) VALUES (?1, ?2, 'endpoint.disabled', ?1, '{}', ?3)`,
    accountId,
    sequence,
    ts,
  );
}

function insertEvent(type: string, subject: string, detail: string | null = null, insert = 'INSERT') {
  return sql(
    `${insert} INTO events (account_id, sequence, type, subject, detail)
     SELECT ?1, coalesce(max(sequence), 0) + 1, ?2, ?3, ?4 FROM events WHERE account_id = ?1`,
    account,
    type,
    subject,
    detail,
  );
}

describe('an account that listens', () => {
  it('is told of an order in the transaction of the order', async () => {
    const id = newRecordId(NOON_MS);
    await order(account, { id }).run();
    expect(await listEvents()).toEqual([{ sequence: 1, type: 'order.filled', subject: id }]);
  });

  it('is told nothing of what was refused or rolled back', async () => {
    await expect(order(account, { usdtAmount: '101', price: '1010000000000' }).run()).rejects.toThrow('floor');
    await expect(env.DB.batch([order(account), sql('INSERT INTO settings (id) VALUES (2)')])).rejects.toThrow();
    await order(account, { status: 'FAILED' }).run();
    expect(await listEvents()).toEqual([]);
  });

  it('gets the numbers 1, 2, 3 and so on in the order of commits, however many write at once', async () => {
    const writes = Array.from({ length: 40 }, (_, at) =>
      at % 2 === 0 ? order(account) : credit(account, 'USDT', '5'),
    );
    await Promise.all(writes.map((write) => write.run()));
    const told = await listEvents();
    expect(told.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
    const results = await listRows<{ reference: string }>(
      `SELECT reference, min(id) AS first FROM transfers WHERE reference IN (SELECT subject FROM events WHERE account_id = ?)
       GROUP BY reference ORDER BY first`,
      account,
    );
    expect(told.map(({ subject }) => subject)).toEqual(results.map(({ reference }) => reference));
  });

  it('is told of each step of its status and of its keys once', async () => {
    const second = `${keyOf(account)} 2`;
    await sql(`UPDATE accounts SET status = 'frozen' WHERE id = ?`, account).run();
    await sql(`UPDATE accounts SET status = 'frozen', label = 'x' WHERE id = ?`, account).run();
    await sql(`UPDATE accounts SET status = 'active' WHERE id = ?`, account).run();
    await makeKey(account, second).run();
    await sql('UPDATE api_keys SET revoked_at = 5 WHERE id = ?', second).run();
    expect((await listEvents()).map(({ type, subject }) => [type, subject])).toEqual([
      ['account.frozen', account],
      ['account.thawed', account],
      ['key.created', second],
      ['key.revoked', second],
    ]);
  });

  it('is not told of a session of its holder as of a key', async () => {
    await sql(
      `INSERT INTO api_keys (id, account_id, label, scopes, token_hash, created_at, expires_at, kind)
       VALUES (?1, ?2, 'session', 'r', 'h', ?3, ?3 + 1000, 'session')`,
      newRecordId(NOON_MS),
      account,
      NOON_MS,
    ).run();
    await sql(`UPDATE api_keys SET revoked_at = 5 WHERE account_id = ? AND kind = 'session'`, account).run();
    expect(await listEvents()).toEqual([]);
  });

  it('is told of an approved address and of its end, each with the entry, which may be gone by then', async () => {
    await sql(`INSERT INTO allowlist VALUES (?, 'entry', 'ETH', '0x1', 'cold', 7)`, account).run();
    await sql('DELETE FROM allowlist WHERE account_id = ?', account).run();
    const results = await listRows('SELECT type, detail FROM events WHERE account_id = ?', account);
    const detail = JSON.stringify({ network: 'ETH', address: '0x1', label: 'cold', usableAt: 7 });
    expect(results).toEqual([
      { type: 'allowlist.added', detail },
      { type: 'allowlist.removed', detail },
    ]);
  });

  it('is told when its second factor begins and ends to be in force', async () => {
    await sql(`INSERT INTO totp (account_id, sealed_secret) VALUES (?, 'sealed')`, account).run();
    await sql('UPDATE totp SET confirmed_at = 1, used_step = 1 WHERE account_id = ?', account).run();
    await sql('UPDATE totp SET used_step = 2 WHERE account_id = ?', account).run();
    await sql('UPDATE totp SET confirmed_at = NULL WHERE account_id = ?', account).run();
    expect((await listEvents()).map(({ type }) => type)).toEqual(['security.totp_on', 'security.totp_off']);
  });

  it('begins once, and listens for good', async () => {
    const again = 'INTO listeners (account_id) VALUES (?)';
    for (const insert of ['INSERT', 'INSERT OR REPLACE']) {
      await expectEachRefused('guard: listener exists', sql(`${insert} ${again}`, account));
    }
    const strangers = [`INSERT INTO listeners VALUES ('nobody')`, `INSERT INTO listeners VALUES ('house:unowned')`];
    await expectEachRefused(
      'guard: only an account and the operator listen',
      ...strangers.map((insert) => sql(insert)),
    );
    await expectEachRefused('guard: a listener is never changed', sql(`UPDATE listeners SET account_id = 'other'`));
    await expectEachRefused('guard: a listener is never deleted', sql('DELETE FROM listeners'));
  });
});

it('an account that does not listen has no event, and none can be written for it', async () => {
  const silent = await openFunded();
  await order(silent).run();
  expect(await listEvents(silent)).toEqual([]);
  await expectEachRefused('guard: an event takes the next number of an account that listens', tell(1, 1, silent));
});

describe('an account that begins to listen', () => {
  const begin = (accountId: string) => sql('INSERT INTO listeners (account_id) VALUES (?)', accountId);
  const listTold = (accountId: string) => listEvents(accountId, 'sequence, type, subject, ts');

  it('is told of the records of the last 90 days, once each, in their order and with their times', async () => {
    const late = await openFunded(LONG_AGO_MS);
    const other = await openFunded();
    const now_ms = Date.now();
    const times = [now_ms - 90 * DAY_MS - 60_000, now_ms - 90 * DAY_MS + 60_000, now_ms - 5_000, now_ms - 4_000];
    const [over, first, second, third] = times.map((ms) => newRecordId(ms)) as [string, string, string, string];
    await credit(late, 'USDT', '5', third).run();
    await order(late, { id: second }).run();
    await order(late, { status: 'FAILED' }).run();
    await sql(
      `INSERT INTO deposits (account_id, id, type, asset, amount, usd_value, status, reason, network, tx_hash, output_index,
         address, exact_amount, confirmations)
       VALUES (?1, ?2, 'ONCHAIN_DEPOSIT', 'USDT', 1, 1, 'QUARANTINED', 'below_minimum', 'TRC20', ?2, 0, 'x', '1', 1)`,
      late,
      newRecordId(now_ms),
    ).run();
    await credit(late, 'USDT', '5', over).run();
    await credit(late, 'BTC', '5', first).run();
    expect(await listTold(late)).toEqual([]);
    await begin(late).run();
    const told = [
      { sequence: 1, type: 'deposit.completed', subject: first, ts: times[1] },
      { sequence: 2, type: 'order.filled', subject: second, ts: times[2] },
      { sequence: 3, type: 'deposit.completed', subject: third, ts: times[3] },
    ];
    expect(await listTold(late)).toEqual(told);
    expect(await listTold(other)).toEqual([]);
    await order(late).run();
    expect((await listTold(late)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  });

  it('is told of the newest thousand', async () => {
    const busy = await openFunded(LONG_AGO_MS);
    const ids = Array.from({ length: 1_003 }, (_, at) => newRecordId(Date.now() - 100_000 + at));
    await env.DB.batch(ids.map((id) => credit(busy, 'USDT', '1', id)));
    await begin(busy).run();
    const told = await listTold(busy);
    expect(told.map(({ subject }) => subject)).toEqual(ids.slice(3));
    expect(told.map(({ sequence }) => sequence)).toEqual(ids.slice(3).map((_, at) => at + 1));
  });
});

describe('an event', () => {
  it('takes the next number alone', async () => {
    await tell(1).run();
    await tell(2).run();
    await expectEachRefused('guard: an event takes the next number', ...[0, 1, 2, 4, -1].map((number) => tell(number)));
  });

  it('needs the record that it tells of, in the state that it tells of', async () => {
    const id = newRecordId(NOON_MS);
    await order(account, { id }).run();
    const other = await openFunded();
    const foreign = newRecordId(NOON_MS);
    await order(other, { id: foreign }).run();
    const forged: [string, string][] = [
      ['order.filled', newRecordId(NOON_MS)],
      ['order.filled', foreign],
      ['order.failed', id],
      ['deposit.completed', id],
      ['deposit.', id],
      ['withdrawal.completed', id],
      ['settlement.completed', id],
      ['account.frozen', account],
      ['account.thawed', other],
      ['key.created', keyOf(other)],
      ['key.revoked', keyOf(account)],
      ['security.totp_on', account],
      ['allowlist.added', id],
      ['endpoint.disabled', id],
      ['security.signed_in', account],
      ['money.made', id],
    ];
    const inserts = ['INSERT', 'INSERT OR REPLACE'];
    await expectEachRefused(
      'guard: no record explains the event',
      ...forged.flatMap(([type, subject]) => inserts.map((insert) => insertEvent(type, subject, null, insert))),
      insertEvent('order.filled', id, '{}'),
      insertEvent('security.totp_off', account, '{}'),
    );
  });

  it('is never changed', async () => {
    await tell(1).run();
    await expectEachRefused(
      'guard: an event is never changed',
      ...['UPDATE', 'UPDATE OR REPLACE'].map((update) => sql(`${update} events SET sequence = 5`)),
      sql(`UPDATE events SET subject = 'x'`),
    );
  });

  it('is not deleted within 90 days, nor when it is the newest, nor before an older one', async () => {
    const old = Date.now() - 91 * DAY_MS;
    for (const [number, ts] of [
      [1, old],
      [2, old],
      [3, Date.now()],
      [4, old],
    ] as const)
      await tell(number, ts).run();
    const remove = (condition: string) => sql(`DELETE FROM events WHERE account_id = ?1 AND ${condition}`, account);
    await expectEachRefused(
      'guard: an event is kept for 90 days',
      ...['sequence = 2', 'sequence = 3', 'sequence = 4', 'sequence <= 3', 'sequence >= 1'].map(remove),
    );
    await remove('sequence <= 2').run();
    expect((await listEvents()).map(({ sequence }) => sequence)).toEqual([3, 4]);
    await expectEachRefused('guard: an event is kept for 90 days', remove('sequence = 3'), remove('sequence = 4'));
  });
});

describe('the operator', () => {
  const tellOperator = (type: string, subject: string, detail: string | null = null) =>
    sql(
      `INSERT INTO events (account_id, sequence, type, subject, detail)
       SELECT 'operator', sequence, ?, ?, ${detail === null ? 'NULL' : `'${detail}'`} FROM next_events WHERE account_id = 'operator'`,
      type,
      subject,
    );
  const countOf = (write: D1PreparedStatement) => write.run().then(({ meta }) => meta.rows_written);

  it('is told of the audit and of deposits by a row more each, and of orders nothing', async () => {
    const silent = await openFunded();
    const writes = () => [credit(silent, 'USDT', '5'), setFloor(silent, 'USDT', '0')[0], order(silent)];
    const before: number[] = [];
    for (const write of writes()) before.push(await countOf(write));
    await sql(`INSERT INTO listeners (account_id) VALUES ('operator')`).run();
    const after: number[] = [];
    for (const write of writes()) after.push(await countOf(write));
    expect(after.map((rows, at) => rows - (before[at] ?? 0))).toEqual([1, 1, 0]);
    expect((await listEvents('operator')).map(({ type }) => type)).toEqual(['deposit.completed', 'audit.added']);
  });

  it('is told of nothing that no record explains, and of nothing that concerns accounts alone', async () => {
    await sql(`INSERT INTO listeners (account_id) SELECT 'operator' WHERE NOT EXISTS (
      SELECT 1 FROM listeners WHERE account_id = 'operator')`).run();
    const id = newRecordId(NOON_MS);
    await credit(account, 'USDT', '5', id).run();
    const newest = Number(await sql('SELECT max(id) AS id FROM audit').first('id'));
    await expectEachRefused(
      'guard: no record explains the event',
      tellOperator('audit.added', String(newest + 1_000)),
      tellOperator('audit.added', `${newest}x`),
      tellOperator('deposit.completed', id),
      tellOperator('deposit.pending', `${account}/${id}`),
      tellOperator('deposit.completed', `${await openFunded()}/${id}`),
      tellOperator('withdrawal.completed', `${account}/${id}`),
      tellOperator('order.filled', id),
      tellOperator('account.frozen', account),
      tellOperator('allowlist.added', 'x', '{}'),
      tellOperator('security.signed_in', 'x', '{}'),
      insertEvent('audit.added', String(newest)),
    );
    await tellOperator('deposit.completed', `${account}/${id}`).run();
    await tellOperator('endpoint.disabled', 'x', '{}').run();
  });
});

describe('a webhook endpoint', () => {
  const insertEndpoint = (id: string, owner = account, insert = 'INSERT') =>
    sql(
      `${insert} INTO webhook_endpoints (account_id, id, url, description, types, sealed_secret, delivered)
       VALUES (?, ?, 'https://' || ?2, '', '[]', 's', 0)`,
      owner,
      id,
    );
  const change = (what: string) => sql(`UPDATE OR REPLACE webhook_endpoints SET ${what} WHERE id = 'one'`);

  it('is never set up or changed by a key that was revoked meanwhile', async () => {
    const owner = await openFunded();
    await sql('INSERT INTO listeners (account_id) VALUES (?)', owner).run();
    await insertEndpoint('keyed', owner).run();
    await sql('UPDATE api_keys SET revoked_at = 1 WHERE id = ?', keyOf(owner)).run();
    const insert = `INSERT INTO webhook_endpoints (account_id, id, url, description, types, sealed_secret, delivered, key_id)
      VALUES (?, 'late', 'https://late', '', '[]', 's', 0, ?)`;
    const move = `UPDATE webhook_endpoints SET key_id = ? WHERE id = 'keyed'`;
    await expectEachRefused('guard: key_revoked', sql(insert, owner, keyOf(owner)), sql(move, keyOf(owner)));
  });

  it('is of somebody who listens, for good, with an address of its own, and one of ten', async () => {
    await insertEndpoint('one').run();
    await insertEndpoint('two').run();
    const silent = await openFunded();
    await expectEachRefused('guard: who has a webhook endpoint listens', insertEndpoint('none', silent));
    await expectEachRefused(
      'guard: webhook endpoint exists',
      insertEndpoint('one', account, 'INSERT OR REPLACE'),
      change(`url = 'https://two'`),
    );
    await expectEachRefused(
      'guard: a webhook endpoint keeps its account',
      change(`id = 'three'`),
      change(`account_id = '${silent}'`),
    );
    for (let at = 3; at <= 10; at += 1) await insertEndpoint(`${at}`).run();
    await expectEachRefused('guard: too_many_endpoints', insertEndpoint('eleven'));
  });

  it('that the exchange switches off is told, and one that its owner switches off is not', async () => {
    await insertEndpoint('one').run();
    await change(`status = 'disabled'`).run();
    await change(`status = 'enabled'`).run();
    expect(await listEvents()).toEqual([]);
    await change(`status = 'disabled', reason = 'gone'`).run();
    expect(await listEvents()).toEqual([{ sequence: 1, type: 'endpoint.disabled', subject: 'one' }]);
  });
});

describe('the purge', () => {
  const old = () => Date.now() - 91 * DAY_MS;

  it('deletes what is older than 90 days, keeps the newest event, and no number ever comes twice', async () => {
    for (let number = 1; number <= 4; number += 1) await tell(number, old()).run();
    const [young, silent] = [await openFunded(LONG_AGO_MS), await openFunded()];
    await sql('INSERT INTO listeners (account_id) VALUES (?)', young).run();
    await tell(1, old(), young).run();
    await tell(2, old() + 2 * DAY_MS, young).run();
    await order(silent).run();
    expect(await purgeEvents(database, null)).toBeNull();
    expect((await listEvents()).map(({ sequence }) => sequence)).toEqual([4]);
    expect((await listEvents(young)).map(({ sequence }) => sequence)).toEqual([2]);
    await order(account).run();
    expect((await listEvents()).map(({ sequence }) => sequence)).toEqual([4, 5]);
    expect(await purgeEvents(database, null)).toBeNull();
    expect((await listEvents()).map(({ sequence }) => sequence)).toEqual([5]);
  });

  it('looks at the accounts after the one where the last call stopped', async () => {
    for (let number = 1; number <= 2; number += 1) await tell(number, old()).run();
    expect(await purgeEvents(database, account)).toBeNull();
    expect(await listEvents()).toHaveLength(2);
  });
});

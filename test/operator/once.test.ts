import { describe, expect, it } from 'vitest';
import { asToken, expectCode, json, openAccount, operate, send } from '../support/exchange.ts';
import { CONNECTION_LOST, aroundBatch, fail } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import { sql } from '../support/db/sql.ts';
import { atOnce } from '../support/at-once.ts';

interface Opened {
  readonly account: { readonly id: string; readonly externalId: string | null };
}

interface MadeKey {
  readonly apiKey: { readonly id: string };
  readonly token: string | null;
}

const post = (path: string, body: unknown, key?: string, token: string = env.OPERATOR_TOKEN) =>
  asToken(token, 'POST', path, body, key === undefined ? {} : { 'Idempotency-Key': key });

const count = (table: string) => sql(`SELECT count(*) AS rows FROM ${table}`).first<number>('rows');

describe('an account that is opened with an Idempotency-Key', () => {
  it('is opened once, however often and at once it is asked for', async () => {
    const before = (await count('accounts')) ?? 0;
    const answers = await atOnce(8, () => post('/accounts', { label: 'once' }, '"k-1"'));
    const ids = await Promise.all(answers.map(async (answer) => (await json<Opened>(answer)).account.id));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 201));
    expect(new Set(ids).size).toBe(1);
    expect(await count('accounts')).toBe(before + 1);
    expect(answers.filter(({ headers }) => headers.get('X-Idempotency-Replay') === 'true')).toHaveLength(7);
    // The bare value is the same key as the quoted one.
    expect((await json<Opened>(await post('/accounts', { label: 'once' }, 'k-1'))).account.id).toBe(ids[0]);
  });

  it('is refused for another body under the same key, and the key is of one route', async () => {
    const { account } = await json<Opened>(await post('/accounts', { label: 'mine' }, 'k-2'));
    await expectCode(post('/accounts', { label: 'yours' }, 'k-2'), '422 idempotency_key_reused');
    const key = post(`/accounts/${account.id}/api-keys`, { label: 'x', scopes: ['read'] }, 'k-2');
    await expectCode(key, '422 idempotency_key_reused');
    await expectCode(post('/accounts', { label: 'mine' }, 'k'.repeat(256)), '400 invalid_idempotency_key');
  });
});

describe('a request with an Idempotency-Key', () => {
  it('is kept as it is by the database itself', async () => {
    await post('/accounts', { label: 'kept' }, 'k-kept');
    for (const statement of [
      `UPDATE operator_requests SET record_id = 'other' WHERE idempotency_key = 'k-kept'`,
      `UPDATE OR REPLACE operator_requests SET fingerprint = 'other'`,
      `DELETE FROM operator_requests WHERE idempotency_key = 'k-kept'`,
    ]) {
      await expect(sql(statement).run(), statement).rejects.toThrow('guard: a request is never');
    }
  });
});

describe('an externalId', () => {
  it('is of one account, which is found by it', async () => {
    const externalId = 'customer 47/11';
    const { account } = await json<Opened>(await post('/accounts', { label: 'a', externalId }));
    expect(account.externalId).toBe(externalId);
    const before = await count('accounts');
    await expectCode(post('/accounts', { label: 'b', externalId }), '409 invalid_state');
    await expectCode(post('/accounts', { label: 'b', externalId }, 'other-key'), '409 invalid_state');
    expect(await count('accounts')).toBe(before);
    expect(await operate('GET', `/accounts?${new URLSearchParams({ query: externalId }).toString()}`)).toMatchObject({
      accounts: [{ id: account.id }],
    });
    // The refused request has used up nothing: its key opens another account.
    expect((await post('/accounts', { label: 'b' }, 'other-key')).status).toBe(201);
  });

  it('is kept by the database itself', async () => {
    const { account } = await json<Opened>(await post('/accounts', { label: 'a', externalId: 'kept' }));
    for (const statement of [
      `UPDATE accounts SET external_id = 'other' WHERE id = '${account.id}'`,
      `UPDATE OR REPLACE accounts SET external_id = 'kept' WHERE id <> '${account.id}'`,
      `INSERT OR REPLACE INTO accounts (id, address_index, label, created_at, external_id) VALUES ('019ac5a4-7c00-7000-8000-000000000001', 9999, 'x', 1, 'kept')`,
    ]) {
      await expect(sql(statement).run(), statement).rejects.toThrow(/guard: /);
    }
  });
});

describe('an API key that is made with an Idempotency-Key', () => {
  it('is made once; the repetition names it without its token', async () => {
    const accountId = await openAccount();
    const wanted = { label: 'bot', scopes: ['read'] };
    const make = () => post(`/accounts/${accountId}/api-keys`, wanted, `key-${accountId}`);
    const first = await json<MadeKey>(await make());
    const response = await make();
    expect(response.headers.get('X-Idempotency-Replay')).toBe('true');
    expect(await json<MadeKey>(response)).toEqual({ apiKey: first.apiKey, token: null });
    expect(first.token).toMatch(/^bk_test_/);
    const works = await send('/api/v1/account/api-key', { headers: { Authorization: `Bearer ${first.token}` } });
    expect(works.status).toBe(200);
  });

  it('shows its token when only the answer of the database was lost', async () => {
    const accountId = await openAccount();
    const lost = aroundBatch('key', 'after', 1, fail(CONNECTION_LOST));
    const path = `/accounts/${accountId}/api-keys`;
    const made = await json<MadeKey>(await post(path, { label: 'bot', scopes: ['read'] }, `lost-${accountId}`));
    lost.restore();
    expect(made.token).toMatch(/^bk_test_/);
  });

  it('without the header is another key each time', async () => {
    const accountId = await openAccount();
    const make = async () =>
      (await json<MadeKey>(await post(`/accounts/${accountId}/api-keys`, { label: 'bot', scopes: ['read'] }))).apiKey
        .id;
    expect(await make()).not.toBe(await make());
  });
});

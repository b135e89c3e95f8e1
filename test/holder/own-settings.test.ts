import { describe, expect, it } from 'vitest';
import {
  ORDER,
  Trader,
  asOperator,
  createKey,
  json,
  openAccount,
  openTrader,
  expectCode,
  operate,
} from '../support/exchange.ts';
import { accepted, codeOf, expectRefusal, signIn, switchTotpOn } from '../support/holder/holders.ts';
import { holderEntrypoint } from '../support/runtime/test-env.ts';
import { databaseOfId, runFor } from '../support/db/open-in-ledger.ts';
import { stopClock } from '../support/withdrawals/withdrawals.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const COLD = { network: 'ETH', address: ADDRESS, label: 'cold wallet' };

describe('a signed-in holder', () => {
  it('makes a key, uses it and revokes it: refused on its next request', async () => {
    const accountId = await openAccount({ USDT: '100' });
    const { token } = await signIn(accountId);
    const made = await accepted(holderEntrypoint.makeKey(token, { label: 'bot', scopes: ['read', 'trade'] }));
    const bot = new Trader(accountId, made.apiKey.id, made.token);
    expect(await bot.balances()).toMatchObject({ USDT: '100' });
    const { apiKeys } = await accepted(holderEntrypoint.listKeys(token, null));
    const [listed] = apiKeys;
    expect(Date.now() - Date.parse(listed?.lastUsedAt ?? '')).toBeLessThan(60_000);
    expect(made.apiKey).toMatchObject({ label: 'bot', scopes: ['read', 'trade'], revokedAt: null });
    await accepted(holderEntrypoint.revokeKey(token, made.apiKey.id));
    expect((await bot.get('/api/v1/wallet/balances')).status).toBe(401);
  });

  it('cannot set limits of a key, nor make a key that has expired, nor without a passkey', async () => {
    const accountId = await openAccount();
    const { token } = await signIn(accountId);
    const wanted = { label: 'bot', scopes: ['read'] };
    const limits = { read: { perMinute: 1_000, perDay: 100_000 } };
    await expectRefusal(holderEntrypoint.makeKey(token, { ...wanted, rateLimits: limits }), 'invalid_request');
    await expectRefusal(
      holderEntrypoint.makeKey(token, { ...wanted, expiresAt: '2020-01-01T00:00:00Z' }),
      'invalid_request',
    );
    const { token: looking } = await signIn(accountId, 'look');
    await expectRefusal(holderEntrypoint.makeKey(looking, wanted), 'insufficient_scope');
    expect(await accepted(holderEntrypoint.listKeys(looking, null))).toEqual({ apiKeys: [], next: null });
  });

  it('does not reach the keys and addresses of another account', async () => {
    const other = await openTrader();
    const { token: foreign } = await signIn(other.accountId);
    const entry = await accepted(holderEntrypoint.approveAddress(foreign, COLD));
    const { token } = await signIn(await openAccount());
    await expectRefusal(holderEntrypoint.revokeKey(token, other.keyId), 'not_found');
    await expectRefusal(holderEntrypoint.removeAddress(token, entry.id), 'not_found');
    expect((await other.get('/api/v1/wallet/balances')).status).toBe(200);
    expect(await accepted(holderEntrypoint.listAddresses(foreign))).toEqual([entry]);
  });

  it('approves an address in its canonical form, and removes it', async () => {
    const { token } = await signIn(await openAccount());
    const entry = await accepted(holderEntrypoint.approveAddress(token, { ...COLD, address: ADDRESS.toLowerCase() }));
    expect(entry).toMatchObject(COLD);
    await expectRefusal(holderEntrypoint.approveAddress(token, { ...COLD, network: 'XRP' }), 'network_not_supported');
    await expectRefusal(holderEntrypoint.approveAddress(token, { ...COLD, address: 'x' }), 'invalid_address');
    await expectRefusal(holderEntrypoint.approveAddress(token, { ...COLD, note: 'x' }), 'invalid_request');
    await accepted(holderEntrypoint.removeAddress(token, entry.id));
    expect(await accepted(holderEntrypoint.listAddresses(token))).toEqual([]);
  });

  it('switches two-factor authentication on with a first code, and off with another', async () => {
    stopClock();
    const { token } = await signIn(await openAccount());
    const secret = await switchTotpOn(token);
    expect((await accepted(holderEntrypoint.describe(token))).totp.enabled).toBe(true);
    await expectRefusal(holderEntrypoint.removeTotp(token, undefined), 'totp_required');
    await expectRefusal(holderEntrypoint.removeTotp(token, await codeOf(secret)), 'totp_invalid');
    await expectRefusal(holderEntrypoint.removeTotp(token, 'abcdef'), 'invalid_request');
    await accepted(holderEntrypoint.removeTotp(token, await codeOf(secret, 1)));
    expect((await accepted(holderEntrypoint.describe(token))).totp.enabled).toBe(false);
  });

  it('freezes the account with any session; nothing new is then given out, and only the operator unfreezes it', async () => {
    const trader = await openTrader({ USDT: '100' });
    const { token } = await signIn(trader.accountId);
    const { token: looking } = await signIn(trader.accountId, 'look');
    await accepted(holderEntrypoint.freeze(looking));
    await expectCode(trader.order(ORDER), '403 account_frozen');
    await expectRefusal(holderEntrypoint.makeKey(token, { label: 'x', scopes: ['read'] }), 'account_frozen');
    await expectRefusal(holderEntrypoint.approveAddress(token, COLD), 'account_frozen');
    await accepted(holderEntrypoint.revokeKey(token, trader.keyId));
    expect((await accepted(holderEntrypoint.describe(token))).account.status).toBe('frozen');
  });

  it('reads what happened to the account, and no name of the staff', async () => {
    const trader = await openTrader();
    const { token } = await signIn(trader.accountId);
    await accepted(holderEntrypoint.note(token, 'add_passkey', { name: 'laptop' }));
    await asOperator('PATCH', `/accounts/${trader.accountId}`, { status: 'frozen', reason: 'suspected by the staff' });
    const log = await accepted(holderEntrypoint.listSecurityLog(token, null));
    expect(log.map(({ by, action }) => [by, action])).toEqual([
      ['exchange', 'change_account'],
      ['holder', 'add_passkey'],
      ['holder', 'open_session'],
      ['holder', 'become_holder'],
      ['exchange', 'invite_holder'],
      ['exchange', 'create_api_key'],
    ]);
    expect(log[1]?.detail).toEqual({ name: 'laptop' });
    expect(log[0]?.detail).toEqual({});
    const rest = await accepted(holderEntrypoint.listSecurityLog(token, Number(log[1]?.id)));
    expect(rest.map(({ action }) => action)).toEqual([
      'open_session',
      'become_holder',
      'invite_holder',
      'create_api_key',
    ]);
  });
});

describe('a recovery', () => {
  const WITHDRAWAL = { asset: 'USDT', network: 'TRC20', amount: '20', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' };
  const withdraw = (trader: Trader, body: object = {}) =>
    trader.post('/api/v1/wallet/withdrawals', { ...WITHDRAWAL, ...body });

  it('needs a code of the second factor, and is refused where there is none to show', async () => {
    stopClock();
    const accountId = await openAccount();
    const { token: acting } = await signIn(accountId);
    const { token } = await signIn(accountId, 'look');
    await expectRefusal(holderEntrypoint.recover(token, { kind: 'totp', code: '123456' }), 'totp_required');
    const secret = await switchTotpOn(acting);
    const wrong = String((Number(await codeOf(secret, 1)) + 1) % 1_000_000).padStart(6, '0');
    await expectRefusal(holderEntrypoint.recover(token, { kind: 'totp', code: wrong }), 'totp_invalid');
    await expectRefusal(holderEntrypoint.recover(token, { kind: 'totp', code: await codeOf(secret) }), 'totp_invalid');
    const right = { kind: 'totp', code: await codeOf(secret, 1) } as const;
    await expectRefusal(holderEntrypoint.recover(acting, right), 'invalid_state');
    expect((await accepted(holderEntrypoint.describe(token))).heldUntil_ms).toBeNull();
    await accepted(holderEntrypoint.recover(token, right));
    expect((await accepted(holderEntrypoint.describe(token))).heldUntil_ms).not.toBeNull();
  });

  it('stops withdrawals, new keys and new addresses for 24 hours, revokes all keys, and ends the other sessions', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const second = await createKey(trader.accountId);
    for (const key of [trader, second]) expect((await key.get('/api/v1/wallet/balances')).status).toBe(200);
    const { token: old } = await signIn(trader.accountId);
    const { token } = await signIn(trader.accountId, 'look');
    const before_ms = Date.now();
    const { heldUntil_ms } = await accepted(holderEntrypoint.recover(token, { kind: 'recovery_code' }));
    expect(heldUntil_ms - before_ms).toBeGreaterThanOrEqual(86_400_000);
    await expectRefusal(holderEntrypoint.describe(old), 'invalid_api_key');
    for (const key of [trader, second]) {
      expect((await key.get('/api/v1/wallet/balances')).status).toBe(401);
      await expectCode(withdraw(key), '401 invalid_api_key');
    }
    const { token: acting, api } = await signIn(trader.accountId);
    await expectCode(withdraw(api), '403 account_recovered');
    const key = { label: 'x', scopes: ['read'] };
    await expectRefusal(holderEntrypoint.makeKey(acting, key), 'account_recovered');
    await expectRefusal(holderEntrypoint.approveAddress(acting, COLD), 'account_recovered');
    await expectCode(asOperator('POST', `/accounts/${trader.accountId}/api-keys`, key), '403 account_recovered');
    await expectCode(asOperator('POST', `/accounts/${trader.accountId}/allowlist`, COLD), '403 account_recovered');
    expect((await api.order(ORDER)).status).toBe(201);
  });

  it('holds in the batch of a withdrawal too, and cannot be shortened', async () => {
    const trader = await openTrader({ USDT: '1000' });
    const hold = (until_ms: number) =>
      runFor(trader.accountId, 'UPDATE accounts SET held_until = ? WHERE id = ?', until_ms, trader.accountId);
    expect((await withdraw(trader)).status).toBe(201);
    await hold(Date.now() + 60_000);
    await expect(hold(0)).rejects.toThrow('guard: a hold is never shortened');
    const repeated = databaseOfId(trader.accountId).prepare(
      `INSERT INTO withdrawals SELECT account_id, 'again', type, asset, network, address, amount, fee, usd_value,
         'PROCESSING', ?, totp_step, allowlist_required, NULL, NULL, NULL, daily_limit, key_id, ?, 0, ?, NULL, NULL,
         (SELECT max(id) + 1 FROM transfers), NULL, NULL, NULL, NULL, NULL, NULL, NULL
       FROM withdrawals WHERE account_id = ?`,
    );
    const now_ms = Date.now();
    const insert = repeated.bind(now_ms, now_ms, now_ms, trader.accountId);
    await expect(insert.run()).rejects.toThrow('guard: account_recovered');
  });

  it('holds an approval of a withdrawal that waited for its review', async () => {
    const trader = await openTrader({ USDT: '1000' });
    await asOperator('PATCH', '/settings', { reviewThreshold: '10' });
    const { withdrawal } = await json<{ withdrawal: { id: string } }>(await withdraw(trader));
    await asOperator('PATCH', '/settings', { reviewThreshold: null });
    const { token } = await signIn(trader.accountId, 'look');
    await accepted(holderEntrypoint.recover(token, { kind: 'recovery_code' }));
    await expectCode(
      asOperator('POST', `/accounts/${trader.accountId}/withdrawals/${withdrawal.id}/approve`, {
        reason: 'looks right',
      }),
      '403 account_recovered',
    );
  });

  it('by a code of the holder’s own leaves the second factor on', async () => {
    const accountId = await openAccount();
    await switchTotpOn((await signIn(accountId)).token);
    const { token } = await signIn(accountId, 'look');
    await accepted(holderEntrypoint.recover(token, { kind: 'recovery_code' }));
    const { token: acting } = await signIn(accountId);
    await expectRefusal(holderEntrypoint.removeTotp(acting, undefined), 'totp_required');
    const remove = databaseOfId(accountId).batch([
      databaseOfId(accountId).prepare(
        `INSERT INTO audit (id, ts, role, action, target, detail)
         SELECT max(id) + 1, ${Date.now()}, 'holder', 'remove_totp', '${accountId}', '{}' FROM audit`,
      ),
      databaseOfId(accountId)
        .prepare('UPDATE totp SET sealed_secret = NULL, confirmed_at = NULL WHERE account_id = ?')
        .bind(accountId),
    ]);
    await expect(remove).rejects.toThrow('guard: totp_required');
    expect((await accepted(holderEntrypoint.describe(acting))).totp.enabled).toBe(true);
  });
});

describe('recovery codes', () => {
  it('are drawn with a code where the second factor is on, and without one where it is off', async () => {
    stopClock();
    const { token } = await signIn(await openAccount());
    await accepted(holderEntrypoint.drawRecoveryCodes(token, undefined));
    const secret = await switchTotpOn(token);
    await expectRefusal(holderEntrypoint.drawRecoveryCodes(token, undefined), 'totp_required');
    await expectRefusal(holderEntrypoint.drawRecoveryCodes(token, await codeOf(secret)), 'totp_invalid');
    await accepted(holderEntrypoint.drawRecoveryCodes(token, await codeOf(secret, 1)));
    await expectRefusal(holderEntrypoint.removeTotp(token, await codeOf(secret, 1)), 'totp_invalid');
  });
});

describe('the keys of an account', () => {
  const wanted = { label: 'bot', scopes: ['read'] };

  it('are made with the scope withdraw by their holder only while the second factor is on', async () => {
    const { token } = await signIn(await openAccount());
    const key = { label: 'payer', scopes: ['read', 'withdraw'] };
    await expectRefusal(holderEntrypoint.makeKey(token, key), 'invalid_state');
    await switchTotpOn(token);
    await accepted(holderEntrypoint.makeKey(token, key));
  });

  it('that are not revoked are 50 at most, the operator’s too, and an expired one counts until it is revoked', async () => {
    const accountId = await openAccount();
    const { token } = await signIn(accountId);
    const made = await Promise.all(Array.from({ length: 60 }, () => holderEntrypoint.makeKey(token, wanted)));
    expect(made.filter(({ ok }) => ok)).toHaveLength(50);
    expect(new Set(made.flatMap((outcome) => (outcome.ok ? [] : [outcome.code])))).toEqual(new Set(['invalid_state']));
    await expectCode(asOperator('POST', `/accounts/${accountId}/api-keys`, wanted), '409 invalid_state');
    await runFor(accountId, "UPDATE api_keys SET expires_at = 1 WHERE account_id = ? AND kind = 'standing'", accountId);
    await expectRefusal(holderEntrypoint.makeKey(token, wanted), 'invalid_state');
    const { apiKeys } = await accepted(holderEntrypoint.listKeys(token, null));
    await accepted(holderEntrypoint.revokeKey(token, apiKeys[0]?.id ?? ''));
    await accepted(holderEntrypoint.makeKey(token, wanted));
  });

  it('are listed with those that are not revoked first, whatever came after them, and all others by pages', async () => {
    const trader = await openTrader();
    const { token } = await signIn(trader.accountId);
    const insert = databaseOfId(trader.accountId).prepare(
      `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 201)
       INSERT INTO api_keys (id, account_id, label, scopes, token_hash, created_at, revoked_at)
       SELECT 'ffffffff-0000-7000-8000-' || printf('%012x', x), ?, 'gone', 'r', 'h', 1, 2 FROM n`,
    );
    await insert.bind(trader.accountId).run();
    const first = await accepted(holderEntrypoint.listKeys(token, null));
    expect(first.apiKeys[0]?.id).toBe(trader.keyId);
    const { account } = await operate<{ account: { apiKeys: { id: string }[] } }>(
      'GET',
      `/accounts/${trader.accountId}`,
    );
    expect(account.apiKeys.map(({ id }) => id)).toEqual(first.apiKeys.map(({ id }) => id));
    const ids = first.apiKeys.map(({ id }) => id);
    for (let { next } = first; next !== null;) {
      const page = await accepted(holderEntrypoint.listKeys(token, next));
      ids.push(...page.apiKeys.map(({ id }) => id));
      ({ next } = page);
    }
    expect([ids.length, new Set(ids).size]).toEqual([202, 202]);
  });
});

it('the approved addresses of an account are 100 at most, and all are listed', async () => {
  const accountId = await openAccount();
  const { token } = await signIn(accountId);
  const oldest = await accepted(holderEntrypoint.approveAddress(token, COLD));
  const insert = databaseOfId(accountId).prepare(
    `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 99)
     INSERT INTO allowlist SELECT ?, 'ffffffff-0000-7000-8000-' || printf('%012x', x), 'ETH', 'a' || x, 'x', 0 FROM n`,
  );
  await insert.bind(accountId).run();
  const other = { ...COLD, address: '0xde709f2102306220921060314715629080e2fb77' };
  await expectRefusal(holderEntrypoint.approveAddress(token, other), 'invalid_state');
  expect(await accepted(holderEntrypoint.approveAddress(token, COLD))).toEqual(oldest);
  const listed = await accepted(holderEntrypoint.listAddresses(token));
  expect([listed.length, listed.at(-1)]).toEqual([100, oldest]);
});

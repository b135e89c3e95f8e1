import { describe, expect, it, vi } from 'vitest';
import { ORDER, asOperator, createKey, openAccount, openTrader, expectCode, operate } from '../support/exchange.ts';
import { accepted, expectRefusal, signIn } from '../support/holder/holders.ts';
import { addressOf, inviteByTwo } from '../support/holder/invite.ts';
import { holderEntrypoint } from '../support/runtime/test-env.ts';
import { databaseOfId, runFor, readFor } from '../support/db/open-in-ledger.ts';

const HOUR_MS = 3_600_000;

const openAs = (holder: string, accountId: string) =>
  holderEntrypoint.openSession({
    accountId,
    holder,
    email: addressOf(accountId),
    level: 'act',
    newBrowser: null,
    place: null,
  });

/** A session key in the database, as a bug could write it. */
function forgeSession(accountId: string, id: string, createdAt: number, expiresAt: number | null) {
  return databaseOfId(accountId)
    .prepare(
      `INSERT INTO api_keys (id, account_id, label, kind, scopes, token_hash, created_at, expires_at)
     VALUES (?, ?, 'x', 'session', 'r', 'x', ?, ?)`,
    )
    .bind(id, accountId, createdAt, expiresAt);
}

describe('a session', () => {
  it('trades and reads at the public API with the scopes of its level', async () => {
    const accountId = await openAccount({ USDT: '1000' });
    const { api: acting } = await signIn(accountId);
    const { api: looking } = await signIn(accountId, 'look');
    expect((await acting.order(ORDER)).status).toBe(201);
    expect((await looking.get('/api/v1/wallet/balances')).status).toBe(200);
    await expectCode(looking.order(ORDER), '403 insufficient_scope');
  });

  it('ends after 12 hours, which the database holds it to', async () => {
    const accountId = await openAccount();
    const before_ms = Date.now();
    const { expiresAt_ms, sessionId } = await signIn(accountId);
    expect(expiresAt_ms - before_ms).toBeGreaterThanOrEqual(12 * HOUR_MS);
    expect(expiresAt_ms - Date.now()).toBeLessThanOrEqual(12 * HOUR_MS);
    const longer = forgeSession(accountId, 'longer', before_ms, before_ms + 12 * HOUR_MS + 1);
    await expect(longer.run()).rejects.toThrow('guard: a session lasts at most 12 hours');
    await expect(forgeSession(accountId, 'endless', before_ms, null).run()).rejects.toThrow('at most 12 hours');
    for (const change of ["kind = 'standing'", 'expires_at = expires_at + 1', 'expires_at = NULL']) {
      const update = databaseOfId(sessionId).prepare(`UPDATE api_keys SET ${change} WHERE id = ?`).bind(sessionId);
      await expect(update.run(), change).rejects.toThrow('guard: a session ends when it said');
    }
  });

  it('makes the first who signs in the holder, for good', async () => {
    const accountId = await openAccount();
    await signIn(accountId, 'look', 'first');
    await signIn(accountId, 'act', 'first');
    await expectRefusal(openAs('second', accountId), 'invalid_state');
    const replace = databaseOfId(accountId)
      .prepare("UPDATE accounts SET holder = 'second' WHERE id = ?")
      .bind(accountId);
    await expect(replace.run()).rejects.toThrow('guard: account_has_holder');
  });

  it('makes nobody the holder who was not invited, by that address, within 72 hours', async () => {
    const accountId = await openAccount();
    const email = addressOf(accountId);
    const open = (address: string) =>
      holderEntrypoint.openSession({
        accountId,
        holder: 'x',
        email: address,
        level: 'look',
        newBrowser: null,
        place: null,
      });
    await expectRefusal(open(email), 'invalid_state');
    await inviteByTwo(accountId);
    await expectRefusal(open('other@customers.test'), 'invalid_state');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 72 * HOUR_MS + 1_000 });
    await expectRefusal(open(email), 'invalid_state');
    await inviteByTwo(accountId);
    await accepted(open(email));
    const results = await runFor(
      accountId,
      'SELECT action, role, actor FROM audit WHERE target = ? ORDER BY id',
      accountId,
    );
    expect(results.slice(1)).toEqual([
      { action: 'invite_holder', role: 'admin', actor: 'second@bureau.test' },
      { action: 'invite_holder', role: 'admin', actor: 'second@bureau.test' },
      { action: 'become_holder', role: 'holder', actor: null },
      { action: 'open_session', role: 'holder', actor: null },
    ]);
  });

  it('is refused by the database for a holder who was not invited, and so is an invitation that no audit row tells', async () => {
    const accountId = await openAccount();
    const database = databaseOfId(accountId);
    const claim = database.prepare("UPDATE accounts SET holder = 'x' WHERE id = ?").bind(accountId);
    await expect(claim.run()).rejects.toThrow('guard: holder_not_invited');
    const expiresAt = Date.now() + 72 * HOUR_MS;
    const invite = (byTwo: number) =>
      database.prepare('INSERT INTO invitations VALUES (?, ?, ?, ?)').bind(accountId, 'address', expiresAt, byTwo);
    for (const byTwo of [0, 1]) await expect(invite(byTwo).run()).rejects.toThrow('as its audit row says');
    await inviteByTwo(accountId);
    const longer = database.prepare('UPDATE invitations SET expires_at = expires_at + 1 WHERE account_id = ?');
    await expect(longer.bind(accountId).run()).rejects.toThrow('guard: an invitation is never changed');
    await expect(claim.run()).rejects.toThrow('guard: holder_not_invited');
    const used = await openTrader();
    const audit = `INSERT INTO audit (id, ts, role, action, target, detail)
       SELECT max(id) + 1, ?, 'support', 'invite_holder', ?, '{}' FROM audit`;
    const forged = databaseOfId(used.accountId);
    const batch = forged.batch([
      forged.prepare(audit).bind(expiresAt - 72 * HOUR_MS, used.accountId),
      forged.prepare('INSERT INTO invitations VALUES (?, ?, ?, 0)').bind(used.accountId, 'address', expiresAt),
    ]);
    await expect(batch).rejects.toThrow('guard: two_people_needed');
  });

  it('has its invitation end with the first who signs in, and with a freeze', async () => {
    const [accountId, frozen] = [await openAccount(), await openAccount()];
    const count = async (id: string) => readFor(id, 'SELECT count(*) AS n FROM invitations WHERE account_id = ?', id);
    for (const id of [accountId, frozen]) {
      await inviteByTwo(id);
      expect(await count(id)).toBe(1);
    }
    await signIn(accountId);
    await asOperator('PATCH', `/accounts/${frozen}`, { status: 'frozen' });
    expect([await count(accountId), await count(frozen)]).toEqual([0, 0]);
    await expectCode(
      asOperator('POST', `/accounts/${frozen}/invitation`, { email: 'a@b.example' }),
      '409 invalid_state',
    );
    await expectCode(
      asOperator('POST', `/accounts/${accountId}/invitation`, { email: 'a@b.example' }),
      '409 invalid_state',
    );
  });

  it('is not opened for an account that does not exist', async () => {
    const ofNobody = ['01a1fcca-895a-7000-b43c-11f474a4f8d5', '01a1fcca-895a-7fff-b43c-11f474a4f8d5'];
    for (const accountId of ['nobody', ...ofNobody]) {
      await expectRefusal(openAs('x', accountId), 'not_found');
    }
  });

  it('has no account of its own to name: an API key, a forged token and an ended session open nothing', async () => {
    const trader = await openTrader({ USDT: '100' });
    await expectRefusal(holderEntrypoint.describe(trader.token), 'invalid_api_key');
    const { token, sessionId } = await signIn(trader.accountId);
    await expectRefusal(
      holderEntrypoint.describe(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`),
      'invalid_api_key',
    );
    expect((await accepted(holderEntrypoint.describe(token))).account.id).toBe(trader.accountId);
    await accepted(holderEntrypoint.endSessions(token, null));
    await expectRefusal(holderEntrypoint.describe(token), 'invalid_api_key');
    const { api } = await signIn(trader.accountId);
    await accepted(holderEntrypoint.endSessions(api.token, [sessionId, api.keyId]));
    await expectCode(api.get('/api/v1/wallet/balances'), '401 invalid_api_key');
  });

  it('ends no session of another account, and no API key', async () => {
    const [own, other] = [await openAccount(), await openTrader()];
    const { token } = await signIn(own);
    const foreign = await signIn(other.accountId);
    await accepted(holderEntrypoint.endSessions(token, [foreign.sessionId, other.keyId]));
    await accepted(holderEntrypoint.describe(foreign.token));
    expect((await other.get('/api/v1/wallet/balances')).status).toBe(200);
    expect((await foreign.api.get('/api/v1/wallet/balances')).status).toBe(200);
  });

  it('is in no list of keys', async () => {
    const trader = await openTrader();
    const { token, sessionId } = await signIn(trader.accountId);
    const own = await accepted(holderEntrypoint.listKeys(token, null));
    expect(own.apiKeys.map(({ id }) => id)).toEqual([trader.keyId]);
    const { account } = await operate<{ account: { apiKeys: { id: string }[] } }>(
      'GET',
      `/accounts/${trader.accountId}`,
    );
    expect(account.apiKeys.map(({ id }) => id)).toEqual([trader.keyId]);
    expect(JSON.stringify(account)).not.toContain(sessionId);
  });
});

describe('the sessions of an account', () => {
  it('are five at most: the oldest ends for a sixth, everywhere', async () => {
    const accountId = await openAccount();
    const sessions = [];
    for (let count = 0; count < 5; count += 1) sessions.push(await signIn(accountId));
    const [oldest, second] = sessions;
    expect((await oldest?.api.get('/api/v1/wallet/balances'))?.status).toBe(200);
    const sixth = await signIn(accountId);
    expect(sixth.ended).toEqual([oldest?.sessionId]);
    expect((await oldest?.api.get('/api/v1/wallet/balances'))?.status).toBe(401);
    expect((await second?.api.get('/api/v1/wallet/balances'))?.status).toBe(200);
    const forged = forgeSession(accountId, sixth.sessionId.replace(/.$/, 'x'), Date.now(), Date.now() + 1_000);
    await expect(forged.run()).rejects.toThrow('guard: too_many_sessions');
  });

  it('are five at most when ten are opened at once', async () => {
    const accountId = await openAccount();
    await inviteByTwo(accountId);
    await Promise.all(Array.from({ length: 10 }, () => openAs('x', accountId)));
    const live = await readFor(
      accountId,
      "SELECT count(*) AS live FROM api_keys WHERE account_id = ? AND kind = 'session' AND revoked_at IS NULL",
      accountId,
    );
    expect(live).toBe(5);
  });

  it('share their buckets: 600 reads a minute for the account, whichever session asks', async () => {
    const accountId = await openAccount();
    const [one, other] = [await signIn(accountId), await signIn(accountId)];
    const read = (session: typeof one) => session.api.get('/api/v1/wallet/balances');
    const first = await read(one);
    expect(first.headers.get('RateLimit-Policy')).toContain('"read-minute";q=600;w=60');
    expect(first.headers.get('RateLimit-Policy')).toContain('"read-day";q=20000;w=86400');
    expect((await read(other)).headers.get('RateLimit')).toContain('"read-minute";r=598;');
    await accepted(holderEntrypoint.describe(one.token));
    expect((await read(other)).headers.get('RateLimit')).toContain('"read-minute";r=596;');
    const key = await createKey(accountId, { rateLimits: {} });
    expect((await key.get('/api/v1/wallet/balances')).headers.get('RateLimit')).toContain('"read-minute";r=119;');
  });

  it('share their buckets of orders: 30 a minute', async () => {
    const accountId = await openAccount({ USDT: '1000' });
    const [one, other] = [await signIn(accountId), await signIn(accountId)];
    const order = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '1' };
    const statuses = [];
    for (let count = 0; count < 15; count += 1) {
      statuses.push((await one.api.order(order)).status, (await other.api.order(order)).status);
    }
    expect(new Set(statuses)).toEqual(new Set([201]));
    await expectCode(one.api.order(order), '429 rate_limited');
    await expectCode(other.api.order(order), '429 rate_limited');
  });
});

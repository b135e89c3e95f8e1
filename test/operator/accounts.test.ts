import { describe, expect, it } from 'vitest';
import { Scope } from '../../src/keys/rights.ts';
import { asOperator, createKey, json, openAccount, openTrader, operate, expectCode } from '../support/exchange.ts';
import { readEffects, sumOfBalances } from '../support/db/probes.ts';
import { sql, listRows } from '../support/db/sql.ts';
import { atOnce } from '../support/at-once.ts';

describe('POST /operator/v1/accounts', () => {
  it('opens an account with all nine balances, and an address index that no other account has', async () => {
    const ids = await atOnce(8, () => openAccount());
    const results = await listRows<{
      id: string;
      address_index: number;
    }>('SELECT id, address_index FROM accounts');
    const indices = results.filter(({ id }) => ids.includes(id)).map(({ address_index }) => address_index);
    expect(new Set(indices).size).toBe(8);
    expect(indices.every((index) => index < results.length)).toBe(true);
    const trader = await createKey(ids[0] ?? '');
    expect(Object.values(await trader.balances())).toEqual(Array.from({ length: 9 }, () => '0'));
  });

  it('answers with the Location of the account, which can be read there', async () => {
    const response = await asOperator('POST', '/accounts', { label: 'Ada' });
    expect(response.status).toBe(201);
    const { account } = await json<{ account: { id: string } }>(response);
    expect(response.headers.get('Location')).toBe(`/operator/v1/accounts/${account.id}`);
    expect(account).toMatchObject({ label: 'Ada', status: 'active', dailyWithdrawalLimit: '5000' });
    expect(await operate('GET', `/accounts/${account.id}`)).toMatchObject({
      account: { ...account, apiKeys: [], usdValue: '0' },
    });
  });

  it.each([{}, { label: '' }, { label: 1 }, { label: 'x'.repeat(101) }])('refuses %o', async (body) => {
    await expectCode(asOperator('POST', '/accounts', body), '400 invalid_request');
  });
});

describe('API keys', () => {
  it('have exactly the requested scopes, and show their token once', async () => {
    const accountId = await openAccount();
    const response = await asOperator('POST', `/accounts/${accountId}/api-keys`, {
      label: 'bot',
      scopes: ['trade', 'read'],
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const { apiKey, token } = await json<{ apiKey: Record<string, unknown>; token: string }>(response);
    expect(apiKey).toMatchObject({
      accountId,
      label: 'bot',
      scopes: ['read', 'trade'],
      ipAllowlist: null,
      expiresAt: null,
      revokedAt: null,
    });
    expect(token).toMatch(/^bk_test_[A-Za-z0-9_-]+$/);
    const shown = await (await asOperator('GET', `/accounts/${accountId}`)).text();
    expect(shown).toContain(String(apiKey['id']));
    expect(shown).not.toContain(token);
    const stored = await sql('SELECT * FROM api_keys WHERE id = ?', apiKey['id']).first();
    expect(JSON.stringify(stored)).not.toContain(token.slice(-100));
  });

  it.each(Scope.options)('may have the scope %s, alone and with all others', async (scope) => {
    for (const scopes of [[scope], Scope.options]) {
      const trader = await openTrader({}, { scopes: [...scopes] });
      expect(await json(await trader.get('/api/v1/account/api-key'))).toMatchObject({ apiKey: { scopes } });
    }
  });

  it('are revoked for good, and revoking one again is no error', async () => {
    const trader = await openTrader();
    const path = `/accounts/${trader.accountId}/api-keys/${trader.keyId}`;
    const first = await operate<{ apiKey: { revokedAt: string } }>('DELETE', path);
    const second = await operate<{ apiKey: { revokedAt: string } }>('DELETE', path);
    expect(second.apiKey.revokedAt).toBe(first.apiKey.revokedAt);
    expect((await trader.get('/api/v1/orders')).status).toBe(401);
  });

  const bad = [
    { scopes: [] },
    { scopes: ['admin'] },
    { scopes: 'read' },
    { label: '' },
    { expiresAt: 'tomorrow' },
    { expiresAt: '2020-01-01T00:00:00.000Z' },
    { ipAllowlist: [] },
    { ipAllowlist: ['300.0.0.1'] },
    { ipAllowlist: ['10.0.0.0/33'] },
    { rateLimits: { read: { perMinute: 0, perDay: 1 } } },
    { rateLimits: { read: { perMinute: 1.5, perDay: 1 } } },
    { rateLimits: { read: { perMinute: 1 } } },
  ];
  it.each(bad)('refuses %o', async (change) => {
    const body = { label: 'bot', scopes: ['read'], ...change };
    await expectCode(asOperator('POST', `/accounts/${await openAccount()}/api-keys`, body), '400 invalid_request');
  });

  it('are not made for an unknown account', async () => {
    await expectCode(asOperator('POST', '/accounts/x/api-keys', { label: 'bot', scopes: ['read'] }), '404 not_found');
  });
});

describe('POST /operator/v1/accounts/{id}/credits', () => {
  const credit = (accountId: string, body: Record<string, unknown>) =>
    asOperator('POST', `/accounts/${accountId}/credits`, {
      asset: 'USDT',
      amount: '100',
      reference: 'wire 7',
      ...body,
    });

  it('credits once per reference, ten times in parallel', async () => {
    const trader = await openTrader();
    const responses = await atOnce(10, () => credit(trader.accountId, {}));
    expect(responses.map((response) => response.status)).toEqual(Array.from({ length: 10 }, () => 201));
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
    expect((await trader.balances())['USDT']).toBe('100');
    expect(await sumOfBalances()).toEqual([]);
  });

  it('shows in the feed as an INTERNAL_DEPOSIT with its value at that time', async () => {
    const trader = await openTrader({ USDC: '5' });
    const transactions = await trader.feed();
    expect(transactions).toHaveLength(1);
    expect(transactions[0]).toMatchObject({
      category: 'DEPOSIT',
      type: 'INTERNAL_DEPOSIT',
      asset: 'USDC',
      amount: '5',
      status: 'COMPLETED',
    });
    expect(Number(transactions[0]?.['usdValue'])).toBeCloseTo(5, 0);
  });

  it('refuses a reference that was used for another credit', async () => {
    const accountId = await openAccount();
    await credit(accountId, {});
    await expectCode(credit(accountId, { amount: '101' }), '409 invalid_state');
    await expectCode(credit(accountId, { asset: 'USDC' }), '409 invalid_state');
  });

  it('refuses a credit above the supply cap, and credits nothing of it', async () => {
    const accountId = await openAccount();
    const before = await readEffects(accountId);
    await expectCode(credit(accountId, { asset: 'BTC', amount: '620000' }), '422 supply_cap_exceeded');
    await expectCode(credit(accountId, { asset: 'BTC', amount: '99999999999999999999' }), '422 supply_cap_exceeded');
    expect(await readEffects(accountId)).toEqual(before);
  });

  it('refuses with the same code a credit that would take custody beyond 64 bits', async () => {
    const accountId = await openAccount({ BTC: '1' });
    const before = await readEffects(accountId);
    const most = { asset: 'BTC', amount: '92233720368.54775807', reference: 'most' };
    await expectCode(credit(accountId, most), '422 supply_cap_exceeded');
    expect(await readEffects(accountId)).toEqual(before);
  });

  it.each([
    [{ amount: '0' }, 422, 'amount_below_minimum'],
    [{ amount: '0.0000001' }, 422, 'precision_exceeded'],
    [{ amount: '-1' }, 400, 'invalid_request'],
    [{ amount: 1 }, 400, 'invalid_request'],
    [{ asset: 'XRP' }, 400, 'invalid_request'],
    [{ reference: '' }, 400, 'invalid_request'],
  ])('refuses %o', async (change, status, code) => {
    await expectCode(credit(await openAccount(), change), `${status} ${code}`);
  });

  it('refuses a credit to an unknown account', async () => {
    await expectCode(credit('x', {}), '404 not_found');
  });
});

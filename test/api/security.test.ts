import { describe, expect, it } from 'vitest';
import { app } from '../../src/app.ts';
import { config } from '../../src/env.ts';
import type { Scope } from '../../src/keys/rights.ts';
import { mintToken } from '../../src/keys/token.ts';
import { newRecordId } from '../../src/db/record-id.ts';
import { type Trader, asOperator, createKey, openAccount, send, expectCode } from '../support/exchange.ts';
import { runFor } from '../support/db/open-in-ledger.ts';

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** The scope that the operation needs. `undefined` when any key will do, and for public and operator's operations. */
  readonly scope: Scope | undefined;
  readonly kind: 'keyed' | 'public' | 'operator';
}

/** Every operation that the application registers, with what it declares about its security. */
const operations: Operation[] = app.openAPIRegistry.definitions
  .filter((definition) => definition.type === 'route')
  .map(({ route }) => {
    const scopes = route.security?.flatMap((requirement) => requirement['apiKey'] ?? []) ?? [];
    const isOperator = route.security?.some((requirement) => 'operatorToken' in requirement) === true;
    return {
      operationId: String(route.operationId),
      method: route.method.toUpperCase(),
      path: route.path,
      scope: scopes[0] as Scope | undefined,
      kind: isOperator ? 'operator' : route.security ? 'keyed' : 'public',
    };
  });

const ENDPOINT = '/api/v1/webhook-endpoints/01a1fcca-895a-7000-b43c-11f474a4f8d5';

/**
 * For every operation with a key, a request that a valid key gets admitted with. Each new operation needs a sample
 * here.
 */
const samples: Record<string, { readonly path: string; readonly body?: unknown; readonly status?: number }> = {
  listBalances: { path: '/api/v1/wallet/balances' },
  listAddresses: { path: '/api/v1/wallet/addresses' },
  listTransactions: { path: '/api/v1/wallet/transactions' },
  createWithdrawal: {
    path: '/api/v1/wallet/withdrawals',
    body: { asset: 'USDT', network: 'TRC20', amount: '10', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' },
  },
  listWithdrawals: { path: '/api/v1/wallet/withdrawals' },
  getWithdrawal: { path: '/api/v1/wallet/withdrawals/01a1fcca-895a-7000-b43c-11f474a4f8d5' },
  listDeposits: { path: '/api/v1/wallet/deposits' },
  getDeposit: { path: '/api/v1/wallet/deposits/01a1fcca-895a-7000-b43c-11f474a4f8d5' },
  placeOrder: { path: '/api/v1/orders', body: { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' } },
  previewOrder: {
    path: '/api/v1/orders/preview',
    body: { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' },
  },
  listOrders: { path: '/api/v1/orders' },
  getOrder: { path: '/api/v1/orders/01a1fcca-895a-7000-b43c-11f474a4f8d5' },
  listTickers: { path: '/api/v1/markets/tickers' },
  getTicker: { path: '/api/v1/markets/BTC' },
  listCandles: { path: '/api/v1/markets/BTC/candles' },
  listAssets: { path: '/api/v1/assets' },
  getExchangeInfo: { path: '/api/v1/exchange-info' },
  getServerTime: { path: '/api/v1/time' },
  getStatus: { path: '/api/v1/status' },
  getOpenApi: { path: '/api/v1/openapi.json' },
  getAsyncApi: { path: '/api/v1/asyncapi.json' },
  // Admitted, and then told that it is no upgrade.
  openMarketStream: { path: '/api/v1/stream', status: 400 },
  openAccountStream: { path: '/api/v1/account/stream', status: 400 },
  getApiKey: { path: '/api/v1/account/api-key' },
  listEvents: { path: '/api/v1/events' },
  createWebhookEndpoint: { path: '/api/v1/webhook-endpoints', body: { url: 'https://hooks.bureau-tests.com/' } },
  listWebhookEndpoints: { path: '/api/v1/webhook-endpoints' },
  getWebhookEndpoint: { path: ENDPOINT },
  changeWebhookEndpoint: { path: ENDPOINT, body: { description: 'x' } },
  deleteWebhookEndpoint: { path: ENDPOINT },
  rotateWebhookSecret: { path: `${ENDPOINT}/rotate-secret`, body: {} },
  testWebhookEndpoint: { path: `${ENDPOINT}/test`, body: {} },
  resendEvent: { path: `${ENDPOINT}/resend`, body: { eventId: 'evt_x_1' } },
  replayEvents: { path: `${ENDPOINT}/replay`, body: { after: 0 } },
  listWebhookDeliveries: { path: `${ENDPOINT}/deliveries` },
  getStatement: { path: '/api/v1/account/statement?from=2026-01-01T00:00:00Z' },
};

const keyed = operations.filter(({ kind }) => kind === 'keyed');
const open = operations.filter(({ kind }) => kind === 'public');
const operatorOnly = operations.filter(({ kind }) => kind === 'operator');

function call(operation: Operation, headers: Record<string, string>): Promise<Response> {
  const sample = samples[operation.operationId];
  if (!sample) throw new Error(`the security suite has no sample of ${operation.operationId}: add one`);
  return send(sample.path, {
    method: operation.method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(sample.body !== undefined && { body: JSON.stringify(sample.body) }),
  });
}

const scopes = ['read', 'trade', 'withdraw', 'webhooks'] as const;

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const from = (ip: string) => ({ 'CF-Connecting-IP': ip });

async function expectRefused(response: Response, status: number, code: string): Promise<void> {
  await expectCode(response, `${status} ${code}`);
  if (status === 401) expect(response.headers.get('WWW-Authenticate')).toMatch(/^Bearer/);
}

/** An account for each operation. Every case has a key of its own, and changes no more than that. */
const accounts = new Map<Operation, string>();

async function accountOf(operation: Operation): Promise<string> {
  const account = accounts.get(operation) ?? (await openAccount());
  accounts.set(operation, account);
  return account;
}

async function openKey(operation: Operation, options: Parameters<typeof createKey>[1] = {}): Promise<Trader> {
  return createKey(await accountOf(operation), { scopes: [operation.scope ?? 'trade'], ...options });
}

function changeLast(token: string): string {
  return token.slice(0, -1) + (token.endsWith('A') ? 'E' : 'A');
}

/** What is no part of the API, and shows everybody the same: see `src/api/well-known.ts`. */
const wellKnown = ['GET /.well-known/api-catalog', 'GET /.well-known/security.txt'];

describe('the suite', () => {
  it('covers every route that the application answers', () => {
    const registered = operations.map(({ method, path }) => `${method} ${path.replaceAll(/{(\w+)}/g, ':$1')}`);
    const answered = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
    expect(new Set(answered)).toEqual(new Set([...registered, ...wellKnown]));
    expect(keyed.length).toBeGreaterThanOrEqual(6);
  });

  it.each([...keyed, ...open])('has a sample of $operationId', ({ operationId }) => {
    expect(samples[operationId]).toBeDefined();
  });

  it('requires the operator’s token for every path of the operator, and for no other', () => {
    for (const { path, kind } of operations) expect(path.startsWith('/operator/'), path).toBe(kind === 'operator');
  });
});

describe.each(keyed)('$operationId', (operation) => {
  it('refuses a request without a key', async () => {
    await expectRefused(await call(operation, {}), 401, 'missing_api_key');
    await expectRefused(await call(operation, { Authorization: 'Basic dXNlcjpwYXNz' }), 401, 'missing_api_key');
    await expectRefused(await call(operation, { Authorization: 'Bearer' }), 401, 'missing_api_key');
  });

  it('refuses a key that the exchange did not issue', async () => {
    const { token } = await openKey(operation);
    await expectRefused(await call(operation, bearer('nonsense')), 401, 'invalid_api_key');
    await expectRefused(await call(operation, bearer(changeLast(token))), 401, 'invalid_api_key');
    await expectRefused(await call(operation, bearer(token.replace('bk_test', 'bk_live'))), 401, 'invalid_api_key');
  });

  it('refuses a key whose scopes were rewritten', async () => {
    const weak = await openKey(operation, { scopes: [operation.scope === 'read' ? 'trade' : 'read'] });
    const rewritten = weak.token.replace(/_(r|t)_/, '_rtw_');
    expect(rewritten).not.toBe(weak.token);
    await expectRefused(await call(operation, bearer(rewritten)), 401, 'invalid_api_key');
  });

  it('refuses a revoked key, from the next request on', async () => {
    const { token, accountId, keyId } = await openKey(operation);
    expect([401, 403]).not.toContain((await call(operation, bearer(token))).status);
    expect((await asOperator('DELETE', `/accounts/${accountId}/api-keys/${keyId}`)).status).toBe(200);
    await expectRefused(await call(operation, bearer(token)), 401, 'invalid_api_key');
  });

  it('refuses an expired key', async () => {
    const { token, keyId } = await openKey(operation, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    await runFor(keyId, 'UPDATE api_keys SET expires_at = 1 WHERE id = ?', keyId);
    await expectRefused(await call(operation, bearer(token)), 401, 'api_key_expired');
  });

  it('refuses a key without a record, even when its tag is right', async () => {
    const { token } = await mintToken(newRecordId(Date.now()), [...scopes], 'bk_test', config.API_KEY_SECRETS);
    await expectRefused(await call(operation, bearer(token)), 401, 'invalid_api_key');
  });

  it('accepts a key only from the IP addresses on its list', async () => {
    const { token } = await openKey(operation, { ipAllowlist: ['192.0.2.7', '2001:db8::/48'] });
    await expectRefused(await call(operation, { ...bearer(token), ...from('192.0.2.8') }), 403, 'ip_not_allowed');
    for (const ip of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8:0:5::1']) {
      expect((await call(operation, { ...bearer(token), ...from(ip) })).status, ip).not.toBe(403);
    }
  });

  it('never shows a key or its secret in an answer', async () => {
    const { token } = await openKey(operation);
    const answers = await Promise.all([call(operation, bearer(token)), call(operation, bearer(changeLast(token)))]);
    for (const answer of answers) {
      const shown = (await answer.text()) + JSON.stringify(Object.fromEntries(answer.headers));
      expect(shown).not.toContain(token.split('_').slice(5).join('_').slice(0, 20));
    }
  });

  it('refuses a frozen account unless the operation only reads', async () => {
    const accountId = await openAccount();
    const { token } = await createKey(accountId, { scopes: [operation.scope ?? 'trade'] });
    await runFor(accountId, "UPDATE accounts SET status = 'frozen' WHERE id = ?", accountId);
    const response = await call(operation, bearer(token));
    const onlyReads = operation.scope === 'read' || !operation.scope;
    if (onlyReads) expect([samples[operation.operationId]?.status ?? 200, 404]).toContain(response.status);
    else await expectRefused(response, 403, 'account_frozen');
  });
});

describe.each(keyed.filter(({ scope }) => scope))('$operationId, which needs a scope', (operation) => {
  it('refuses a key without that scope', async () => {
    const others = scopes.filter((scope) => scope !== operation.scope);
    const { token } = await openKey(operation, { scopes: others });
    await expectRefused(await call(operation, bearer(token)), 403, 'insufficient_scope');
  });
});

describe.each(keyed.filter(({ scope }) => !scope))('$operationId, which needs no scope', (operation) => {
  it('accepts a key with any scope', async () => {
    for (const scope of scopes) {
      const { token } = await openKey(operation, { scopes: [scope] });
      expect((await call(operation, bearer(token))).status).toBe(200);
    }
  });
});

describe.each(open)('$operationId, which is public', (operation) => {
  const { status = 200 } = samples[operation.operationId] ?? {};

  it('answers without a key', async () => {
    expect((await call(operation, {})).status).toBe(status);
  });

  it('answers a request with a key of any scope', async () => {
    for (const scope of scopes) {
      const { token } = await openKey(operation, { scopes: [scope] });
      const response = await call(operation, bearer(token));
      expect(response.status).toBe(status);
      expect(response.headers.get('RateLimit')).toContain('"read-minute"');
    }
  });

  it('refuses an invalid key instead of treating the caller as anonymous', async () => {
    const { token, accountId, keyId } = await openKey(operation);
    await expectRefused(await call(operation, bearer(changeLast(token))), 401, 'invalid_api_key');
    await asOperator('DELETE', `/accounts/${accountId}/api-keys/${keyId}`);
    await expectRefused(await call(operation, bearer(token)), 401, 'invalid_api_key');
  });
});

describe.each(operatorOnly)('$operationId, which is the operator’s', (operation) => {
  const path = operation.path.replaceAll(/{\w+}/g, 'x');
  it.each(['', 'Bearer', 'Bearer wrong', `Basic ${'x'.repeat(48)}`])(
    'refuses Authorization: %j',
    async (authorization) => {
      const response = await send(path, { method: operation.method, headers: { Authorization: authorization } });
      await expectRefused(response, 401, 'invalid_operator_token');
    },
  );

  it('refuses an API key', async () => {
    const { token } = await openKey(operation);
    await expectRefused(
      await send(path, { method: operation.method, headers: bearer(token) }),
      401,
      'invalid_operator_token',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { sendRaw } from '../../../fuzz/raw-client.ts';
import type { Browser, Reply } from './browser.ts';
import { COLD, type Change, ENDPOINT, WITHDRAWAL, changes, reads } from './console-routes.ts';
import { codeOf } from '../../totp.ts';
import type { StartedConsole } from './start-console.ts';

/** What the console refuses, on every route. */
export function describeRefusals(served: StartedConsole): void {
  function expectRefused(reply: Reply, status: number, code: string): void {
    expect([reply.status, reply.body.code]).toEqual([status, code]);
  }

  describe('every route of the console', () => {
    it.each(changes)('%s %s is refused from another site, and without an origin', async (method, path, body) => {
      const { browser } = await sharedHolder();
      for (const Origin of ['https://evil.example', 'null', served.place.origin, '']) {
        expectRefused(await browser.send(method, path, body, { Origin }), 403, 'invalid_origin');
      }
    });

    it('refuses a form of another site, which a browser may send with the cookie', async () => {
      const { browser } = await sharedHolder();
      const headers = { Origin: 'https://evil.example', 'Content-Type': 'text/plain', 'Sec-Fetch-Site': 'cross-site' };
      expectRefused(await browser.post('/account/freeze', {}, headers), 403, 'invalid_origin');
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      expectRefused(await browser.post('/account/keys', {}, form), 415, 'unsupported_media_type');
    });

    it('refuses a WebSocket upgrade of another site', async () => {
      const { browser } = await sharedHolder();
      const response = await fetchUpgrade(browser, 'https://evil.example');
      expect(response).toBe(403);
    });

    it('opens the streams to its own pages alone: prices for everybody, events with the session', async () => {
      const { browser } = await sharedHolder();
      const stranger = served.openBrowser();
      expect(await listen(stranger, '/api/v1/stream', 'tickers')).toMatchObject({
        channel: 'tickers',
        type: 'snapshot',
      });
      expect(await listen(browser, '/api/v1/account/stream', 'events')).toMatchObject({ channel: 'events', data: [] });
      expect(await listen(stranger, '/api/v1/account/stream', 'events')).toBe('not opened');
      for (const [who, path] of [
        [browser, '/api/v1/account/stream'],
        [stranger, '/api/v1/stream'],
      ] as const) {
        expect(await listen(who, path, 'tickers', 'https://evil.example')).toBe('not opened');
      }
    });

    const ofHolders = changes.filter(([, path]) => /^\/(account|api)\//.test(path));
    it.each(ofHolders)('%s %s is refused without a session', async (method, path, body) => {
      expectRefused(await served.openBrowser().send(method, path, body), 401, 'not_signed_in');
    });

    it.each([...reads, '/api/v1/wallet/balances', '/api/v1/account/api-key'])(
      'GET %s is refused without a session',
      async (path) => {
        expectRefused(await served.openBrowser().get(path), 401, 'not_signed_in');
      },
    );

    it('takes no key and no cookie but the session’s', async () => {
      const { browser } = await sharedHolder();
      const { apiKey, token } = (await browser.post('/account/keys', { label: 'bot', scopes: ['read'] }))
        .body as unknown as {
        apiKey: { id: string };
        token: string;
      };
      const stranger = served.openBrowser();
      const asKey = { Authorization: `Bearer ${token}` };
      expectRefused(await stranger.send('GET', '/api/v1/wallet/balances', undefined, asKey), 401, 'not_signed_in');
      stranger.cookies.set('__Host-session', 'A'.repeat(43));
      expectRefused(await stranger.get('/session'), 401, 'not_signed_in');
      const own = await browser.get('/api/v1/account/api-key');
      expect((own.body['apiKey'] as { id: string }).id).not.toBe(apiKey.id);
      expect(JSON.stringify(own.body)).not.toContain('bk_test');
    });
  });

  describe('a session', () => {
    it('is worth nothing after it was revoked by another, at the console and at the exchange', async () => {
      const holder = await served.openHolder();
      const other = served.openBrowser();
      await other.signIn(holder.passkey);
      const { sessions } = (await other.get('/session/list')).body as unknown as {
        sessions: { id: string; isThis: boolean }[];
      };
      expect(sessions).toHaveLength(2);
      const first = sessions.find(({ isThis }) => !isThis);
      expect((await other.send('DELETE', `/session/list/${first?.id}`)).body['ended']).toBe(true);
      expectRefused(await holder.browser.get('/session'), 401, 'not_signed_in');
      expectRefused(await holder.browser.get('/api/v1/wallet/balances'), 401, 'not_signed_in');
      expect((await other.get('/api/v1/wallet/balances')).status).toBe(200);
    });

    it('ends after 30 minutes without use', async () => {
      const { browser, email } = await served.openHolder();
      await served.identity
        .prepare(
          'UPDATE sessions SET used_at = used_at - 1800001 WHERE user_id = (SELECT id FROM users WHERE email = ?)',
        )
        .bind(email)
        .run();
      expectRefused(await browser.get('/session'), 401, 'not_signed_in');
    });

    it('does not reach another holder’s sessions, passkeys, keys and addresses', async () => {
      const [one, other] = [await served.openHolder(), await served.openHolder()];
      const { apiKey } = (await other.browser.post('/account/keys', { label: 'bot', scopes: ['read'] }))
        .body as unknown as {
        apiKey: { id: string };
      };
      const { entry } = (await other.browser.post('/account/addresses', COLD)).body as unknown as {
        entry: { id: string };
      };
      const { sessions } = (await other.browser.get('/session/list')).body as unknown as { sessions: { id: string }[] };
      expect((await one.browser.send('DELETE', `/session/list/${sessions[0]?.id}`)).body['ended']).toBe(false);
      expectRefused(await one.browser.send('DELETE', `/account/keys/${apiKey.id}`), 404, 'not_found');
      expectRefused(await one.browser.send('DELETE', `/account/addresses/${entry.id}`), 404, 'not_found');
      expectRefused(await one.browser.send('DELETE', `/account/passkeys/${other.passkey.id}`), 404, 'not_found');
      expectRefused(
        await one.browser.send('PATCH', `/account/passkeys/${other.passkey.id}`, { name: 'x' }),
        404,
        'not_found',
      );
      expect((await other.browser.get('/session')).status).toBe(200);
      expect((await other.browser.get('/account/keys')).body['apiKeys']).toMatchObject([
        { id: apiKey.id, revokedAt: null },
      ]);
    });

    it('opens nothing at the desk', async () => {
      const { browser } = await served.openHolder();
      expectRefused(await browser.get('/operator/v1/accounts'), 401, 'invalid_operator_token');
      expectRefused(await browser.post('/operator/v1/accounts', { label: 'x' }), 401, 'invalid_operator_token');
      const invitation = `/operator/v1/accounts/${await served.openAccount()}/invitation`;
      expectRefused(await browser.post(invitation, { email: 'a@b.example' }), 401, 'invalid_operator_token');
      const me = await browser.send('GET', '/operator/v1/me', undefined, served.staffHeader());
      expect(me.body['me']).toEqual({ actor: 'admin@bureau.example', roles: ['admin'] });
    });

    it('lies in the database where nobody can use it', async () => {
      const { browser } = await served.openHolder();
      const dump = JSON.stringify((await served.identity.prepare('SELECT * FROM sessions').all()).results);
      expect(dump).not.toContain('bk_test');
      expect(dump).not.toContain(browser.cookies.get('__Host-session'));
    });
  });

  describe('a passkey that was last used over five minutes ago', () => {
    const sensitive = changes.filter(([method, path]) => {
      const isRevocation = path.startsWith('/account/keys/') || path === '/account/freeze';
      const isAboutFreshness = path.startsWith('/account/fresh') || path === '/account/recovery';
      return (
        method !== 'GET' &&
        path.startsWith('/account/') &&
        path !== '/account/passkeys' &&
        !isRevocation &&
        !isAboutFreshness
      );
    });

    const ofTheApi: Change[] = [
      ['POST', '/api/v1/wallet/withdrawals', WITHDRAWAL],
      ['POST', '/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/' }],
      ['PATCH', `/api/v1/webhook-endpoints/${ENDPOINT}`, { url: 'http://127.0.0.1:9/' }],
      ['POST', `/api/v1/webhook-endpoints/${ENDPOINT}/rotate-secret`],
    ];

    it.each([...sensitive, ...ofTheApi])('is asked for before %s %s', async (method, path, body) => {
      const holder = await staleHolder();
      expectRefused(await holder.browser.send(method, path, body), 403, 'passkey_needed');
    });

    it('is fresh again once it was used', async () => {
      const holder = await served.openHolder();
      await served.makeStale(holder);
      const key = { label: 'bot', scopes: ['read'] };
      expectRefused(await holder.browser.post('/account/keys', key), 403, 'passkey_needed');
      expect((await holder.browser.refresh(holder.passkey)).status).toBe(201);
      expect((await holder.browser.post('/account/keys', key)).status).toBe(201);
    });
  });

  describe('a withdrawal in the console', () => {
    it('wants two-factor authentication on, and its code', async () => {
      const { browser } = await served.openHolder({ USDT: '1000' });
      const withdraw = (more: object = {}) => browser.post('/api/v1/wallet/withdrawals', { ...WITHDRAWAL, ...more });
      expectRefused(await withdraw(), 403, 'second_factor_needed');
      expectRefused(await browser.post('/api/v1/wallet/withdrawals/', WITHDRAWAL), 405, 'method_not_allowed');
      expectRefused(await browser.post('/api/v1/wallet//withdrawals', WITHDRAWAL), 405, 'method_not_allowed');
      expectRefused(await browser.post('/api/v1/wallet/%77ithdrawals', WITHDRAWAL), 403, 'second_factor_needed');
      const { totp } = (await browser.post('/account/totp')).body as unknown as { totp: { secret: string } };
      expect((await browser.post('/account/totp/confirm', { totpCode: await codeOf(totp.secret) })).status).toBe(200);
      expectRefused(await withdraw(), 403, 'totp_required');
      expect((await withdraw({ totpCode: await codeOf(totp.secret, 1) })).status).toBe(201);
    });
  });

  it('the webhook endpoints of another holder are not found, and a link alone does not show one’s own', async () => {
    const [one, other] = [await served.openHolder(), await served.openHolder()];
    const made = await other.browser.post('/api/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' });
    expect([made.status, made.body['secret']]).toEqual([201, expect.stringMatching(/^whsec_/)]);
    const { id } = made.body['webhookEndpoint'] as { id: string };
    const path = `/api/v1/webhook-endpoints/${id}`;
    for (const [method, end, body] of [
      ['GET', ''],
      ['GET', '/deliveries'],
      ['DELETE', ''],
      ['POST', '/rotate-secret', {}],
      ['POST', '/test', {}],
      ['POST', '/resend', { eventId: 'x' }],
      ['POST', '/replay', { after: 0 }],
      ['PATCH', '', { description: 'mine' }],
    ] as const) {
      expectRefused(await one.browser.send(method, path + end, body), 404, 'not_found');
    }
    expect((await other.browser.get(path)).status).toBe(200);
    const looking = await served.signInByLink(other.email, 2);
    expectRefused(await looking.get(path), 403, 'insufficient_scope');
  });

  it('tickers go without the key, so they use up nothing of the account’s limits', async () => {
    const { browser } = await served.openHolder();
    const { headers } = await browser.get('/api/v1/markets/tickers');
    expect(headers.get('RateLimit')).toBeNull();
    const { headers: own } = await browser.get('/api/v1/wallet/balances');
    expect(own.get('RateLimit-Policy')).toContain('"read-minute";q=600;w=60');
  });

  let shared: ReturnType<typeof served.openHolder> | undefined;
  function sharedHolder() {
    shared ??= served.openHolder();
    return shared;
  }

  let stale: ReturnType<typeof served.openHolder> | undefined;
  function staleHolder() {
    stale ??= served.openHolder().then(async (holder) => {
      await served.makeStale(holder);
      return holder;
    });
    return stale;
  }

  /** The first message of a stream that is opened from a page of this origin. */
  function listen({ origin, cookies }: Browser, path: string, channel: string, from = origin): Promise<unknown> {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { Origin: from, ...(Cookie !== '' && { Cookie }) };
    const socket = new WebSocket(`${origin.replace('http', 'ws')}${path}`, { headers } as unknown as string[]);
    return new Promise((resolve) => {
      socket.addEventListener('open', () => socket.send(JSON.stringify({ method: 'subscribe', params: { channel } })));
      socket.addEventListener('error', () => resolve('not opened'));
      socket.addEventListener('message', ({ data }) => {
        resolve(JSON.parse(String(data)));
        socket.close();
      });
    });
  }

  /** The status of an upgrade, which `fetch` cannot ask for. */
  async function fetchUpgrade({ origin }: Browser, from: string): Promise<number | undefined> {
    const headers = `Host: ${new URL(origin).host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: ${from}`;
    const socket = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==';
    const parts = [Buffer.from(`GET /session HTTP/1.1\r\n${headers}\r\n${socket}\r\n\r\n`)];
    const outcome = await sendRaw(origin, { parts, halfCloses: false, isHead: false }, 30_000);
    return outcome.kind === 'answer' ? outcome.status : undefined;
  }
}

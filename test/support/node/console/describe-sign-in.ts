import { describe, expect, it } from 'vitest';
import type { Browser, Reply } from './browser.ts';
import { Authenticator } from './authenticator.ts';
import type { StartedConsole } from './start-console.ts';

/** Signing in: invitations, passkeys, links and recoveries. */
export function describeSignIn(served: StartedConsole): void {
  function expectRefused(reply: Reply, status: number, code: string): void {
    expect([reply.status, reply.body.code]).toEqual([status, code]);
    expect(reply.body.requestId).toBe(reply.headers.get('X-Request-Id'));
  }

  async function expectSignedOut(browser: Browser): Promise<void> {
    expectRefused(await browser.get('/session'), 401, 'not_signed_in');
  }

  describe('an invitation', () => {
    it('makes somebody the holder of an account, who enrols a passkey, signs out and in, and trades', async () => {
      const accountId = await served.openAccount();
      expect((await served.invite(accountId, 'Ada@Customers.example')).status).toBe(201);
      const browser = served.openBrowser();
      const spent = await browser.post('/session/link/spend', { secret: await served.linkTo('ada@customers.example') });
      expect([spent.status, spent.body['level']]).toEqual([201, 'look']);
      const cookies = spent.headers.getSetCookie();
      expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['__Host-session', '__Host-browser']);
      for (const cookie of cookies) {
        expect(cookie).toMatch(/^[\w-]+=[\w-]{43}; Max-Age=\d+; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
      }
      const order = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '100' };
      expectRefused(await browser.post('/api/v1/orders', order), 403, 'insufficient_scope');
      const { passkey, reply } = await browser.enrol();
      expect([reply.status, reply.body['level']]).toEqual([201, 'act']);
      await served.credit(accountId, { USDT: '1000' });
      expect((await browser.post('/api/v1/orders', order)).status).toBe(201);
      expect((await browser.send('DELETE', '/session')).status).toBe(200);
      await expectSignedOut(browser);
      expect((await browser.signIn(passkey)).status).toBe(201);
      expect((await browser.get('/session')).body['session']).toMatchObject({
        email: 'ada@customers.example',
        accountId,
        level: 'act',
        isFresh: true,
        passkeys: 1,
      });
      expect((await browser.get('/account')).body['account']).toMatchObject({ account: { id: accountId } });
    });

    it('is spent once, and is made only by the staff, for an account without a holder and a new address', async () => {
      const { accountId, email } = await served.openHolder();
      const free = await served.openAccount();
      expectRefused(await served.invite(accountId, 'other@customers.example'), 409, 'invalid_state');
      expectRefused(await served.invite(free, email), 409, 'invalid_state');
      const unknown = '01a1fcca-895a-7000-b43c-11f474a4f8d5';
      expectRefused(await served.invite(unknown, 'other@customers.example'), 404, 'not_found');
      expectRefused(await served.invite(free, email, {}), 401, 'invalid_operator_token');
      expectRefused(await served.invite(free, 'x@customers.example', {}), 401, 'invalid_operator_token');
      expectRefused(
        await served.invite(free, 'x@customers.example', served.staffHeader('stranger@bureau.example')),
        403,
        'insufficient_role',
      );
      await served.invite(free, 'once@customers.example');
      const secret = await served.linkTo('once@customers.example');
      expect((await served.openBrowser().post('/session/link/spend', { secret })).status).toBe(201);
      expectRefused(await served.openBrowser().post('/session/link/spend', { secret }), 403, 'link_not_valid');
    });

    it('of two for one account the newer one is accepted, whichever link is opened first', async () => {
      const accountId = await served.openAccount();
      for (const name of ['first', 'second']) await served.invite(accountId, `${name}@race.example`);
      const spend = async (name: string) =>
        served.openBrowser().post('/session/link/spend', { secret: await served.linkTo(`${name}@race.example`) });
      expectRefused(await spend('first'), 403, 'link_not_valid');
      expect((await spend('second')).status).toBe(201);
      expect(
        await served.identity
          .prepare('SELECT count(*) AS n FROM users WHERE account_id = ?')
          .bind(accountId)
          .first('n'),
      ).toBe(1);
    });

    it('is mailed again when it is sent again, and both links are the same person’s', async () => {
      const accountId = await served.openAccount();
      const email = 'twice@customers.example';
      const first = await served.invite(accountId, email);
      const again = await served.invite(accountId, email);
      expect([again.status, again.body['invitation']]).toEqual([201, first.body['invitation']]);
      await served.linkTo(email, 2);
      const secrets = served.mailsTo(email).map(({ text }) => /\/link#([\w-]{43})/.exec(text)?.[1]);
      const spends = secrets.map((secret) => served.openBrowser().post('/session/link/spend', { secret }));
      expect((await Promise.all(spends)).map(({ status }) => status)).toEqual([201, 201]);
    });

    it('for an account that holds something is proposed, and mailed when another person approves', async () => {
      const accountId = await served.openAccount({ USDT: '10' });
      const email = 'agreed@customers.example';
      const proposed = await served.invite(accountId, email, served.staffHeader('second@bureau.example'));
      expect([proposed.status, served.mailsTo(email)]).toEqual([202, []]);
      expect((await served.approve(proposed, served.staffHeader())).status).toBe(200);
      const spent = await served.openBrowser().post('/session/link/spend', { secret: await served.linkTo(email) });
      expect(spent.status).toBe(201);
    });
  });

  describe('a passkey is refused', () => {
    it('when its answer is replayed', async () => {
      const { passkey } = await served.openHolder();
      const browser = served.openBrowser();
      const answer = passkey.sign(await browser.challengeOf('/session/passkey/options'));
      expect((await browser.post('/session/passkey', { answer })).status).toBe(201);
      const other = served.openBrowser();
      expectRefused(await other.post('/session/passkey', { answer }), 401, 'sign_in_refused');
      await expectSignedOut(other);
    });

    it('without user verification, also when it is enrolled', async () => {
      const { passkey } = await served.openHolder();
      const browser = served.openBrowser();
      expectRefused(await browser.signIn(passkey, { withoutVerification: true }), 401, 'sign_in_refused');
      const accountId = await served.openAccount();
      await served.invite(accountId, 'unverified@customers.example');
      const secret = await served.linkTo('unverified@customers.example');
      await browser.post('/session/link/spend', { secret });
      expectRefused((await browser.enrol({ withoutVerification: true })).reply, 400, 'invalid_request');
    });

    it('when its counter has gone back or stands still, as that of a copy does', async () => {
      const { passkey } = await served.openHolder();
      const browser = served.openBrowser();
      expect((await browser.signIn(passkey, { counter: 10 })).status).toBe(201);
      expectRefused(await browser.signIn(passkey, { counter: 10 }), 401, 'sign_in_refused');
      expectRefused(await browser.signIn(passkey, { counter: 9 }), 401, 'sign_in_refused');
      expectRefused(await browser.signIn(passkey, { counter: 0 }), 401, 'sign_in_refused');
      expect((await browser.signIn(passkey, { counter: 11 })).status).toBe(201);
    });

    it('that nobody enrolled, or that answers for another site', async () => {
      const { passkey } = await served.openHolder();
      const browser = served.openBrowser();
      expectRefused(await browser.signIn(new Authenticator(browser.origin)), 401, 'sign_in_refused');
      expectRefused(await browser.signIn(passkey, { origin: 'https://phishing.example' }), 401, 'sign_in_refused');
    });

    it('when its challenge was for something else', async () => {
      const [one, other] = [await served.openHolder(), await served.openHolder()];
      const challenge = await one.browser.challengeOf('/session/passkey/options');
      const answer = one.passkey.sign(challenge);
      expectRefused(await one.browser.post('/account/fresh', { answer }), 401, 'sign_in_refused');
      // Another holder's own passkey does not refresh this one's session.
      const own = await one.browser.challengeOf('/account/fresh/options');
      expectRefused(
        await one.browser.post('/account/fresh', { answer: other.passkey.sign(own) }),
        401,
        'sign_in_refused',
      );
    });
  });

  describe('a browser', () => {
    it('that is new is told by mail and in the log, once; the first one and a known one are not', async () => {
      const { browser, email, passkey } = await served.openHolder();
      const told = () => served.mailsTo(email).filter(({ subject }) => subject.includes('with a new browser'));
      await browser.send('DELETE', '/session');
      expect((await browser.signIn(passkey)).status).toBe(201);
      expect(told()).toEqual([]);
      const other = served.openBrowser();
      const answer = passkey.sign(await other.challengeOf('/session/passkey/options'));
      const agent = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/148.0' };
      expect((await other.post('/session/passkey', { answer }, agent)).status).toBe(201);
      expect(told().map(({ text }) => text.includes('Firefox/148.0'))).toEqual([true]);
      expect((await other.signIn(passkey)).status).toBe(201);
      expect(told()).toHaveLength(1);
      const { entries } = (await other.get('/account/log')).body as unknown as { entries: { detail: object }[] };
      expect(entries.filter(({ detail }) => 'browser' in detail)).toHaveLength(1);
      // The cookie by which a browser is known opens nothing.
      other.cookies.delete('__Host-session');
      await expectSignedOut(other);
    });
  });

  describe('a sign-in', () => {
    it('is shown with where it came from, as far as the platform knows, in the mail, the list and the log', async () => {
      const { email, passkey } = await served.openHolder();
      const places = async (from: Record<string, string>) => {
        const browser = served.openBrowser();
        const answer = passkey.sign(await browser.challengeOf('/session/passkey/options'));
        expect((await browser.post('/session/passkey', { answer }, from)).status).toBe(201);
        const { sessions } = (await browser.get('/session/list')).body as unknown as {
          sessions: { isThis: boolean; place: string | null }[];
        };
        const { entries } = (await browser.get('/account/log')).body as unknown as {
          entries: { action: string; detail: { place?: string } }[];
        };
        const mail = served.mailsTo(email).findLast(({ subject }) => subject.includes('with a new browser'));
        return [
          sessions.find(({ isThis }) => isThis)?.place,
          entries.find(({ action }) => action === 'open_session')?.detail.place,
          /From: (.*)\n/.exec(mail?.text ?? '')?.[1],
        ];
      };
      const known = 'Germany, 203.0.113.7';
      expect(await places({ 'CF-Connecting-IP': '203.0.113.7', 'CF-IPCountry': 'DE' })).toEqual([known, known, known]);
      const hidden = 'the Tor network, 203.0.113.8';
      expect(await places({ 'CF-Connecting-IP': '203.0.113.8', 'CF-IPCountry': 'T1' })).toEqual([
        hidden,
        hidden,
        hidden,
      ]);
      for (const [last, country] of ['XX', 'germany', 'D1'].entries()) {
        const address = `203.0.113.${last + 9}`;
        const from = { 'CF-Connecting-IP': address, 'CF-IPCountry': country };
        expect(await places(from), country).toEqual([address, address, address]);
      }
    });
  });

  describe('an e-mail link', () => {
    it('signs in to look, once, and only in the browser that asked', async () => {
      const { email } = await served.openHolder();
      const browser = served.openBrowser();
      expect((await browser.post('/session/link', { email })).status).toBe(202);
      const stolen = await served.linkTo(email, 2);
      expectRefused(await served.openBrowser().post('/session/link/spend', { secret: stolen }), 403, 'link_not_valid');
      expectRefused(await browser.post('/session/link/spend', { secret: stolen }), 403, 'link_not_valid');
      await browser.post('/session/link', { email });
      const secret = await served.linkTo(email, 3);
      const spent = await browser.post('/session/link/spend', { secret });
      expect([spent.status, spent.body['level']]).toEqual([201, 'look']);
      expect((await browser.get('/api/v1/wallet/balances')).status).toBe(200);
      expectRefused(await browser.post('/account/passkeys/options'), 403, 'passkey_needed');
      expectRefused(await browser.post('/session/link/spend', { secret }), 403, 'link_not_valid');
      expect(served.mailsTo(email).at(-1)?.subject).toContain('signed in to your account by an e-mail link');
    });

    it('is mailed to users alone, five times an hour, and the answer tells nothing of it', async () => {
      const { email } = await served.openHolder();
      const browser = served.openBrowser();
      const replies = [];
      for (let count = 0; count < 7; count += 1) replies.push(await browser.post('/session/link', { email }));
      replies.push(await browser.post('/session/link', { email: 'nobody@customers.example' }));
      expect(new Set(replies.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
      await served.linkTo(email, 6);
      // The invitation, and five.
      expect(served.mailsTo(email).filter(({ text }) => text.includes('/link#'))).toHaveLength(6);
      expect(served.mailsTo('nobody@customers.example')).toEqual([]);
    });

    it('has its secret where no server and no log sees it', async () => {
      const { email } = await served.openHolder();
      expect(served.mailsTo(email)[0]?.text).toContain(`${served.place.consoleOrigin}/link#`);
      const stored = await served.identity.prepare('SELECT hash FROM links').all<{ hash: string }>();
      const secrets = served.mailsTo(email).map(({ text }) => /\/link#([\w-]{43})/.exec(text)?.[1]);
      expect(stored.results.some(({ hash }) => secrets.includes(hash))).toBe(false);
    });
  });

  describe('a recovery', () => {
    it('with a code lets in who lost the passkey, and holds the account for 24 hours', async () => {
      const { browser: old, email, passkey } = await served.openHolder({ USDT: '1000' });
      const drawn = await old.post('/account/recovery-codes');
      const [code = ''] = drawn.body['recoveryCodes'] as string[];
      expect(drawn.body['recoveryCodes']).toHaveLength(10);
      const browser = await served.signInByLink(email, 2);
      expectRefused(
        await browser.post('/account/recovery', { recoveryCode: 'AAAA AAAA AAAA AAAA' }),
        403,
        'totp_invalid',
      );
      expectRefused(await browser.post('/account/recovery', { totpCode: '123456' }), 403, 'totp_required');
      const recovered = await browser.post('/account/recovery', { recoveryCode: code.toLowerCase() });
      expect(recovered.status).toBe(201);
      expect(served.mailsTo(email).at(-1)?.subject).toContain('being recovered');
      await expectSignedOut(old);
      const { reply } = await browser.enrol();
      expect(reply.status).toBe(201);
      expect(served.mailsTo(email).at(-1)?.subject).toContain('passkey was added');
      const key = { label: 'bot', scopes: ['withdraw'] };
      expectRefused(await browser.post('/account/keys', key), 403, 'account_recovered');
      expect((await browser.get('/account')).body['account']).toMatchObject({
        heldUntil_ms: expect.any(Number) as number,
      });
      expectRefused(await browser.post('/account/recovery', { recoveryCode: code }), 409, 'invalid_state');
      expect((await browser.signIn(passkey)).status).toBe(201);
    });

    it('without a code needs two of the exchange’s people, and a mail tells the holder of each step', async () => {
      const { browser: old, email, accountId } = await served.openHolder();
      await served.tell();
      const subjects = () => served.mailsTo(email).map(({ subject }) => subject);
      const browser = await served.signInByLink(email, 2);
      const wanted = { allowedByExchange: true };
      expectRefused(await browser.post('/account/recovery', wanted), 409, 'approval_required');

      const known = subjects().length;
      const [first, second] = [served.staffHeader(), served.staffHeader('second@bureau.example')];
      const path = `/operator/v1/accounts/${accountId}/recovery`;
      const proposed = await served.openBrowser().post(path, { reason: 'came to the office' }, first);
      expect(proposed.status).toBe(202);
      await served.tell();
      expectRefused(await browser.post('/account/recovery', wanted), 409, 'approval_required');
      expectRefused(await served.approve(proposed, first), 409, 'invalid_state');
      expect((await served.approve(proposed, second)).status).toBe(200);
      await served.tell();

      expect((await browser.post('/account/recovery', wanted)).status).toBe(201);
      await expectSignedOut(old);
      expect((await browser.enrol()).reply.status).toBe(201);
      const told = subjects().slice(known);
      expect(told).toEqual([
        expect.stringContaining('one of its people has proposed it'),
        expect.stringContaining('two people of the exchange agreed'),
        'Your account is being recovered',
        'A passkey was added to your account',
      ]);
      const key = { label: 'bot', scopes: ['withdraw'] };
      expectRefused(await browser.post('/account/keys', key), 403, 'account_recovered');
    });
  });
}

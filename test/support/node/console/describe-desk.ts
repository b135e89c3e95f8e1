import { describe, expect, it } from 'vitest';
import { writeSignInLink } from '../../../../scripts/start/play-access.ts';
import type { Browser } from './browser.ts';
import type { StartedConsole } from './start-console.ts';

const PAGES = ['/desk', '/desk/accounts/01a1fcca-895a-7000-b43c-11f474a4f8d5', '/desk/audit?target=x'];
const asPage = { Accept: 'text/html' };
const admin = 'admin@bureau.example';

/** What the console does for the staff at their desk, behind the Access that is played here. */
export function describeDesk(served: StartedConsole): void {
  /** The path and query of the link that signs a person in. */
  function readLink(email: string): string {
    const { storage, consoleOrigin } = served.place;
    return writeSignInLink(storage, consoleOrigin, email).replace(consoleOrigin, '');
  }

  async function signIn(email = admin): Promise<Browser> {
    const browser = served.openBrowser();
    const { status, headers } = await browser.get(readLink(email));
    expect([status, headers.get('Location')]).toEqual([302, '/desk']);
    return browser;
  }

  describe('the desk', () => {
    it.each(PAGES)('shows its page at %s, with the policy, to who is signed in', async (path) => {
      const browser = await signIn();
      const page = await browser.send('GET', path, undefined, asPage);
      expect(page.status).toBe(200);
      expect(String(page.body['text'])).toContain('<title>Bureau desk</title>');
      expect(page.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    });

    it.each(PAGES)('shows %s to nobody else', async (path) => {
      const page = await served.openBrowser().send('GET', path, undefined, asPage);
      expect([page.status, new URL(page.headers.get('Location') ?? '').pathname]).toEqual([
        302,
        '/cdn-cgi/access/login',
      ]);
    });

    it('has the exchange know who is signed in, and what they may do', async () => {
      const browser = await signIn();
      const { body } = await browser.get('/operator/v1/me');
      expect(body['me']).toEqual({ actor: admin, roles: ['admin'] });
      const stranger = await signIn('stranger@bureau.example');
      expect((await stranger.get('/operator/v1/accounts')).body.code).toBe('insufficient_role');
    });

    it('signs nobody in by a link of another person or with a wrong code', async () => {
      const link = readLink('stranger@bureau.example');
      const wrong = [link.replace('stranger%40', 'admin%40'), `${link}A`, link.replace(/&code=.*/, '')];
      for (const path of wrong) {
        const browser = served.openBrowser();
        expect((await browser.get(path)).status).toBe(401);
        expect((await browser.get('/operator/v1/me')).status).toBe(401);
      }
    });

    it('is left by signing out', async () => {
      const browser = await signIn();
      expect((await browser.get('/cdn-cgi/access/logout')).status).toBe(302);
      expect((await browser.get('/operator/v1/me')).status).toBe(401);
    });

    it('says who holds an account to the staff, and to nobody else', async () => {
      const holder = await served.openHolder();
      const path = `/desk/holders/${holder.accountId}`;
      const browser = await signIn();
      expect((await browser.get(path)).body).toEqual({ holder: { email: holder.email } });
      const empty = await served.openAccount();
      expect((await browser.get(`/desk/holders/${empty}`)).body).toEqual({ holder: null });
      const unknown = await browser.get('/desk/holders/01a1fcca-895a-7000-b43c-11f474a4f8d5');
      expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
      const refused = await holder.browser.get(path);
      expect([refused.status, refused.body.code]).toEqual([401, 'invalid_operator_token']);
      const stranger = await signIn('stranger@bureau.example');
      expect((await stranger.get(path)).body.code).toBe('insufficient_role');
    });

    it('exports a list for an admin', async () => {
      const browser = await signIn();
      const body = { list: '/operator/v1/audit', query: {} };
      const exported = await browser.post('/operator/v1/exports', body);
      expect(exported.status).toBe(200);
      expect(exported.headers.get('Content-Type')).toBe('text/csv');
      expect(String(exported.body['text'])).toMatch(/^id,ledger,ts,actor,/);
    });

    it('finds holders by the beginning of their e-mail, and names those of accounts, to the staff alone', async () => {
      const holders = [await served.openHolder(), await served.openHolder()];
      const shown = holders.map(({ accountId, email }) => ({ accountId, email }));
      const [first] = shown;
      const browser = await signIn();
      const named = await browser.get(`/desk/holders?accounts=${holders.map(({ accountId }) => accountId).join(',')}`);
      expect(new Set(named.body['holders'] as object[])).toEqual(new Set(shown));
      const beginning = first?.email.toUpperCase().slice(0, -4) ?? '';
      expect((await browser.get(`/desk/holders?email=${beginning}`)).body).toEqual({ holders: [first] });
      for (const nobodys of ['/desk/holders', '/desk/holders?email=nobody', '/desk/holders?email=%25']) {
        expect((await browser.get(nobodys)).body).toEqual({ holders: [] });
      }
      const refused = await holders[0]?.browser.get(`/desk/holders?email=${beginning}`);
      expect(refused?.body.code).toBe('invalid_operator_token');
      const stranger = await signIn('stranger@bureau.example');
      expect((await stranger.get(`/desk/holders?email=${beginning}`)).body.code).toBe('insufficient_role');
    });
  });
}

import { expect, it } from 'vitest';
import { TEST_SIGNER_KEY, inventEntries } from '../support/addresses/pool-entries.ts';
import { openConsole } from '../support/node/console/start-console.ts';

/** A console whose operator lets anybody open an account. */
const served = await openConsole({ SELF_OPENING: 'on' });

/** Another one, whose exchange has no address left. */
const empty = await openConsole({
  SELF_OPENING: 'on',
  SOLANA_ADDRESSES: 'pool',
  CUSTODY_SIGNER_KEY: TEST_SIGNER_KEY,
});

it('whoever has an address opens an account by a link to it, once and in the browser that asked', async () => {
  const browser = served.openBrowser();
  expect((await browser.get('/session/offer')).body).toEqual({ selfOpening: true, mailFrom: 'console@bureau.example' });
  const email = 'new@customers.example';
  const asked = await browser.post('/session/link', { email });
  expect([asked.status, asked.body]).toEqual([202, { asked: true }]);
  const secret = await served.linkTo(email);
  const spent = await browser.post('/session/link/spend', { secret });
  expect([spent.status, spent.body['level']]).toEqual([201, 'look']);
  expect((await browser.enrol()).reply.status).toBe(201);
  const { session } = (await browser.get('/session')).body as unknown as { session: { accountId: string } };
  const { account } = await served.operate<{ account: object }>('GET', `/accounts/${session.accountId}`);
  expect(account).toMatchObject({ label: 'opened by its holder', status: 'active' });

  // The link is spent, and the address is known from now on: another link signs in to the same account.
  expect((await browser.post('/session/link/spend', { secret })).status).toBe(403);
  await served.signInByLink(email, 2, browser);
  const again = (await browser.get('/session')).body as unknown as { session: { accountId: string } };
  expect(again.session.accountId).toBe(session.accountId);
});

it('a link for an opening that another browser tries is spent, and opens nothing', async () => {
  const browser = served.openBrowser();
  const email = 'stolen@customers.example';
  const before = await served.operate<{ accounts: object[] }>('GET', '/accounts');
  await browser.post('/session/link', { email });
  const secret = await served.linkTo(email);
  expect((await served.openBrowser().post('/session/link/spend', { secret })).status).toBe(403);
  expect((await browser.post('/session/link/spend', { secret })).status).toBe(403);
  const after = await served.operate<{ accounts: object[] }>('GET', '/accounts');
  expect(after.accounts).toHaveLength(before.accounts.length);
});

it('five links to one new address that are opened at once open one account, and all sign in to it', async () => {
  const email = 'at-once@customers.example';
  const browsers = Array.from({ length: 5 }, () => served.openBrowser());
  const secrets: string[] = [];
  for (const [at, browser] of browsers.entries()) {
    await browser.post('/session/link', { email });
    secrets.push(await served.linkTo(email, at + 1));
  }
  const before = await served.operate<{ accounts: object[] }>('GET', '/accounts');
  const spent = await Promise.all(
    browsers.map((browser, at) => browser.post('/session/link/spend', { secret: secrets[at] })),
  );
  expect(spent.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  const after = await served.operate<{ accounts: object[] }>('GET', '/accounts');
  expect(after.accounts).toHaveLength(before.accounts.length + 1);
  const sessions = await Promise.all(browsers.map(async (browser) => (await browser.get('/session')).body['session']));
  expect(new Set(sessions.map((session) => (session as { accountId: string }).accountId)).size).toBe(1);
});

it('whoever opens an account while the exchange has no address for it is told to try later, and can', async () => {
  const browser = empty.openBrowser();
  const email = 'early@customers.example';
  const spend = async (place: number) => {
    await browser.post('/session/link', { email });
    return browser.post('/session/link/spend', { secret: await empty.linkTo(email, place) });
  };
  const { status, body } = await spend(1);
  expect([status, body['code']]).toEqual([503, 'service_unavailable']);
  await empty.operate('POST', '/solana-addresses', { addresses: inventEntries(0, 201) });
  expect((await spend(2)).status).toBe(201);
});

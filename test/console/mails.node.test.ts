import { describe, expect, it } from 'vitest';
import { WITHDRAWAL } from '../support/node/console/console-routes.ts';
import { readRefusal } from '../support/client.ts';
import { type Holder, openConsole } from '../support/node/console/start-console.ts';

/** What holders are mailed, and who tries to keep it from them. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const served = await openConsole();
await served.tell();
// The operator listens from the first read on.
await served.operate('GET', '/events');

const subjectsTo = ({ email }: Holder) => served.mailsTo(email).map(({ subject }) => subject);
const setLimit = ({ accountId }: Holder, dailyWithdrawalLimit: string) =>
  served.operate('PATCH', `/accounts/${accountId}`, { dailyWithdrawalLimit });
const statusOf = async ({ accountId }: Holder) =>
  (await served.operate<{ account: { status: string } }>('GET', `/accounts/${accountId}`)).account.status;
const userOf = ({ email }: Holder) => `(SELECT id FROM users WHERE email = '${email}')`;
const change = (statement: string) => served.identity.prepare(statement).run();
const secretOfFreeze = (text = '') => /\/freeze#([\w-]{43})/.exec(text)?.[1] ?? '';

interface Mailbox {
  readonly failures: number;
  readonly wait_until: number;
}

const readMailbox = (holder: Holder) =>
  served.identity
    .prepare(`SELECT failures, wait_until FROM mailboxes WHERE user_id = ${userOf(holder)}`)
    .first<Mailbox>();

const endPause = (holder: Holder) => change(`UPDATE mailboxes SET wait_until = 0 WHERE user_id = ${userOf(holder)}`);

describe('a mailbox that refuses mails', () => {
  it('holds up nobody, and has nobody mailed twice', async () => {
    const [before, refused, behind] = [await served.openHolder(), await served.openHolder(), await served.openHolder()];
    const counts = [before, behind].map((holder) => subjectsTo(holder).length);
    served.refuseMailsTo(refused.email);
    for (const holder of [before, refused, behind]) await setLimit(holder, '10');
    // An account without a holder has nobody to tell.
    await served.operate('PATCH', `/accounts/${await served.openAccount()}`, { status: 'frozen' });
    for (let minute = 0; minute < 3; minute += 1) await served.tell();
    expect([before, behind].map((holder, at) => subjectsTo(holder).length - (counts[at] ?? 0))).toEqual([1, 1]);
    expect(await readMailbox(refused)).toMatchObject({ failures: 1 });
    served.refuseMailsTo();
  });

  it('is tried again after longer and longer pauses, and then gets everything once and in order', async () => {
    const holder = await served.openHolder();
    const before = subjectsTo(holder).length;
    served.refuseMailsTo(holder.email);
    await setLimit(holder, '10');
    for (const pause_ms of [1, 2, 4, 8].map((minutes) => minutes * MINUTE_MS)) {
      const from_ms = Date.now();
      await served.tell();
      const { wait_until } = (await readMailbox(holder)) ?? { wait_until: 0 };
      expect(wait_until).toBeGreaterThanOrEqual(from_ms + pause_ms);
      await endPause(holder);
    }
    await holder.browser.post('/account/keys', { label: 'bot', scopes: ['read'] });
    served.refuseMailsTo();
    await served.tell();
    await served.tell();
    expect(subjectsTo(holder).slice(before)).toEqual([
      'Your account: it was frozen or unfrozen, or its limit was changed',
      'Your account: an API key was made',
    ]);
    expect(await readMailbox(holder)).toBeNull();
  });

  it('is given up after a day, of which the operator is told', async () => {
    const holder = await served.openHolder();
    served.refuseMailsTo(holder.email);
    await setLimit(holder, '10');
    await served.tell();
    await change(`UPDATE mails SET made_at = made_at - ${DAY_MS} WHERE user_id = ${userOf(holder)}`);
    await setLimit(holder, '20');
    await endPause(holder);
    await served.tell();
    const left = served.identity.prepare(`SELECT count(*) AS n FROM mails WHERE user_id = ${userOf(holder)}`);
    expect(await left.first('n')).toBe(1);
    const { events } = await served.operate<{ events: { type: string; data: object }[] }>(
      'GET',
      '/events?types=audit.added&limit=200',
    );
    const told = events.filter(({ data }) => JSON.stringify(data).includes('give_up_mails'));
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).toContain(holder.accountId);
    served.refuseMailsTo();
  });
});

describe('a withdrawal', () => {
  const withdraw = async ({ accountId }: Holder): Promise<Response> =>
    (await served.createClient(accountId, { scopes: ['withdraw'] })).withdraw(WITHDRAWAL);

  it('is mailed to the holder, with a link whose button freezes the account, in any browser', async () => {
    const begun_ms = Date.now();
    const holder = await served.openHolder({ USDT: '1000' });
    expect((await withdraw(holder)).status).toBe(201);
    await served.tell();
    await served.tell();
    const mails = served.mailsTo(holder.email).filter(({ subject }) => subject.includes('withdrawal'));
    expect(mails.map(({ subject }) => subject)).toEqual(['A withdrawal of 20 USDT from your account']);
    const [{ text } = { text: '' }] = mails;
    expect(text).toContain(`20 USDT to ${WITHDRAWAL.address} over TRC20`);
    const secret = secretOfFreeze(text);

    // A program that opens links: the page, and whatever it may guess from it, but it presses no button.
    const link = new RegExp(`${served.place.consoleOrigin}/freeze#\\S+`).exec(text)?.[0] ?? '';
    for (const url of [link, link.replace('#', '?'), `${served.place.consoleOrigin}/session/freeze?secret=${secret}`]) {
      await fetch(url);
    }
    const stranger = served.openBrowser();
    expect((await stranger.get('/session/freeze')).status).toBe(401);
    expect((await stranger.post('/session/freeze', { secret }, { Origin: '' })).body.code).toBe('invalid_origin');
    expect((await stranger.post('/session/freeze', { secret: 'A'.repeat(43) })).body.code).toBe('link_not_valid');
    expect(await statusOf(holder)).toBe('active');
    // Its page says what it is for before anybody presses.
    const { body } = await stranger.post('/session/freeze/read', { secret });
    const [subject, email] = [mails[0]?.subject, holder.email.replace(/^(.).*@/, '$1…@')];
    const mailedAt: string = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    expect(body).toEqual({ subject, email, mailedAt });
    const mailedAt_ms = Date.parse(String(body['mailedAt']));
    expect(mailedAt_ms).toBeGreaterThanOrEqual(begun_ms);
    expect(mailedAt_ms).toBeLessThanOrEqual(Date.now());
    expect(await statusOf(holder)).toBe('active');

    const frozen = await stranger.post('/session/freeze', { secret });
    expect([frozen.status, frozen.body]).toEqual([200, { frozen: true }]);
    expect((await stranger.get('/session')).status).toBe(401);
    expect(await statusOf(holder)).toBe('frozen');
    expect(await readRefusal(await withdraw(holder))).toEqual([403, 'account_frozen']);
  });

  it('that fails is mailed again, with where the money is', async () => {
    const holder = await served.openHolder({ USDT: '1000' });
    await served.operate('PATCH', '/settings', { reviewThreshold: '0' });
    const { withdrawal } = (await (await withdraw(holder)).json()) as { withdrawal: { id: string } };
    await served.operate('PATCH', '/settings', { reviewThreshold: null });
    await served.tell();
    const path = `/accounts/${holder.accountId}/withdrawals/${withdrawal.id}/reject`;
    await served.operate('POST', path, { reason: 'a word for the audit alone' });
    await served.tell();
    await served.tell();
    const [, failed, ...others] = served.mailsTo(holder.email).filter(({ subject }) => subject.includes('withdrawal'));
    expect([failed?.subject, others]).toEqual(['A withdrawal of 20 USDT from your account failed', []]);
    expect(failed?.text).toContain(`20 USDT to ${WITHDRAWAL.address} over TRC20 were not sent.`);
    expect(failed?.text).not.toContain('audit');
    expect(failed?.text).not.toContain('The exchange says');
  });

  it('that is rejected with words for its holder has them in its mail', async () => {
    const holder = await served.openHolder({ USDT: '1000' });
    await served.operate('PATCH', '/settings', { reviewThreshold: '0' });
    const { withdrawal } = (await (await withdraw(holder)).json()) as { withdrawal: { id: string } };
    await served.operate('PATCH', '/settings', { reviewThreshold: null });
    const path = `/accounts/${holder.accountId}/withdrawals/${withdrawal.id}/reject`;
    await served.operate('POST', path, { reason: 'for the audit alone', note: 'Ask us for the form.' });
    await served.tell();
    const [taken, failed] = served.mailsTo(holder.email).filter(({ subject }) => subject.includes('withdrawal'));
    expect(taken?.text).not.toContain('The exchange says');
    expect(failed?.text).toContain('and so is the fee.\n\nThe exchange says: Ask us for the form.\n');
    expect(failed?.text).not.toContain('audit');
  });

  it('is stopped by no link that is older than a week', async () => {
    const holder = await served.openHolder();
    await setLimit(holder, '10');
    await served.tell();
    const secret = secretOfFreeze(served.mailsTo(holder.email).at(-1)?.text);
    await change(`UPDATE freeze_links SET expires_at = expires_at - ${7 * DAY_MS} WHERE user_id = ${userOf(holder)}`);
    for (const path of ['/session/freeze', '/session/freeze/read']) {
      expect((await served.openBrowser().post(path, { secret })).body.code).toBe('link_not_valid');
    }
    expect(await statusOf(holder)).toBe('active');
  });

  it('has its link in no table of the console', async () => {
    const holder = await served.openHolder();
    await setLimit(holder, '10');
    await served.tell();
    const secret = secretOfFreeze(served.mailsTo(holder.email).at(-1)?.text);
    expect(secret).not.toBe('');
    const tables = ['mails', 'freeze_links', 'links'].map((table) => served.identity.prepare(`SELECT * FROM ${table}`));
    const rows = await Promise.all(tables.map((table) => table.all()));
    expect(JSON.stringify(rows.map(({ results }) => results))).not.toContain(secret);
  });
});

describe('deposits', () => {
  const deposit = ({ accountId }: Holder, amount: string) =>
    served.operate('POST', `/accounts/${accountId}/credits`, { asset: 'USDT', amount, reference: crypto.randomUUID() });
  const mailsOf = ({ email }: Holder) => served.mailsTo(email).filter(({ subject }) => subject.includes('deposit'));

  it('from a minimum on are mailed to the holder in one mail an hour', async () => {
    const holder = await served.openHolder();
    for (const amount of ['10', '9.999999', '250.5']) await deposit(holder, amount);
    await served.tell();
    expect(mailsOf(holder)).toEqual([]);
    await change(`UPDATE mails SET due_at = due_at - 3600000 WHERE user_id = ${userOf(holder)}`);
    await deposit(holder, '30');
    await served.tell();
    await served.tell();
    const [mail, ...others] = mailsOf(holder);
    expect([mail?.subject, others]).toEqual(['3 deposits to your account', []]);
    expect(mail?.text.match(/: \S+ USDT\./g)).toEqual([': 10 USDT.', ': 250.5 USDT.', ': 30 USDT.']);
    await deposit(holder, '40');
    await served.tell();
    expect(mailsOf(holder)).toHaveLength(1);
  });

  it('that another account pays are among them', async () => {
    const [payer, holder] = [await served.openHolder({ USDT: '1000' }), await served.openHolder()];
    const { body } = await holder.browser.get('/api/v1/wallet/addresses');
    const addresses = body['addresses'] as { network: string; address: string }[];
    const address = addresses.find(({ network }) => network === 'TRC20')?.address;
    const client = await served.createClient(payer.accountId, { scopes: ['withdraw'] });
    await client.takeOut({ ...WITHDRAWAL, address });
    await served.tell();
    await change(`UPDATE mails SET due_at = 0 WHERE user_id = ${userOf(holder)}`);
    await served.tell();
    expect(mailsOf(holder).map(({ text }) => text)).toEqual([expect.stringContaining(': 20 USDT.')]);
    expect(subjectsTo(payer)).toContain('A withdrawal of 20 USDT from your account');
  });
});

describe('strangers who ask for links', () => {
  const linksTo = (holder: Holder) =>
    served.mailsTo(holder.email).filter(({ subject }) => subject.includes('sign-in link'));

  async function expectLinks(holder: Holder, count: number): Promise<void> {
    await expect.poll(() => linksTo(holder).length, { timeout: 30_000 }).toBe(count);
  }

  it('use up the links of their own network alone', async () => {
    const holder = await served.openHolder();
    const stranger = served.openBrowser();
    for (let asked = 0; asked < 7; asked += 1) await stranger.post('/session/link', { email: holder.email });
    await expectLinks(holder, 5);
    await served.openBrowser().post('/session/link', { email: holder.email });
    await expectLinks(holder, 6);
  });

  it('from however many networks leave the holder a link in a known browser, and links that freeze in all mails', async () => {
    const holder = await served.openHolder();
    for (let asked = 0; asked < 24; asked += 1) {
      await served.openBrowser().post('/session/link', { email: holder.email });
    }
    await expectLinks(holder, 20);
    holder.browser.cookies.delete('__Host-session');
    await holder.browser.post('/session/link', { email: holder.email });
    await expectLinks(holder, 21);
    const secret = /\/link#([\w-]{43})/.exec(linksTo(holder).at(-1)?.text ?? '')?.[1];
    expect((await holder.browser.post('/session/link/spend', { secret })).status).toBe(201);

    const freeze = secretOfFreeze(linksTo(holder)[0]?.text);
    expect((await served.openBrowser().post('/session/freeze', { secret: freeze })).status).toBe(200);
    expect(await statusOf(holder)).toBe('frozen');
  });
});

describe('a rented /48 of IPv6', () => {
  /** Whether a request is refused although each /64 sends fewer than its own limit. */
  async function isRefused(site: string, share: number, send: (ip: string) => Promise<number>): Promise<boolean> {
    for (let sent = 0; sent < 10_000; sent += 50) {
      const answers = Array.from({ length: 50 }, (_, nth) =>
        send(`2001:db8:${site}:${Math.floor((sent + nth) / share).toString(16)}::1`),
      );
      if ((await Promise.all(answers)).includes(429)) return true;
    }
    return false;
  }

  it('has one limit of sign-ins, and not one for each of its /64s', async () => {
    const browser = served.openBrowser();
    const tries = (ip: string) => browser.post('/session/passkey', {}, { 'CF-Connecting-IP': ip });
    expect(await isRefused('aaa', 25, async (ip) => (await tries(ip)).status)).toBe(true);
    expect((await tries('2001:db8:aab::1')).status).toBe(400);
  });

  it('has one limit of invented cookies, and not one for each of its /64s', async () => {
    const browser = served.openBrowser();
    browser.cookies.set('__Host-session', 'A'.repeat(43));
    const tries = (ip: string) => browser.send('GET', '/session', undefined, { 'CF-Connecting-IP': ip });
    expect(await isRefused('bbb', 850, async (ip) => (await tries(ip)).status)).toBe(true);
    expect((await tries('2001:db8:bbc::1')).status).toBe(401);
  });
});

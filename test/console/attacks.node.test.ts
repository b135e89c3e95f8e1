import { describe, expect, it } from 'vitest';
import type { Reply } from '../support/node/console/browser.ts';
import { type Holder, openConsole } from '../support/node/console/start-console.ts';
import { codeOf, wrongCodeOf } from '../support/totp.ts';

/** What a thief, or one of the staff, tries to take over an account, from outside. */

const served = await openConsole();

/** Switches a holder's second factor on, and returns its secret. The code of the time step before is used. */
async function switchOn({ browser }: Holder): Promise<string> {
  const { totp } = (await browser.post('/account/totp')).body as unknown as { totp: { secret: string } };
  const confirmed = await browser.post('/account/totp/confirm', { totpCode: await codeOf(totp.secret, -1) });
  if (confirmed.status !== 200) throw new Error(`not confirmed: ${JSON.stringify(confirmed.body)}`);
  return totp.secret;
}

function tally(replies: readonly Reply[]): Record<string, number> {
  const codes = replies.map(({ status, body }) => body.code ?? String(status));
  return Object.fromEntries(
    Object.entries(Object.groupBy(codes, (code) => code)).map(([code, of]) => [code, of?.length ?? 0]),
  );
}

describe('thirty guesses of a code at once', () => {
  const guesses = async (secret: string) => {
    const wrong = await wrongCodeOf(secret);
    return Array.from({ length: 30 }, () => wrong);
  };

  it('to switch the second factor off: five are compared, and then the right one is refused too', async () => {
    const holder = await served.openHolder();
    const secret = await switchOn(holder);
    const remove = (totpCode: string) => holder.browser.post('/account/totp/remove', { totpCode });
    const replies = await Promise.all((await guesses(secret)).map(remove));
    expect(tally(replies)).toEqual({ totp_invalid: 5, withdrawals_locked: 25 });
    expect((await remove(await codeOf(secret, 1))).body.code).toBe('withdrawals_locked');
  });

  it('to recover the account from the mailbox: five are compared, and then the right one is refused too', async () => {
    const holder = await served.openHolder();
    const secret = await switchOn(holder);
    const thief = await served.signInByLink(holder.email, 2);
    const recover = (totpCode: string) => thief.post('/account/recovery', { totpCode });
    const replies = await Promise.all((await guesses(secret)).map(recover));
    expect(tally(replies)).toEqual({ totp_invalid: 5, withdrawals_locked: 25 });
    expect((await recover(await codeOf(secret, 1))).body.code).toBe('withdrawals_locked');
  });
});

describe('one person of support', () => {
  const support = () => served.staffHeader('second@bureau.example');

  it('invites no mailbox of their own to an account without a holder that holds something, had a key or a code', async () => {
    const funded = await served.openAccount({ USDT: '3900' });
    const keyed = await served.openAccount();
    const { apiKey } = await served.operate<{ apiKey: { id: string } }>('POST', `/accounts/${keyed}/api-keys`, {
      label: 'bot',
      scopes: ['read'],
    });
    await served.operate('DELETE', `/accounts/${keyed}/api-keys/${apiKey.id}`);
    const coded = await served.openAccount();
    await served.operate('POST', `/accounts/${coded}/totp`);
    for (const [at, accountId] of [funded, keyed, coded].entries()) {
      const email = `mine-${at}@support.example`;
      const proposed = await served.invite(accountId, email, support());
      expect([proposed.status, served.mailsTo(email)]).toEqual([202, []]);
      expect((await served.approve(proposed, support())).body.code).toBe('invalid_state');
      expect(served.mailsTo(email)).toEqual([]);
      // The other way to a link, once the address is known.
      await served.openBrowser().post('/session/link', { email });
      expect((await served.openBrowser().send('GET', `/desk/holders/${accountId}`, undefined, support())).body).toEqual(
        {
          holder: null,
        },
      );
    }
  });

  it('gets nothing by an invitation to an empty account that is given something afterwards', async () => {
    const accountId = await served.openAccount();
    const email = 'early@support.example';
    expect((await served.invite(accountId, email, support())).status).toBe(201);
    const secret = await served.linkTo(email);
    await served.credit(accountId, { USDT: '3900' });
    const thief = served.openBrowser();
    expect((await thief.post('/session/link/spend', { secret })).body.code).toBe('link_not_valid');
    expect((await thief.get('/session')).status).toBe(401);
    // The same invitation again is one by two by now, and its owner still gets in.
    const again = await served.invite(accountId, 'owner@customers.example', support());
    expect(again.status).toBe(202);
    expect((await served.approve(again, served.staffHeader())).status).toBe(200);
    const owner = served.openBrowser();
    const spent = await owner.post('/session/link/spend', { secret: await served.linkTo('owner@customers.example') });
    expect(spent.status).toBe(201);
  });

  it('leaves their name in the audit with each invitation', async () => {
    const accountId = await served.openAccount();
    await served.invite(accountId, 'named@customers.example', support());
    const { entries: rows } = await served.operate<{ entries: { action: string; actor: string; detail: object }[] }>(
      'GET',
      `/audit?target=${accountId}`,
    );
    expect(rows.find(({ action }) => action === 'invite_holder')).toMatchObject({
      actor: 'second@bureau.example',
      detail: { email: 'named@customers.example' },
    });
  });
});

describe('a passkey alone', () => {
  it('with two-factor authentication on draws no recovery codes, recovers nothing and does not switch it off', async () => {
    const holder = await served.openHolder({ USDT: '1000' });
    const { browser } = holder;
    const drawn = await browser.post('/account/recovery-codes');
    const [code = ''] = drawn.body['recoveryCodes'] as string[];
    const secret = await switchOn(holder);
    for (const body of [{}, { totpCode: await wrongCodeOf(secret) }]) {
      expect((await browser.post('/account/recovery-codes', body)).body.code).toMatch(/^totp_(required|invalid)$/);
    }
    // Nor with a code that the holder has drawn before: the session that acts recovers nothing, and spends none.
    expect((await browser.post('/account/recovery', { recoveryCode: code })).body.code).toBe('invalid_state');
    expect((await browser.get('/account/passkeys')).body['recoveryCodes']).toBe(10);
    expect((await browser.post('/account/totp/remove', {})).body.code).toBe('totp_required');
    expect((await browser.post('/account/recovery-codes', { totpCode: await codeOf(secret, 1) })).status).toBe(201);
  });
});

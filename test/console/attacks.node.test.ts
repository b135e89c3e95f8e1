import { generate } from 'otplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, Reply } from '../support/node/console/browser.ts';
import { beginConsole, served } from '../support/node/console/shared-console.ts';
import type { Holder } from '../support/node/console/start-console.ts';

/** What a thief, or one of the staff, tries to take over an account, from outside. */

beforeAll(beginConsole, 240_000);
afterAll(() => served.stop());

const codeOf = (secret: string, steps = 0) => generate({ secret, epoch: Math.floor(Date.now() / 1_000) + 30 * steps });

/** Switches a holder's second factor on, and returns its secret. The code of the time step before is used. */
async function switchOn({ browser }: Holder): Promise<string> {
  const { totp } = (await browser.post('/account/totp')).body as unknown as { totp: { secret: string } };
  const confirmed = await browser.post('/account/totp/confirm', { totpCode: await codeOf(totp.secret, -1) });
  if (confirmed.status !== 200) throw new Error(`not confirmed: ${JSON.stringify(confirmed.body)}`);
  return totp.secret;
}

/** Six digits that are no code of a secret now, nor a minute before or after. */
async function wrongCode(secret: string): Promise<string> {
  const near = await Promise.all([-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) ?? '';
}

/** Somebody who reads the holder's mails, and has signed in by a link. */
async function signInByLink(email: string, count: number): Promise<Browser> {
  const browser = served.openBrowser();
  await browser.post('/session/link', { email });
  await browser.post('/session/link/spend', { secret: await served.linkTo(email, count) });
  return browser;
}

function tally(replies: readonly Reply[]): Record<string, number> {
  const codes = replies.map(({ status, body }) => body.code ?? String(status));
  return Object.fromEntries(
    Object.entries(Object.groupBy(codes, (code) => code)).map(([code, of]) => [code, of?.length ?? 0]),
  );
}

describe('thirty guesses of a code at once', () => {
  const guesses = async (secret: string) => {
    const wrong = await wrongCode(secret);
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
    const thief = await signInByLink(holder.email, 2);
    const recover = (totpCode: string) => thief.post('/account/recovery', { totpCode });
    const replies = await Promise.all((await guesses(secret)).map(recover));
    expect(tally(replies)).toEqual({ totp_invalid: 5, withdrawals_locked: 25 });
    expect((await recover(await codeOf(secret, 1))).body.code).toBe('withdrawals_locked');
  });
});

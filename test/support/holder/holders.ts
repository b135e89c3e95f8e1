import { expect } from 'vitest';
import type { OpenedSession } from '../../../src/holder/open-session.ts';
import type { SessionLevel } from '../../../src/holder/session.ts';
import type { Outcome } from '../../../src/http/answer.ts';
import { Trader } from '../exchange.ts';
import { holderEntrypoint } from '../runtime/test-env.ts';
import { codeOf } from '../totp.ts';
import { addressOf, hasHolder, inviteByTwo } from './invite.ts';

export { codeOf };

export async function accepted<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const known = await outcome;
  if (!known.ok) throw new Error(`${known.code}: ${known.detail}`);
  return known.value;
}

export async function expectRefusal(outcome: Promise<Outcome<unknown>>, code: string): Promise<void> {
  const known = await outcome;
  expect(known.ok ? 'accepted' : known.code).toBe(code);
}

/** Opens a session of an account, whose holder was invited by two people, and a client that uses its token at the public API as the console does. */
export async function signIn(
  accountId: string,
  level: SessionLevel = 'act',
  holder = `holder of ${accountId}`,
  newBrowser: string | null = null,
) {
  if (!(await hasHolder(accountId))) await inviteByTwo(accountId);
  const call = { accountId, holder, email: addressOf(accountId), level, newBrowser, place: null };
  const session: OpenedSession = await accepted(holderEntrypoint.openSession(call));
  return { ...session, api: new Trader(accountId, session.sessionId, session.token) };
}

/** Switches the second factor on as its holder does, and returns its secret. The code of the present step is used. */
export async function switchTotpOn(token: string): Promise<string> {
  const { secret } = await accepted(holderEntrypoint.drawTotp(token));
  await accepted(holderEntrypoint.confirmTotp(token, await codeOf(secret)));
  return secret;
}

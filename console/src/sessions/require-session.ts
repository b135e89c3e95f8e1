import type { MiddlewareHandler } from 'hono';
import type { SignedInEnvironment } from '../http/context.ts';
import { countAnonymousCaller } from '../../../src/access/anonymous-caller.ts';
import { readCallerIp } from '../http/caller.ts';
import { notSignedIn, passkeyNeeded, sendRefusal, tooManyCalls } from '../http/refusals.ts';
import { readCookie } from './cookie.ts';
import { isFresh, readSession } from './session.ts';

/** Ends a request without a live session of this browser. */
export const requireSession: MiddlewareHandler<SignedInEnvironment> = async (c, next) => {
  const cookie = readCookie(c, '__Host-session');
  if (cookie === undefined) return sendRefusal(c, notSignedIn);
  // A cookie that nobody gave out costs a look into the database as well.
  const { SESSION_CALLS, SESSION_NETWORKS } = c.env;
  if (!(await countAnonymousCaller(readCallerIp(c), SESSION_CALLS, SESSION_NETWORKS)))
    return sendRefusal(c, tooManyCalls);
  const session = await readSession(c.env.IDENTITY, cookie, Date.now());
  if (!session) return sendRefusal(c, notSignedIn);
  c.set('session', session);
  return next();
};

/** Ends a request of a session in which no passkey was used in the last five minutes. */
export const requireFreshPasskey: MiddlewareHandler<SignedInEnvironment> = async (c, next) =>
  isFresh(c.var.session, Date.now()) ? next() : sendRefusal(c, passkeyNeeded);

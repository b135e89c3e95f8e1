import { Hono } from 'hono';
import { generateAuthenticationOptions } from '@simplewebauthn/server';
import { z } from 'zod';
import { countAnonymousCaller, nameAnonymousCaller } from '../../../src/access/anonymous-caller.ts';
import { describeError, logFault } from '../../../src/platform/log.ts';
import { PASSKEY_HOST, config } from '../env.ts';
import { namePlace, readCallerIp } from '../http/caller.ts';
import type { ConsoleContext, ConsoleEnvironment, SignedInEnvironment } from '../http/context.ts';
import { readBody } from '../http/read-body.ts';
import {
  type Refusal,
  freezeLinkNotValid,
  linkNotValid,
  sendRefusal,
  signInRefused,
  tooManySignIns,
} from '../http/refusals.ts';
import { countLinkRequest, makeOpeningLink, makeSignInLink, spendLink, writeLink } from '../identity/link.ts';
import { findFreezeLink, makeFreezeLink, writeFreezeLink } from '../identity/freeze-link.ts';
import { findUserByEmail, forgetHolder, readUser } from '../identity/user.ts';
import { tellUser } from '../mail/mail-queue.ts';
import { SIGN_IN_SUBJECT, letters, sendMail } from '../mail/mails.ts';
import { AuthenticationAnswer } from '../passkeys/answers.ts';
import { drawChallenge } from '../passkeys/challenge.ts';
import { listPasskeys } from '../passkeys/passkey.ts';
import { verifyPasskey } from '../passkeys/verify-passkey.ts';
import { beginSession } from '../sessions/begin-session.ts';
import { readCookie, writeCookie } from '../sessions/cookie.ts';
import { isKnownBrowser } from '../sessions/known-browser.ts';
import { requireSession } from '../sessions/require-session.ts';
import { drawSecret } from '../sessions/secret.ts';
import { forgetSessions, isFresh, listSessions, readSession } from '../sessions/session.ts';

/** As long as its link is good for. */
const LINK_COOKIE_S = 600;

const Email = z.email().max(254).toLowerCase();
const Secret = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'is no secret of a link');

/** What everybody may call: signing in. Attempts are counted by address. */
const open = new Hono<ConsoleEnvironment>();

open.use(async (c, next) => {
  if (c.req.method !== 'POST') return next();
  const isWithin = await countAnonymousCaller(readCallerIp(c), c.env.SIGN_INS, c.env.SIGN_IN_NETWORKS);
  return isWithin ? next() : sendRefusal(c, tooManySignIns);
});

/** What the browser asks any passkey of this console for. */
open.post('/passkey/options', async (c) => {
  const challenge = await drawChallenge(c.env.IDENTITY, { purpose: 'sign_in' }, Date.now());
  const options = await generateAuthenticationOptions({
    rpID: PASSKEY_HOST,
    challenge: Uint8Array.fromBase64(challenge, { alphabet: 'base64url' }),
    userVerification: 'required',
  });
  return c.json({ options });
});

/** Signs in with a passkey. */
open.post('/passkey', async (c) => {
  const body = await readBody(c, z.strictObject({ answer: AuthenticationAnswer }));
  if (!body.ok) return sendRefusal(c, body);
  const now_ms = Date.now();
  const passkey = await verifyPasskey(c.env.IDENTITY, body.value.answer, { purpose: 'sign_in' }, now_ms);
  const user = passkey && (await readUser(c.env.IDENTITY, passkey.userId));
  if (!user) return sendRefusal(c, signInRefused);
  const begun = await beginSession(c, { user, level: 'act', verifiedAt_ms: now_ms, replaces: await readOwn(c) });
  return begun.ok ? c.json({ level: 'act' }, 201, begun.value) : sendRefusal(c, begun);
});

/** What whoever is not signed in can do, and where to write to the exchange. */
open.get('/offer', (c) => c.json({ selfOpening: config.SELF_OPENING === 'on', mailFrom: config.MAIL_FROM }));

/** Mails a link, if the address is a user's. The answer is the same whether it is or not, or got too many. */
open.post('/link', async (c) => {
  const body = await readBody(c, z.strictObject({ email: Email }));
  if (!body.ok) return sendRefusal(c, body);
  const { email } = body.value;
  const cookie = drawSecret();
  // After the answer, so that its time does not tell either.
  c.executionCtx.waitUntil(
    mailLink(c, email, cookie).catch((error: unknown) => logFault('link_not_sent', { error: describeError(error) })),
  );
  return c.json({ asked: true }, 202, writeCookie('__Host-link', cookie, LINK_COOKIE_S));
});

async function mailLink(c: ConsoleContext, email: string, cookie: string): Promise<void> {
  const now_ms = Date.now();
  const user = await findUserByEmail(c.env.IDENTITY, email);
  const browser = readCookie(c, '__Host-browser');
  const isKnown =
    user !== undefined && browser !== undefined && (await isKnownBrowser(c.env.IDENTITY, user.id, browser));
  const { caller, network = caller } = nameAnonymousCaller(readCallerIp(c));
  const asker = isKnown ? 'known' : network;
  if (!(await countLinkRequest(c.env.IDENTITY, email, asker, now_ms))) return;
  if (user) {
    const secret = await makeSignInLink(c.env.IDENTITY, user, cookie, now_ms);
    const freeze = await makeFreezeLink(c.env.IDENTITY, user.id, SIGN_IN_SUBJECT, now_ms);
    const { CONSOLE_ORIGIN } = config;
    await sendMail(
      c.env,
      email,
      letters.signIn(writeLink(CONSOLE_ORIGIN, secret), writeFreezeLink(CONSOLE_ORIGIN, freeze)),
    );
  } else if (config.SELF_OPENING === 'on') {
    const secret = await makeOpeningLink(c.env.IDENTITY, email, cookie, now_ms);
    await sendMail(c.env, email, letters.opening(writeLink(config.CONSOLE_ORIGIN, secret)));
  }
}

/** Spends a link: the holder may look, and enrol a first passkey. */
open.post('/link/spend', async (c) => {
  const body = await readBody(c, z.strictObject({ secret: Secret }));
  if (!body.ok) return sendRefusal(c, body);
  let refused: Refusal = linkNotValid;
  const openAccount = async (email: string) => {
    const opened = await c.env.HOLDERS.openAccount(email);
    if (opened.ok) return opened.value.accountId;
    refused = opened;
    return undefined;
  };
  const cookie = readCookie(c, '__Host-link');
  const user = await spendLink(c.env.IDENTITY, body.value.secret, cookie, openAccount, Date.now());
  if (!user) return sendRefusal(c, refused);
  const begun = await beginSession(c, { user, level: 'look', verifiedAt_ms: null, replaces: await readOwn(c) });
  if (!begun.ok && begun.code === 'invalid_state') {
    // The exchange has another holder, or has invited somebody else since.
    await forgetHolder(c.env.IDENTITY, user.accountId);
    return sendRefusal(c, linkNotValid);
  }
  if (!begun.ok) return sendRefusal(c, begun);
  await tellUser(c.env, user, { kind: 'signed_in_by_link', detail: { place: namePlace(c) } });
  return c.json({ level: 'look' }, 201, begun.value);
});

/** Says what a link that freezes is for: the subject of its mail, and as much of the address as its owner needs. */
open.post('/freeze/read', async (c) => {
  const body = await readBody(c, z.strictObject({ secret: Secret }));
  if (!body.ok) return sendRefusal(c, body);
  const link = await findFreezeLink(c.env.IDENTITY, body.value.secret, Date.now());
  if (!link) return sendRefusal(c, freezeLinkNotValid);
  return c.json({
    subject: link.subject,
    email: link.user.email.replace(/(?<=^.).*(?=@)/, '…'),
    mailedAt: new Date(link.mailedAt_ms).toISOString(),
  });
});

/**
 * Freezes the account of the holder to whom a mail with this link went. A button sends it, so a program that opens the
 * links of mails freezes nothing.
 */
open.post('/freeze', async (c) => {
  const body = await readBody(c, z.strictObject({ secret: Secret }));
  if (!body.ok) return sendRefusal(c, body);
  const link = await findFreezeLink(c.env.IDENTITY, body.value.secret, Date.now());
  if (!link) return sendRefusal(c, freezeLinkNotValid);
  const frozen = await c.env.HOLDERS.freezeFor({ accountId: link.user.accountId, holder: link.user.id });
  return frozen.ok ? c.json({ frozen: true }) : sendRefusal(c, frozen);
});

/** The session that this browser has already, which a new one takes the place of. */
async function readOwn(c: ConsoleContext) {
  const cookie = readCookie(c, '__Host-session');
  return cookie === undefined ? undefined : readSession(c.env.IDENTITY, cookie, Date.now());
}

/** What a signed-in holder does with sessions. */
const signedIn = new Hono<SignedInEnvironment>().use(requireSession);

/** Who is signed in here, and how. */
signedIn.get('/', async (c) => {
  const { user, level, verifiedAt_ms, expiresAt_ms, isRecovered } = c.var.session;
  const passkeys = await listPasskeys(c.env.IDENTITY, user.id);
  return c.json({
    session: {
      email: user.email,
      accountId: user.accountId,
      level,
      isRecovered,
      isFresh: isFresh(c.var.session, Date.now()),
      verifiedAt: verifiedAt_ms === null ? null : new Date(verifiedAt_ms).toISOString(),
      expiresAt: new Date(expiresAt_ms).toISOString(),
      passkeys: passkeys.length,
      apiOrigin: config.API_ORIGIN,
    },
  });
});

/** The sessions of the same holder. */
signedIn.get('/list', async (c) => {
  const { user, sessionId } = c.var.session;
  const sessions = await listSessions(c.env.IDENTITY, user.id, Date.now());
  return c.json({
    sessions: sessions.map(({ createdAt_ms, usedAt_ms, ...session }) => ({
      ...session,
      isThis: session.id === sessionId,
      createdAt: new Date(createdAt_ms).toISOString(),
      usedAt: new Date(usedAt_ms).toISOString(),
    })),
  });
});

/** Signs out. */
signedIn.delete('/', async (c) => {
  const ended = await endSessions(c, [c.var.session.sessionId]);
  return ended ?? c.json({ signedIn: false }, 200, writeCookie('__Host-session', '', 0));
});

/** Ends another session of the same holder, at the exchange as well. */
signedIn.delete('/list/:id', async (c) => {
  const sessions = await listSessions(c.env.IDENTITY, c.var.session.user.id, Date.now());
  const id = c.req.param('id');
  if (!sessions.some((session) => session.id === id)) return c.json({ ended: false });
  return (await endSessions(c, [id])) ?? c.json({ ended: true });
});

/** Forgets sessions first, so that a fault of the exchange leaves nobody signed in. Returns its refusal, if any. */
async function endSessions(
  c: ConsoleContext & { readonly var: SignedInEnvironment['Variables'] },
  ids: readonly string[],
): Promise<Response | undefined> {
  await forgetSessions(c.env.IDENTITY, ids).run();
  const ended = await c.env.HOLDERS.endSessions(c.var.session.token, ids);
  return ended.ok ? undefined : sendRefusal(c, ended);
}

/** Signing in and out: everything below `/session`. */
export const signInRoutes = new Hono<ConsoleEnvironment>().route('/', open).route('/', signedIn);

import { generateAuthenticationOptions } from '@simplewebauthn/server';
import { Hono } from 'hono';
import { z } from 'zod';
import type { Proof } from '../../../src/holder/recover.ts';
import { refuse } from '../../../src/http/answer.ts';
import { PASSKEY_HOST } from '../env.ts';
import type { SignedInEnvironment } from '../http/context.ts';
import { readBody } from '../http/read-body.ts';
import { type Outcome, notFound, passkeyNeeded, sendRefusal, signInRefused } from '../http/refusals.ts';
import { countRecoveryCodes, drawRecoveryCodes, spendRecoveryCode } from '../identity/recovery-codes.ts';
import { tellUser } from '../mail/mail-queue.ts';
import { AuthenticationAnswer, RegistrationAnswer } from '../passkeys/answers.ts';
import { drawChallenge } from '../passkeys/challenge.ts';
import { askForPasskey, enrolPasskey } from '../passkeys/enrol-passkey.ts';
import { type Passkey, listPasskeys, showPasskey } from '../passkeys/passkey.ts';
import { verifyPasskey } from '../passkeys/verify-passkey.ts';
import { beginSession } from '../sessions/begin-session.ts';
import { requireFreshPasskey } from '../sessions/require-session.ts';
import { type Session, forgetSessions, isFresh } from '../sessions/session.ts';

/** So many passkeys one holder may have. */
const MAX_PASSKEYS = 10;

const Name = z.string().trim().min(1).max(60);

const tooMany = refuse('invalid_state', `There are ${MAX_PASSKEYS} passkeys. Remove one first.`);
const lastOne = refuse('invalid_state', 'This is the only passkey. Add another one first.');
const notEnrolled = refuse(
  'invalid_request',
  'The passkey was not added: the answer was not valid, or it is there already.',
);
const noRecovery = refuse('invalid_state', 'There is no passkey yet. Add one; a recovery is for a lost one.');
const signedInByPasskey = refuse(
  'invalid_state',
  'You are signed in with a passkey, and a recovery is for who has none. Sign in by an e-mail link first.',
);
const wrongCode = refuse('totp_invalid', 'This recovery code is wrong or already used.');

/** What a holder does with passkeys: everything below `/account/passkeys`, `/account/fresh` and `/account/recovery`. */
export const passkeyRoutes = new Hono<SignedInEnvironment>();

passkeyRoutes.get('/passkeys', async (c) => {
  const { user } = c.var.session;
  const [passkeys, recoveryCodes] = await Promise.all([
    listPasskeys(c.env.IDENTITY, user.id),
    countRecoveryCodes(c.env.IDENTITY, user.id),
  ]);
  return c.json({ passkeys: passkeys.map(showPasskey), recoveryCodes });
});

/**
 * Who may enrol a passkey: whoever has none yet, has just used one, or has shown in a recovery that it is they. An e-mail
 * link alone adds none to those that are there.
 */
function mayEnrol(session: Session, present: readonly Passkey[], now_ms: number): Outcome<null> {
  if (present.length >= MAX_PASSKEYS) return tooMany;
  const may = present.length === 0 || session.isRecovered || isFresh(session, now_ms);
  return may ? { ok: true, value: null } : passkeyNeeded;
}

passkeyRoutes.post('/passkeys/options', async (c) => {
  const { session } = c.var;
  const now_ms = Date.now();
  const present = await listPasskeys(c.env.IDENTITY, session.user.id);
  const may = mayEnrol(session, present, now_ms);
  if (!may.ok) return sendRefusal(c, may);
  return c.json({ options: await askForPasskey(c.env.IDENTITY, session.user, present, now_ms) });
});

/** Enrols a passkey. The session may act from then on, since its holder has just used one. */
passkeyRoutes.post('/passkeys', async (c) => {
  const body = await readBody(c, z.strictObject({ answer: RegistrationAnswer, name: Name }));
  if (!body.ok) return sendRefusal(c, body);
  const { session } = c.var;
  const { user } = session;
  const now_ms = Date.now();
  const may = mayEnrol(session, await listPasskeys(c.env.IDENTITY, user.id), now_ms);
  if (!may.ok) return sendRefusal(c, may);
  const { answer, name } = body.value;
  if (!(await enrolPasskey(c.env.IDENTITY, user, answer, name, now_ms))) return sendRefusal(c, notEnrolled);
  await c.env.HOLDERS.note(session.token, 'add_passkey', { name });
  await tellUser(c.env, user, { kind: 'passkey_added', detail: { name } });
  const begun = await beginSession(c, { user, level: 'act', verifiedAt_ms: now_ms, replaces: session });
  return begun.ok ? c.json({ level: 'act' }, 201, begun.value) : sendRefusal(c, begun);
});

passkeyRoutes.patch('/passkeys/:id', requireFreshPasskey, async (c) => {
  const body = await readBody(c, z.strictObject({ name: Name }));
  if (!body.ok) return sendRefusal(c, body);
  const { meta } = await c.env.IDENTITY.prepare('UPDATE passkeys SET name = ? WHERE id = ? AND user_id = ?')
    .bind(body.value.name, c.req.param('id'), c.var.session.user.id)
    .run();
  return meta.changes === 1 ? c.json({ renamed: true }) : sendRefusal(c, notFound);
});

passkeyRoutes.delete('/passkeys/:id', requireFreshPasskey, async (c) => {
  const { user, token } = c.var.session;
  const id = c.req.param('id');
  const passkeys = await listPasskeys(c.env.IDENTITY, user.id);
  const gone = passkeys.find((passkey) => passkey.id === id);
  if (!gone) return sendRefusal(c, notFound);
  // Of two removals at once the last passkey survives one.
  const { meta } = await c.env.IDENTITY.prepare(
    'DELETE FROM passkeys WHERE id = ?1 AND user_id = ?2 AND (SELECT count(*) FROM passkeys WHERE user_id = ?2) > 1',
  )
    .bind(id, user.id)
    .run();
  if (meta.changes === 0) return sendRefusal(c, lastOne);
  await c.env.HOLDERS.note(token, 'remove_passkey', { name: gone.name });
  await tellUser(c.env, user, { kind: 'passkey_removed', detail: { name: gone.name } });
  return c.json({ removed: true });
});

/** What the browser asks one of the holder's own passkeys for. */
passkeyRoutes.post('/fresh/options', async (c) => {
  const { user } = c.var.session;
  const challenge = await drawChallenge(c.env.IDENTITY, { purpose: 'refresh', userId: user.id }, Date.now());
  const passkeys = await listPasskeys(c.env.IDENTITY, user.id);
  const options = await generateAuthenticationOptions({
    rpID: PASSKEY_HOST,
    challenge: Uint8Array.fromBase64(challenge, { alphabet: 'base64url' }),
    userVerification: 'required',
    allowCredentials: passkeys.map(({ id, transports }) => ({ id, transports: [...transports] })),
  });
  return c.json({ options });
});

/** Uses a passkey, for what wants one that was used in the last five minutes. A session that looked acts from then on. */
passkeyRoutes.post('/fresh', async (c) => {
  const body = await readBody(c, z.strictObject({ answer: AuthenticationAnswer }));
  if (!body.ok) return sendRefusal(c, body);
  const { session } = c.var;
  const now_ms = Date.now();
  const asked = { purpose: 'refresh', userId: session.user.id } as const;
  if (!(await verifyPasskey(c.env.IDENTITY, body.value.answer, asked, now_ms))) return sendRefusal(c, signInRefused);
  if (session.level === 'act') {
    await c.env.IDENTITY.prepare('UPDATE sessions SET verified_at = ? WHERE hash = ?').bind(now_ms, session.hash).run();
    return c.json({ level: 'act' }, 201);
  }
  const begun = await beginSession(c, {
    user: session.user,
    level: 'act',
    verifiedAt_ms: now_ms,
    replaces: session,
  });
  return begun.ok ? c.json({ level: 'act' }, 201, begun.value) : sendRefusal(c, begun);
});

const RecoveryBody = z.union([
  z.strictObject({ totpCode: z.string().regex(/^\d{6}$/, 'is not six digits') }),
  z.strictObject({ recoveryCode: z.string().min(1).max(60) }),
  z.strictObject({ allowedByExchange: z.literal(true) }),
]);

function toProof(shown: z.output<typeof RecoveryBody>): Proof {
  if ('totpCode' in shown) return { kind: 'totp', code: shown.totpCode };
  return { kind: 'recoveryCode' in shown ? 'recovery_code' : 'allowed' };
}

/**
 * Recovers the account of somebody whose passkeys are lost: signed in by a link, they show a second code of theirs, or two
 * of the exchange's people have agreed. The exchange holds the account for 24 hours and revokes its API keys, and only then
 * may they enrol a passkey.
 */
passkeyRoutes.post('/recovery', async (c) => {
  const body = await readBody(c, RecoveryBody);
  if (!body.ok) return sendRefusal(c, body);
  const { session } = c.var;
  const { user, hash, token } = session;
  // Before a code is spent: the exchange refuses it as well.
  if (session.level === 'act') return sendRefusal(c, signedInByPasskey);
  if ((await listPasskeys(c.env.IDENTITY, user.id)).length === 0) return sendRefusal(c, noRecovery);
  const proof = body.value;
  if ('recoveryCode' in proof && !(await spendRecoveryCode(c.env.IDENTITY, user.id, proof.recoveryCode))) {
    return sendRefusal(c, wrongCode);
  }
  const held = await c.env.HOLDERS.recover(token, toProof(proof));
  if (!held.ok) return sendRefusal(c, held);
  await c.env.IDENTITY.batch([
    c.env.IDENTITY.prepare('UPDATE sessions SET recovered = 1 WHERE hash = ?').bind(hash),
    forgetSessions(c.env.IDENTITY, held.value.ended),
  ]);
  const heldUntil = new Date(held.value.heldUntil_ms).toISOString();
  await tellUser(c.env, user, { kind: 'recovered', detail: { heldUntil } });
  return c.json({ heldUntil }, 201);
});

/**
 * Draws ten new recovery codes, which are shown once and take the place of the old ones. The exchange asks for a code where
 * two-factor authentication is on: else a passkey alone would get around it, by a recovery.
 */
passkeyRoutes.post('/recovery-codes', requireFreshPasskey, async (c) => {
  const body = await readBody(c, z.strictObject({ totpCode: z.unknown().optional() }));
  if (!body.ok) return sendRefusal(c, body);
  const { user, token } = c.var.session;
  const noted = await c.env.HOLDERS.drawRecoveryCodes(token, body.value.totpCode);
  if (!noted.ok) return sendRefusal(c, noted);
  return c.json({ recoveryCodes: await drawRecoveryCodes(c.env.IDENTITY, user.id) }, 201);
});

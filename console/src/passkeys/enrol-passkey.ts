import {
  type RegistrationResponseJSON,
  generateRegistrationOptions,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { toBase64Url } from '../../../src/platform/digest.ts';
import { describeError, logEvent } from '../../../src/platform/log.ts';
import { PASSKEY_HOST, config } from '../env.ts';
import type { User } from '../identity/user.ts';
import { drawChallenge, takeChallenge } from './challenge.ts';
import type { Passkey } from './passkey.ts';

/** What the browser asks the authenticator for: a discoverable passkey of this user, which none of theirs is yet. */
export async function askForPasskey(
  identity: D1Database,
  user: User,
  present: readonly Passkey[],
  now_ms: number,
): ReturnType<typeof generateRegistrationOptions> {
  const challenge = await drawChallenge(identity, { purpose: 'enrol', userId: user.id }, now_ms);
  return generateRegistrationOptions({
    rpName: 'Bureau',
    rpID: PASSKEY_HOST,
    userName: user.email,
    userID: new Uint8Array(new TextEncoder().encode(user.id)),
    challenge: Uint8Array.fromBase64(challenge, { alphabet: 'base64url' }),
    attestationType: 'none',
    excludeCredentials: present.map(({ id, transports }) => ({ id, transports: [...transports] })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/**
 * Enrols a passkey that has answered this user's challenge (WebAuthn Level 3, section 7.1), with the user verified.
 * Returns whether it did; not for an answer that was sent before, nor for a passkey that is enrolled already. Throws
 * when D1 fails.
 */
export async function enrolPasskey(
  identity: D1Database,
  user: User,
  answer: RegistrationResponseJSON,
  name: string,
  now_ms: number,
): Promise<boolean> {
  const info = await verifyEnrolment(identity, user, answer, now_ms);
  if (!info) return false;
  const { credential, credentialBackedUp } = info;
  const { meta } = await identity
    .prepare(
      `INSERT INTO passkeys (id, user_id, public_key, counter, transports, backed_up, name, created_at, used_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8) ON CONFLICT DO NOTHING`,
    )
    .bind(
      credential.id,
      user.id,
      toBase64Url(credential.publicKey),
      credential.counter,
      JSON.stringify(credential.transports ?? []),
      credentialBackedUp ? 1 : 0,
      name,
      now_ms,
    )
    .run();
  return meta.changes === 1;
}

async function verifyEnrolment(identity: D1Database, user: User, answer: RegistrationResponseJSON, now_ms: number) {
  const asked = { purpose: 'enrol', userId: user.id } as const;
  try {
    const verified = await verifyRegistrationResponse({
      response: answer,
      expectedChallenge: (challenge) => takeChallenge(identity, challenge, asked, now_ms),
      expectedOrigin: config.CONSOLE_ORIGIN,
      expectedRPID: PASSKEY_HOST,
      requireUserVerification: true,
    });
    return verified.verified ? verified.registrationInfo : undefined;
  } catch (error) {
    // The library throws for an answer that it refuses.
    logEvent('passkey_not_enrolled', { userId: user.id, error: describeError(error) });
    return undefined;
  }
}
